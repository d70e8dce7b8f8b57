"""What the recommended set would be with one choice changed, and what would follow from that."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

from fheasible.estimation.profile import Profile
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.judging.columns import Columns
from fheasible.exploration.judging.judge import Judge, Rejection, refused, too_small
from fheasible.exploration.judging.rank import order
from fheasible.exploration.judging.sieve import Nearest, nearer
from fheasible.exploration.search.limits import within
from fheasible.exploration.search.search import Exploration
from fheasible.exploration.search.walk import Walk
from fheasible.exploration.space.requests import LARGEST_PRIME, Choice, larger
from fheasible.libraries.catalogue import CATALOGUE, library
from fheasible.libraries.library import Library

SCALE_STEP = 5  # bits: enough to see what a larger scale gains
AS_WRITTEN, LEAST_DEPTH = "as written", "of least depth"
MORE_BITS = 4  # bits of scale that a neighbour may add to reach the same precision


@dataclass(frozen=True, slots=True)
class Alternative:
    """One changed choice and its result: `what` was `chosen` and would be `other`. `verdict` is the candidate
    that follows, or the reason why none does."""

    what: str
    chosen: Any
    other: Any
    verdict: Candidate | Rejection


def alternatives(e: Exploration, best: Candidate, profile: Profile | None) -> tuple[Alternative, ...]:
    """The neighbours of the best candidate in every choice that the library leaves to its user. Fewer digits
    or special primes come before more."""
    library, choice = CATALOGUE[best.library], choice_of(best)
    judge = Judge(e.problem, library, best.scheme, e.wish, profile)
    found = tuple(
        Alternative(what, old, new, _best_of(e, best, what, new) or _anew(judge, what, changed, best))
        for what, old, new, changed in _changes(library, best, choice)
    )
    return (*_key_switchings(judge, best, choice), *found)


def _anew(judge: Judge, what: str, choice: Choice, best: Candidate) -> Candidate | Rejection:
    """The verdict on a changed choice. Another packing or order of products is judged with primes and key
    switching of its own."""
    return _filling(judge, choice, best) if what in ("packing", "order") else _judged(judge, choice)


def _filling(judge: Judge, choice: Choice, best: Candidate) -> Candidate | Rejection:
    """The best set of that packing and order, in the ring of the best candidate or, if nothing fits there, in
    the next larger ring; the nearest miss where nothing fits in either."""
    nearest: Nearest = None
    walk = Walk(judge.problem, judge.wish, {best.library: judge.profile} if judge.profile else {})
    ring = best.parameters.ring_dimension
    for n in (ring, 2 * ring)[: 1 + (ring < library(best.library).largest_ring)]:
        found = [within(judged, judge.wish).judged for judged in walk.alike(judge, choice, n)]
        rows = Columns.joined(judged.feasible for judged in found)
        verdicts = (walk.candidate(rows, i) for i in order(rows).tolist())
        first = next((c for c in verdicts if isinstance(c, Candidate)), None)
        if first is not None:
            return first
        nearest = reduce(nearer, (judged.nearest for judged in found), nearest)
    return walk.reason(nearest)


def _judged(judge: Judge, choice: Choice) -> Candidate | Rejection:
    """The verdict at the scale of the choice, or at a scale a few bits larger where that one is just too
    small."""
    verdict = judge(choice)
    for more in range(1, MORE_BITS + 1):
        if not too_small(verdict) or choice.scale_bits is None:
            break
        verdict = judge(larger(choice, more))
    return verdict


def _best_of(e: Exploration, best: Candidate, what: str, name: str) -> Candidate | None:
    """The best candidate found with another technique, key switching or order of products, whose primes may
    differ; None where none was found, or where the change is of another kind."""
    alike = (c for c in e.candidates if (c.library, c.scheme) == (best.library, best.scheme))
    if what == "order":
        return next((c for c in alike if c.as_written != best.as_written), None)
    if what not in ("technique", "key switching"):
        return None
    field = what.replace(" ", "_")
    return next((c for c in alike if getattr(c.parameters, field) == name), None)


def choice_of(c: Candidate) -> Choice:
    """The choice that the candidate comes from. In CKKS its ring is left open, since it follows from the
    primes."""
    r = c.request
    chain, special = r.prime_bits or (), r.special_bits or ()
    return Choice(
        c.style,
        r.technique,
        scale_bits=r.scale_bits,
        first_bits=r.first_bits if c.scheme == "ckks" or not chain else chain[0],
        level_bits=chain[-1] if chain else None,
        limbs=len(chain) if c.scheme == "bfv" and chain else None,
        digits=r.digits,
        special=len(special) if library(c.library).most_special > 1 and special else None,
        special_bits=special[0] if special and c.scheme == "ckks" else None,
        key_switching=r.key_switching,
        many=None if r.scheme == "ckks" else r.eval_add_count,
        ring_dimension=None if c.scheme == "ckks" else c.parameters.ring_dimension,
        slots=c.slots,
        degrees=c.degrees,
    )


def _fewer_levels(choice: Choice) -> Choice:
    """The choice with one spare level less, and with the largest first prime instead. Special primes are the
    largest, too, where the user chooses their size."""
    style, own = replace(choice.style, spare=choice.style.spare - 1), choice.special_bits is not None
    special = LARGEST_PRIME if own else None
    return replace(choice, style=style, first_bits=LARGEST_PRIME, special_bits=special, digits=None)


def packing(c: Candidate) -> str:
    """How the longest input lies in ciphertexts: '4 ciphertexts of 2048 slots'."""
    longest = max(c.program.inputs, key=lambda packed: packed.length)
    many = len(longest.values)
    return f"{many} ciphertext{'s' * (many > 1)} of {c.program.slots} slots"


Change = tuple[str, Any, Any, Choice]


def _changes(library: Library, best: Candidate, choice: Choice) -> Iterator[Change]:
    if choice.scale_bits is not None and choice.first_bits is not None:
        scale = choice.scale_bits + SCALE_STEP
        if scale < LARGEST_PRIME:
            yield "scale", choice.scale_bits, scale, larger(choice, SCALE_STEP)
    p = best.parameters
    floods = p.scheme == "ckks" and p.flooding > 0
    if choice.style.spare and not floods:  # flooding takes the levels that it needs
        yield "spare levels", choice.style.spare, choice.style.spare - 1, _fewer_levels(choice)
    if choice.slots is not None:
        yield "packing", choice.slots, None, replace(choice, slots=None)
    if choice.style.as_written:
        yield "order", AS_WRITTEN, LEAST_DEPTH, replace(choice, style=replace(choice.style, as_written=False))
    for technique in library.techniques:
        if technique and choice.technique and technique != choice.technique:
            own = choice.style
            style = replace(library.style(best.scheme, technique), spare=own.spare, as_written=own.as_written)
            yield "technique", choice.technique, technique, replace(choice, technique=technique, style=style)
    if len(library.switchings(best.scheme)) > 1 and best.scheme != "ckks":
        other = "hybrid" if best.parameters.key_switching == "bv" else "bv"
        yield (
            "key switching", best.parameters.key_switching, other,
            replace(choice, key_switching=other, digits=None),
        )  # fmt: skip


def _key_switchings(judge: Judge, best: Candidate, choice: Choice) -> Iterator[Alternative]:
    """The alternatives with fewer and with more digits, or special primes: in each direction the next number
    that the library accepts."""
    p = best.parameters
    what = library(p.library).varies
    if not best.program.switches_keys or p.key_switching == "bv" or not what:
        return
    mine = what == "digits"
    own, most = (p.digits, p.limbs) if mine else (len(p.p), len(p.p) + 1)
    for several in (range(own - 1, 0, -1), range(own + 1, most + 1)):
        for other in several:
            changed = replace(choice, digits=other) if mine else replace(choice, special=other)
            verdict = _judged(judge, changed)
            if not refused(verdict):
                yield Alternative(what, own, other, verdict)
                break
