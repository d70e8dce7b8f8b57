"""Reals as residues: sums and products of doubles, exact."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

import fheasible as fh
from fheasible.circuit import cleartext
from fheasible.circuit.node import Circuit, Node, Op
from fheasible.circuit.residues import PRIME, in_residues

DOUBLES = st.floats(-1e9, 1e9, allow_nan=False)
THREE = st.lists(DOUBLES, min_size=3, max_size=3)


def exactly(x: Sequence[Fraction], a: Fraction, b: Fraction, c: Fraction) -> Fraction:
    tenth, third = Fraction(0.1), Fraction(0.3)
    shifted = [x[0] * a + b, x[1] * b + b, x[2] * c + b]
    rows = [
        a * shifted[0] + b * shifted[1] + c * shifted[2],
        tenth * shifted[0] + Fraction(1e-20) * shifted[2],
    ]
    mean = (rows[0] + rows[1]) / 2
    turned = x[1] * a + x[2] * Fraction(0.5) + x[0] * c
    return c + a * mean + third * mean**2 - turned**3


@given(THREE, st.lists(st.integers(-5, 5), min_size=3, max_size=3))
def test_a_circuit_of_doubles_gives_the_residue_of_its_exact_result(
    constants: list[float], values: list[int]
) -> None:
    a, b, c = constants
    assume(a and c)

    @fh.app(x=fh.reals(3))
    def function(x: fh.Vector) -> fh.Vector:
        rows = np.array([[a, b, c], [0.1, 0, 1e-20]]) @ (x * constants + b)
        return fh.polynomial(fh.mean(rows), [c, a, 0.3]) - fh.sum(x.rotate(1) * [a, 0.5, c]) ** 3

    circuit, _ = in_residues(function.trace())
    (found,) = residues(circuit, values)
    expected = exactly([Fraction(v) for v in values], *map(Fraction, constants))
    assert (int(found) * expected.denominator - expected.numerator) % PRIME == 0


def residues(circuit: Circuit, values: list[int]) -> np.ndarray:
    known: dict[Node, np.ndarray] = {}
    for n in circuit.nodes():
        operands = [np.array(values)] if n.op is Op.INPUT else [known[m] for m in n.args]
        known[n] = cleartext.apply(n, operands, modulus=PRIME)
    return known[circuit.outputs[0][1]]
