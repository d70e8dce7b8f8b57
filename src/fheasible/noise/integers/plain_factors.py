"""The factors that BGV plaintexts (and Lattigo's BFV ones) carry, and what adding unequal ones costs.

Dividing by a prime divides the plaintext too, modulo t. What accumulates is called the correction factor in
SEAL, and the plaintext scale in Lattigo. Two values of different factors f and g are brought together by the
multipliers a and b of least sum with a f = b g modulo t. These multiply the noise: SEAL
`balance_correction_factors` (evaluator.cpp), Lattigo `matchScalesBinary` (schemes/bgv/evaluator.go).
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple, assert_never

import numpy as np
from numpy.typing import DTypeLike, NDArray

from fheasible.aliases import Floats, Ints
from fheasible.errors import UnsupportedOperation
from fheasible.libraries.block import IntegerBlock, IntegerSets
from fheasible.libraries.catalogue import library
from fheasible.libraries.parameters import IntegerParameters
from fheasible.noise.integers.batches import Batch, Batches, Rows
from fheasible.noise.integers.steps import NoiseStep
from fheasible.program.types import Action
from fheasible.schemes.rns.factors import balanced, nearest, nearest_each

_WORD: Final = 1 << 31  # products of two numbers below it fit int64
_FEW: Final = 24  # ratios that take no longer one by one
_MANY: Final = 4000  # ratios that are known before all are worked out, of moduli up to
_MOST_RATIOS: Final = 1 << 17
_SUMS: Final = (Action.ADD, Action.SUB)
_CHANGING: Final = (*_SUMS, Action.MUL, Action.SQUARE, Action.RESCALE, Action.DROP, Action.ENCRYPT)
_balanced = lru_cache(maxsize=1 << 14)(balanced)  # many sums have the same factors

Multipliers = tuple[Any, Any]  # of both operands of a sum


class Factors(NamedTuple):
    """The plaintext factors in a program. `of`: the factor of every step's values. `multipliers`: what the
    operands of a sum are multiplied by, where their factors differ."""

    of: list[int]
    multipliers: dict[int, Multipliers]


def factors(steps: Sequence[NoiseStep], p: IntegerParameters) -> Factors:
    """The plaintext factors of all steps. Those of OpenFHE are always one, or handled by the library itself
    (`NoiseStep.raised`)."""
    if not _has_factors(p):
        return Factors([1] * len(steps), {})
    found, rules = Factors([], {}), _Rules([p])
    for index, s in enumerate(steps):
        before = [found.of[a] for a in s.args]
        if s.action in _SUMS and before[0] != before[1]:
            found.multipliers[index] = _balanced(*before, p.plain_modulus)
            after = found.multipliers[index][0] * before[0] % p.plain_modulus
        else:
            after = rules.after(s, before)
        found.of.append(after)
    return found


class Grown(NamedTuple):
    """By how much the multipliers of the sums of a batch multiply variances, as log2, for both operands:
    arrays (kind, set), of which each step has the row `kind`."""

    bits: tuple[Floats, Floats]
    kind: Rows

    def of(self, steps: Any) -> tuple[Floats, Floats]:
        """For these steps of the batch, in rows."""
        first, second = self.bits
        return first[self.kind[steps]], second[self.kind[steps]]

    def taken(self, sets: Rows) -> "Grown":
        """For these sets alone."""
        first, second = self.bits
        return Grown((first[:, sets], second[:, sets]), self.kind)


def growths(batches: Batches, each: Sequence[IntegerSets]) -> list[Grown | None]:
    """What multipliers do to variances, for each batch of steps; None where the factors of all operands
    agree. The sets are those of several blocks, one after another."""
    return _Together(batches, each).found if _has_factors(each[0]) else [None] * len(batches.each)


def _has_factors(p: IntegerSets) -> bool:
    return library(p.library).has_plain_factors(p.scheme)


class _Rules:
    """What operations make of the factors of their operands: numbers for one set of parameters, or arrays
    with an entry for each set."""

    def __init__(self, each: Sequence[IntegerSets]) -> None:
        self.t, self.scheme = each[0].plain_modulus, each[0].scheme
        bgv = self.scheme == "bgv"
        self.inverses = _inverses(each, self.t) if bgv else []
        # t/q leaves -1/q in Lattigo
        self.of_product = 1 if bgv else -_inverse_of_all(each, self.t) % self.t

    def after(self, s: NoiseStep, before: Sequence[Any]) -> Any:
        """The factor of the result; that of a sum whose operands agree."""
        match s.action:
            case Action.MUL | Action.SQUARE:
                return before[0] * before[-1] % self.t * self.of_product % self.t
            case Action.RESCALE | Action.DROP:
                return _product((before[0], *self.inverses[s.level + 1 : s.level_before + 1]), self.t)
            case Action.ENCRYPT:
                return 1
            case (
                Action.ADD | Action.SUB | Action.NEG | Action.ROTATE | Action.SWAP_ROWS | Action.RELINEARIZE
                | Action.ADD_PLAIN | Action.ADD_SCALAR | Action.MUL_PLAIN | Action.MUL_SCALAR
            ):  # fmt: skip
                return before[0]
            case Action.EVAL_SUM | Action.EVAL_CHEBYSHEV | Action.BOOTSTRAP:
                raise UnsupportedOperation(f"{self.scheme} has no {s.action}", "lower the program without it")
            case _:
                assert_never(s.action)


class _Together:
    """The factors of steps, batch by batch. Steps with the same factors in all sets have one number, so that
    what operations make of them is worked out once."""

    def __init__(self, batches: Batches, each: Sequence[IntegerSets]) -> None:
        self.rules, self.t, self.sets = _Rules(each), each[0].plain_modulus, len(_exact(each))
        self.modulo = _modulo(self.t)
        self.arrays: list[NDArray[Any]] = []
        self.numbers: dict[object, int] = {}
        self.inverses: dict[int, NDArray[Any]] = {}
        self.balanced: dict[object, Multipliers] = {}
        self.of = np.empty(batches.steps, dtype=np.int64)  # the number of each step's factors
        self.found = [self._after(batch) for batch in batches.each]

    def _after(self, batch: Batch) -> Grown | None:
        if batch.like.action not in _CHANGING:
            self.of[batch.rows] = self.rules.after(batch.like, [self.of[rows] for rows in batch.args])
            return None
        operands = [self.of[rows].tolist() for rows in batch.args]
        of_each = list(zip(*operands, strict=True)) if operands else [()] * len(batch.scalars)
        kinds = {numbers: kind for kind, numbers in enumerate(dict.fromkeys(of_each))}
        made = [self._made(batch, numbers) for numbers in kinds]
        each = np.array([kinds[numbers] for numbers in of_each])
        self.of[batch.rows] = np.array([number for number, _ in made])[each]
        if all(by is None for _, by in made):
            return None
        nothing = np.zeros(self.sets), np.zeros(self.sets)
        first, second = (np.stack(rows) for rows in zip(*(by or nothing for _, by in made), strict=True))
        return Grown((first, second), each)

    def _made(self, batch: Batch, operands: Sequence[int]) -> tuple[int, tuple[Floats, Floats] | None]:
        """The number of the factors that follow from those with these numbers, and how the variances of the
        operands of a sum grow where they differ."""
        before = [self.arrays[number] for number in operands]
        if batch.like.action not in _SUMS or operands[0] == operands[1]:
            return self._number(self.rules.after(batch.like, before)), None
        a, b = self._balanced(*operands)
        return self._number(a * before[0] % self.t), (_growth(a), _growth(b))

    def _balanced(self, f: int, g: int) -> Multipliers:
        """What brings two factors, given by their numbers, together. It depends on their ratio alone."""
        if f not in self.inverses:
            self.inverses[f] = self.modulo.inverses(self.arrays[f])
        ratio = self.inverses[f] * self.arrays[g] % self.t
        key = _key(ratio)
        if key not in self.balanced:
            self.balanced[key] = self.modulo.nearest(ratio)
        return self.balanced[key]

    def _number(self, factors: Any) -> int:
        found = np.asarray(factors, dtype=_type(self.t))
        found = found if found.shape else np.full(self.sets, factors, dtype=_type(self.t))
        number = self.numbers.setdefault(_key(found), len(self.numbers))
        if number == len(self.arrays):
            self.arrays.append(found)
        return number


def _inverses(each: Sequence[IntegerSets], t: int) -> list[Any]:
    """The inverses of the primes of Q modulo t. Products of two of them do not overflow."""
    rows = [[_inverse(q, t) for q in one.q] for one in _exact(each)]
    return rows[0] if len(rows) == 1 else list(_column(rows, t).T)


def _inverse_of_all(each: Sequence[IntegerSets], t: int) -> Any:
    """The inverse of Q modulo t."""
    found = [_product([_inverse(q, t) for q in one.q], t) for one in _exact(each)]
    return found[0] if len(found) == 1 else _column(found, t)


def _exact(each: Sequence[IntegerSets]) -> list[IntegerParameters]:
    return [one for p in each for one in (p.exact if isinstance(p, IntegerBlock) else (p,))]


def _column(values: Any, t: int) -> Any:
    return np.array(values, dtype=_type(t))


def _type(t: int) -> DTypeLike:
    """The type of arrays of numbers modulo t, two of which are multiplied without overflow."""
    return np.int64 if t < _WORD else object


@lru_cache(maxsize=1 << 14)  # many sets have the same primes
def _inverse(q: int, t: int) -> int:
    return pow(q, -1, t)


def _growth(multiplier: NDArray[Any]) -> Floats:
    return 2 * np.log2(multiplier.astype(np.float64))


def _key(numbers: NDArray[Any]) -> object:
    return tuple(numbers) if numbers.dtype == object else numbers.tobytes()


class _Modulo:
    """Inverses and `nearest` modulo t: each worked out once for all programs."""

    def __init__(self, t: int) -> None:
        self.t, self.small = t, t <= _MOST_RATIOS
        self._inverses = np.zeros(t if self.small else 0, dtype=np.int64)
        self._inverted: dict[int, int] = {}  # of a large t, those that were asked for
        self._known: dict[int, tuple[int, int]] = {}
        self._all: tuple[Ints, Ints] | None = None

    def inverses(self, factors: NDArray[Any]) -> NDArray[Any]:
        if not self.small:
            values, known = factors.tolist(), self._inverted
            known.update((x, pow(x, -1, self.t)) for x in values if x not in known)
            inverses: NDArray[Any] = _column([known[x] for x in values], self.t)
            return inverses
        missing = factors[self._inverses[factors] == 0].tolist()
        self._inverses[missing] = [pow(x, -1, self.t) for x in missing]
        found: NDArray[Any] = self._inverses[factors]
        return found

    def nearest(self, ratios: NDArray[Any]) -> Multipliers:
        if self._all is None and self.small and len(self._known) > _MANY:
            self._all = nearest_each(np.arange(self.t), self.t)
        if self._all is not None:
            return self._all[0][ratios], self._all[1][ratios]
        values = ratios.tolist()
        missing = [r for r in set(values) if r not in self._known]
        if len(missing) > _FEW and self.t < _WORD:
            each = (x.tolist() for x in nearest_each(np.array(missing), self.t))
            self._known.update(zip(missing, zip(*each, strict=True), strict=True))
        else:
            self._known.update((r, nearest(r, self.t)) for r in missing)
        a, b = zip(*[self._known[r] for r in values], strict=True)
        return _column(a, self.t), _column(b, self.t)


_modulo = lru_cache(maxsize=16)(_Modulo)


def _product(each: Sequence[Any], t: int) -> Any:
    """The product of these numbers modulo t."""
    product = 1
    for factor in each:
        product = product * factor % t
    return product
