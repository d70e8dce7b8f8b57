"""Factors that BGV plaintexts (and Lattigo's BFV ones) carry, and what adding unequal ones costs.

Dividing by a prime divides the plaintext too, modulo t. SEAL calls what accumulates the correction
factor, Lattigo the plaintext scale. Two values of different factors are brought together by the
multipliers a, b of least sum with a f = b g modulo t, which multiply the noise: SEAL
`balance_correction_factors` (evaluator.cpp), Lattigo `matchScalesBinary` (schemes/bgv/evaluator.go).
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np

from fheasible.libraries.block import Block
from fheasible.noise.sets import Sets
from fheasible.noise.steps import Step
from fheasible.program.types import Action
from fheasible.schemes.rns.factors import balanced

_WORD: Final = 1 << 31  # products of two numbers below it fit int64
_balanced = lru_cache(maxsize=1 << 14)(balanced)  # many sums have the same


class Factors(NamedTuple):
    """`of`: the factor of every step's values. `multipliers`: what the operands of a sum are multiplied by,
    where they differ. Of a block, arrays."""

    of: list[Any]
    multipliers: dict[int, tuple[Any, Any]]


def factors(steps: Sequence[Step], p: Sets) -> Factors:
    """OpenFHE's are always one, or its own business (`Step.raised`)."""
    found = Factors([], {})
    if not (p.library == "lattigo" or (p.library == "seal" and p.scheme == "bgv")):
        return found._replace(of=[1] * len(steps))
    t = p.plain_modulus or 2
    inverses = _inverses(p, t)
    of_product = -_product(inverses, t) % t if p.scheme == "bfv" else 1  # t/q leaves -1/q in Lattigo
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
            case _:
                after = before[0]
        found.of.append(after)
    return found


def _inverses(p: Sets, t: int) -> list[Any]:
    """Of the primes of Q modulo t; products of two must not overflow."""
    if not isinstance(p, Block):
        return [pow(q, -1, t) for q in p.q]
    each = [[pow(q, -1, t) for q in one.q] for one in p.exact]
    return list(np.array(each, dtype=np.int64 if t < _WORD else object).T)


def _multipliers(f: Any, g: Any, t: int) -> tuple[Any, Any]:
    if isinstance(f, int) and isinstance(g, int):
        return _balanced(f, g, t)
    a, b = np.frompyfunc(_balanced, 3, 2)(f, g, t)
    return (a, b) if t >= _WORD else (a.astype(np.int64), b.astype(np.int64))


def _product(each: Sequence[Any], t: int) -> Any:
    """Modulo t."""
    product = 1
    for factor in each:
        product = product * factor % t
    return product
