"""The noise of every step of a BFV or BGV program: the rules by which each operation changes it.

The variances are those of the average case [BMCM23], [BMMU25], corrected for what is not independent: powers
of one secret (the mean of |s|^(2d) is d! times as large as that of d different secrets), products of one
value, sums of values that have noise in common, and the amount by which a library's rounding shifts all
coefficients.
"""

from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate
from math import inf, log2
from typing import Any, NamedTuple, assert_never

import numpy as np

from fheasible.errors import UnsupportedOperation
from fheasible.libraries.block import IntegerBlock, IntegerSets
from fheasible.libraries.catalogue import library
from fheasible.libraries.parameters import IntegerParameters
from fheasible.noise.integers.parts import LOST, WAVE, Parts, Some
from fheasible.noise.integers.plain_factors import factors
from fheasible.noise.integers.plain_numbers import Numbers
from fheasible.noise.integers.shared import Relation
from fheasible.noise.integers.steps import NoiseStep, Raised, steps
from fheasible.noise.integers.tail import GAUSSIAN, SquareShape
from fheasible.noise.primitive import (
    UNIFORM,
    AddedNoise,
    division,
    encryption,
    keyed_by_limbs,
    secret_norm,
    switched_limbs,
    variant,
)
from fheasible.noise.sets import Figure
from fheasible.program.types import Action, Program, Scheme
from fheasible.schemes.rns.variant import Automorphism

_ERRORS = SquareShape(0, (1, 1))  # e x: the error of a key times a digit
_ERROR = SquareShape(0, (1,))  # e: the error of a key times a constant
_ROUNDED = SquareShape(1, (1,))  # tau s: a rounding error times the secret
_SHIFTED = SquareShape(1, ())  # s: a constant times the secret
_PRODUCT = (
    SquareShape(2, (1,)),
    SquareShape(2, ()),
)  # the same two for a product that is not relinearised, with s^2
_MESSAGE = SquareShape(0, (1,))
HALF = -1.0  # log2 of the most that a message may add, in units of t


class ErrorParts(NamedTuple):
    """The three parts of the error e, where c_0 + c_1 s = m + t e (BGV) or q/t m + e (BFV)."""

    spread: Some  # what lies in all embeddings alike
    offset: Some = None  # the means of errors that are not centred, in the embeddings next to 1
    moved: Some = None  # the same, rotated to other embeddings


