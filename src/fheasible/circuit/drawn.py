"""Random values that keep the margins which an application promises."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from fheasible.aliases import Array
from fheasible.circuit.chebyshev import values_of
from fheasible.circuit.cleartext import of_reals, values_by, within_margin
from fheasible.circuit.data import drawn
from fheasible.circuit.node import Circuit, Kind, Node, Op
from fheasible.circuit.slopes import slopes

_ROUNDS = 200


def random_data(circuit: Circuit, seed: int) -> dict[str, Array]:
    """Reproducible values for every input, uniform in its declared range.

    Where a comparison is promised arguments away from 0, the inputs that lead to nearer ones are drawn again,
    as often as it helps, so that values are uniform among those that keep the promises.
    """
    generator = np.random.default_rng(seed)
    data = {i.name: drawn(i, generator) for i in circuit.inputs}
    jumps = [n for n in circuit.nodes() if n.op is Op.CHEBYSHEV and n.attribute.jump]
    promised = [n for n in jumps if n.attribute.jump.promised]
    for _ in range(_ROUNDS if promised else 0):
        again = _to_draw(circuit, promised, data)
        if not any(places.any() for places in again.values()):
            break
        for i in circuit.inputs:
            data[i.name] = np.where(again[i.name], drawn(i, generator), data[i.name])
    return data


def _to_draw(
    circuit: Circuit, promised: Sequence[Node], data: Mapping[str, Array]
) -> dict[str, NDArray[np.bool_]]:
    """The elements of each input that reach an argument within a margin."""
    values = values_by(_unchecked, circuit, data)
    found = {i.name: np.zeros(i.length, dtype=np.bool_) for i in circuit.inputs}
    for n in promised:
        near = within_margin(n.attribute, values[n.args[0]])
        if near.any():
            direction = np.where(near, _unlike(len(near)), 0.0)
            reached = slopes(circuit, values, n.args[0], direction)
            found = {name: places | (reached[name] != 0) for name, places in found.items()}
    return found


def _unlike(count: int) -> Array:
    """Weights with which the slopes of several elements do not cancel each other."""
    return np.random.default_rng(count).uniform(1, 2, count)


def _unchecked(n: Node, operands: Sequence[Array]) -> Array:
    """The node's exact result, whatever it was promised."""
    reals = [a.astype(np.float64) for a in operands]
    if n.kind is Kind.REAL and n.op is Op.CHEBYSHEV and n.attribute.exact is not None:
        return np.asarray(values_of(n.attribute.exact, np.clip(reals[0], n.attribute.low, n.attribute.high)))
    return of_reals(n, reals)
