"""The synthetic application of Section IV [FerLL18, Eq. 3]."""

from functools import cache
from typing import Any

import fheasible as fh
from fheasible.circuit.modulus import signed_range
from fheasible.circuit.node import Circuit
from fheasible.schemes.plan import Plan, plan

# Modulo 2, the equation is 0 for all constants; the child process first checks it on polynomials, too.
INPUTS = {"c1": 2, "c2": 1, "c3": 2}


def equation(c1: Any, c2: Any, c3: Any) -> Any:
    """c1^3 c2^2 c3^2 S T (S + c3) (S + c2 + c3), with S = c1 T + c1 + c2 and T = c1 c2 + c3."""
    T = c1 * c2 + c3
    S = c1 * T + c1 + c2
    return c1 * c1 * c1 * c2 * c2 * c3 * c3 * S * T * (S + c3) * (S + c2 + c3)


@cache
def ten_products(t: int, minimise_depth: bool = False) -> Plan:
    """The equation's steps: as written, or with the least depth.

    As written, from left to right, they are a chain of ten multiplications; with the least depth, they have
    five levels.
    """
    return plan(circuit(t), minimise_depth)


@cache
def circuit(t: int) -> Circuit:
    """The equation modulo t of three encrypted integers."""

    def ten_products(c1: fh.Vector, c2: fh.Vector, c3: fh.Vector) -> fh.Vector:
        result: fh.Vector = equation(c1, c2, c3)
        return result

    integer = fh.integers(1, modulo=t)
    return fh.app(c1=integer, c2=integer, c3=integer)(ten_products).trace()


def inputs(t: int) -> dict[str, list[int]]:
    """`INPUTS` modulo t, with one element each."""
    return {name: [value % t] for name, value in INPUTS.items()}


def expected(t: int) -> dict[str, list[int]]:
    """The result that decryption must give: the residue in (-t/2, t/2]."""
    result = equation(**INPUTS) % t
    return {"result": [result if result <= signed_range(t)[1] else result - t]}
