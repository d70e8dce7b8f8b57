"""The page of one exploration of ring schemes: the recommendation, the reasons, the sets, and their runs."""

from collections.abc import Iterator, Sequence

from fheasible import units
from fheasible.accuracy.words import share
from fheasible.aliases import Json
from fheasible.estimation.ring_profile import LIBRARY
from fheasible.reports import html
from fheasible.reports.compared import Best, compared, firsts
from fheasible.reports.explored_sections import environment
from fheasible.reports.figures import Cloud, Dot, MarkedRows
from fheasible.reports.listed import (
    MOST_DOTS,
    ON_THE_FRONT,
    Listed,
    application,
    measured,
    recommended,
    rejected,
    sizes,
    times,
)
from fheasible.reports.page import Folded, Page, Section, Table
from fheasible.schemes.catalogue import SCHEMES
from fheasible.store.rows import StoredExploration, StoredMeasurement
from fheasible.units import MIB

COLUMNS = (
    "scheme", "n", "log2 q", "log2 w", "depth", "multiplications", "time", "memory", "security", "warning",
)  # fmt: skip


def report(stored: StoredExploration, measurements: Sequence[StoredMeasurement]) -> Listed:
    """The page of that exploration. `measurements`: stored results of the application, newest first."""
    programs = set(stored.explored.content["programs"])
    runs = (
        m
        for m in measurements
        if m.entry.library == LIBRARY and m.entry.circuit in programs and m.entry.measurement
    )
    candidates = stored.explored.content["candidates"]
    return Listed(stored, _compared(stored.explored.content), _front(candidates), tuple(runs))


def render(found: Listed) -> str:
    """The page as HTML."""
    return html.render(_page(found))


def _page(found: Listed) -> Page:
    sections = [
        *application(found),
        *_recommended(found),
        *_sets(found),
        *rejected(found, "Schemes that do not fit", _title),
        measured(found, _run),
    ]
    return Page(
        found.title(_named), (*sections, _calibration(found), environment(found.stored)), _facts(found)
    )


def _facts(found: Listed) -> str:
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


def _recommended(found: Listed) -> Iterator[Section]:
    best = found.best
    if best is None:
        return
    e = best["estimate"]
    figures = (
        *times(e),
        ("security by the cheapest known attack", units.security(best["estimate"]["security_bits"])),
        ("products in succession that it bears", str(best["depth"])),
        ("multiplications of integers", units.number(best["integer_multiplications"])),
        *sizes(e),
    )
    yield from recommended(found, figures, best["warnings"])


def _sets(found: Listed) -> Iterator[Section]:
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


def _compared(content: Json) -> MarkedRows | None:
    """The time of the best set of each scheme, or its multiplications where no time is known."""
    best = firsts(content["candidates"], lambda c: c["scheme"])
    timed = all(c["estimate"]["cpu_seconds"]["total"] for c in best)
    return compared(
        [
            Best(
                _title(c),
                f"{_title(c)}, n = {units.power_of_two(c['request']['n'])}",
                c["estimate"]["cpu_seconds"]["total"] if timed else c["integer_multiplications"],
                units.seconds(c["estimate"]["cpu_seconds"]["total"])
                if timed
                else units.number(c["integer_multiplications"]),
            )
            for c in best
        ],
        "time" if timed else "multiplications",
        "CPU time of a run (s)" if timed else "multiplications of integers",
        "The best set of each scheme, the recommended one first.",
        bool(content["rejected"]),
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
        note=ON_THE_FRONT,
    )


def _dot(c: Json, timed: bool) -> Dot:
    e = c["estimate"]
    x, y = c["integer_multiplications"], c["memory_integers"]
    if timed:
        x, y = e["cpu_seconds"]["total"], e["peak_bytes"] / MIB
    return Dot(float(x), float(y), _title(c), _named(c), e["security_bits"], edge=c["pareto"])


def _run(m: StoredMeasurement) -> str:
    """The name of a run: 'FV, n = 2^13, run 38'."""
    n = units.power_of_two(m.entry.request["n"])
    return f"{_title({'scheme': m.entry.scheme})}, n = {n}, run {m.id}"


def _calibration(found: Listed) -> Section:
    profile = found.content["profile"]
    if profile is None:
        text = (
            f"Not calibrated on this machine, so times are unknown: fheasible calibrate --library {LIBRARY}"
        )
        return Section("Calibration", (text,), folded=True)
    band = share(profile["error_band"])
    date = profile["created"][:16].replace("T", " ")
    said = f"Calibrated {date} UTC. Nine of ten predicted times are within {band}."
    return Section("Calibration", (said,), folded=True)
