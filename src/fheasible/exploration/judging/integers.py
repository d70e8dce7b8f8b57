"""BGV and BFV by columns: all sizes of primes that a program may have in a ring, judged at once.

The noise of integers is not monotone in the size of the primes (BGV's plaintext factors follow from them), so
every size is examined. The judgements are those that `judge.Judge` makes of a single set. Choices that differ
in key switching alone are judged together, so that the noise of their program is followed once for all of
them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import chain
from math import inf
from typing import Final, NamedTuple

import numpy as np

from fheasible.aliases import Floats, Ints
from fheasible.errors import InfeasibleParameters
from fheasible.estimation.profile import Profile
from fheasible.exploration.judging.columns import Columns
from fheasible.exploration.judging.judge import Rejection
from fheasible.exploration.judging.rows import tabled, taken
from fheasible.exploration.judging.secure import limit
from fheasible.exploration.judging.sieve import (
    FIRST,
    LEVEL,
    JointBlock,
    Judged,
    Nearest,
    PrimeSizes,
    Share,
    Sieve,
    nearer,
)
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Wish
from fheasible.exploration.space.pinned import of_request, sized
from fheasible.exploration.space.requests import PRIME_BITS, Choice, integers, request
from fheasible.libraries.block import IntegerBlock
from fheasible.libraries.blocks import BlocksAnswer, blocks
from fheasible.libraries.chain import SECRET
from fheasible.libraries.library import Library
from fheasible.libraries.parameters import Bits, IntegerRequest
from fheasible.lowering.plan import depth_of
from fheasible.noise.integers.budget import budgets
from fheasible.program.style import Layout, Style
from fheasible.program.types import Program

# bits by which a BGV chain's first prime exceeds the others, up to the largest size
RULES: Final = (0, 8, 60)
_TOGETHER: Final = 4  # BFV's chains of so many lengths are judged together: often no longer ones are needed


class _Asked(NamedTuple):
    """The sizes and requests of one choice that may be secure. `rows` counts all of its sets, and `nearest`
    is the nearest of those that are not secure."""

    sizes: PrimeSizes
    requests: list[IntegerRequest]
    rows: int
    nearest: Nearest


class _Written(NamedTuple):
    """What all choices of one style and packing have in common. `most` is the largest log2 QP that is as
    secure as was wished."""

    program: Program
    depth: int
    most: float


class IntegerSets:
    """The sets of a library and scheme in one ring. What is said of sets that miss by more than `enough` bits
    of noise may be that they miss by less, but by more than `enough`."""

    def __init__(
        self,
        problem: Problem,
        library: Library,
        scheme: str,
        wish: Wish,
        profile: Profile | None,
        ring: int,
        enough: float = inf,
    ) -> None:
        self.problem, self.library, self.scheme, self.wish, self.profile = (
            problem, library, scheme, wish, profile
        )  # fmt: skip
        self.n, self.enough = ring, enough
        self._ahead: dict[tuple[Choice, bool], Share] = {}  # judged, and not yet asked for
        self._known: dict[tuple[Style, int | None], _Written] = {}

    def judged(self, choice: Choice, place: int, every: bool) -> Judged:
        """The judgement of all sizes of a choice. Its rows refer to the choice by `place`."""
        if (choice, every) not in self._ahead:
            self._ahead |= {(other, every): share for other, share in self._together(choice, every).items()}
        return self._ahead.pop((choice, every)).judged(place)

    def limbs(self, choice: Choice) -> int:
        """The number of limbs of BGV's chain."""
        return self._written(choice).depth + 1

    def sizes(self, every: bool) -> PrimeSizes:
        """The sizes of primes that are tried, a single entry where the library sizes primes by itself.
        Without `every`, BGV's first prime has only the sizes of three rules (`RULES`)."""
        if self.library.own_primes is not None:
            return PrimeSizes(np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64))
        every = every or sized(self.wish.pins)
        return _every_size(self.scheme) if every or self.scheme == "bfv" else _ruled_sizes()

    def _written(self, choice: Choice) -> _Written:
        """What the choice has in common with those of its style and packing, looked up once for all of
        them."""
        key = choice.style, choice.slots
        if key not in self._known:
            program = self.problem.lowerings((), True).program(choice.style, self.n, choice.slots)
            most = limit(
                self.library.name, program.switches_keys, self.n, self.wish.security, self.wish.quantum
            )
            self._known[key] = _Written(program, depth_of(program, choice.style), most)
        return self._known[key]

    # -- many choices ----------------------------------------------------------------------------

    def _together(self, choice: Choice, every: bool) -> dict[Choice, Share]:
        """The shares of the choice, and of those of its program that will be asked for after it, judged
        together."""
        try:
            t = self.problem.plain_modulus(self.n)
        except InfeasibleParameters as error:
            return {choice: Share(0, len(self.sizes(every)), Rejection("parameters", error.message), ())}
        choices = self._alike(choice, every)
        asked = [self._asked(each, every, t) for each in choices]
        answer = blocks(self.library, [r for each in asked for r in each.requests])
        parts, refused = self._parts(choice, asked, answer), _refused(asked, answer)
        return {
            other: Share(i, each.rows, nearer(each.nearest, refused.get(i)), parts)
            for i, (other, each) in enumerate(zip(choices, asked, strict=True))
        }

    def _alike(self, choice: Choice, every: bool) -> list[Choice]:
        """The choice, and those of its program that come after it; in BFV, those with about as many limbs."""
        style = choice.style
        groups = _walked_together(
            self.library, self.scheme, self.n, choice.slots, style.spare, style.as_written, style.layout
        )
        coming = groups.get(_program_and_limbs(choice), ())
        if choice not in coming:
            return [choice]
        limbs, later = self.limbs(choice), coming[coming.index(choice) + 1 :]
        wanted = (other for other in later if every or not more_than_q(other, other.limbs or limbs))
        return [choice, *wanted]

    def _asked(self, choice: Choice, every: bool, t: int) -> _Asked:
        """The requests for sizes that may be secure, and the nearest of those that are not."""
        sizes, pattern = self.sizes(every), self._pattern(choice, t)
        bits = self._bits(pattern, sizes)
        most = self._written(choice).most
        secure, nearest = bits <= most, None
        if not secure.all():
            least = float(bits[~secure].min())
            nearest = Rejection("security", self._insecure(least, most), least / max(most, 1.0))
        kept = sizes.take(secure)
        return self._pinned(_Asked(kept, _of_sizes(pattern, kept), len(sizes), nearest))

    def _pinned(self, asked: _Asked) -> _Asked:
        """What is asked, with the pinned sizes of primes alone."""
        pins = self.wish.pins
        if not pins:
            return asked
        places = [i for i, each in enumerate(asked.requests) if of_request(pins, each)]
        requests = [asked.requests[i] for i in places]
        return asked._replace(sizes=asked.sizes.take(np.array(places, dtype=np.int64)), requests=requests)

    def _pattern(self, choice: Choice, t: int) -> IntegerRequest:
        """A request in which `FIRST` stands for the bits of the first prime, and `LEVEL` for those of the
        others."""
        if self.library.own_primes is None:
            first = FIRST if self.scheme == "bgv" else None
            choice = replace(choice, level_bits=LEVEL, first_bits=first)
        wish = self.wish
        made = request(choice, self.library, wish.security, wish.quantum, self._written(choice).depth, t)
        assert made.scheme != "ckks"
        return made

    def _bits(self, pattern: IntegerRequest, sizes: PrimeSizes) -> Floats:
        """A lower bound on log2 QP for each size; 0 where the library finds the sizes."""
        q = pattern.prime_bits or ()
        every = q + (pattern.special_bits or q[:1])  # where none is asked for, one as large as the first
        counted = ((sizes.of(bits), every.count(bits)) for bits in set(every))
        found = np.zeros(len(sizes))
        for bits, count in counted:
            found += count * (bits - np.minimum(1.0, 8.0 * len(every) * self.n * bits * np.exp2(-1.0 * bits)))
        return found

    def _insecure(self, log_qp: float, most: float) -> str:
        return (
            f"log2 QP = {log_qp:.0f} at N = {self.n}, but {self.wish.security}-bit security allows "
            f"{int(most)} bits there"
        )

    # -- layouts ---------------------------------------------------------------------------------

    def _parts(
        self, choice: Choice, asked: Sequence[_Asked], answer: BlocksAnswer[IntegerBlock]
    ) -> list[JointBlock]:
        """What the library makes of all that is asked, layout by layout, and which of it is secure and
        right."""
        owner = _owners(asked)
        sizes = PrimeSizes(
            *(np.concatenate(x) for x in zip(*((a.sizes.level, a.sizes.first) for a in asked), strict=True))
        )
        program, _, most = self._written(choice)
        describe = partial(self._described, choice, program)
        found = [
            JointBlock(made.block, sizes.take(made.indices), owner[made.indices], describe)
            for made in answer.made
        ]
        for part in found:
            part.keep(part.block.log_qp <= most, "security", part.block.log_qp / max(most, 1.0))
        secure = [part for part in found if len(part.right)]
        right = [part.of_right() for part in secure]
        left = budgets(program, right, self.wish.failure_bits, self.enough)
        for part, budget in zip(secure, left, strict=True):
            part.keep(budget >= 0, "correctness", -budget)
        return found

    def _described(self, choice: Choice, program: Program, block: IntegerBlock, sizes: PrimeSizes) -> Columns:
        """The rows of sets that are right."""
        log_p = np.broadcast_to(block.log_p, len(block))
        left = Sieve(choice, 0, {"scale": sizes.level, "log_q": block.log_q, "log_p": log_p})
        left.columns.update(taken(program, block, self.profile, self.wish))
        r = block.exact[0].request
        shape = {
            "library": self.library.name, "scheme": self.scheme, "technique": block.technique,
            "ring_dimension": self.n, "secret": SECRET, 
            "sigma": self.library.narrowest_error(program.switches_keys),
            "limbs": block.limbs, "special_limbs": len(block.p), "digits": block.digits,
            "depth": r.depth if r else 0, "plain_modulus": float(block.plain_modulus),
            "as_written": choice.style.as_written, "layout": choice.style.layout.value,
        }  # fmt: skip
        if self.library.own_primes is None:
            left["level_bits"], left["first_bits"] = (
                x.astype(np.float64) for x in (sizes.level, sizes.first)
            )
            left["special_bits"] = np.floor(np.log2(np.max(block.p, axis=0)) + 0.5)
        return tabled(program, shape, left, self.wish, self.profile.error_band if self.profile else None)


