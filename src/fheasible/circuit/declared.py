"""Inputs as a user declares them: encrypted vectors of reals or integers, in a range."""

from dataclasses import dataclass
from math import prod
from typing import Any, Never

import numpy as np

from fheasible.circuit.limits import checked_elements
from fheasible.circuit.modulus import signed_range
from fheasible.circuit.node import Input, Kind
from fheasible.circuit.plain import is_whole
from fheasible.circuit.refusals import fail
from fheasible.circuit.where import at, here
from fheasible.errors import CircuitError

LARGEST = 1e100  # limit of an interval's ends: the squares of its values still fit a double
_SMALLEST = 1e-100  # of the larger end: squares are not yet 0 in a double


class NoVector:
    """Something of which a vector is made only later, or of which one is a part: operators refuse it."""

    __slots__ = ()

    def computed_with(self, *_: Any) -> Never:
        """Raises CircuitError: a declaration has no values, and only tracing makes a vector of it."""
        fail(
            "a declaration (fh.reals, fh.integers, fh.table) cannot be computed with outside an application",
            "Write @fh.app(x=fh.reals(1000, low=0, high=1)) above def name(x): and compute with x in the "
            "function.",
        )

    def _refused(self, *_: Any, **__: Any) -> Any:
        self.computed_with()

    def __len__(self) -> int:
        self.computed_with()

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _refused
    __matmul__ = __rmatmul__ = __pow__ = __rpow__ = __floordiv__ = __mod__ = __neg__ = _refused
    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = __lshift__ = __rshift__ = _refused
    __invert__ = __divmod__ = _refused
    __lt__ = __le__ = __gt__ = __ge__ = __getitem__ = __iter__ = __abs__ = __array__ = _refused


@dataclass(frozen=True, slots=True)
class VectorSpec(NoVector):
    """An input as the user declares it; its name is the keyword it is given under.

    The length is 0 where none is given, for a column of a table. A matrix has a shape.
    """

    kind: Kind
    length: int
    low: float
    high: float
    modulus: int | None = None
    shape: tuple[int, int] | None = None

    def inputs(self, name: str) -> tuple[Input, ...]:
        return (Input(name, self.kind, self.length, self.low, self.high, self.modulus, "", self.shape),)


def no_declaration(*given: Any) -> None:
    """Raises CircuitError where a declaration, or a whole table, is given as if it were an encrypted
    vector."""
    for each in given:
        if isinstance(each, NoVector):
            each.computed_with()


def reals(
    n: int | tuple[int, int] | None = None, low: float | None = None, high: float | None = None
) -> VectorSpec:
    """An encrypted vector of n real numbers in [low, high]; an encrypted matrix where n is a shape such as
    (16, 16); without n, a column of a table.

    Example:
        >>> app = fh.app(A=fh.reals((2, 2), low=0, high=9), x=fh.reals(2, low=-1, high=1))(lambda A, x: A @ x)
        >>> app(A=[[1, 2], [3, 4]], x=[1, -1])
        array([-1., -1.])
    """
    length, shape = _size(n)
    if not (_is_number(low) and _is_number(high)) or low is None or high is None or not low < high:
        raise CircuitError(
            at(here(), f"fh.reals needs finite numbers low < high, not low={low!r}, high={high!r}"),
            "Declare the range in which all values lie: fh.reals(1000, low=0, high=1).",
        )
    if not max(abs(low), abs(high)) < LARGEST:
        raise CircuitError(
            at(here(), f"fh.reals needs finite numbers low < high below {LARGEST:g}, not {low!r}, {high!r}"),
            "Declare them in a larger unit: fh.reals(1000, low=0, high=1).",
        )
    if max(abs(low), abs(high)) < _SMALLEST:
        raise CircuitError(
            at(here(), f"fh.reals needs values that reach {_SMALLEST:g}, not low={low!r}, high={high!r}"),
            "Declare them in a smaller unit: fh.reals(1000, low=0, high=1).",
        )
    return VectorSpec(Kind.REAL, length, float(low), float(high), None, shape)


def integers(
    n: int | tuple[int, int] | None = None,
    low: int | None = None,
    high: int | None = None,
    *,
    modulo: int | None = None,
) -> VectorSpec:
    """An encrypted vector of n integers: in [low, high], or residues that wrap around modulo `modulo`, which
    are given from 0 on or with their signs, and come back with their signs. It is a matrix where n is a shape
    such as (16, 16); without n, it is a column of a table.

    Example:
        >>> app = fh.app(x=fh.integers(3, modulo=17))(lambda x: x * x)
        >>> app(x=[2, 3, 5])
        array([ 4, -8,  8])
    """
    length, shape = _size(n)
    if modulo is not None:
        if low is not None or high is not None:
            raise CircuitError(
                at(
                    here(),
                    "modulo= cannot be given with low= or high=, because residues lie between -modulo/2 "
                    "and modulo/2",
                ),
                "Leave out low= and high=, or leave out modulo=.",
            )
        if not is_whole(modulo) or not 2 <= modulo <= 2**64:
            raise CircuitError(
                at(here(), f"modulo= must be an integer from 2 to 2^64, not {modulo!r}"),
                "BFV and BGV compute modulo primes up to 2^60, such as 65537; TFHE modulo any number up to"
                " 2^64.",
            )
        return VectorSpec(Kind.INTEGER, length, *signed_range(int(modulo)), int(modulo), shape)
    if not (is_whole(low) and is_whole(high)) or low is None or high is None or not _fits(low, high):
        raise CircuitError(
            at(
                here(),
                f"fh.integers needs whole numbers low <= high below 2^62, not low={low!r}, high={high!r}",
            ),
            "Write fh.integers(n, low=0, high=15), or fh.integers(n, modulo=t) to wrap around.",
        )
    return VectorSpec(Kind.INTEGER, length, int(low), int(high), None, shape)


def _size(n: Any) -> tuple[int, tuple[int, int] | None]:
    """The number of elements, 0 where none is given, and the shape of a matrix."""
    if n is None:
        return 0, None
    sides = list(n) if isinstance(n, tuple | list) else [n]
    if len(sides) not in (1, 2) or any(not is_whole(side) or side < 1 for side in sides):
        raise CircuitError(
            at(here(), f"the number of elements of a vector must be a whole number of at least 1, not {n!r}"),
            "Write fh.reals(1000, low=0, high=1), or fh.reals((16, 16), low=0, high=1) for a matrix.",
        )
    length = prod(map(int, sides))
    checked_elements(length)
    return length, (int(sides[0]), int(sides[1])) if len(sides) == 2 else None


def _fits(low: int, high: int) -> bool:
    return -(2**62) < low <= high < 2**62


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
