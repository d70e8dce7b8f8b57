"""Approximations whose degree is left open: the errors of each degree, the circuit with chosen degrees."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fheasible.aliases import Array
from fheasible.circuit import chebyshev
from fheasible.circuit.cleartext import apply, values_by
from fheasible.circuit.node import Chebyshev, Circuit, Node, Op, node
from fheasible.circuit.simplify import rewrite, same

Degrees = tuple[int, ...]  # of the open approximations, in the order of `open_nodes`


def series_nodes(circuit: Circuit) -> tuple[Node, ...]:
    """The nodes of all approximations, operands before their users."""
    return tuple(n for n in circuit.nodes() if n.op is Op.CHEBYSHEV)


def open_nodes(circuit: Circuit) -> tuple[Node, ...]:
    """The nodes of the approximations whose degree is open, operands before their users."""
    return tuple(n for n in series_nodes(circuit) if n.attribute.open)


def with_degrees(circuit: Circuit, degrees: Degrees) -> Circuit:
    """The circuit with these degrees for its open approximations."""
    chosen = {n: of_degree(n.attribute, d) for n, d in zip(open_nodes(circuit), degrees, strict=True)}

    def rule(n: Node, args: tuple[Node, ...]) -> Node:
        if n not in chosen:
            return same(n, args)
        return node(n.op, *args, attribute=chosen[n], length=n.length, kind=n.kind, where=n.where)

    return rewrite(circuit, rule) if chosen else circuit


def of_degree(found: Chebyshev, degree: int) -> Chebyshev:
    """The series of that degree for the function that `found` approximates."""
    return chebyshev.series(found.exact, found.function, found.low, found.high, degree)


def envelope(found: Chebyshev) -> Array:
    """The largest error within one oscillation of each place of `chebyshev.error_at_grid`.

    A series crosses its function again and again, so that the error at a single value may be small by chance.
    """
    error = np.abs(chebyshev.error_at_grid(found))
    oscillation = 2 * round((len(error) - 1) / (found.degree + 1)) + 1
    return _largest_near(error, min(oscillation, len(error)) // 2)


def _largest_near(values: Array, reach: int) -> Array:
    """For each place, the largest of the values at most `reach` places away, by windows that double."""
    found = np.pad(values, reach, mode="edge")
    window, wanted = 1, 2 * reach + 1
    while window < wanted:
        step = min(window, wanted - window)
        found = np.maximum(found[:-step], found[step:])
        window += step
    return found


@dataclass(frozen=True, slots=True)
class Approximation:
    """A function's series, with its largest and its average error on its interval."""

    function: str
    low: float
    high: float
    degree: int
    largest_error: float
    average_error: float


def approximation(found: Chebyshev) -> Approximation:
    errors = chebyshev.largest_and_average_error(found)
    return Approximation(found.function, found.low, found.high, found.degree, *errors)


class Approximated:
    """A circuit on data, evaluated with the errors of its approximations and without any noise."""

    def __init__(self, circuit: Circuit, data: Mapping[str, Array]) -> None:
        self.circuit, self.data = circuit, data
        self.open = open_nodes(circuit)
        self._series: dict[tuple[Node, int], tuple[Chebyshev, Array, Array]] = {}

    def outputs(self, degrees: Degrees, by_chance: bool = False) -> dict[str, Array]:
        """The outputs with open approximations of these degrees, each off by its `envelope`.

        If `by_chance`, each is off by the error that it has at exactly these data. Where errors add up,
        either result may have the larger error.
        """
        chosen = dict(zip(self.open, degrees, strict=True))

        def result(n: Node, operands: Sequence[Array]) -> Array:
            if n in chosen:
                return self._off(n, chosen[n], operands[0], by_chance)
            return _series_at(n, operands[0]) if n.op is Op.CHEBYSHEV else apply(n, operands)

        found = values_by(result, self.circuit, self.data)
        return {name: found[n] for name, n in self.circuit.outputs}

    def _off(self, n: Node, degree: int, x: Array, by_chance: bool) -> Array:
        if (n, degree) not in self._series:
            made = of_degree(n.attribute, degree)
            self._series[n, degree] = (made, chebyshev.error_at_grid(made), envelope(made))
        made, error, bound = self._series[n, degree]
        places = chebyshev.grid_place(made, x)
        exact = chebyshev.values_of(made.exact, np.clip(x, made.low, made.high))
        if by_chance:
            return np.asarray(exact + error[places])
        return np.asarray(exact + np.where(error[places] < 0, -bound[places], bound[places]))


def _series_at(n: Node, x: Array) -> Array:
    return chebyshev.evaluate_series(n.attribute, np.asarray(x, dtype=np.float64))