def more_than_q(choice: Choice, limbs: int) -> bool:
    """Whether P has more primes than all of Q. More primes only take modulus then, since with as many as Q
    has, all of Q is one digit."""
    return choice.special is not None and choice.special > max(limbs, 1)


def _program_and_limbs(choice: Choice) -> tuple[Style, int]:
    return choice.style, ((choice.limbs or 1) - 1) // _TOGETHER


@cache
def choice_groups(
    library: Library,
    scheme: str,
    ring: int,
    slots: int | None,
    spare: int,
    as_written: bool,
    layout: Layout = Layout.BY_COLUMN,
    spares: tuple[int, ...] = (),
) -> tuple[tuple[Choice, ...], ...]:
    """The choices of `space.integers`, made once for all walks. With `spares`, each choice is repeated with
    each of these numbers of levels that results keep, where the scheme has levels."""
    found = integers(library, scheme, ring, slots, spare, as_written, layout)
    return tuple(tuple(chain.from_iterable(_sparing(c, spares) for c in choices)) for choices in found)


def _sparing(choice: Choice, spares: tuple[int, ...]) -> Iterator[Choice]:
    if not (spares and choice.style.leveled):
        yield choice
        return
    for style in _styles(choice.style, spares):
        yield replace(choice, style=style)


@cache
def _styles(style: Style, spares: tuple[int, ...]) -> tuple[Style, ...]:
    """The style with each of these numbers of spare levels, shared by all choices: equal ones are found
    sooner."""
    return tuple(replace(style, spare=spare) for spare in spares)


