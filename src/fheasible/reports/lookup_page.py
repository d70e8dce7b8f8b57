"""The page of one exploration of table look-ups: the recommendation, the reasons, the sets, and their
runs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fheasible import units
from fheasible.accuracy.words import share
from fheasible.aliases import Json
from fheasible.libraries.lookup_catalogue import LOOKUP_LIBRARIES, title_of
from fheasible.reports import html
from fheasible.reports.explored_runs import table
from fheasible.reports.explored_sections import environment
from fheasible.reports.figures import Cloud, Dot, Drawing
from fheasible.reports.page import Block, Folded, Page, Section, Table
from fheasible.store.rows import StoredExploration, StoredMeasurement
from fheasible.units import MIB

MOST_DOTS = 400
COLUMNS = (
    "set", "message x carry", "look-ups", "N", "n", "time", "memory", "keys", "failure", "security",
)  # fmt: skip
FRONT = "time-and-memory"


@dataclass(frozen=True, slots=True)
class LookupReport:
    """The content of the page. `front`: memory against time; None where nothing fits or no time is known."""

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


def report(stored: StoredExploration, measurements: Sequence[StoredMeasurement]) -> LookupReport:
    """The page of that exploration. `measurements`: stored results of the application, newest first."""
    runs = (
        m
        for m in measurements
        if m.entry.library in LOOKUP_LIBRARIES
        and m.entry.circuit == stored.explored.circuit
        and m.entry.measurement
    )
    return LookupReport(stored, _front(stored.explored.content["candidates"]), tuple(runs))


def render(found: LookupReport) -> str:
    """The page as HTML."""
    return html.render(_page(found))


def _page(found: LookupReport) -> Page:
    best, app = found.best, found.stored.explored.app
    title = f"{app}: nothing fits" if best is None else f"{app}: {_named(best)}"
    sections = [*_recommended(found), *_sets(found), *_encodings(found), *_rejected(found), _measured(found)]
    return Page(title, (*sections, _calibration(found), environment(found.stored)), _facts(found))


def _facts(found: LookupReport) -> str:
    """What was asked and how much was tried."""
    c, wish = found.content, found.stored.explored.wish
    failure = wish["failure"] or (128 if wish["shared_results"] else 40)
    return (
        f"Asked: {wish['security']} bits of security, wrong once in 2^{failure:g} runs at most; least "
        f"{wish['objective']} first. {c['explored']:,} parameter sets in {len(c['encodings'])} encodings "
        f"were explored in {units.seconds(c['seconds'])}, {c['feasible']:,} are feasible. "
        f"Data: {c['data']}."
    )


def _named(c: Json) -> str:
    return f"{title_of(c['library'])} {c['scheme'].upper()}, {c['set'] or _own(c)}"


def _own(c: Json) -> str:
    p = c["parameters"]
    n = units.power_of_two(p["polynomial_size"])
    return f"n = {p['lwe_dimension']}, N = {n}, k = {p['glwe_dimension']}"


# -- sections ------------------------------------------------------------------------------------


def _recommended(found: LookupReport) -> Iterator[Section]:
    best = found.best
    if best is None:
        return
    e = best["estimate"]
    figures = (
        ("CPU time to encrypt, evaluate and decrypt", units.seconds(e["cpu_seconds"]["total"])),
        ("CPU time to make the keys", units.seconds(e["cpu_seconds"]["keygen"])),
        ("memory at the peak", units.size(e["peak_bytes"])),
        ("table look-ups", units.number(best["lookups"])),
        ("table look-ups in succession", units.number(best["lookups_in_succession"])),
        ("log2 of the probability of a wrong run", f"{e['log2_failure']:.1f}"),
        ("security by the cheapest known attack", units.security(e["security_bits"])),
        ("a fresh ciphertext", units.size(e["ciphertext_bytes"])),
        ("evaluation keys", units.size(e["evaluation_key_bytes"])),
    )
    blocks: list[Block] = [Table(("figure", "predicted"), figures, left=("figure",))]
    if found.content["command"]:
        blocks.append("Run it: " + " ".join(line.rstrip("\\ ") for line in found.content["command"]))
    yield Section("Recommendation", tuple(blocks))
    if found.content["why"]:
        yield Section("Why", tuple(found.content["why"]))
    if found.content["beside"]:
        yield Section("Other kinds of libraries", tuple(found.content["beside"]))


def _sets(found: LookupReport) -> Iterator[Section]:
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
        f"2^{e['log2_failure']:.0f}",
        units.security(e["security_bits"]),
    )


def _encodings(found: LookupReport) -> Iterator[Section]:
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


def _front(candidates: Sequence[Json]) -> Cloud | None:
    """Memory against time; None without candidates, or where no time is known."""
    shown = [c for c in candidates[:MOST_DOTS] if c["estimate"]["cpu_seconds"]["total"]]
    if not shown:
        return None
    return Cloud(
        "Memory against time of the sets that fit",
        "CPU time to encrypt, evaluate and decrypt (s)",
        "peak memory (MiB)",
        "security (bit)",
        tuple(map(_dot, shown)),
        0,
        note="Bold edges: no other set has less of both. The ring marks the recommended set.",
    )


def _dot(c: Json) -> Dot:
    e = c["estimate"]
    x, y = e["cpu_seconds"]["total"], e["peak_bytes"] / MIB
    return Dot(float(x), float(y), title_of(c["library"]), _named(c), e["security_bits"], edge=c["pareto"])


def _rejected(found: LookupReport) -> Iterator[Section]:
    reasons: dict[str, list[str]] = {}
    for r in found.content["rejected"]:
        reasons.setdefault(r["reason"], []).append(f"{title_of(r['library'])} {r['scheme'].upper()}")
    told = tuple(f"{units.listing(titles)}: {reason}." for reason, titles in reasons.items())
    if told:
        yield Section("Libraries that do not fit", told)


def _measured(found: LookupReport) -> Section:
    heading = "Predicted against measured"
    if not found.runs:
        text = (
            "No run of this application is stored. fheasible verify, with the words of the exploration, runs "
            "the recommendation and stores what it takes."
        )
        return Section(heading, (text,))
    return Section(heading, (table((_run(m), m) for m in found.runs),))


def _run(m: StoredMeasurement) -> str:
    """The name of a run: 'TFHE-rs V1_7_..., run 38'."""
    return f"{title_of(m.entry.library)} {m.entry.request.get('set') or 'own set'}, run {m.id}"


def _calibration(found: LookupReport) -> Section:
    profiles = found.content["profiles"]
    if not profiles:
        return Section("Calibration", ("Not calibrated, so times are unknown: fheasible calibrate",))
    told = tuple(
        f"{title_of(name)}: calibrated {p['created'][:16].replace('T', ' ')} UTC"
        f"{' on ' + p['origin'] if p['origin'] else ''}. Nine of ten predicted times are within "
        f"{share(p['error_band'])}."
        for name, p in profiles.items()
    )
    return Section("Calibration", told)
