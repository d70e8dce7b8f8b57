"""An answer in five lines: what to use, why, with which margins, what comes next, and the command that proves
it."""

from collections.abc import Iterator, Mapping, Sequence
from math import floor, isfinite
from typing import Any

from fheasible import units
from fheasible.aliases import Json
from fheasible.api import listing
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.judging.secure import posed_at
from fheasible.exploration.lookups.candidate import LookupCandidate
from fheasible.exploration.lookups.failing import wrong_in
from fheasible.exploration.problem.wish import Objective, Wish
from fheasible.exploration.search.search import Exploration
from fheasible.libraries.lookup_catalogue import LOOKUP_LIBRARIES

Line = tuple[str, str]  # a heading, and what is said under it
NEXT = "next:"


def summary(
    use: str, why: str, margins: Sequence[str], runner_up: str, command: str | None
) -> Iterator[Line]:
    """The lines, each with its heading. The last one is absent where there is no command."""
    yield "use:", use
    yield "why this:", why
    yield "margin:", "; ".join(margins)
    yield "runner-up:", runner_up
    if command:
        yield NEXT, command


def of_vectors(found: Exploration, candidates: Sequence[Json], proof: str | None) -> Iterator[Line]:
    """The lines on the best set of vectors. `candidates`: those of all kinds, the best first; `proof`: the
    command that proves it."""
    best = found.best
    assert best is not None
    e = best.estimate
    what = [
        f"{best.scheme.upper()} in {listing.title(best.library)}",
        f"N = {units.power_of_two(best.parameters.ring_dimension)}",
        listing.settings(best),
    ]
    takes = [_time(e.run_seconds), f"{units.size(e.peak_bytes)} of memory"]
    yield from summary(
        f"{', '.join(what)}: {', '.join(takes)}",
        f"{_first(found)}; {_ring(found, best)}",
        list(_margins(found, best)),
        runner_up(candidates, found.wish.goal, e.timed, e.error_band),
        proof,
    )


def of_lookups(
    best: LookupCandidate, wish: Wish, feasible: int, candidates: Sequence[Json], proof: str | None
) -> Iterator[Line]:
    """The lines on the best set of table look-ups."""
    e, p = best.estimate, best.parameters
    size = f"N = {units.power_of_two(p.polynomial_size)}, n = {p.lwe_dimension}"
    takes = [_time(best.seconds), f"{units.size(e.peak_bytes)} of memory"]
    count = best.encoded.lookups
    taken = f"{count:,} table look-ups, {best.encoded.depth} in succession" if count else "no table look-ups"
    margins = [
        _security(e.security_bits, wish.security),
        f"{wrong_in(e.log2_failure)} ({wish.failure_bits:g} bits asked)",
        *_band(e.error_band, e.origin),
    ]
    yield from summary(
        f"{best.scheme.upper()} in {best.library.title}, {size}: {', '.join(takes)}",
        f"{_least(wish.goal, e.timed, feasible)}; {taken}, on digits of {best.encoded.encoding}",
        margins,
        runner_up(candidates, wish.goal, e.timed, e.error_band),
        proof,
    )


def _time(seconds: float | None) -> str:
    return "time unknown" if seconds is None else units.seconds(seconds)


def _least(goal: Objective, timed: bool, feasible: int) -> str:
    if feasible == 1:
        return "the only feasible set"
    return f"the least {goal.said(timed)} of {feasible:,} feasible sets"


def _first(found: Exploration) -> str:
    """Why the best set is the first, as part of a sentence."""
    best, goal = found.best, found.wish.goal
    assert best is not None
    timed = best.estimate.timed
    rounded = (c for c in found.candidates if c.rounded and c.estimate.timed == timed)
    if not best.rounded and any(c.figures["score"] < best.figures["score"] for c in rounded):
        return f"of the exact sets, the one of least {goal.said(timed)}; none that rounds is surely better"
    return _least(goal, timed, found.feasible)


def _ring(found: Exploration, best: Candidate) -> str:
    """What decides the ring, as part of a sentence."""
    p = best.parameters
    most = posed_at(best, p.ring_dimension, found.wish.quantum).allowed(found.wish.security)
    levels = best.program.levels
    needs = f"{levels} level{'s' * (levels != 1)}" if levels else "its products"
    return f"{needs} and key switching take log2 QP = {p.log_qp:.0f} of the {int(most)} that this ring allows"


def _margins(found: Exploration, best: Candidate) -> Iterator[str]:
    """How far the best set is from the limits that were asked for."""
    e, wish = best.estimate, found.wish
    yield _by_table(e.security_bits, wish.security)
    if best.scheme != "ckks":
        yield f"exact but for one run in 2^{wish.failure_bits:g}"
    elif not found.problem.real:
        yield "integers are rounded rightly"
    elif e.precision_bits is not None:
        yield f"{e.precision_bits:.1f} bits of precision expected (asked: {wish.least})"
    yield from _band(e.error_band, e.origin)


def _security(found: float, asked: int) -> str:
    return f"{floor(found)} bits of security ({asked} asked)"


def _by_table(found: float, asked: int) -> str:
    """The security of a set that the tables of the Guidelines allow, whatever the estimate says."""
    if floor(found) >= asked:
        return _security(found, asked)
    return f"{floor(found)} bits of security by today's estimate ({asked} by the Guidelines' table, as asked)"


def _band(band: float | None, origin: str) -> Iterator[str]:
    if band is not None:
        yield f"time within {band:.0%}" + (f", predicted for {origin}" if origin else "")


def runner_up(
    candidates: Sequence[Mapping[str, Any]], goal: Objective, timed: bool, band: float | None
) -> str:
    """The best set of another library or scheme, or else of another ring, beside the recommended one, which
    comes first."""
    best, *others = candidates
    (library, scheme), ring = _kind(best), _ring_dimension(best)
    other = next((c for c in others if _kind(c) != (library, scheme)), None)
    other = other or next((c for c in others if _ring_dimension(c) != ring), None)
    if other is None:
        return "none: no other library, scheme or ring does what was asked"
    library, scheme = _kind(other)
    named = f"{scheme.upper()} in {_title(library)}, N = {units.power_of_two(_ring_dimension(other))}"
    own, its = (c["figures"].get("score") for c in (best, other))
    if not own or not its or not isfinite(its / own):
        return f"{named}; their {goal.said(timed)} cannot be compared"
    ratio = its / own
    tie = other.get("tie", ratio <= 1 + (band or 0.0))
    alike = ", a difference within the error of prediction" if tie else ""
    times = f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.2f}"
    return f"{named}, at {times} times the {goal.said(timed)}{alike}"


def _kind(c: Mapping[str, Any]) -> tuple[str, str]:
    return c["library"], c["scheme"]


def _ring_dimension(c: Mapping[str, Any]) -> int:
    return int(c["parameters"]["ring_dimension"])


def _title(library: str) -> str:
    return LOOKUP_LIBRARIES[library].title if library in LOOKUP_LIBRARIES else listing.title(library)