@cache
def _walked_together(
    library: Library,
    scheme: str,
    ring: int,
    slots: int | None,
    spare: int,
    as_written: bool,
    layout: Layout = Layout.BY_COLUMN,
) -> Mapping[tuple[Style, int], tuple[Choice, ...]]:
    """The choices of each program, in the order in which they are walked; in BFV, those with about as many
    limbs."""
    found: dict[tuple[Style, int], list[Choice]] = {}
    for choice in chain.from_iterable(choice_groups(library, scheme, ring, slots, spare, as_written, layout)):
        found.setdefault(_program_and_limbs(choice), []).append(choice)
    return {alike: tuple(choices) for alike, choices in found.items()}


@cache
def _every_size(scheme: str) -> PrimeSizes:
    if scheme == "bfv":
        return PrimeSizes(np.array(PRIME_BITS), np.array(PRIME_BITS))
    level, first = (x.ravel() for x in np.meshgrid(PRIME_BITS, PRIME_BITS, indexing="ij"))
    return PrimeSizes(level, first).take(first >= level)


@cache
def _ruled_sizes() -> PrimeSizes:
    largest = PRIME_BITS[-1]
    found = [
        (b, first) for b in PRIME_BITS for first in dict.fromkeys(min(b + above, largest) for above in RULES)
    ]
    return PrimeSizes(*np.array(found).T)


def _of_sizes(pattern: IntegerRequest, sizes: PrimeSizes) -> list[IntegerRequest]:
    if pattern.prime_bits is None:
        return [pattern] * len(sizes)
    q, p = pattern.prime_bits, pattern.special_bits
    each = zip(sizes.level.tolist(), sizes.first.tolist(), strict=True)
    stands = ({LEVEL: level, FIRST: first} for level, first in each)
    return pattern.of_chains((_replaced(q, of), p and _replaced(p, of)) for of in stands)


def _replaced(bits: Bits, of: Mapping[int, int]) -> Bits:
    return tuple([of.get(each, each) for each in bits])


def _owners(asked: Sequence[_Asked]) -> Ints:
    """For each request, the index of the choice that it belongs to."""
    return np.repeat(np.arange(len(asked)), [len(each.requests) for each in asked])


def _refused(asked: Sequence[_Asked], answer: BlocksAnswer[IntegerBlock]) -> dict[int, Rejection]:
    """The first refusal of each choice that has one."""
    found: dict[int, Rejection] = {}
    owner = _owners(asked).tolist()
    for index, refusal in answer.refusals.items():
        found.setdefault(owner[index], Rejection("parameters", refusal.message, 1.0))
    return found
