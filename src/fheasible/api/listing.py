"""Which candidates are shown, and what is shown of each: the cells of the terminal's table and of HTML."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite

from fheasible import units
from fheasible.api.layout import Column
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.reasons.client import LAYOUT_WORDS
from fheasible.exploration.search.search import Exploration
from fheasible.libraries.catalogue import BY_NAME
from fheasible.program.style import Layout

ROWS = 8
BEST, TIE, FRONT = "*", "=", "+"
LEGEND = {
    BEST: "recommended",
    TIE: "as good, within the error of prediction",
    FRONT: "on the Pareto front: no other set beats it in everything; the front has {front}",
}

_WORDS = {BEST: "recommended", TIE: "tie", FRONT: "front"}


@dataclass(frozen=True, slots=True)
class Shown:
    """A column of the table, and the function that gives a candidate's cell in it."""

    column: Column
    cell: Callable[[Candidate], str]


def shown(found: Exploration, everything: bool) -> list[Candidate]:
    """The candidates to show: all that the answer holds, or else the first `ROWS`."""
    return list(found.candidates if everything else found.candidates[:ROWS])


def columns(found: Exploration, candidates: Sequence[Candidate]) -> list[Shown]:
    """The columns of the table, without the marks. The objective's own figure is among them where it is not a
    usual one, and the cost where there is a price."""
    told = telling(candidates)
    priced = ("cost",) if found.wish.price_core_hour or found.wish.price_gib else ()
    own = [_OWN[name] for name in dict.fromkeys((*found.wish.goal.names, *priced)) if name in _OWN]
    first, threads = (*_FIRST[:-1], *_THREADS, _FIRST[-1]), found.wish.compares_walls
    return [
        *(first if threads else _FIRST),
        *own,
        *(_USUAL if not own and not threads else _USUAL[1:]),
        Shown(Column("settings", left=True), lambda c: settings(c, told[c])),
    ]


def marks(found: Exploration, c: Candidate) -> str:
    """Two characters: whether the candidate is the best or a tie, and whether it is on the front."""
    place = BEST if c is found.best else TIE if c in found.ties else " "
    return place + (FRONT if c in found.front else " ")


def legend(found: Exploration, candidates: Sequence[Candidate]) -> list[str]:
    """What the marks that are shown mean."""
    used = "".join(marks(found, c) for c in candidates)
    return told_marks(used, int(found.kept["pareto"].sum()))


def told_marks(used: str, front: int) -> list[str]:
    """What those marks mean. `front`: the number of sets on the front."""
    many = f"{front:,} set{'s' * (front != 1)}"
    return [f"{mark} {meaning.format(front=many)}" for mark, meaning in LEGEND.items() if mark in used]


def words(found: Exploration, c: Candidate) -> str:
    """The marks of a candidate in words: 'recommended, front'."""
    return ", ".join(_WORDS[mark] for mark in marks(found, c).strip().replace(" ", ""))


def settings(c: Candidate, told: frozenset[str] = frozenset()) -> str:
    """What tells a candidate from its neighbours, in few words: 'scale 44 bits, flexibleauto', 't 20 bits, 3
    primes'."""
    p = c.parameters
    if p.scheme == "ckks":
        words = [f"scale {c.request.scale_bits} bits" if c.request.scale_bits else "", p.technique]
    else:
        words = [p.technique or f"t {p.plain_modulus.bit_length()} bits, {_primes(p.limbs)}"]
    words += [text(c) for name, text in _TELLING.items() if name in told]
    words += [_bootstraps(c), _split(c), _spare(c), _layout(c), "as written" if c.as_written else ""]
    return ", ".join(word for word in words if word)


def telling(candidates: Sequence[Candidate]) -> dict[Candidate, frozenset[str]]:
    """The rarer choices to mention for each candidate: those that differ within a library's scheme, and of
    the rest those without which rows would read alike."""
    often = _differing(candidates, _OFTEN, lambda c: (c.library, c.scheme))
    alike = _differing(
        candidates, _SELDOM, lambda c: (c.library, c.parameters.ring_dimension, settings(c, often[c]))
    )
    return {c: often[c] | alike[c] for c in candidates}


def _differing(
    candidates: Sequence[Candidate], names: Sequence[str], kind: Callable[[Candidate], object]
) -> dict[Candidate, frozenset[str]]:
    """The choices of those names that differ among the candidates of one kind, for each candidate."""
    kinds: dict[object, list[Candidate]] = {}
    for c in candidates:
        kinds.setdefault(kind(c), []).append(c)
    return {
        c: frozenset(name for name in names if len({_TELLING[name](other) for other in group}) > 1)
        for group in kinds.values()
        for c in group
    }


def _degrees(c: Candidate) -> str:
    return f"degree {', '.join(map(str, c.degrees))}" if c.degrees else ""


def _digits(c: Candidate) -> str:
    return f"{c.parameters.digits} digit{'s' * (c.parameters.digits != 1)}" if c.parameters.digits else ""


