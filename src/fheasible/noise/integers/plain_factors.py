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
    for index, s in enumerate(steps):
        before = [found.of[a] for a in s.args]
        match s.action:
            case Action.RELINEARIZE:
                after = before[0]
            case Action.MUL | Action.SQUARE:
                after = before[0] * before[-1] % t * of_product % t
            case Action.RESCALE | Action.DROP:
                after = _product((before[0], *inverses[s.level + 1 : steps[s.args[0]].level + 1]), t)
            case Action.ADD | Action.SUB if np.any(before[0] != before[1]):
                found.multipliers[index] = _multipliers(before[0], before[1], t)
                after = found.multipliers[index][0] * before[0] % t
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
        found.of.append(after)
    return found


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
