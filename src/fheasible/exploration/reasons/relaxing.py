"""Which constraints bind, and what relaxing each of them would gain, in any library and scheme."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from fheasible.estimation.profile import Profile
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.judging.rank import as_good, leads
from fheasible.exploration.problem.rings_and_moduli import RINGS
from fheasible.exploration.problem.wish import SECURITY_LEVELS, Asked, Objective, Wish
from fheasible.exploration.search.declared_ranges import over_the_domain
from fheasible.exploration.search.search import Exploration, explore
from fheasible.libraries.catalogue import BY_NAME
from fheasible.libraries.library import Library
from fheasible.units import listing, power_of_two, seconds, size

LESS_BITS, LARGER_ERROR = 5.0, 32.0
_WON = 0.97  # a larger share of the objective is hardly a gain
_ANYTHING = 0.9995  # a larger share is no gain
_IN_REACH = 2.5  # times the recommendation: half the ring takes little less than half as much


def relaxing(e: Exploration, best: Candidate, profiles: Mapping[str, Profile]) -> list[str]:
    """A sentence for each constraint that was asked for, on what would be recommended without it."""
    limited = (_sentence(e, best, said, _without(e, name)) for name, said in _limits(e.wish))
    relaxed = (_sentence(e, best, said, _best(e, best, wish, profiles)) for said, wish in _relaxed(e, best))
    return [*relaxed, *limited]


def _limits(wish: Wish) -> Iterator[tuple[str, str]]:
    """(field of the wish, words for more than it allows), for each limit that is set. The search has already
    seen what a limit alone keeps out."""
    said = (
        ("max_seconds", wish.max_seconds, seconds, "more than {} of time"),
        ("max_bytes", wish.max_bytes, size, "more than {} of memory"),
        ("max_ciphertext_bytes", wish.max_ciphertext_bytes, size, "ciphertexts of more than {}"),
        ("max_key_bytes", wish.max_key_bytes, size, "keys of more than {}"),
    )
    yield from ((name, text.format(unit(most))) for name, most, unit, text in said if most is not None)


def _without(e: Exploration, limit: str) -> Candidate | None:
    """The best set that this limit alone keeps out; None where it keeps out none. Integers in CKKS must be
    right in their whole ranges."""
    found = e.without.get(limit)
    if found is None or found.scheme != "ckks" or e.problem.real:
        return found
    return over_the_domain(replace(e, candidates=(found,), front=frozenset(), ties=frozenset())).best


def _relaxed(e: Exploration, best: Candidate) -> Iterator[tuple[str, Wish]]:
    """(words for what is relaxed, the relaxed wish), for each wish that is searched again."""
    wish = e.wish
    asked = _less(wish.least)
    if best.scheme == "ckks" and e.problem.real and asked is not None:
        yield f"{asked} instead of {_figure(wish.least)}", replace(wish, precision=asked)
    lower = [level for level in SECURITY_LEVELS if level < wish.security]
    if lower:
        yield f"security >= {lower[-1]} bits instead of {wish.security}", replace(wish, security=lower[-1])
    if wish.quantum:
        yield "security against classical computers only", replace(wish, quantum=False)


def _less(asked: Asked) -> Asked | None:
    """A precision that is easier to reach; None where there is hardly any lower one, or where classes would
    be lost."""
    if asked.classes is not None:
        return None
    if not asked.in_bits:
        return Asked(asked.measure, asked.value * LARGER_ERROR)
    return Asked(asked.measure, asked.value - LESS_BITS) if asked.value > LESS_BITS + 1 else None


def _figure(asked: Asked) -> str:
    return f"{asked.value:g}"


def _best(e: Exploration, best: Candidate, wish: Wish, profiles: Mapping[str, Profile]) -> Candidate:
    """The best of all sets in reach with that wish, or the recommendation itself. In the scheme of the best
    set so far, no larger ring is searched, since it takes twice as long."""
    found = best
    for library in sorted(_in_reach(e, best), key=lambda lib: (lib.name, *lib.schemes) != _kind(best)):
        largest = found.parameters.ring_dimension if library.schemes == (found.scheme,) else RINGS[-1]
        other = _searched(e, wish, library, profiles, largest, found.figures["score"])
        if other is not None and leads(other, found, e.wish.goal):
            found = other
    return found


def _kind(c: Candidate) -> tuple[str, str]:
    return c.library, c.scheme


def _searched(
    e: Exploration,
    wish: Wish,
    library: Library,
    profiles: Mapping[str, Profile],
    largest_ring: int,
    to_beat: float,
) -> Candidate | None:
    """The library's best set with that wish, or one that is right where none has a score below `to_beat`;
    None where nothing fits. Integers in CKKS must be right in their whole ranges, as in the
    recommendation."""
    ranged = library.schemes == ("ckks",) and not e.problem.real
    found = explore(
        e.problem, wish, [library], profiles, most=1, largest_ring=largest_ring, why=False,
        to_beat=to_beat,
    )  # fmt: skip
    if not ranged or found.best is None:
        return found.best
    right = over_the_domain(found).best
    if right is None:  # the next of all that are right on the data
        found = explore(e.problem, wish, [library], profiles, largest_ring=largest_ring, why=False)
        right = over_the_domain(found).best
    return right


def _in_reach(e: Exploration, best: Candidate) -> Iterator[Library]:
    """Libraries, each with the scheme and the techniques that are worth a search: those of which nothing fits
    so far, and those of which some set takes no more than `_IN_REACH` times as much as the recommendation.
    That is a heuristic: one constraint less rarely saves more than half of the ring."""
    near, out = _near(e, best), {(r.library, r.scheme) for r in e.rejected}
    for library in BY_NAME.values():
        for scheme in library.schemes:
            kind = (library.name, scheme)
            techniques = tuple(t for t in library.techniques if t in near.get(kind, ()))
            if kind in near or kind in out:
                yield replace(library, schemes=(scheme,), techniques=techniques or library.techniques)


def _near(e: Exploration, best: Candidate) -> dict[tuple[str, str], set[str]]:
    """The techniques in reach, by library and scheme."""
    rows, found = e.kept, {(best.library, best.scheme): {best.parameters.technique}}
    for i in np.flatnonzero(rows["score"] <= _IN_REACH * best.figures["score"]).tolist():
        found.setdefault((rows["library"][i], rows["scheme"][i]), set()).add(rows["technique"][i])
    return found


def _sentence(e: Exploration, best: Candidate, said: str, other: Candidate | None) -> str:
    objective = e.wish.goal
    ratio = other.cost(objective) / best.cost(objective) if other and leads(other, best, objective) else 1.0
    if other is None or ratio > _WON:
        won = "nothing" if ratio >= _ANYTHING else f"no more than {1 - ratio:.1%}"
        return f"With {said}, {won} would be gained in any library or scheme: this constraint does not bind."
    noun, changes = objective.said(best.estimate.timed), _changes(best, other)
    instead = f": {listing(changes)}" if changes else ""
    return (
        f"With {said}, {ratio:.2f} times the {noun} would be enough "
        f"{_where(best, other, objective)}{instead}."
    )


def _where(best: Candidate, other: Candidate, goal: Objective) -> str:
    """The words 'in SEAL's BGV instead'; they say so where the gain in another library or scheme is within
    the error of prediction."""
    where = f"in {BY_NAME[other.library].title}'s {other.scheme.upper()}"
    if _kind(other) == _kind(best):
        return where
    return f"{where} instead{', a gain within the error of prediction' * as_good(other, best, goal)}"


def _changes(best: Candidate, other: Candidate) -> list[str]:
    """The settings in which the other set differs; all of its settings where it is of another library or
    scheme."""
    ours, theirs = _words(best) if _kind(other) == _kind(best) else {}, _words(other)
    return [text for what, text in theirs.items() if ours.get(what) != text]


def _words(c: Candidate) -> dict[str, str]:
    p, r, varies = c.parameters, c.request, BY_NAME[c.library].varies
    found = {
        "ring": f"N = {power_of_two(p.ring_dimension)}",
        "modulus": f"log2 QP = {p.log_qp:.0f}",
        "primes": f"{p.limbs} prime{'s' * (p.limbs > 1)}" if p.scheme == "bfv" else "",
        "key switching": f"{p.key_switching} key switching" if p.key_switching else "",
        "technique": p.technique,
        "scale": f"a scale of {r.scale_bits} bits" if r.scale_bits else "",
        "degree": f"series of degree {listing([str(d) for d in c.degrees])}" if c.degrees else "",
        "order": "products as written" if c.as_written else "",
        "special": f"{len(p.p)} special prime{'s' * (len(p.p) > 1)}" if varies == "special primes" else "",
        "digits": f"{p.digits} digit{'s' * (p.digits > 1)}" if varies == "digits" else "",
    }
    return {what: text for what, text in found.items() if text}
