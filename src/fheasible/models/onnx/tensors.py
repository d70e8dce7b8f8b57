"""Values of a network while it is traced: encrypted tensors, and plain arrays."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from fheasible.aliases import Array
from fheasible.circuit.refusals import fail
from fheasible.circuit.vector import Vector


@dataclass(frozen=True, slots=True)
class Tensor:
    """An encrypted tensor: its elements, row by row, in one vector."""

    vector: Vector
    shape: tuple[int, ...]

    def __post_init__(self) -> None:
        assert prod(self.shape) == len(self.vector)


Values = Tensor | Array
Attributes = Mapping[str, Any]
Inputs = Sequence[Values | None]
Bounds = Mapping[int, tuple[float, float]]  # the intervals of inputs, by their places
Operator = Callable[[Attributes, Inputs, Bounds], Tensor]


def encrypted(value: Values | None, what: str) -> Tensor:
    """The value, which has to be encrypted."""
    if not isinstance(value, Tensor):
        fail(f"{what} is plain, but it has to be computed from the inputs")
    return value


def plain(value: Values | None, what: str) -> Array:
    """The value, which has to be plain."""
    if value is None or isinstance(value, Tensor):
        fail(f"{what} is {'missing' if value is None else 'encrypted'}, but it has to be plain")
    return value
