"""The page of one exploration: the recommendation, the reasons for it, and the figures behind it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fheasible import units
from fheasible.accuracy.evaluation import Evaluation
from fheasible.accuracy.words import title
from fheasible.aliases import Json
from fheasible.estimation.profile import Profile
from fheasible.reports import explored_figures, explored_front, explored_runs, explored_sections, html
from fheasible.reports.explored import Told, precision, seconds
from fheasible.reports.figures import Cloud, Drawing, MarkedRows
from fheasible.reports.page import Section
from fheasible.store.rows import StoredExploration, StoredMeasurement

SETS = (
    "set", "library", "scheme", "technique", "N", "time", "memory", "precision", "security", "front",
    "ciphertext", "keys", "request", "log2 QP", "limbs", "special", "digits", "scale", "first prime",
    "degree", "order", "slots", "alike",
)  # fmt: skip
USUAL = ("set", "library", "scheme", "N", "time", "memory", "precision", "security", "front")
WORDS = ("library", "scheme", "technique", "degree", "order", "front")
TERMS = {
    "technique": "how the library rescales after products: automatically (auto) or where the program says so",
    "N": "the ring dimension: ciphertexts are polynomials of N coefficients; a larger one takes more time "
    "and memory, and is secure with a larger modulus",
    "time": "predicted CPU time to encrypt, evaluate and decrypt, without key generation",
    "memory": "predicted peak of resident memory, keys included",
    "precision": "expected bits, by the measure that was asked for: by default -log2 of the largest error of "
    "any element, as a part of the largest result; exact schemes have no error",
    "security": "log2 of the operations of the cheapest known attack",
    "front": "no set beats it in time, memory, traffic, precision and security at once",
    "ciphertext": "bytes of one fresh encrypted input",
    "keys": "bytes of public and evaluation keys, sent once",
    "request": "bytes of all inputs up and all results down, for one request",
    "log2 QP": "bits of the whole modulus; security limits it for each N",
    "limbs": "number of primes of the ciphertext modulus Q: about one for each level of products",
    "special": (
        "number of primes that only key switching uses (P); rotations and products are followed by "
        "key switching"
    ),
    "digits": (
        "number of parts into which key switching splits a ciphertext: more of them need a smaller P "
        "and larger keys"
    ),
    "scale": "bits by which real numbers are scaled up before they are rounded to integers",
    "first prime": "bits of the modulus that remains at the end and holds the result",
    "degree": "degrees of the polynomials that approximate functions such as a square root",
    "order": "products as they are written, or reordered for least depth, which may take more products but "
    "fewer in succession",
    "slots": "how many numbers one ciphertext holds",
    "alike": "number of sets with the same time and memory, including this one",
}


@dataclass(frozen=True, slots=True)
class PageCell:
    """A cell of the table of sets: the text that is read, and the value by which it is sorted."""

    text: str
    value: float | str


@dataclass(frozen=True, slots=True)
class Report:
    """The content of the page, in the order in which it is shown."""

    told: Told
    compared: MarkedRows | None
    sets: tuple[Json, ...]  # the sets of the figure of time against memory, and of its table
    front: Cloud | None
    sections: tuple[Section, ...]

    @property
    def drawings(self) -> dict[str, Drawing]:
        """Every figure by the name of its file."""
        found: dict[str, Drawing] = {} if self.compared is None else {"libraries": self.compared}
        found |= {} if self.front is None else {"time-and-memory": self.front}
        for section in self.sections:
            drawn = section.drawings
            for number, drawing in enumerate(drawn, start=1):
                suffix = f"-{number}" if len(drawn) > 1 else ""
                found[_file_name(section.heading) + suffix] = drawing
        return found


def report(
    stored: StoredExploration,
    measurements: Sequence[StoredMeasurement],
    profiles: Mapping[str, Profile],
    accuracy: Evaluation | None = None,
) -> Report:
    """The page of that exploration. `profiles`: the stored profiles, of the libraries that have one.
    `accuracy`: what accuracy campaigns found; None where there were none."""
    told = Told(stored)
    rows = explored_front.shown(told)
    made = explored_sections
    runs = explored_runs.of(told, measurements)
    of_sets = [
        *(made.time(told), made.memory(told), *made.scales(told)),
        *(made.measured(told, runs), made.resident(told, runs)),
    ]
    sections = [
        *(of_sets if told.best else ()),
        made.calibration(told, profiles),
        made.accuracy(accuracy),
        made.environment(stored),
    ]
    front = explored_front.pareto(told, rows)
    return Report(told, explored_figures.libraries(told), tuple(rows), front, tuple(s for s in sections if s))


def render(found: Report) -> str:
    told, sets = found.told, [_cells(place, row) for place, row in enumerate(found.sets)]
    columns = _columns(sets)
    return (
        html.environment()
        .get_template("exploration.html")
        .render(
            told=told,
            best=told.best,
            title=_title(told),
            figures=_key_figures(told),
            facts=_facts(told),
            rejected=_rejected(told),
            front=found.front,
            columns=columns,
            words=WORDS,
            terms={name: meaning for name, meaning in TERMS.items() if name in columns},
            sets=sets,
            compared=found.compared,
            alike=_alike(sets, columns),
            chosen=None if found.front is None else found.front.chosen,
            ties=explored_front.tied(told, found.sets),
            libraries=list(dict.fromkeys(title(row["library"]) for row in found.sets)),
            schemes=list(dict.fromkeys(row["scheme"].upper() for row in found.sets)),
            sections=found.sections,
            **html.words(),
        )
    )


def _file_name(heading: str) -> str:
    return heading.lower().replace(" ", "-")


# -- the recommendation --------------------------------------------------------------------------


def _title(told: Told) -> str:
    best = told.best
    if best is None:
        return f"{told.app}: nothing fits"
    p = best["parameters"]
    named = title(best["library"], best["scheme"], p["technique"] or "")
    return f"{told.app}: {named}, N = {units.power_of_two(p['ring_dimension'])}"


def _key_figures(told: Told) -> list[tuple[str, str, str]]:
    """(name, value, explanation) of the main figures of the recommendation; empty where nothing fits."""
    best = told.best
    if best is None:
        return []
    e, band = best["estimate"], best["estimate"]["error_band"]
    within = f"CPU, \N{PLUS-MINUS SIGN}{100 * band:.0f}\N{NO-BREAK SPACE}%" if band else "fheasible calibrate"
    return [
        ("time", units.seconds(seconds(best)), within),
        ("memory", units.size(e["peak_bytes"]), "at the peak"),
        ("precision", precision(e["precision_bits"], best["scheme"], told.rounded), "expected"),
        ("security", units.security(e["security_bits"]), "by the cheapest known attack"),
        ("ciphertext", units.size(e["ciphertext_bytes"]), "each, fresh"),
        ("keys", units.size(e["public_key_bytes"] + e["evaluation_key_bytes"]), "public, sent once"),
        *_own_figures(told, best),
    ]


def _own_figures(told: Told, best: Json) -> list[tuple[str, str, str]]:
    """The figures that the objective counts, where they are not among the usual ones."""
    objective, figures = str(told.wish.get("objective", "")), best.get("figures", {})
    requests = told.wish.get("requests", 1)
    share = "including the keys" if requests == 1 else f"including 1/{requests:,} of the keys"
    found = []
    if "communication" in objective or "size" in objective:
        found.append(("traffic", units.size(figures.get("communication")), f"per request, {share}"))
    if "amortised" in objective and seconds(best):
        found.append(("per request", units.seconds(figures.get("amortised")), "with full ciphertexts"))
    if "cost" in objective:
        found.append(("cost", f"{figures['cost']:.3g}", f"per request, {share}"))
    return found


def _facts(told: Told) -> str:
    """What was asked and how much was tried."""
    c = told.content
    return (
        f"Asked: {_asked(told)}. {c['explored']:,} parameter sets were explored in "
        f"{units.seconds(c['seconds'])}, {c['feasible']:,} are feasible. Judged on {c['data']}."
    )


def _asked(told: Told) -> str:
    """Every constraint that is set, the objective, and the number of requests and the prices by which it
    counts."""
    wish = told.wish
    limits = {
        "memory": wish.get("max_bytes"),
        "ciphertext": wish.get("max_ciphertext_bytes"),
        "keys": wish.get("max_key_bytes"),
    }
    words = list(told.content["asked"])
    words += [f"time <= {units.seconds(most)}" for most in [wish.get("max_seconds")] if most is not None]
    words += [f"{name} <= {units.size(most)}" for name, most in limits.items() if most is not None]
    prices = {"a core-hour": wish.get("price_core_hour"), "a GiB": wish.get("price_gib")}
    terms = [f"{wish['requests']:,} requests under one key set"] if wish.get("requests", 1) != 1 else []
    terms += [f"{price:g} {per}" for per, price in prices.items() if price is not None]
    by = f" ({', '.join(terms)})" if terms else ""
    return f"{units.listing(words)}; least {wish.get('objective', 'time')} first{by}"


def _rejected(told: Told) -> list[str]:
    """Each reason once, with all the libraries for which it holds."""
    reasons: dict[tuple[str, str, str], list[str]] = {}
    for r in told.content["rejected"]:
        reasons.setdefault((r["scheme"], r["reason"], r["remedy"]), []).append(title(r["library"]))
    return [
        f"{scheme.upper()} ({units.listing(libraries)}): {reason}.{f' Remedy: {remedy}.' if remedy else ''}"
        for (scheme, reason, remedy), libraries in reasons.items()
    ]


def _columns(sets: Sequence[Mapping[str, PageCell]]) -> tuple[str, ...]:
    """The columns of SETS that everybody looks for, and those in which the sets differ."""
    return tuple(name for name in SETS if name in USUAL or len({cells[name].text for cells in sets}) > 1)


def _alike(sets: Sequence[Mapping[str, PageCell]], columns: Sequence[str]) -> str:
    """What has no column because it is the same in all sets, in words."""
    rest = [name for name in SETS if name not in columns and sets and sets[0][name].text != units.ABSENT]
    return ", ".join(f"{name} {sets[0][name].text}" for name in rest)


def _order(row: Json) -> str:
    """The order of products in words. (Older answers do not record it: theirs is the one of least depth.)"""
    return "as written" if row.get("as_written") else "least depth"


def _cells(place: int, row: Json) -> dict[str, PageCell]:
    """The cells of a set by the names of SETS, in their order."""
    scheme = row["scheme"]
    words = [title(row["library"]), scheme.upper(), row["technique"], row["degree"], _order(row)]
    bits = row["precision_bits"] if scheme == "ckks" else None
    library, name, technique, degree, order = (PageCell(word or units.ABSENT, word) for word in words)
    found = [
        PageCell(str(place + 1), place + 1),
        library,
        name,
        technique,
        PageCell(units.power_of_two(row["ring_dimension"]), row["ring_dimension"]),
        PageCell(units.seconds(row["cpu_seconds"]), row["cpu_seconds"]),
        _size(row["peak_bytes"]),
        PageCell(precision(bits, scheme, row["rounded"]), 1e3 if bits is None else bits),
        PageCell(units.security(row["security_bits"]), row["security_bits"]),
        PageCell("yes" if row["pareto"] else "no", float(not row["pareto"])),
        *(_size(row[column]) for column in ("ciphertext_bytes", "key_bytes", "request_bytes")),
        _whole(row["log_qp"], " bit"),
        *(_whole(row[column]) for column in ("limbs", "special_limbs", "digits")),
        *(_whole(row[column], " bit") for column in ("scale_bits", "first_bits")),
        degree,
        order,
        _whole(row["slots"]),
        _whole(row["alike"]),
    ]
    return dict(zip(SETS, found, strict=True))


def _whole(value: float | None, unit: str = "") -> PageCell:
    return PageCell(units.ABSENT, -1.0) if value is None else PageCell(f"{value:,.0f}{unit}", value)


def _size(value: float | None) -> PageCell:
    return PageCell(units.size(value), -1.0 if value is None else value)
