"""Factors that BGV plaintexts (and Lattigo's BFV ones) carry, and what adding unequal ones costs.

Dividing by a prime divides the plaintext too, modulo t. SEAL calls what accumulates the correction
factor, Lattigo the plaintext scale. Two values of different factors are brought together by the
multipliers a, b of least sum with a f = b g modulo t, which multiply the noise: SEAL
`balance_correction_factors` (evaluator.cpp), Lattigo `matchScalesBinary` (schemes/bgv/evaluator.go).
"""

from typing import NamedTuple

from fheasible.libraries.parameters import Parameters
from fheasible.program.types import Action, Operation, Program
from fheasible.schemes.rns.factors import balanced

ONE = (1, 1)


class Sum(NamedTuple):
    """What a value's factor is, and by what its operands were multiplied to get there."""

    factor: int
    multipliers: tuple[int, int] = ONE


def sums(program: Program, p: Parameters) -> dict[int, Sum]:
    """The factor of every value. OpenFHE's are always one, or its own business (`internal`)."""
    t = p.plain_modulus or 2
    tracked = p.library == "lattigo" or (p.library == "seal" and p.scheme == "bgv")
    found: dict[int, Sum] = {}
    levels: dict[int, int] = {}
    for o in program.operations:
        levels[o.out] = o.level
        factors = [found[a].factor for a in o.args]
        dropped = p.q[o.level + 1 : levels[o.args[0]] + 1] if o.args else ()
        found[o.out] = _after(o, factors, dropped, p, t) if tracked else Sum(1)
    return found


def _after(o: Operation, factors: list[int], dropped: tuple[int, ...], p: Parameters, t: int) -> Sum:
    match o.action:
        case Action.ENCRYPT:
            return Sum(1)
        case Action.MUL | Action.SQUARE:
            return Sum(factors[0] * factors[-1] * _of_product(p, t) % t)
        case Action.RESCALE | Action.DROP:
            return Sum(factors[0] * pow(_product(dropped, t), -1, t) % t)
        case Action.ADD | Action.SUB if factors[0] != factors[1]:
            a, b = balanced(factors[0], factors[1], t)
            return Sum(a * factors[0] % t, (a, b))
    return Sum(factors[0])


def _of_product(p: Parameters, t: int) -> int:
    """BFV in Lattigo: scaling by t/q leaves -1/q modulo t."""
    if p.scheme != "bfv":
        return 1
    return pow(-_product(p.q, t), -1, t)


def _product(primes: tuple[int, ...], t: int) -> int:
    """Modulo t."""
    product = 1
    for q in primes:
        product = product * q % t
    return product
