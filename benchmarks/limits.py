"""What a limit on memory does to runs: time, page faults and swap traffic, predicted beside measured.

    sudo .venv/bin/python benchmarks/limits.py [--passes 2] [--repetitions 3] [--store FILE] [--library NAME]
        [--out benchmarks/results/limits.json]

It needs Linux, root, control groups and 5 GiB of a disk. It runs CKKS on examples/2_std_dev.py on each
library, without a limit and under several with 4 GiB of swap; and SEAL under 256 MiB without swap,
where the run is killed for memory. All conditions run once before any runs again; in each pass the
speed of swap is measured first. Bytes and wall seconds are those of one repetition from encryption to
decryption. What swapping adds to the wall time is predicted from the bytes that it moves, and compared
with the run without a limit of the same pass. The table has the pass with the least wall time; the file
has every pass, with its environment.
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

from fheasible.api.options import Options
from fheasible.api.platform import Execution, Silent
from fheasible.api.residues import Residues
from fheasible.calibration.swap import calibrate_swap
from fheasible.errors import KilledForMemory
from fheasible.measurement.limited.limit import MemoryLimit
from fheasible.measurement.limited.usage import Traffic
from fheasible.measurement.resident import Trace
from fheasible.program.phases import PHASES
from fheasible.store.rows import plain
from fheasible.store.store import Store
from fheasible.units import ABSENT, GIB, MIB, percent, seconds, size

Json = dict[str, Any]
APP = Path(__file__).parent.parent / "examples" / "2_std_dev.py"
SETTINGS = {
    "seal": {"scale_bits": "30", "ring_dimension": "16384"},
    "openfhe": {"scale_bits": "36", "technique": "fixedmanual", "digits": "1"},
    "lattigo": {
        "scale_bits": "27",
        "first_bits": "29",
        "ring_dimension": "16384",
        "special_bits": "27,27,27,27",
    },
}
SWAPPING = {"seal": (768, 640, 512, 384, 256), "openfhe": (256, 224, 192), "lattigo": (256, 224, 192)}
COLUMNS = (
    "library", "limit", "outcome", "run", "CPU", "read", "predicted", "written", "predicted", "added",
    "predicted", "error",
)  # fmt: skip
WIDTHS = (9, 26, 19, 8, 8, 9, 9, 9, 9, 8, 9, 8)


class Condition(NamedTuple):
    library: str
    limit: MemoryLimit | None

    @property
    def text(self) -> str:
        if self.limit is None:
            return "none"
        return str(self.limit).replace(" of memory", "").replace(" of swap", "")


def main() -> None:
    given = arguments()
    asked = list(conditions(given.library))
    with TemporaryDirectory() as folder:
        place = given.store or Path(folder, "limits.sqlite")
        found: list[Json] = []
        for number in range(given.passes):
            for row in one_pass(number, asked, given, place):
                found.append(row)
                write(found, given.out)  # so that what ends the benchmark loses nothing
    best = [least([row for row in found if of(row) == (c.library, c.text)]) for c in asked]
    print(line(COLUMNS))
    for row in best:
        print(line(cells(row)))
    print(said(best))


def write(found: list[Json], out: Path | None) -> None:
    if out is not None:
        rows = ",\n".join(json.dumps(plain(row)) for row in found)
        out.write_text(f'{{"settings": {json.dumps(SETTINGS)}, "rows": [\n{rows}\n]}}\n')


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--passes", type=int, default=2)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--library", choices=tuple(SETTINGS))
    parser.add_argument("--store", type=Path)
    parser.add_argument("--out", type=Path)
    return parser.parse_args()


def conditions(only: str | None) -> Iterator[Condition]:
    for library, limits in SWAPPING.items():
        if only in (None, library):
            yield Condition(library, None)
            yield from (Condition(library, MemoryLimit(m * MIB, 4 * GIB)) for m in limits)
    if only in (None, "seal"):
        yield Condition("seal", MemoryLimit(256 * MIB))


def of(row: Json) -> tuple[str, str]:
    return row["library"], row["limit"]


def one_pass(number: int, asked: list[Condition], given: argparse.Namespace, place: Path) -> Iterator[Json]:
    """The rows of a pass, each with what swapping added to the run without a limit of the same library."""
    with Store.open(place) as store:
        speed = calibrate_swap(store)
    free: dict[str, float] = {}
    for condition in asked:
        print(f"pass {number + 1}: {condition.library}, {condition.text}", flush=True)
        row = run(condition, given, place)
        if row["measured"]:
            wall = row["measured"]["wall_seconds"]["total"]["median"]
            row["added_seconds"] = wall - free.setdefault(condition.library, wall)
        yield {"pass": number, "swap_speed": speed.to_json(), **row}


def run(condition: Condition, given: argparse.Namespace, place: Path) -> Json:
    """What the store has of one run."""
    settings = SETTINGS[condition.library]
    how = Execution(repetitions=given.repetitions, params=settings, memory=condition.limit, timeout=1800)
    try:
        number = Residues().run(APP, Options(libraries=(condition.library,)), how, Silent(place)).proof.number
    except KilledForMemory as error:
        number = error.number
    assert number is not None
    with Store.open(place) as store:
        stored = store.show(number)
    entry = stored.entry
    assert entry.estimate is not None
    return {
        "library": condition.library,
        "limit": condition.text,
        "outcome": entry.outcome,
        "message": entry.message,
        "predicted_peak_bytes": entry.estimate["peak_bytes"],
        "predicted": entry.estimate.get("swap"),
        "moved": moved(entry.measurement) if entry.measurement else None,
        "measured": figures(entry.measurement) if entry.measurement else None,
        "environment": stored.environment,
    }


def figures(measurement: Json) -> Json:
    """The figures of a run, without the resident set over time."""
    names = ("cpu_seconds", "wall_seconds", "peak_bytes", "counters", "limited")
    return {name: measurement[name] for name in names}


def moved(measurement: Json) -> Json | None:
    """(bytes read, bytes written) by phase, in each repetition but the warm-up; read off the traffic over
    time, at the phases' ends."""
    if measurement["limited"] is None or measurement["resident"] is None:
        return None
    traffic = Traffic.from_json(measurement["limited"]["traffic"])
    found: dict[str, list[list[int]]] = {phase: [] for phase in PHASES}
    for part in Trace.from_json(measurement["resident"]).stretches:
        if part.phase in found:
            columns = (traffic.read_bytes, traffic.written_bytes)
            ends = (np.interp([part.begin, part.end], traffic.seconds, column) for column in columns)
            found[part.phase].append([int(b - a) for a, b in ends])
    return {phase: rows if phase == "keygen" else rows[1:] for phase, rows in found.items()}


