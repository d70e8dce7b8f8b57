"""How far approximations may take the outputs of a circuit of integers, whatever the inputs are: a bound.

Results of integers are rounded, and are to be right for all inputs in their declared ranges. So the degrees
of compositions follow from the largest error that each of them has, as it reaches the outputs at most.
"""

from collections.abc import Callable, Mapping
from math import inf

import numpy as np

from fheasible.circuit.chebyshev import evaluate_series
from fheasible.circuit.degrees import Degrees, of_degree, open_nodes
from fheasible.circuit.node import Chebyshev, Circuit, Node, Op
from fheasible.circuit.ranges import chosen_of, intervals, joined

_ROUNDING = 1e-9  # of doubles
_WHOLE, _HALF = 1.0, 0.5  # the least size of an argument: a difference of integers, or such a one less 1/2


class WorstErrors:
    """The bounds for a circuit in reals (`in_reals.py`), by the degrees of its open compositions."""

    def __init__(self, circuit: Circuit) -> None:
        self.circuit, self.open = circuit, open_nodes(circuit)
        self._sizes = {n: max(map(abs, ends)) for n, ends in intervals(circuit).items()}

    def largest(self, degrees: Degrees) -> float:
        """The most that any element of an output is off; infinite where an argument of a comparison may be
        too far from the integer that it stands for."""
        made = {n: of_degree(n.attribute, d) for n, d in zip(self.open, degrees, strict=True)}
        found: dict[Node, float] = {}
        for n in self.circuit.nodes():
            found[n] = self._of(n, found, made.get(n, n.attribute))
        return max(found[n] for _, n in self.circuit.outputs)

    def _of(self, n: Node, found: Mapping[Node, float], attribute: object) -> float:
        if not any(found[a] for a in n.args) and not isinstance(attribute, Chebyshev):
            return 0.0
        pair, parts = chosen_of(n), joined(n) if n.op is Op.ADD else []
        if pair is not None and found[n.args[1]] < inf:  # off by no more than either, and by what is added
            relu = n.args[1]
            return max(found[a] for a in pair) + found[relu] - found[relu.args[0]]
        if parts:  # side by side
            return max(found[part] for part, _ in parts)
        if isinstance(attribute, Chebyshev):
            return self._approximated(attribute, self._sizes[n.args[0]], found[n.args[0]])
        sizes, errors = [self._sizes[a] for a in n.args], [found[a] for a in n.args]
        return _RULES[n.op](n, sizes, errors)

    def _approximated(self, found: Chebyshev, size: float, error: float) -> float:
        if found.places is not None:
            return _through(found, error) if error else 0.0
        jump = found.jump
        assert jump is not None
        least = _WHOLE if jump.zero else _HALF
        apart = error > least - jump.margin + _ROUNDING or (error > 0 and jump.zero and not jump.gated)
        if apart:
            return inf
        return error + (size + error) * jump.error if jump.gated else jump.error


def _through(found: Chebyshev, error: float) -> float:
    """The most that a series is off where its argument is off by that much from a place of its values."""
    assert found.places is not None
    if error >= _HALF:
        return inf
    x = np.linspace(*found.places)
    beside = (x + part * error for part in (-1.0, -0.5, 0.5, 1.0))
    right = evaluate_series(found, x)
    return max(float(np.abs(evaluate_series(found, each) - right).max()) for each in beside)


def _multiplied(n: Node, sizes: list[float], errors: list[float]) -> float:
    (a, b), (of_a, of_b) = sizes, errors
    return sum(x * y for x, y in ((a, of_b), (b, of_a), (of_a, of_b)) if x and y)  # 0 * infinity is NaN


def _power(n: Node, sizes: list[float], errors: list[float]) -> float:
    return float((sizes[0] + errors[0]) ** n.attribute - sizes[0] ** n.attribute)


def _polynomial(n: Node, sizes: list[float], errors: list[float]) -> float:
    size, error = sizes[0], errors[0]
    terms = (abs(c) * ((size + error) ** k - size**k) for k, c in enumerate(n.attribute))
    return float(sum(terms))


def _linear(n: Node, sizes: list[float], errors: list[float]) -> float:
    positive, negative = n.attribute.signed_sums()
    return float((positive - negative).max()) * errors[0]


_RULES: dict[Op, Callable[[Node, list[float], list[float]], float]] = {
    Op.ADD: lambda _, sizes, errors: sum(errors),
    Op.SUBTRACT: lambda _, sizes, errors: sum(errors),
    Op.NEGATE: lambda _, sizes, errors: errors[0],
    Op.ROTATE: lambda _, sizes, errors: errors[0],
    Op.BOOTSTRAP: lambda _, sizes, errors: errors[0],
    Op.SUM: lambda n, sizes, errors: n.args[0].length * errors[0],
    Op.MEAN: lambda _, sizes, errors: errors[0],
    Op.MULTIPLY: _multiplied,
    Op.POWER: _power,
    Op.POLYNOMIAL: _polynomial,
    Op.LINEAR: _linear,
}