def _layout(c: Candidate) -> str:
    return "" if c.layout is Layout.BY_COLUMN else f"inputs {LAYOUT_WORDS[c.layout]}"


def _split(c: Candidate) -> str:
    return f"split to {c.slots} slots" if c.slots else ""


def _spare(c: Candidate) -> str:
    spare = c.program.spare_levels
    return f"{spare} spare level{'s' * (spare > 1)}" if spare else ""


def _depth(c: Candidate) -> str:
    return "" if c.program.bootstraps else f"depth {c.request.depth}"


def _bootstraps(c: Candidate) -> str:
    """How often it bootstraps, and to how many levels: '5 bootstraps of 2 iterations to 13 levels, fresh
    inputs at 26'."""
    own = c.ckks.bootstrap if c.program.bootstraps else None
    if own is None:
        return ""
    each = f" of {own.procedure.iterations} iterations" if own.procedure.iterations > 1 else ""
    count, levels, fresh = c.program.bootstrap_count, c.parameters.levels, c.program.fresh_levels
    begins = f", fresh inputs at {fresh}" if fresh > levels else ""
    return f"{count} bootstrap{'s' * (count != 1)}{each} to {levels} level{'s' * (levels != 1)}{begins}"


def _secret(c: Candidate) -> str:
    """The main secret of a set that bootstraps: 'weight 192' or 'dense'."""
    own = c.ckks.bootstrap if c.scheme == "ckks" else None
    if own is None:
        return ""
    return "dense" if own.weight is None else f"weight {own.weight}"


def _factors(c: Candidate) -> str:
    """The factors of a bootstrap's transforms: '4 + 3 factors'."""
    own = c.ckks.bootstrap if c.scheme == "ckks" else None
    return f"{len(own.procedure.encode)} + {len(own.procedure.decode)} factors" if own else ""


def _first_bits(c: Candidate) -> str:
    return f"first {c.request.first_bits} bits" if c.request.first_bits else ""


def _special_bits(c: Candidate) -> str:
    """The sizes of the special primes in words, each size once."""
    sizes = sorted(set(c.request.special_bits or ()))
    return f"special {', '.join(map(str, sizes))} bits" if sizes else ""


_OFTEN, _SELDOM = ("degree", "digits", "depth"), ("first", "special", "secret", "factors")
_TELLING: dict[str, Callable[[Candidate], str]] = {
    "degree": _degrees, "digits": _digits, "depth": _depth, "first": _first_bits, "special": _special_bits,
    "secret": _secret, "factors": _factors,
}  # fmt: skip


def _primes(count: int) -> str:
    return f"{count} prime{'s' * (count != 1)}"


def title(library: str) -> str:
    """The title of a library: 'OpenFHE' for 'openfhe'. An unknown name stays as it is."""
    return BY_NAME[library].title if library in BY_NAME else library


def seconds(c: Candidate) -> str:
    return units.seconds(c.estimate.run_seconds)


def threads(c: Candidate) -> str:
    """How many threads execute the program: '2', or '2 (default)' where that is left to the library."""
    return f"{c.estimate.threads}{' (default)' * (c.threads is None)}"


def _amortised(c: Candidate) -> str:
    """The time for each request. It is absent without a profile: the figure then gives an order, but no
    seconds."""
    return units.seconds(c.figures.get("amortised")) if c.estimate.timed else units.ABSENT


def precision(c: Candidate) -> str:
    """The precision as text: 'exact' in BFV and BGV, 'rounded' for integers in CKKS, bits for real
    numbers."""
    if c.rounded:
        return "rounded"
    return "exact" if c.scheme != "ckks" else units.bits(c.estimate.precision_bits)


def money(value: float | None) -> str:
    """An amount in the currency of the prices, with three digits: '0.00123' or '1.23e-07'."""
    return f"{value:.3g}" if value is not None and isfinite(value) else units.ABSENT


_FIRST = (
    Shown(Column("library", left=True), lambda c: title(c.library)),
    Shown(Column("scheme", left=True), lambda c: c.scheme.upper()),
    Shown(Column("N", left=True), lambda c: units.power_of_two(c.parameters.ring_dimension)),
    Shown(Column("log QP", spare=3), lambda c: f"{c.parameters.log_qp:.0f}"),
    Shown(Column("time"), seconds),
    Shown(Column("memory", spare=1), lambda c: units.size(c.estimate.peak_bytes)),
)
_USUAL = (
    Shown(Column("ciphertext", spare=5), lambda c: units.size(c.estimate.sizes.ciphertext_bytes)),
    Shown(Column("precision", spare=2), precision),
    Shown(Column("security", spare=4), lambda c: units.security(c.estimate.security_bits)),
)
_THREADS = (
    Shown(Column("threads"), threads),
    Shown(Column("wall"), lambda c: units.seconds((c.estimate.wall_seconds or {}).get("total"))),
)
_OWN = {
    "communication": Shown(Column("traffic"), lambda c: units.size(c.figures.get("communication"))),
    "amortised": Shown(Column("per request"), _amortised),
    "cost": Shown(Column("cost"), lambda c: money(c.figures.get("cost"))),
}