def repeated(moved: Json, which: int) -> float:
    """Bytes of a typical repetition: 0 those read, 1 those written."""
    each = zip(*([row[which] for row in moved[phase]] for phase in PHASES[1:]), strict=True)
    return float(median(sum(parts) for parts in each))


def foretold(row: Json, name: str) -> float:
    """What was predicted of a repetition."""
    return float(sum(row["predicted"][name][phase] for phase in PHASES[1:]))


def least(rows: list[Json]) -> Json:
    """The row whose repetitions took the least wall time; the first where none has a result."""
    measured = [row for row in rows if row["measured"]]
    return min(measured, key=lambda r: r["measured"]["wall_seconds"]["total"]["median"], default=rows[0])


def cells(row: Json) -> tuple[str, ...]:
    """The row of the table; a run without a limit has no traffic."""
    head, measured = (row["library"], row["limit"], row["outcome"]), row["measured"]
    if measured is None:
        return (*head, *[ABSENT] * 9)
    times = (measured[clock]["total"]["median"] for clock in ("wall_seconds", "cpu_seconds"))
    known = (*head, *map(seconds, times))
    if row["moved"] is None or row["predicted"] is None:
        return (*known, *[ABSENT] * 7)
    added, told = row["added_seconds"], foretold(row, "wall_seconds")
    return (
        *known,
        size(repeated(row["moved"], 0)),
        size(foretold(row, "read_bytes")),
        size(repeated(row["moved"], 1)),
        size(foretold(row, "written_bytes")),
        seconds(added),
        seconds(told),
        percent((told - added) / added) if added > 0 else ABSENT,
    )


def said(rows: list[Json]) -> str:
    """How well bytes and seconds are predicted, over the runs that read 16 MiB or more."""
    known = [r for r in rows if r["moved"] and r["predicted"] and repeated(r["moved"], 0) >= 16 * MIB]
    if not known:
        return "no run swapped"
    read = [foretold(r, "read_bytes") / repeated(r["moved"], 0) - 1 for r in known]
    added = [foretold(r, "wall_seconds") / r["added_seconds"] - 1 for r in known if r["added_seconds"] > 0]
    return (
        f"{len(known)} runs that swap: bytes read are predicted {spread(read)}, the added wall time "
        f"{spread(added)}"
    )


def spread(errors: list[float]) -> str:
    mean = sum(map(abs, errors)) / len(errors)
    return f"within {percent(max(map(abs, errors)))}, {percent(mean)} on average"


def line(words: tuple[str, ...]) -> str:
    rest = zip(words[3:], WIDTHS[3:], strict=True)
    head = "".join(f"{w:{n}}" for w, n in zip(words[:3], WIDTHS[:3], strict=True))
    return head + "".join(f"{w:>{n + 2}}" for w, n in rest)


if __name__ == "__main__":
    main()
