"""Which constraints bind, and what relaxing each of them would win: found by searching again."""

from collections.abc import Iterator
from dataclasses import replace

from fheasible.estimation.profile import Profile
from fheasible.exploration.candidate import Candidate
from fheasible.exploration.search import Exploration, explore
from fheasible.exploration.wish import SECURITY_LEVELS, Asked, Measure, Wish
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.units import listing, power_of_two, seconds, size

LESS_BITS, LARGER_ERROR = 5.0, 32.0
_WON = 0.97  # more of the objective is hardly a gain
_ANYTHING = 0.9995  # more is none


def relaxing(e: Exploration, best: Candidate, profile: Profile | None) -> list[str]:
    """A sentence for each constraint that was asked for, on the library and scheme that are recommended."""
    return [_sentence(e, best, said, _best(e, best, wish, profile)) for said, wish in _relaxed(e, best)]


def _relaxed(e: Exploration, best: Candidate) -> Iterator[tuple[str, Wish]]:
    """(what is given up, the wish without it)."""
    wish = e.wish
    asked = _less(wish.least)
    if best.scheme == "ckks" and e.problem.real and asked is not None:
        yield f"{asked} instead of {_figure(wish.least)}", replace(wish, precision=asked)
    lower = [level for level in SECURITY_LEVELS if level < wish.security]
    if lower:
        yield f"security >= {lower[-1]} bits instead of {wish.security}", replace(wish, security=lower[-1])
    if wish.quantum:
        yield "security against classical computers alone", replace(wish, quantum=False)
    if wish.max_seconds is not None:
        yield f"more than {seconds(wish.max_seconds)} of time", replace(wish, max_seconds=None)
    if wish.max_bytes is not None:
        yield f"more than {size(wish.max_bytes)} of memory", replace(wish, max_bytes=None)
    if wish.max_ciphertext_bytes is not None:
        limit = size(wish.max_ciphertext_bytes)
        yield f"ciphertexts of more than {limit}", replace(wish, max_ciphertext_bytes=None)
    if wish.max_key_bytes is not None:
        yield f"keys of more than {size(wish.max_key_bytes)}", replace(wish, max_key_bytes=None)


def _less(asked: Asked) -> Asked | None:
    """A precision that is easier to reach; None where there is hardly any less."""
    if asked.measure is not Measure.BITS:
        return Asked(asked.measure, asked.value * LARGER_ERROR)
    return Asked(Measure.BITS, asked.value - LESS_BITS) if asked.value > LESS_BITS + 1 else None


def _figure(asked: Asked) -> str:
    return f"{asked.value:g}"


def _best(e: Exploration, best: Candidate, wish: Wish, profile: Profile | None) -> Candidate | None:
    library = replace(CATALOGUE[best.library], schemes=(best.scheme,))
    return explore(e.problem, wish, [library], {best.library: profile} if profile else {}).best


def _sentence(e: Exploration, best: Candidate, said: str, other: Candidate | None) -> str:
    """On the library and scheme that are recommended: others may have more to win."""
    objective, kind = e.wish.aims, f"{CATALOGUE[best.library].title}'s {best.scheme.upper()}"
    ratio = other.cost(objective) / best.cost(objective) if other else 1.0
    if other is None or not ratio <= _WON:  # without a profile a cost may be unknown
        won = "nothing" if other is None or not ratio < _ANYTHING else f"no more than {1 - ratio:.1%}"
        return f"With {said}, {won} would be won in {kind}: there that constraint does not bind."
    noun, changes = objective.said(best.estimate.timed), _changes(best, other)
    instead = f": {listing(changes)}" if changes else ""
    return f"With {said}, {ratio:.2f} times the {noun} would do in {kind}{instead}."


def _changes(best: Candidate, other: Candidate) -> list[str]:
    """What the other set has instead."""
    ours, theirs = _words(best), _words(other)
    return [text for what, text in theirs.items() if ours.get(what) != text]


def _words(c: Candidate) -> dict[str, str]:
    p, r = c.parameters, c.request
    found = {
        "ring": f"N = {power_of_two(p.ring_dimension)}",
        "modulus": f"log2 QP = {p.log_qp:.0f}",
        "primes": f"{p.limbs} prime{'s' * (p.limbs > 1)}" if p.scheme == "bfv" else "",
        "key switching": f"{p.key_switching} key switching" if p.key_switching else "",
        "technique": p.technique,
        "scale": f"a scale of {r.scale_bits} bits" if r.scale_bits else "",
        "degree": f"series of degree {listing([str(d) for d in c.degrees])}" if c.degrees else "",
        "special": f"{len(p.p)} special prime{'s' * (len(p.p) > 1)}" if p.library == "lattigo" else "",
        "digits": f"{p.digits} digit{'s' * (p.digits > 1)}" if p.library == "openfhe" else "",
    }
    return {what: text for what, text in found.items() if text}
