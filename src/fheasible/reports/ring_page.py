"""The page of one exploration of ring schemes: the recommendation, the reasons, the sets, and their runs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fheasible import units
from fheasible.accuracy.words import share
from fheasible.aliases import Json
from fheasible.estimation.ring_profile import LIBRARY
from fheasible.reports import html
from fheasible.reports.explored_runs import table
from fheasible.reports.explored_sections import environment
from fheasible.reports.figures import Cloud, Dot, Drawing
from fheasible.reports.page import Block, Caution, Folded, Page, Section, Table
from fheasible.schemes.catalogue import SCHEMES
from fheasible.store.rows import StoredExploration, StoredMeasurement
from fheasible.units import MIB

MOST_DOTS = 400
COLUMNS = (
    "scheme", "n", "log2 q", "log2 w", "depth", "multiplications", "time", "memory", "security", "warning",
)  # fmt: skip
FRONT = "time-and-memory"


@dataclass(frozen=True, slots=True)
class RingReport:
    """The content of the page. `front`: memory against time, or against multiplications where no time is
    known; None where nothing fits."""

    stored: StoredExploration
    front: Cloud | None
    runs: tuple[StoredMeasurement, ...]  # right runs of this application, newest first

    @property
    def content(self) -> Json:
        return self.stored.explored.content

    @property
    def best(self) -> Json | None:
        return next(iter(self.content["candidates"]), None)

    @property
    def drawings(self) -> dict[str, Drawing]:
        """Every figure by the name of its file."""
        return {} if self.front is None else {FRONT: self.front}


def report(stored: StoredExploration, measurements: Sequence[StoredMeasurement]) -> RingReport:
    """The page of that exploration. `measurements`: stored results of the application, newest first."""
    programs = set(stored.explored.content["programs"])
    runs = (
        m
        for m in measurements
        if m.entry.library == LIBRARY and m.entry.circuit in programs and m.entry.measurement
    )
    return RingReport(stored, _front(stored.explored.content["candidates"]), tuple(runs))


def render(found: RingReport) -> str:
    """The page as HTML."""
    return html.render(_page(found))


def _page(found: RingReport) -> Page:
    best, app = found.best, found.stored.explored.app
    title = f"{app}: nothing fits" if best is None else f"{app}: {_named(best)}"
    sections = [*_recommended(found), *_sets(found), *_rejected(found), _measured(found)]
    return Page(title, (*sections, _calibration(found), environment(found.stored)), _facts(found))


def _facts(found: RingReport) -> str:
    """What was asked and how much was tried."""
    c, wish = found.content, found.stored.explored.wish
    limits = [
        *([f"time <= {units.seconds(wish['max_seconds'])}"] if wish["max_seconds"] is not None else []),
        *([f"memory <= {units.size(wish['max_bytes'])}"] if wish["max_bytes"] is not None else []),
    ]
    asked = units.listing([f"security: {c['security']}", f"{c['noise']} noise", *limits])
    depth = c["depth"]
    return (
        f"Asked: {asked}; least {c['objective']} first. {c['explored']:,} parameter sets of ring schemes "
        f"were explored in {units.seconds(c['seconds'])}, {c['feasible']:,} are feasible. The depth is "
        f"{depth['as_written']} as written and {depth['minimised']} minimised; "
        f"{depth['evaluated']} is evaluated."
    )


def _named(c: Json) -> str:
    p = c["request"]
    n = units.power_of_two(p["n"])
    return f"{_title(c)}, n = {n}, log2 q = {p['log_q']}, log2 w = {p['log_w']}"


def _title(c: Json) -> str:
    return SCHEMES[c["scheme"]].title if c["scheme"] in SCHEMES else str(c["scheme"])


# -- sections ------------------------------------------------------------------------------------


def _recommended(found: RingReport) -> Iterator[Section]:
    best = found.best
    if best is None:
        return
    e = best["estimate"]
    figures = (
        ("CPU time to encrypt, evaluate and decrypt", units.seconds(e["cpu_seconds"]["total"])),
        ("CPU time to make the keys", units.seconds(e["cpu_seconds"]["keygen"])),
        ("memory at the peak", units.size(e["peak_bytes"])),
        ("security by the cheapest known attack", units.security(best["estimate"]["security_bits"])),
        ("products in succession that it bears", str(best["depth"])),
        ("multiplications of integers", units.number(best["integer_multiplications"])),
        ("a fresh ciphertext", units.size(e["ciphertext_bytes"])),
        ("evaluation keys", units.size(e["evaluation_key_bytes"])),
    )
    blocks: list[Block] = [Table(("figure", "predicted"), figures, left=("figure",))]
    blocks += [Caution(text) for text in best["warnings"]]
    if found.content["command"]:
        blocks.append("Run it: " + " ".join(line.rstrip("\\ ") for line in found.content["command"]))
    yield Section("Recommendation", tuple(blocks))
    if found.content["why"]:
        yield Section("Why", tuple(found.content["why"]))


def _sets(found: RingReport) -> Iterator[Section]:
    candidates = found.content["candidates"]
    if found.front is None:
        return
    firsts = {c["scheme"]: c for c in reversed(candidates)}
    best = tuple(_row(c) for c in candidates if firsts[c["scheme"]] is c)
    every = Table(COLUMNS, tuple(map(_row, candidates[:MOST_DOTS])), left=("scheme", "n", "warning"))
    table = Table(COLUMNS, best, left=("scheme", "n", "warning"), caption="The best set of each scheme")
    yield Section(
        "Sets that fit", (found.front, table, Folded(f"{len(every.rows):,} sets, best first", every))
    )


def _row(c: Json) -> tuple[str | None, ...]:
    p, e = c["request"], c["estimate"]
    warning = "overstretched" if e["overstretched"] else "insecure" if c["warnings"] else None
    return (
        _title(c),
        units.power_of_two(p["n"]),
        str(p["log_q"]),
        str(p["log_w"]),
        str(c["depth"]),
        units.number(c["integer_multiplications"]),
        units.seconds(e["cpu_seconds"]["total"]),
        units.size(e["peak_bytes"]),
        units.security(c["estimate"]["security_bits"]),
        warning,
    )


def _front(candidates: Sequence[Json]) -> Cloud | None:
    """Memory against time, or against multiplications where no time is known; None without candidates."""
    shown = candidates[:MOST_DOTS]
    if not shown:
        return None
    timed = all(c["estimate"]["cpu_seconds"]["total"] and c["estimate"]["peak_bytes"] for c in shown)
    dots = tuple(_dot(c, timed) for c in shown)
    return Cloud(
        f"Memory against {'time' if timed else 'multiplications'} of the sets that fit",
        "CPU time to encrypt, evaluate and decrypt (s)" if timed else "multiplications of integers",
        "peak memory (MiB)" if timed else "memory (32-bit integers)",
        "security (bit)",
        dots,
        0,
        note="Bold edges: no other set has less of both. The ring marks the recommended set.",
    )


def _dot(c: Json, timed: bool) -> Dot:
    e = c["estimate"]
    x, y = c["integer_multiplications"], c["memory_integers"]
    if timed:
        x, y = e["cpu_seconds"]["total"], e["peak_bytes"] / MIB
    return Dot(float(x), float(y), _title(c), _named(c), e["security_bits"], edge=c["pareto"])


def _rejected(found: RingReport) -> Iterator[Section]:
    reasons: dict[str, list[str]] = {}
    for r in found.content["rejected"]:
        reasons.setdefault(r["reason"], []).append(_title(r))
    told = tuple(f"{units.listing(titles)}: {reason}." for reason, titles in reasons.items())
    if told:
        yield Section("Schemes that do not fit", told)


def _measured(found: RingReport) -> Section:
    heading = "Predicted against measured"
    if not found.runs:
        text = (
            "No run of this application is stored. fheasible verify, with the words of the exploration, runs "
            "the recommendation and stores what it takes."
        )
        return Section(heading, (text,))
    return Section(heading, (table((_run(m), m) for m in found.runs),))


def _run(m: StoredMeasurement) -> str:
    """The name of a run: 'FV, n = 2^13, run 38'."""
    n = units.power_of_two(m.entry.request["n"])
    return f"{_title({'scheme': m.entry.scheme})}, n = {n}, run {m.id}"


def _calibration(found: RingReport) -> Section:
    profile = found.content["profile"]
    if profile is None:
        text = (
            f"Not calibrated on this machine, so times are unknown: fheasible calibrate --library {LIBRARY}"
        )
        return Section("Calibration", (text,))
    band = share(profile["error_band"])
    date = profile["created"][:16].replace("T", " ")
    return Section("Calibration", (f"Calibrated {date} UTC. Nine of ten predicted times are within {band}.",))
