"""What the recommended set would be with one choice changed, and what each choice gains and costs, compared
with these alternatives."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import reduce
from itertools import groupby
from typing import Any

from fheasible.estimation.batch import breakdown
from fheasible.estimation.profile import Profile
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.judging.columns import Columns
from fheasible.exploration.judging.judge import Judge, Rejection, refused, too_small
from fheasible.exploration.judging.rank import order
from fheasible.exploration.judging.secure import posed_at
from fheasible.exploration.judging.sieve import Nearest, nearer
from fheasible.exploration.reasons.bounds import bound
from fheasible.exploration.reasons.client import LAYOUT_WORDS, ciphertexts, encrypted
from fheasible.exploration.search.limits import within
from fheasible.exploration.search.search import Exploration
from fheasible.exploration.search.walk import Walk
from fheasible.exploration.space.requests import LARGEST_PRIME, Choice, larger
from fheasible.libraries.catalogue import BY_NAME, library
from fheasible.libraries.chain import SECRET
from fheasible.libraries.layout import SWITCHING
from fheasible.libraries.library import Library
from fheasible.libraries.work import layout_of
from fheasible.program.style import Layout
from fheasible.units import listing, power_of_two, size

SCALE_STEP = 5  # bits: enough to see what a larger scale gains
AS_WRITTEN, LEAST_DEPTH = "as written", "of least depth"
MORE_BITS = 4  # bits of scale that a neighbour may add to reach the same precision

SAME = 0.005  # a smaller relative difference is not worth words
_SAME_BITS = 1.0


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
    library, choice = BY_NAME[best.library], choice_of(best)
    if choice.bootstrap is not None:
        return ()  # its settings go together (`refreshed`)
    judge = Judge(e.problem, library, best.scheme, e.wish, profile)
    found = tuple(
        Alternative(what, old, new, _best_of(e, best, what, new) or _anew(judge, what, changed, best))
        for what, old, new, changed in _changes(library, best, choice)
    )
    return (*_key_switchings(judge, best, choice), *found)


def _anew(judge: Judge, what: str, choice: Choice, best: Candidate) -> Candidate | Rejection:
    """The verdict on a changed choice. Another packing or order of products is judged with primes and key
    switching of its own."""
    return _filling(judge, choice, best) if what in ("packing", "order", "layout") else _judged(judge, choice)


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


def _best_of(e: Exploration, best: Candidate, what: str, name: Any) -> Candidate | None:
    """The best candidate found with another technique, key switching or order of products, whose primes may
    differ; None where none was found, or where the change is of another kind."""
    alike = (c for c in e.candidates if (c.library, c.scheme) == (best.library, best.scheme))
    if what == "order":
        return next((c for c in alike if c.as_written != best.as_written), None)
    if what == "layout":
        others = (c for c in alike if c.layout is name)
        return min(others, key=lambda c: c.cost(e.wish.goal), default=None)
    if what not in ("technique", "key switching"):
        return None
    field = what.replace(" ", "_")
    return next((c for c in alike if getattr(c.parameters, field) == name), None)


def choice_of(c: Candidate) -> Choice:
    """The choice that the candidate comes from. In CKKS its ring is left open, since it follows from the
    primes."""
    r = c.request
    chain, special = r.prime_bits or (), r.special_bits or ()
    refreshes = r.scheme == "ckks" and r.bootstrap is not None
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
        ring_dimension=None if c.scheme == "ckks" and not refreshes else c.parameters.ring_dimension,
        slots=c.slots,
        degrees=c.degrees,
        secret=r.secret or SECRET,
        bootstrap=r.bootstrap if r.scheme == "ckks" else None,
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
    if choice.style.layout is not Layout.BY_COLUMN:
        style = replace(choice.style, layout=Layout.BY_COLUMN)
        yield "layout", choice.style.layout, Layout.BY_COLUMN, replace(choice, style=style, slots=None)
    if choice.style.as_written:
        yield "order", AS_WRITTEN, LEAST_DEPTH, replace(choice, style=replace(choice.style, as_written=False))
    for technique in library.techniques:
        if technique and choice.technique and technique != choice.technique:
            own, style = choice.style, library.style(best.scheme, technique)
            style = replace(style, spare=own.spare, as_written=own.as_written, layout=own.layout)
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


def choice_gains(e: Exploration, best: Candidate, profile: Profile | None) -> list[str]:
    """A sentence or two on each kind of choice that has alternatives."""
    of = _Comparison(e, best, profile)
    found = groupby(alternatives(e, best, profile), key=lambda a: a.what)
    return [text for what, group in found if (text := of.paragraph(what, list(group)))]


def seconds_by_action(c: Candidate, profile: Profile) -> Counter[str]:
    """Predicted CPU seconds of evaluation, by kind of operation."""
    keys, found = c.estimate.sizes.evaluation_keys, Counter[str]()
    parts = breakdown(c.program, c.parameters.ring_dimension, layout_of(c.parameters), keys, profile)
    for (phase, action, _), seconds in parts.items():
        if phase == "evaluate":
            found[action] += seconds  # type: ignore[assignment]  # a Counter of seconds
    return found


class _Comparison:
    """Sentences that compare what follows from alternatives with the best candidate."""

    def __init__(self, e: Exploration, best: Candidate, profile: Profile | None) -> None:
        self.e, self.best, self.profile = e, best, profile

    def paragraph(self, what: str, group: list[Alternative]) -> str:
        if what == "scale":
            return self._scale(group[0])
        if what == "spare levels":
            return self._spare(group[0])
        if what == "packing":
            return self._packing(group[0])
        if what == "order":
            return self._order(group[0])
        if what == "layout":
            return self._layout(group[0])
        if what in ("technique", "key switching"):
            return self._others(group)
        told = [text for a in group if (text := self._key_switching(a))]
        what = what.removesuffix("s") if group[0].chosen == 1 else what
        return " ".join([f"It uses {group[0].chosen} {what}.", *told]) if told else ""

    # -- key switching ---------------------------------------------------------------------------

    def _key_switching(self, a: Alternative) -> str:
        if isinstance(a.verdict, Rejection):
            return f"With {a.other}, no set fits: {a.verdict.reason}."
        ours, theirs = self.best.parameters, a.verdict.parameters
        if theirs.ring_dimension != ours.ring_dimension:
            return f"With {a.other}, {self._modulus(a.verdict)}, {self._ring(a.verdict)}."
        if (theirs.digits, len(theirs.p)) == (ours.digits, len(ours.p)):
            return ""  # the library makes the same set of it
        cost = f"{self._switching(a.verdict)} and {self._keys(a.verdict)}"
        return f"With {a.other}, {self._modulus(a.verdict)}; it would take {cost}."

    def _modulus(self, other: Candidate) -> str:
        ours, theirs = (f"{c.parameters.log_qp:.0f}" for c in (self.best, other))
        return f"log2 QP would be {theirs} instead of {ours}" if ours != theirs else f"log2 QP stays {ours}"

    def _ring(self, other: Candidate) -> str:
        """A clause on what another ring allows, and what it would cost as a whole."""
        n = self.best.parameters.ring_dimension
        limit = posed_at(other, n, self.e.wish.quantum).allowed(self.e.wish.security)
        ring = power_of_two(other.parameters.ring_dimension)
        cost = self._whole(other)
        if other.parameters.ring_dimension > n:
            return (
                f"more than the {int(limit)} that N = {power_of_two(n)} allows, so that it would take "
                f"N = {ring} and {cost}"
            )
        return f"for which N = {ring} would be large enough, with {cost}"

    def _whole(self, other: Candidate) -> str:
        """The other candidate's cost as a multiple of the best one's, in words: in time and in the objective;
        in work and memory without a profile."""
        goal = self.e.wish.goal
        if not (self.best.estimate.timed and other.estimate.timed):
            ours, theirs = (size(c.estimate.peak_bytes) for c in (self.best, other))
            memory = f"{theirs} of memory instead of {ours}" if ours != theirs else "the same memory"
            return f"{other.work / self.best.work:.2f} times the work and {memory}"
        said = f"{other.cost('time') / self.best.cost('time'):.2f} times the time"
        weighted = f"{other.cost(goal) / self.best.cost(goal):.2f} times the {goal.said()}"
        return said if goal == "time" else weighted if goal == "amortised" else f"{said} and {weighted}"

    def _switching(self, other: Candidate) -> str:
        if self.profile is None:
            return f"{_percent(other.work, self.best.work)} work"
        ours, theirs = (_switching_seconds(c, self.profile) for c in (self.best, other))
        both, goal = (other.cost("time"), self.best.cost("time")), self.e.wish.goal
        said = f"{_percent(theirs, ours)} time for key switching, {_percent(*both)} in all,"
        if goal in ("time", "amortised"):
            return said
        return f"{said} {_percent(other.cost(goal), self.best.cost(goal))} {goal.said()}"

    def _keys(self, other: Candidate) -> str:
        ours, theirs = (c.estimate.sizes.evaluation_key_bytes for c in (self.best, other))
        return f"keys of {size(theirs)} instead of {size(ours)}"

    # -- scale and technique ---------------------------------------------------------------------

    def _scale(self, a: Alternative) -> str:
        """A sentence on a scale of more bits than are needed."""
        head = f"A scale of {a.other} bits instead of {a.chosen}"
        if isinstance(a.verdict, Rejection):
            return f"{head} is not possible: {a.verdict.reason}."
        ours, theirs = self.best.estimate.precision_bits or 0.0, a.verdict.estimate.precision_bits or 0.0
        if theirs - ours < _SAME_BITS:
            what = bound(self.e, a.verdict).lower()
            bits = f"{theirs:.1f} bits of precision instead of {ours:.1f}, because {what} would then limit it"
        else:
            bits = f"{theirs:.1f} bits of precision instead of {ours:.1f}"
        if a.verdict.parameters.ring_dimension == self.best.parameters.ring_dimension:
            return f"{head} would give {bits}, in the same ring{self._same_ring(a.verdict)}."
        log_qp = f"log2 QP = {a.verdict.parameters.log_qp:.0f} instead of {self.best.parameters.log_qp:.0f}"
        return f"{head} would give {bits}, but take {log_qp}, {self._ring(a.verdict)}."

    def _spare(self, a: Alternative) -> str:
        """A sentence on the levels that results keep."""
        levels = f"{a.chosen} level{'s' * (a.chosen > 1)}"
        head = (
            f"Results keep {levels} to make room for values and noise beyond the first prime. With {a.other},"
        )
        if isinstance(a.verdict, Rejection):
            return f"{head} no set fits: {a.verdict.reason}."
        return f"{head} it would take {self._whole(a.verdict)}."

    def _packing(self, a: Alternative) -> str:
        """A sentence on vectors that are split over more ciphertexts than they need."""
        head = (
            f"Vectors are split into {packing(self.best)}, which takes fewer rotations but more of all other "
            "operations."
        )
        if self.best.slots in self.e.problem.lowerings(self.best.degrees).packings:
            head = (
                "Products of encrypted matrices are sums of products of short vectors, for "
                f"{packing(self.best)} and {self.best.program.levels} levels, not one product of "
                "long vectors."
            )
        if isinstance(a.verdict, Rejection):
            return f"{head} Filling all slots is not possible: {a.verdict.reason}."
        other = f"{self._whole(a.verdict)} and {self._keys(a.verdict)}"
        return f"{head} {packing(a.verdict).capitalize()} would take {other}{self._where(a.verdict, ',')}."

    def _layout(self, a: Alternative) -> str:
        """A sentence on inputs that share ciphertexts."""
        head = (
            f"Inputs of equal length lie {LAYOUT_WORDS[a.chosen]} in shared ciphertexts, which are computed "
            "with at once."
        )
        if isinstance(a.verdict, Rejection):
            return f"{head} With a ciphertext for each, no set fits: {a.verdict.reason}."
        whole = f"{self._whole(a.verdict)}{self._where(a.verdict)}"
        ours, theirs = (encrypted(c.program) for c in (self.best, a.verdict))
        return (
            f"{head} With each in ciphertexts of its own, it would take {whole}, and the client would encrypt"
            f" {ciphertexts(theirs)} instead of {ours:,}."
        )

    def _order(self, a: Alternative) -> str:
        """A sentence on products in the order written, where the least depth takes more products."""
        head = (
            "Products are computed in the order written, because some would have to be computed twice for "
            "the least depth."
        )
        if isinstance(a.verdict, Rejection):
            return f"{head} With least depth, no set fits: {a.verdict.reason}."
        deep = f"{a.verdict.request.depth} levels instead of {self.best.request.depth}"
        whole = f"{self._whole(a.verdict)}{self._where(a.verdict)}"
        return f"{head} With least depth, it would take {deep} and {whole}."

    def _where(self, other: Candidate, after: str = "") -> str:
        """The words ' at N = 2^15' where the other candidate has another ring, with `after` before them; else
        empty."""
        ring = other.parameters.ring_dimension
        same = ring == self.best.parameters.ring_dimension
        return "" if same else f"{after} at N = {power_of_two(ring)}"

    def _same_ring(self, other: Candidate) -> str:
        if self.best.estimate.timed and abs(other.cost("time") / self.best.cost("time") - 1) < SAME:
            return " and time"
        return f" with {self._whole(other)}"

    def _others(self, group: list[Alternative]) -> str:
        """Sentences on other techniques, or kinds of key switching, each at its best; those that are not
        possible are named with their reason."""
        told = [self._other(a.other, a.verdict) for a in group if isinstance(a.verdict, Candidate)]
        out: dict[str, list[str]] = {}
        for a in group:
            if isinstance(a.verdict, Rejection):
                out.setdefault(a.verdict.reason, []).append(a.other)
        parts = [f"At best, {'; '.join(told)}."] if told else []
        parts += [
            f"{listing(names)} {'is' if len(names) == 1 else 'are'} not possible: {reason}."
            for reason, names in out.items()
        ]
        return " ".join([f"{group[0].what.capitalize()}: {group[0].chosen}.", *parts])

    def _other(self, name: str, other: Candidate) -> str:
        bits, ring = other.estimate.precision_bits, other.parameters.ring_dimension
        precision = "" if bits is None else f", and give {bits:.1f} bits"
        where = "" if ring == self.best.parameters.ring_dimension else f" at N = {power_of_two(ring)}"
        return f"{name} would take {self._whole(other)}{precision}{where}"


def _switching_seconds(c: Candidate, profile: Profile) -> float:
    seconds = seconds_by_action(c, profile)
    return sum(seconds[action] for action in SWITCHING)


def _percent(new: float, old: float) -> str:
    """The change from `old` to `new`, in words: '12% more', '3% less', 'the same'."""
    change = new / old - 1
    if abs(change) < SAME:
        return "the same"
    return f"{abs(change):.0%} {'more' if change > 0 else 'less'}"
