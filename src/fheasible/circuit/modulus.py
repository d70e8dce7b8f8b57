"""Integers that wrap around: one modulus for a whole circuit."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fheasible.circuit.node import Circuit, Input
from fheasible.errors import CircuitError


def modulus(circuit: Circuit) -> int | None:
    """The modulus that every integer of the circuit wraps around, None if they are ordinary integers."""
    return common_modulus(circuit.inputs)


def common_modulus(inputs: Sequence[Input]) -> int | None:
    """The one modulus of all inputs. CircuitError if they differ, since values of two rings do not mix."""
    found = {i.modulus for i in inputs}
    if len(found) > 1:
        said = ", ".join(f"{i.name}: {i.modulus or 'none'}" for i in inputs)
        raise CircuitError(f"the inputs have different moduli ({said})", "Give every input the same modulo=.")
    return found.pop() if found else None


def signed_range(t: int) -> tuple[int, int]:
    """The least and the greatest residue of (-t/2, t/2], or of [-2^63, 2^63) for t = 2^64: they fit int64."""
    high = min(t // 2, 2**63 - 1)
    return high - t + 1, high


def centred(values: NDArray[Any], t: int) -> NDArray[np.int64]:
    """`values` modulo t, in its signed range. They may have any integer dtype, or be Python integers."""
    residues = (values if t < 2**62 else values.astype(object)) % t
    return np.where(residues > signed_range(t)[1], residues - t, residues).astype(np.int64)
