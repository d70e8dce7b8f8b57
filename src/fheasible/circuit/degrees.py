"""Approximations whose degree is left open: the errors of each degree, the circuit with chosen degrees."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fheasible.aliases import Array
from fheasible.circuit import chebyshev, jumps
from fheasible.circuit.chebyshev import HIGHEST_DEGREE
from fheasible.circuit.cleartext import apply, values_by
from fheasible.circuit.composition import MOST_LEVELS, Composition
from fheasible.circuit.node import Chebyshev, Circuit, Node, Op, node
from fheasible.circuit.simplify import rewrite, same

Degree = int | Composition  # of a series; of each polynomial of a composition
Degrees = tuple[Degree, ...]  # of the open approximations, in the order of `open_nodes`


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


def of_degree(found: Chebyshev, degree: Degree) -> Chebyshev:
    """The series or composition of that degree for the function that `found` approximates."""
    if isinstance(degree, Composition):
        return jumps.of_degrees(found, degree)
    return chebyshev.series(found.exact, found.function, found.low, found.high, degree)


def levels(degree: Degree) -> int:
    """The levels that an approximation of that degree takes, besides those of its interval and its
    argument."""
    return degree.levels if isinstance(degree, Composition) else degree.bit_length()


def least(found: Chebyshev) -> Degree:
    """The degree with which a search begins."""
    return jumps.compositions(found, jumps.LEAST_LEVELS)[-1] if found.jump else 1


def highest(found: Chebyshev) -> Degree:
    """The degree beyond which no search goes."""
    return jumps.compositions(found, MOST_LEVELS)[-1] if found.jump else HIGHEST_DEGREE


def of_levels(found: Chebyshev, count: int) -> Degree | None:
    """The degree with the least error of those that take that many levels; None where there is none."""
    if not found.jump:
        return min((1 << count) - 1, HIGHEST_DEGREE) if 1 <= count <= HIGHEST_DEGREE.bit_length() else None
    possible = jumps.LEAST_LEVELS <= count <= MOST_LEVELS
    return jumps.compositions(found, count)[-1] if possible else None


def cheaper(found: Chebyshev, degree: Degree) -> Sequence[Degree]:
    """Degrees that take no more levels than this one, which is the last: each costs less than the next one,
    and has a larger error."""
    if isinstance(degree, Composition):
        return jumps.cheaper(found, degree)
    return range(1, degree + 1)


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
    """A function's series, with its largest and its average error on its interval. Errors of a function that
    jumps are those at least `margin` away from 0."""

    function: str
    low: float
    high: float
    degree: Degree
    largest_error: float
    average_error: float
    margin: float = 0.0


def approximation(found: Chebyshev) -> Approximation:
    if found.jump:
        degrees = Composition(len(c) - 1 for c in found.stages)
        error = np.abs(jumps.errors(found))
        margin = found.jump.margin if found.jump.promised else 0.0
        largest, average = float(error.max()), float(error.mean())
        return Approximation(found.function, found.low, found.high, degrees, largest, average, margin)
    if found.places:
        x = np.linspace(*found.places)
        error = np.abs(chebyshev.evaluate_series(found, x) - chebyshev.values_of(found.exact, x))
        errors = float(error.max()), float(error.mean())
    else:
        errors = chebyshev.largest_and_average_error(found)
    return Approximation(found.function, found.low, found.high, found.degree, *errors)


class Approximated:
    """A circuit on data, evaluated with the errors of its approximations and without any noise."""

    def __init__(self, circuit: Circuit, data: Mapping[str, Array]) -> None:
        self.circuit, self.data = circuit, data
        self.open = open_nodes(circuit)
        self._series: dict[tuple[Node, Degree], tuple[Chebyshev, Array, Array]] = {}

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

    def _off(self, n: Node, degree: Degree, x: Array, by_chance: bool) -> Array:
        if n.attribute.jump:
            return _off_a_jump(of_degree(n.attribute, degree), x, by_chance)
        if (n, degree) not in self._series:
            made = of_degree(n.attribute, degree)
            self._series[n, degree] = (made, chebyshev.error_at_grid(made), envelope(made))
        made, error, bound = self._series[n, degree]
        places = chebyshev.grid_place(made, x)
        exact = chebyshev.values_of(made.exact, np.clip(x, made.low, made.high))
        if by_chance:
            return np.asarray(exact + error[places])
        return np.asarray(exact + np.where(error[places] < 0, -bound[places], bound[places]))


def _off_a_jump(made: Chebyshev, x: Array, by_chance: bool) -> Array:
    """The composition's values; unless `by_chance`, off by its largest error where x is not near 0."""
    assert made.jump is not None
    found = chebyshev.evaluate_series(made, x)
    if by_chance:
        return found
    exact = np.asarray(made.exact(x), dtype=np.float64)
    error = made.jump.error * (np.abs(x) if made.gated else np.ones_like(x))
    away = np.abs(x) >= made.jump.margin
    return np.where(away, exact + np.where(found < exact, -error, error), found)


def _series_at(n: Node, x: Array) -> Array:
    return chebyshev.evaluate_series(n.attribute, np.asarray(x, dtype=np.float64))