class Walk:
    """How each operation changes the noise of its operands, for one set of parameters, or for the sets of
    several blocks one after another that agree in `budget.walked_alike`. `StepWalk` and `BatchWalk` follow a
    program by these rules."""

    def __init__(self, program: Program, each: Sequence[IntegerSets], algebra: Parts) -> None:
        self.each, self.p, self.parts = each, each[0], algebra
        p = self.p  # stands for all in what they have in common
        self.total, self.by = self.parts.total, self.parts.product
        self.t, self.pairs = p.plain_modulus, p.ring_dimension / 2
        self.t_bits, self.bgv = log2(self.t), program.scheme is Scheme.BGV
        self.variant, self.narrows = variant(p), narrows(p)
        self.numbers = Numbers(each)
        self.bits = self._primes()
        self.two_rows = program.two_rows
        self.filled = min(program.slots / self.pairs, 1.0)
        self.rounded = self._added([division(x, self.variant.rescale) for x in each], _ROUNDED, _SHIFTED)
        self._switches: dict[tuple[int, ...], ErrorParts] = {}
        self._kept_limbs: dict[tuple[int, bool], list[int]] = {}

    def budget(self) -> Figure:
        """The least bits, over all steps, between the noise and an error that is no longer decrypted
        correctly; 0 where there are no steps."""
        raise NotImplementedError

    def _primes(self) -> list[Figure]:
        """log2 of each prime. For several blocks of BFV, which may differ in the number of primes, a single
        entry: log2 of the product of all."""
        if self.bgv or len(self.each) == 1:
            return [
                self.parts.log2(self._joined(primes))
                for primes in zip(*(p.q for p in self.each), strict=True)
            ]
        return [self._joined([sum(map(self.parts.log2, p.q)) for p in self.each])]

    def _joined(self, figures: Sequence[Figure]) -> Figure:
        """The figures of all sets, joined from those of each block; a single number where all blocks have the
        same."""
        if len(figures) == 1 or (np.ndim(figures[0]) == 0 and all(x == figures[0] for x in figures)):
            return figures[0]
        sizes = [len(p) if isinstance(p, IntegerBlock) else 1 for p in self.each]
        each = zip(figures, sizes, strict=True)
        return np.concatenate([x if np.ndim(x) else np.full(size, x) for x, size in each])

    def room(self, level: int) -> Figure:
        """log2 of the error that is no longer decrypted correctly: q/2t."""
        return self.rooms[level if self.bgv else -1]

    @cached_property
    def rooms(self) -> list[Figure]:
        return [bits - 1 - self.t_bits for bits in accumulate(self.bits)]

    def _after(self, s: NoiseStep, scalars: Any, x: Sequence[ErrorParts]) -> ErrorParts:
        match s.action:  # the most frequent first
            case Action.ADD | Action.SUB:
                return self._plus(x[0], x[1], s.relation)
            case Action.MUL_SCALAR:
                return scaled(x[0], 2 * self._number_bits(s, scalars))
            case Action.RELINEARIZE:
                return self._plus(x[0], self.switched(s.level if self.bgv else -1))
            case Action.RESCALE:
                return self._divided(x[0], self.bits[s.level + 1 : s.level + 2])
            case Action.MUL | Action.SQUARE:
                return self._product(s, x[0], x[-1])
            case Action.ROTATE | Action.SWAP_ROWS:
                return self._rotated(s, x[0])
            case Action.MUL_PLAIN:
                return self._weighted(x[0], s.repeats[0])
            case Action.ADD_PLAIN | Action.ADD_SCALAR:
                return self._plus(x[0], self._spread(UNIFORM, GAUSSIAN))
            case Action.ENCRYPT:
                return self._fresh()
            case Action.DROP:
                return self._dropped(s, x[0])
            case Action.NEG:
                return x[0]
            case Action.EVAL_SUM | Action.EVAL_CHEBYSHEV | Action.BOOTSTRAP:
                raise UnsupportedOperation(
                    f"{self.p.scheme} has no {s.action}", "lower the program without it"
                )
            case _:
                assert_never(s.action)

    def _number_bits(self, s: NoiseStep, scalars: Any) -> Figure:
        """log2 of the factor by which noise grows in a multiplication with plain numbers, by step."""
        raise NotImplementedError

    # -- what is added

    def _fresh(self) -> ErrorParts:
        """The noise of an encryption, plus the remainder that its message leaves below t. (Where a library
        encrypts at the top level and drops levels, only the rounding of a division remains, as after the
        encryption's own division.)"""
        made = self._added([encryption(p) for p in self.each], _ROUNDED, _SHIFTED)
        return self._plus(made, self._spread(UNIFORM, GAUSSIAN))

    def switched(self, *levels: int) -> ErrorParts:
        """The noise that key switching adds at a level, or at one for each of `each`; -1 is the top level."""
        if levels not in self._switches:
            of_each = levels if len(levels) > 1 else levels * len(self.each)
            found = [keys[level] for keys, level in zip(self.keys, of_each, strict=True)]
            self._switches[levels] = self._plus(self._added(found, _ERRORS, _ERROR), self.divided)
        return self._switches[levels]

    @cached_property
    def divided(self) -> ErrorParts:
        """The noise that key switching's division by P adds; nothing where there is no such division."""
        if self.p.key_switching == "bv":
            return ErrorParts(None)
        divided = [division(p, self.variant.mod_down, len(p.p)) for p in self.each]
        return self._added(divided, _ROUNDED, _SHIFTED)

    @cached_property
    def keys(self) -> list[list[AddedNoise]]:
        """The noise of digits times key errors over P, by block and level."""
        return [_keyed_by_level(p) for p in self.each]

    def _rotated(self, s: NoiseStep, x: ErrorParts) -> ErrorParts:
        """The noise after a rotation. Noise that lay next to 1 now lies elsewhere, and so does the noise that
        the rotation adds, if the library rotates after key switching."""
        last = self.variant.automorphism is Automorphism.LAST
        added = self._turning(s)
        return self._plus(self._moved(x), self._moved(added) if last else added)

    def _moved(self, x: ErrorParts) -> ErrorParts:
        return ErrorParts(x.spread, None, self.total(x.moved, x.offset, Relation.TURNED))

    def _turning(self, s: NoiseStep) -> ErrorParts:
        """The noise that key switching in a rotation adds. OpenFHE's BFV switches fewer limbs of c_1,
        rounded, and multiplies the result by the other limbs."""
        if not self.narrows:
            return self.switched(s.level if self.bgv else -1)
        kept = self._kept(s.depth, switching=True)
        fewer = [k < p.limbs for k, p in zip(kept, self.each, strict=True)]
        narrowed = self._spread(UNIFORM * secret_norm(self.p) * self._joined(fewer), _ROUNDED)
        switched = self._plus(narrowed, self.switched(*[k - 1 for k in kept]))
        return scaled(switched, self._joined(list(map(_beyond, self.each, kept))))

    def _dropped(self, s: NoiseStep, x: ErrorParts) -> ErrorParts:
        """The noise after levels are dropped. Where a library switches moduli to drop levels, each prime adds
        a rounding."""
        if not self.variant.drop_switches:
            return x
        return self._divided(x, self.bits[s.level + 1 : s.level_before + 1][::-1])

    def _divided(self, x: ErrorParts, primes: list[Figure], size: int = 2) -> ErrorParts:
        """The noise after division by primes, which are given as log2. `size` is 3 where a library rescales a
        product that is not relinearised (programs themselves never do)."""
        for bits in primes:
            x = self._plus(scaled(x, -2 * bits), self.rounded_product if size == 3 else self.rounded)
        return x

    # -- sums

    def _brought(self, raised: Raised, x: ErrorParts) -> ErrorParts:
        """The noise of an operand that is brought to the level and degree of the other. It is multiplied by
        an integer below t; in FIXEDAUTO, whose primes are 1 modulo t, this integer is 1."""
        for action, level in raised.how:
            if action == Action.MUL_SCALAR:
                x = scaled(x, 0.0 if self.p.technique == "fixedauto" else 2 * self.t_bits)
            else:
                x = self._divided(x, self.bits[level : level + 1], raised.size)
        return x

    def _plus(self, x: ErrorParts, y: ErrorParts, relation: Relation = Relation.APART) -> ErrorParts:
        """The sum of two noises. Their means are taken as the same in all values; those that were rotated may
        be the same."""
        spread = self.total(x.spread, y.spread, relation)
        if x.offset is y.offset is x.moved is y.moved is None:
            return ErrorParts(spread)
        moved = Relation.TURNED if relation is Relation.TURNED else Relation.SAME
        offset = self.total(x.offset, y.offset, Relation.SAME)
        return ErrorParts(spread, offset, self.total(x.moved, y.moved, moved))

    # -- products

    def _product(self, s: NoiseStep, x: ErrorParts, y: ErrorParts) -> ErrorParts:
        return self._product_bgv(s, x, y) if self.bgv else self._product_bfv(s, x, y)

    def _product_bgv(self, s: NoiseStep, x: ErrorParts, y: ErrorParts) -> ErrorParts:
        """The noise of a BGV product: the part of m m' that exceeds t, m e' + m' e, and t e e'. In a square
        both mixed terms are the same."""
        same = s.relation is Relation.SAME
        made = self._plus(self._times(x, self.message), self._times(y, self.message))
        made = self._plus(scaled(made, float(same)), self.wrapped[same])
        return scaled(self._plus(made, self._errors(x, y, same)), 2 * self.t_bits)

    @cached_property
    def wrapped(self) -> tuple[ErrorParts, ErrorParts]:
        """The product of two different messages, and of a message with itself."""
        return ErrorParts(self.by(self.message, self.message)), ErrorParts(
            self.by(self.message, self.message, True)
        )

    def _errors(self, x: ErrorParts, y: ErrorParts, same: bool = False) -> ErrorParts:
        """The product of two noises."""
        spread = self.by(x.spread, y.spread, same)
        if x.offset is y.offset is x.moved is y.moved is None:
            return ErrorParts(spread)
        both = Relation.SAME if same else Relation.APART
        offset = self.total(self.by(x.spread, y.offset), self.by(x.offset, y.spread), both)
        moved = self.total(self.by(x.spread, y.moved), self.by(x.moved, y.spread), both)
        apart = self.total(
            self.by(x.offset, y.moved, apart=True), self.by(x.moved, y.offset, apart=True), both
        )
        return ErrorParts(
            spread,
            self.total(offset, self.by(x.offset, y.offset, same), Relation.APART),
            self.total(self.total(moved, apart, both), self.by(x.moved, y.moved, same), Relation.APART),
        )

    def _weighted(self, x: ErrorParts, repeats: int) -> ErrorParts:
        """The noise after multiplication by a plain vector, for the first, second, ... time (`repeats`).
        Slots that repeat in both rows make real embeddings, whose powers have a larger mean."""
        made = scaled(self._errors(x, self.plain), 2 * self.t_bits)
        if repeats == 1:
            return made
        spread = made.spread and made.spread._replace(kind=self.parts.repeated(made.spread.kind, repeats))
        again = repeats if self.two_rows else 2 * repeats - 1
        return scaled(made._replace(spread=spread), log2(again))

    def _heaped(self, made: ErrorParts, before: list[ErrorParts]) -> ErrorParts:
        """The noise `made` by multiplying with the square of a factor. The square has a mean, and this mean
        times noise is as large in single coefficients as the noise was before."""
        return ErrorParts(*[self.parts.heaped(e, b) for e, *b in zip(made, *before, strict=True)])

    def _product_bfv(self, s: NoiseStep, x: ErrorParts, y: ErrorParts) -> ErrorParts:
        """The noise of a BFV product: each noise times t times the other operand's quotient by q, which
        contains the secret once more. (In BGV, rescaling starts the powers of the secret anew.) In a square
        both terms are the same."""
        x, y = self._narrowed(s.depth, x), self._narrowed(s.depth, y)
        made = self._plus(self._quotients(x, s.repeats[0]), self._quotients(y, s.repeats[1]))
        return scaled(made, 2 * self.t_bits + s.alike)

    def _quotients(self, x: ErrorParts, repeats: int) -> ErrorParts:
        """The noise times a quotient by q, for the first, second, ... time (`repeats`)."""
        made = self._times(x, self.quotient)
        if repeats == 1:
            return made
        again = (e and e._replace(kind=self.parts.repeated(e.kind, repeats)) for e in made)
        return scaled(ErrorParts(*again), log2(repeats))

    def _narrowed(self, depth: int, x: ErrorParts) -> ErrorParts:
        """The noise of an operand of a product. OpenFHE's BFV divides operands down to the limbs that it
        multiplies in."""
        if not self.narrows:
            return x
        kept = self._kept(depth, switching=False)
        fewer = [k < p.limbs for k, p in zip(kept, self.each, strict=True)]
        if not any(fewer):
            return x
        beyond = [_beyond(p, k) if k < p.limbs else -LOST for p, k in zip(self.each, kept, strict=True)]
        return self._plus(x, scaled(self.rounded, self._joined(beyond)))

    def _kept(self, depth: int, switching: bool) -> list[int]:
        """The number of limbs in which each of `each` computes after so many products."""
        key = depth, switching
        if key not in self._kept_limbs:
            kept_limbs = library(self.p.library).kept_limbs
            sets = [p for p in self.each if isinstance(p, IntegerParameters)]  # never blocks of them
            self._kept_limbs[key] = [kept_limbs(p, depth, switching) for p in sets]
        return self._kept_limbs[key]

    def _times(self, x: ErrorParts, factor: Some) -> ErrorParts:
        if x.offset is x.moved is None:
            return ErrorParts(self.by(x.spread, factor))
        return ErrorParts(self.by(x.spread, factor), self.by(x.offset, factor), self.by(x.moved, factor))

    # -- parts

    @cached_property
    def message(self) -> Some:
        """A plaintext over t. Slots that are repeated leave coefficients empty, all but two for each
        different slot."""
        return self.parts.part(UNIFORM * self.filled, _MESSAGE, self.filled * self.pairs)

    @cached_property
    def plain(self) -> ErrorParts:
        """A plain factor over t. If its coefficients lie in [0, t) instead of around 0, they have a mean."""
        mean = 0.0 if self.variant.centred else self.filled / 4
        return ErrorParts(self.message, self.parts.part(mean, GAUSSIAN, WAVE / self.filled))

    @cached_property
    def quotient(self) -> Some:
        return self.parts.part(UNIFORM * (2 + secret_norm(self.p)), _ROUNDED, self.pairs)

    @cached_property
    def rounded_product(self) -> ErrorParts:
        return self._added([division(p, self.variant.rescale, size=3) for p in self.each], *_PRODUCT)

    def _added(self, each: Sequence[AddedNoise], spread: SquareShape, offset: SquareShape) -> ErrorParts:
        """The noise that the sets of each block add, with the shapes of its spread and of its offset."""
        all_spread, all_offset = (self._joined(figures) for figures in zip(*each, strict=True))
        return ErrorParts(
            self.parts.part(all_spread, spread, self.pairs), self.parts.part(all_offset, offset, WAVE)
        )

    def _spread(self, variance: Figure, shape: SquareShape) -> ErrorParts:
        return ErrorParts(self.parts.part(variance, shape, self.pairs))


