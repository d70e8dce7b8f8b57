"""The page of one exploration of table look-ups: the recommendation, the reasons, the sets, and their
runs."""

from collections.abc import Iterator, Sequence

from fheasible import units
from fheasible.accuracy.words import share
from fheasible.aliases import Json
from fheasible.exploration.lookups.failing import probability
from fheasible.libraries.lookup_catalogue import LOOKUP_LIBRARIES, title_of
from fheasible.reports import html
from fheasible.reports.compared import Best, compared, firsts
from fheasible.reports.explored_sections import environment
from fheasible.reports.figures import MarkedRows
from fheasible.reports.listed import (
    MOST_DOTS,
    Listed,
    application,
    measured,
    recommended,
    rejected,
    sizes,
    times,
)
from fheasible.reports.lookup_front import named, pareto, title
from fheasible.reports.page import Block, Folded, Page, Section, Table
from fheasible.store.rows import StoredExploration, StoredMeasurement

COLUMNS = (
    "set", "message x carry", "look-ups", "N", "n", "time", "memory", "keys", "failure", "security",
)  # fmt: skip


def report(stored: StoredExploration, measurements: Sequence[StoredMeasurement]) -> Listed:
    """The page of that exploration. `measurements`: stored results of the application, newest first."""
    runs = (
        m
        for m in measurements
        if m.entry.library in LOOKUP_LIBRARIES
        and m.entry.circuit == stored.explored.circuit
        and m.entry.measurement
    )
    candidates = stored.explored.content["candidates"]
    return Listed(stored, _compared(stored.explored.content), pareto(candidates), tuple(runs))


def render(found: Listed) -> str:
    """The page as HTML."""
    return html.render(_page(found))


def _page(found: Listed) -> Page:
    sections = [
        *application(found),
        *_recommended(found),
        *_sets(found),
        *_encodings(found),
        *rejected(found, "Libraries that do not fit", title),
        measured(found, _run),
    ]
    return Page(
        found.title(named), (*sections, _calibration(found), environment(found.stored)), _facts(found)
    )


def _facts(found: Listed) -> str:
    """What was asked and how much was tried."""
    c, wish = found.content, found.stored.explored.wish
    failure = wish["failure"] or (128 if wish["shared_results"] else 40)
    return (
        f"Asked: {wish['security']} bits of security, wrong once in 2^{failure:g} runs at most; least "
        f"{wish['objective']} first. {c['explored']:,} parameter sets in {len(c['encodings'])} encodings "
        f"were explored in {units.seconds(c['seconds'])}, {c['feasible']:,} are feasible. "
        f"Data: {c['data']}."
    )


# -- sections ------------------------------------------------------------------------------------


def _recommended(found: Listed) -> Iterator[Section]:
    best = found.best
    if best is None:
        return
    e = best["estimate"]
    figures = (
        *times(e),
        ("table look-ups", units.number(best["lookups"])),
        ("table look-ups in succession", units.number(best["lookups_in_succession"])),
        ("probability of a wrong run", probability(e["log2_failure"], 1)),
        ("security by the cheapest known attack", units.security(e["security_bits"])),
        *sizes(e),
    )
    yield from recommended(found, figures, found.content["warnings"])
    if found.content["beside"]:
        yield Section("Other kinds of libraries", tuple(found.content["beside"]))


def _sets(found: Listed) -> Iterator[Section]:
    candidates = found.content["candidates"]
    if not candidates:
        return
    every = Table(COLUMNS, tuple(map(_row, candidates[:MOST_DOTS])), left=("set", "N"))
    blocks: list[Block] = [found.front] if found.front is not None else []
    yield Section("Sets that fit", (*blocks, Folded(f"{len(every.rows):,} sets, best first", every)))


def _row(c: Json) -> tuple[str | None, ...]:
    p, e, r = c["parameters"], c["estimate"], c["request"]
    return (
        f"{title_of(c['library'])} {c['set'] or 'own set'}",
        f"{r['message']} x {r['carry']}",
        units.number(c["lookups"]),
        units.power_of_two(p["polynomial_size"]),
        str(p["lwe_dimension"]),
        units.seconds(e["cpu_seconds"]["total"]),
        units.size(e["peak_bytes"]),
        units.size(e["evaluation_key_bytes"]),
        probability(e["log2_failure"]),
        units.security(e["security_bits"]),
    )


def _encodings(found: Listed) -> Iterator[Section]:
    rows = tuple(
        (
            str(e["message"]),
            str(e["carry"]),
            units.number(e["lookups"]),
            units.number(e["in_succession"]),
        )
        for e in found.content["encodings"]
    )
    if rows:
        columns = ("message", "carry", "look-ups", "in succession")
        yield Section("Encodings", (Table(columns, rows, caption="What the application takes in each"),))


def _compared(content: Json) -> MarkedRows | None:
    """The time of the best set of each library; None where no time is known."""
    beside = " Other kinds of libraries are told below." if content["beside"] else ""
    timed = (c for c in content["candidates"] if c["estimate"]["cpu_seconds"]["total"])
    return compared(
        [
            Best(
                title_of(c["library"]),
                title(c),
                c["estimate"]["cpu_seconds"]["total"],
                f"{units.seconds(c['estimate']['cpu_seconds']['total'])}, "
                f"{units.size(c['estimate']['peak_bytes'])}",
            )
            for c in firsts(timed, lambda c: c["library"])
        ],
        "time",
        "CPU time of a run (s)",
        "The best set of each library, the recommended one first, with its time and memory. "
        f"A library has the same colour in all figures.{beside}",
        bool(content["rejected"]) and not beside,
    )


def _run(m: StoredMeasurement) -> str:
    """The name of a run: 'TFHE-rs V1_7_..., run 38'."""
    return f"{title_of(m.entry.library)} {m.entry.request.get('set') or 'own set'}, run {m.id}"


def _calibration(found: Listed) -> Section:
    profiles = found.content["profiles"]
    if not profiles:
        unknown = "Not calibrated, so times are unknown: fheasible calibrate"
        return Section("Calibration", (unknown,), folded=True)
    told = tuple(
        f"{title_of(name)}: calibrated {p['created'][:16].replace('T', ' ')} UTC"
        f"{' on ' + p['origin'] if p['origin'] else ''}. Nine of ten predicted times are within "
        f"{share(p['error_band'])}."
        for name, p in profiles.items()
    )
    return Section("Calibration", told, folded=True)
