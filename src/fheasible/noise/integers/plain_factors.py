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

from fheasible.errors import UnsupportedOperation
from fheasible.libraries.block import IntegerBlock, IntegerSets
from fheasible.libraries.catalogue import library
from fheasible.libraries.parameters import IntegerParameters
from fheasible.noise.integers.steps import NoiseStep
from fheasible.program.types import Action
from fheasible.schemes.rns.factors import balanced

_WORD: Final = 1 << 31  # products of two numbers below it fit int64
_balanced = lru_cache(maxsize=1 << 14)(balanced)  # many sums have the same factors


class Factors(NamedTuple):
    """The plaintext factors in a program. `of`: the factor of every step's values. `multipliers`: what the
    operands of a sum are multiplied by, where their factors differ. For a block these are arrays."""

    of: list[Any]
    multipliers: dict[int, tuple[Any, Any]]


def factors(steps: Sequence[NoiseStep], each: Sequence[IntegerSets]) -> Factors:
    """The plaintext factors of all steps, for one set of parameters, or for the sets of several blocks one
    after another. Those of OpenFHE are always one, or handled by the library itself (`Step.raised`)."""
    found, p = Factors([], {}), each[0]
    if not library(p.library).has_plain_factors(p.scheme):
        return found._replace(of=[1] * len(steps))
    t = p.plain_modulus
    bgv = p.scheme == "bgv"
    inverses = _inverses(each, t) if bgv else []
    of_product = 1 if bgv else -_inverse_of_all(each, t) % t  # t/q leaves -1/q in Lattigo
    sums = _Sums(t)
    for index, s in enumerate(steps):
        before = [found.of[a] for a in s.args]
        match s.action:
            case Action.RELINEARIZE:
                after = before[0]
            case Action.MUL | Action.SQUARE:
                after = before[0] * before[-1] % t * of_product % t
            case Action.RESCALE | Action.DROP:
                after = _product((before[0], *inverses[s.level + 1 : steps[s.args[0]].level + 1]), t)
            case Action.ADD | Action.SUB if sums.differ(before[0], before[1]):
                *multipliers, after = sums.brought_together(before[0], before[1])
                found.multipliers[index] = multipliers[0], multipliers[1]
            case Action.ENCRYPT:
                after = 1
            case (
                Action.ADD | Action.SUB | Action.NEG | Action.ROTATE | Action.SWAP_ROWS
                | Action.ADD_PLAIN | Action.ADD_SCALAR | Action.MUL_PLAIN | Action.MUL_SCALAR
            ):  # fmt: skip
                after = before[0]
            case Action.EVAL_SUM | Action.EVAL_CHEBYSHEV | Action.BOOTSTRAP:
                raise UnsupportedOperation(f"{p.scheme} has no {s.action}", "lower the program without it")
            case _:
                assert_never(s.action)
        found.of.append(sums.once(after))
    return found


class _Sums:
    """What the operands of sums are multiplied by, worked out once for all sums of the same two factors.
    Equal arrays of factors are kept as one object."""

    def __init__(self, t: int) -> None:
        self.t = t
        self._arrays: dict[bytes, Any] = {}
        self._known: dict[tuple[int, int], tuple[Any, Any, Any]] = {}  # by the numbers of two kept objects

    def once(self, factor: Any) -> Any:
        """The factor, as the same object wherever it is the same array. Large integers are kept as they
        are."""
        if isinstance(factor, int) or factor.dtype == object:
            return factor
        return self._arrays.setdefault(factor.tobytes(), factor)

    @staticmethod
    def differ(f: Any, g: Any) -> bool:
        return f is not g and bool(np.any(f != g))

    def brought_together(self, f: Any, g: Any) -> tuple[Any, Any, Any]:
        """The multipliers of two factors of `once`, and the factor of the sum."""
        if isinstance(f, int) or f.dtype == object:
            return self._worked_out(f, g)
        key = id(f), id(g)
        if key not in self._known:
            self._known[key] = self._worked_out(f, g)
        return self._known[key]

    def _worked_out(self, f: Any, g: Any) -> tuple[Any, Any, Any]:
        a, b = _multipliers(f, g, self.t)
        return a, b, a * f % self.t


def _inverses(each: Sequence[IntegerSets], t: int) -> list[Any]:
    """The inverses of the primes of Q modulo t. Products of two of them do not overflow."""
    rows = [[_inverse(q, t) for q in one.q] for one in _exact(each)]
    return rows[0] if isinstance(each[0], IntegerParameters) else list(_column(rows, t).T)


def _inverse_of_all(each: Sequence[IntegerSets], t: int) -> Any:
    """The inverse of Q modulo t."""
    found = [_product([_inverse(q, t) for q in one.q], t) for one in _exact(each)]
    return found[0] if isinstance(each[0], IntegerParameters) else _column(found, t)


def _exact(each: Sequence[IntegerSets]) -> list[IntegerParameters]:
    return [one for p in each for one in (p.exact if isinstance(p, IntegerBlock) else (p,))]


def _column(values: Any, t: int) -> Any:
    return np.array(values, dtype=np.int64 if t < _WORD else object)


@lru_cache(maxsize=1 << 14)  # many sets have the same primes
def _inverse(q: int, t: int) -> int:
    return pow(q, -1, t)


def _multipliers(f: Any, g: Any, t: int) -> tuple[Any, Any]:
    if isinstance(f, int) and isinstance(g, int):
        return _balanced(f, g, t)
    a, b = np.frompyfunc(_balanced, 3, 2)(f, g, t)
    return (a, b) if t >= _WORD else (a.astype(np.int64), b.astype(np.int64))


def _product(each: Sequence[Any], t: int) -> Any:
    """The product of these numbers modulo t."""
    product = 1
    for factor in each:
        product = product * factor % t
    return product
