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

from fheasible.errors import UnsupportedOperation
from fheasible.libraries.block import IntegerBlock, IntegerSets
from fheasible.libraries.catalogue import library
from fheasible.libraries.parameters import IntegerParameters
from fheasible.noise.integers.batches import Batch, Batches
from fheasible.noise.integers.steps import NoiseStep
from fheasible.program.types import Action
from fheasible.schemes.rns.factors import balanced, nearest, nearest_each

_WORD: Final = 1 << 31  # products of two numbers below it fit int64
_FEW: Final = 50  # ratios that take no longer one by one
_SUMS: Final = (Action.ADD, Action.SUB)
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


def multipliers(batches: Batches, each: Sequence[IntegerSets]) -> list[Multipliers | None]:
    """For each batch of steps, what the operands of sums are multiplied by: arrays (step, set), with 1 where
    factors agree; None where they agree in the whole batch. The sets are those of several blocks, one after
    another."""
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
        self.arrays: list[NDArray[Any]] = []
        self.numbers: dict[object, int] = {}
        self.inverses: dict[int, NDArray[Any]] = {}
        self.balanced: dict[object, Multipliers] = {}
        self.of = np.empty(batches.steps, dtype=np.int64)  # the number of each step's factors
        self.found = [self._after(batch) for batch in batches.each]

    def _after(self, batch: Batch) -> Multipliers | None:
        count = len(batch.scalars)
        code, base = np.zeros(count, dtype=np.int64), len(self.numbers)
        for rows in batch.args:
            code = code * base + self.of[rows]
        kinds, each = np.unique(code, return_inverse=True)
        made = [
            self._made(batch, divmod(kind, base) if len(batch.args) == 2 else (kind,))
            for kind in kinds.tolist()
        ]
        self.of[batch.rows] = np.array([number for number, _ in made])[each]
        if all(by is None for _, by in made):
            return None
        ones = (np.ones(self.sets, dtype=np.int64),) * 2
        a, b = (np.stack(columns)[each] for columns in zip(*(by or ones for _, by in made), strict=True))
        return a, b

    def _made(self, batch: Batch, operands: Sequence[int]) -> tuple[int, Multipliers | None]:
        """The number of the factors that follow from those with these numbers, and what the operands of a sum
        are multiplied by where they differ."""
        before = [self.arrays[number] for number in operands] if batch.args else []
        if batch.like.action not in _SUMS or operands[0] == operands[1]:
            return self._number(self.rules.after(batch.like, before)), None
        a, b = self._balanced(*operands)
        return self._number(a * before[0] % self.t), (a, b)

    def _balanced(self, f: int, g: int) -> Multipliers:
        """What brings two factors, given by their numbers, together. It depends on their ratio alone."""
        if f not in self.inverses:
            self.inverses[f] = _column([_inverse(x, self.t) for x in self.arrays[f].tolist()], self.t)
        ratio = self.inverses[f] * self.arrays[g] % self.t
        key = _key(ratio)
        if key not in self.balanced:
            self.balanced[key] = _nearest(ratio, self.t)
        return self.balanced[key]

    def _number(self, factors: Any) -> int:
        found = np.broadcast_to(np.asarray(factors, dtype=_type(self.t)), self.sets)
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


def _key(numbers: NDArray[Any]) -> object:
    return tuple(numbers) if numbers.dtype == object else numbers.tobytes()


def _nearest(ratio: NDArray[Any], t: int) -> Multipliers:
    """`nearest` for each ratio; each different one is worked out once for all programs."""
    known, values = _known(t), ratio.tolist()
    missing = [r for r in set(values) if r not in known]
    if len(missing) > _FEW and t < _WORD:
        each = (x.tolist() for x in nearest_each(np.array(missing), t))
        known.update(zip(missing, zip(*each, strict=True), strict=True))
    else:
        known.update((r, nearest(r, t)) for r in missing)
    a, b = zip(*[known[r] for r in values], strict=True)
    return _column(a, t), _column(b, t)


@lru_cache(maxsize=16)
def _known(t: int) -> dict[int, tuple[int, int]]:
    return {}


def _product(each: Sequence[Any], t: int) -> Any:
    """The product of these numbers modulo t."""
    product = 1
    for factor in each:
        product = product * factor % t
    return product
