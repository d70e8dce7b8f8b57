"""What noise in the arguments of approximated functions does to results near a kink, where the noise is not
small.

To first order, no noise moves max(x, 0) where x is below 0; noise that carries x above 0 does. A result is
the mean of the copies that the ring has of it, each with noise of its own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fheasible.aliases import Floats
from fheasible.circuit.chebyshev import evaluate_series
from fheasible.circuit.cleartext import of_reals, values_by
from fheasible.circuit.degrees import series_nodes
from fheasible.circuit.node import Circuit, Node, Op
from fheasible.circuit.slopes import derived
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.problem.problem import Problem
from fheasible.noise.ckks.decryption import copies
from fheasible.noise.ckks.elements import apart

_DEVIATIONS = 3.1  # of a normal mean of the copies, exceeded once in a thousand times
_AT, _WEIGHTS = np.polynomial.hermite_e.hermegauss(40)  # quadrature over a normal variable


def shifts(problem: Problem, c: Candidate) -> dict[str, Floats]:
    """How far the noise in the arguments of approximated functions moves each element of every output on the
    problem's data, beyond first order; empty where there are no such functions."""
    circuit = problem.lowerings(c.degrees).circuit
    moved = {n: _moved(n, problem, c, circuit) for n in series_nodes(circuit)}
    if not moved:
        return {}
    exact, *others = (_outputs(circuit, problem.data, moved, sign) for sign in (0.0, 1.0, -1.0))
    return {
        name: np.max([np.abs(other[name] - values) for other in others], axis=0)
        for name, values in exact.items()
    }


def _moved(n: Node, problem: Problem, c: Candidate, circuit: Circuit) -> Floats:
    """How far the function's value moves for each element of its argument, beyond what its slope there
    predicts. The slope's part is counted with all other noise."""
    variance, argument, copies = _noise(n.args[0], problem, c, circuit)
    noise = np.sqrt(variance)[:, None] * _AT
    by_slope = evaluate_series(n.attribute, argument)[:, None] + (
        evaluate_series(derived(n.attribute), argument)[:, None] * noise
    )
    moved = evaluate_series(n.attribute, argument[:, None] + noise) - by_slope
    weights = _WEIGHTS / _WEIGHTS.sum()
    mean = moved @ weights
    spread = np.maximum(moved**2 @ weights - mean**2, 0.0)
    return np.asarray(np.abs(mean) + _DEVIATIONS * np.sqrt(spread / copies))


def _noise(argument: Node, problem: Problem, c: Candidate, circuit: Circuit) -> tuple[Floats, Floats, float]:
    """The variance of each element of the argument in one copy, the elements' values, and the number of
    copies. They are those of a program that computes the argument alone, with the same parameters."""
    nodes = set(Circuit(circuit.name, circuit.inputs, (("argument", argument),)).nodes())
    inputs = tuple(i for i in circuit.inputs if any(n.op is Op.INPUT and n.attribute == i for n in nodes))
    alone = Circuit(circuit.name, inputs, (("argument", argument),), circuit.minimise_depth)
    own = Problem(alone, {i.name: problem.data[i.name] for i in inputs}, problem.source, trusted=True)
    style = replace(c.style, spare=0)
    own_levels = own.lowerings().program(style, c.parameters.ring_dimension, c.slots).levels
    # the argument is computed first, and the levels of what follows are still there
    style = replace(style, spare=max(c.parameters.levels - own_levels, 0))
    program, p = own.lowerings().program(style, c.parameters.ring_dimension, c.slots), c.ckks
    gains = own.gains(program)
    found = apart(program, p, gains)
    variance = np.full(argument.length, float(found.spread.max()))
    variance[gains.judged.elements] = found.spread
    return variance, own.truth["argument"], float(copies(program, p))


def _outputs(
    circuit: Circuit, data: Mapping[str, NDArray[Any]], moved: Mapping[Node, Floats], sign: float
) -> dict[str, Floats]:
    """The outputs, with all functions' values moved to the side that `sign` gives."""

    def result(n: Node, operands: Sequence[NDArray[Any]]) -> NDArray[Any]:
        values = of_reals(n, [o.astype(np.float64) for o in operands])
        return values + sign * moved[n] if n in moved else values

    found = values_by(result, circuit, data)
    return {name: found[n] for name, n in circuit.outputs}
