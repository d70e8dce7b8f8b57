"""What a limit on memory does to a run: time, page faults and swap traffic of one set under several limits.

    sudo .venv/bin/python benchmarks/limits.py [--passes 2] [--repetitions 3] [--store FILE]
        [--out benchmarks/results/limits.json]

It needs Linux, root, control groups and 5 GiB of a disk. It runs SEAL's CKKS on examples/2_std_dev.py with a
set of about 850 MiB, without a limit and under 768, 512 and 256 MiB with 4 GiB of swap, and under 256 MiB
without swap, where the run is killed for memory. All conditions run once before any runs again. Each row of
the table has the pass with the least wall time; the file has every pass, with its environment.
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from fheasible.api.options import Options
from fheasible.api.platform import Execution, Silent
from fheasible.api.residues import Residues
from fheasible.errors import KilledForMemory
from fheasible.measurement.limited.limit import MemoryLimit
from fheasible.measurement.limited.usage import Traffic
from fheasible.store.rows import plain
from fheasible.store.store import Store
from fheasible.units import ABSENT, GIB, MIB, seconds, size

Json = dict[str, Any]
APP = Path(__file__).parent.parent / "examples" / "2_std_dev.py"
SETTINGS = {"scale_bits": "30", "ring_dimension": "16384"}
LIMITS = (None, *(MemoryLimit(m * MIB, 4 * GIB) for m in (768, 512, 256)), MemoryLimit(256 * MIB))
COLUMNS = ("limit", "outcome", "keygen", "run", "CPU", "faults", "from disk", "read", "written", "read/s")
WIDTHS = (29, 18, 8, 8, 8, 9, 9, 9, 9, 9)


def main() -> None:
    given = arguments()
    with TemporaryDirectory() as folder:
        place = given.store or Path(folder, "limits.sqlite")
        found = [
            {"pass": number, **run(limit, given, place)}
            for number in range(given.passes)
            for limit in told(number)
        ]
    best = [least([row for row in found if row["limit"] == text(limit)]) for limit in LIMITS]
    print(line(COLUMNS))
    for row in best:
        print(line(cells(row)))
    if given.out:
        rows = ",\n".join(json.dumps(plain(row)) for row in found)
        given.out.write_text(f'{{"settings": {json.dumps(SETTINGS)}, "rows": [\n{rows}\n]}}\n')


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--passes", type=int, default=2)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--store", type=Path)
    parser.add_argument("--out", type=Path)
    return parser.parse_args()


def told(number: int) -> Iterator[MemoryLimit | None]:
    for limit in LIMITS:
        print(f"pass {number + 1}: {text(limit)}", flush=True)
        yield limit


def run(limit: MemoryLimit | None, given: argparse.Namespace, place: Path) -> Json:
    """What the store has of one run."""
    how = Execution(repetitions=given.repetitions, params=SETTINGS, memory=limit, timeout=1800)
    try:
        number = Residues().run(APP, Options(libraries=("seal",)), how, Silent(place)).proof.number
    except KilledForMemory as error:
        number = error.number
    assert number is not None
    with Store.open(place) as store:
        stored = store.show(number)
    entry = stored.entry
    figures = None
    if entry.measurement is not None:
        names = ("cpu_seconds", "wall_seconds", "peak_bytes", "counters", "limited")
        figures = {name: entry.measurement[name] for name in names}
    assert entry.estimate is not None
    return {
        "limit": text(limit),
        "outcome": entry.outcome,
        "message": entry.message,
        "predicted_peak_bytes": entry.estimate["peak_bytes"],
        "measured": figures,
        "environment": stored.environment,
    }


def text(limit: MemoryLimit | None) -> str:
    return "none" if limit is None else str(limit).replace(" of memory", "").replace(" of swap", "")


def least(rows: list[Json]) -> Json:
    """The row whose repetitions took the least wall time; the first where none has a result."""
    measured = [row for row in rows if row["measured"]]
    return min(measured, key=lambda r: r["measured"]["wall_seconds"]["total"]["median"], default=rows[0])


def cells(row: Json) -> tuple[str, ...]:
    """The row of the table; a run without a limit has no traffic."""
    measured = row["measured"]
    if measured is None:
        return (row["limit"], row["outcome"], *[ABSENT] * 8)
    wall, cpu = measured["wall_seconds"], measured["cpu_seconds"]
    times = (wall["keygen"]["median"], wall["total"]["median"], cpu["total"]["median"])
    return (row["limit"], row["outcome"], *map(seconds, times), *used(measured["limited"]))


def used(limited: Json | None) -> tuple[str, ...]:
    if limited is None:
        return (ABSENT,) * 5
    counts = (f"{limited[name]:,}" for name in ("page_faults", "major_faults"))
    traffic = (size(limited[name]) for name in ("swap_read_bytes", "swap_written_bytes"))
    fastest = max(row[1] for row in Traffic.from_json(limited["traffic"]).bandwidth())
    return (*counts, *traffic, size(fastest))


def line(words: tuple[str, ...]) -> str:
    rest = zip(words[2:], WIDTHS[2:], strict=True)
    return f"{words[0]:{WIDTHS[0]}}{words[1]:{WIDTHS[1]}}" + "".join(f"{w:>{n + 2}}" for w, n in rest)


if __name__ == "__main__":
    main()
