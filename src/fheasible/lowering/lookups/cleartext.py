"""What programs of table look-ups give for reals, without writing one."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fheasible.circuit.cleartext import at_any_size
from fheasible.circuit.node import Circuit
from fheasible.circuit.ranges import intervals
from fheasible.lowering.lookups.lower import MOST_BITS, as_integers


def in_clear(
    circuit: Circuit, fraction: int, data: Mapping[str, NDArray[Any]]
) -> dict[str, NDArray[np.float64]]:
    """The outputs of a circuit of reals with so many bits after the point: those of its program of table
    look-ups, whatever the digits are. CircuitError where no digits can express it."""
    whole, scales = as_integers(circuit, fraction)
    intervals(whole, MOST_BITS)
    given = {i.name: _given(data[i.name], scales.get(f"input {i.name}")) for i in whole.inputs}
    found = at_any_size(whole, given)
    return {
        name: np.asarray(values, dtype=np.float64) * 2.0 ** -scales.get(f"output {name}", 0)
        for name, values in found.items()
    }


def _given(values: NDArray[Any], scale: int | None) -> NDArray[np.int64]:
    """An input as integers; of reals, the nearest to 2^scale times each."""
    found = values if scale is None else np.rint(np.asarray(values, dtype=np.float64) * 2.0**scale)
    return np.asarray(found, dtype=np.int64)