def _keyed_by_level(p: IntegerSets) -> list[AddedNoise]:
    each, last = keyed_by_limbs(p), switched_limbs(p, np.arange(p.limbs)) - 1
    return list(map(AddedNoise, each.spread.T[last], each.offset.T[last]))


def scaled(x: ErrorParts, bits: Figure) -> ErrorParts:
    return ErrorParts(*[e and e.scaled(bits) for e in x])


class StepWalk(Walk):
    """A walk of one set of parameters, step by step."""

    def __init__(self, program: Program, p: IntegerParameters, algebra: Parts) -> None:
        super().__init__(program, [p], algebra)
        self.steps, self.of = steps(program)
        self.multipliers = factors(self.steps, p).multipliers

    def budget(self) -> Figure:
        least = inf if self.steps else 0.0
        for step, noise in zip(self.steps, self.noise(), strict=True):
            least = self.parts.least(self.room(step.level), HALF, [x for x in noise if x], least)
        return least

    def noise(self) -> list[ErrorParts]:
        """The noise of every step."""
        found: list[ErrorParts] = []
        for step in self.steps:
            x = [found[a] for a in step.args]
            if step.raised:
                x[step.raised.operand] = self._brought(step.raised, x[step.raised.operand])
            if len(found) in self.multipliers:
                growths = [2 * log2(factor) for factor in self.multipliers[len(found)]]
                x = list(map(scaled, x, growths))
            made = self._after(step, step.scalar, x)
            made = self._heaped(made, [found[b] for b in step.before]) if step.before else made
            found.append(made)
        return found

    def _number_bits(self, s: NoiseStep, scalars: int) -> Figure:
        return self.numbers.bits(scalars, s.level)


def _beyond(p: IntegerSets, kept: int) -> float:
    """log2 of the square of the product of the limbs that are not kept."""
    return 2 * sum(map(log2, p.q[kept:]))


def narrows(p: IntegerSets) -> bool:
    """Whether the library computes products and rotations in fewer limbs as noise grows."""
    return p.scheme == "bfv" and library(p.library).narrows
