"""The operators that only vectors of integers have: comparisons, rounded division, shifts and bits.

They are exact. Schemes with table look-ups compute them; BFV, BGV and CKKS only where the values lie in a
small range. Reals have functions with a margin instead (`comparisons.py`), and their operators are refused.
"""

from __future__ import annotations

from typing import Any, Never, Self, TypeVar

import numpy as np

from fheasible.circuit.discrete import Discrete, Function
from fheasible.circuit.node import Kind, Node, Op
from fheasible.circuit.plain import combined, encrypts, said
from fheasible.circuit.refusals import Refusals, fail

_MOST_SHIFT = 61  # bits; plain numbers have up to 62
Vector = TypeVar("Vector", bound="IntegerOperators")


class IntegerOperators(Refusals):
    """A vector whose operators compute on integers, and refuse reals."""

    __slots__ = ("node",)
    node: Node

    def __init__(self, node: Node) -> None:
        self.node = node

    def __gt__(self, other: Any) -> Any:
        return self._compared(Function.GREATER, self, other) if self.takes(other) else super().__gt__(other)

    def __lt__(self, other: Any) -> Any:
        return self._compared(Function.GREATER, other, self) if self.takes(other) else super().__lt__(other)

    def __ge__(self, other: Any) -> Any:
        return 1 - self.__lt__(other) if self.takes(other) else super().__ge__(other)

    def __le__(self, other: Any) -> Any:
        return 1 - self.__gt__(other) if self.takes(other) else super().__le__(other)

    def __eq__(self, other: object) -> Any:
        return self._compared(Function.EQUAL, self, other) if self.takes(other) else super().__eq__(other)

    def __ne__(self, other: object) -> Any:
        return 1 - self.__eq__(other) if self.takes(other) else super().__ne__(other)

    __hash__ = object.__hash__

    def __floordiv__(self, other: Any) -> Any:
        """The quotient by a plain number, rounded down as in Python."""
        return self._divided(Function.FLOOR, other) if self.takes(other) else super().__floordiv__(other)

    def __mod__(self, other: Any) -> Any:
        """The remainder by a plain number, with the sign of that number as in Python."""
        return self._divided(Function.REMAINDER, other) if self.takes(other) else super().__mod__(other)

    def __divmod__(self, other: Any) -> Any:
        return (self // other, self % other) if self.takes(other) else super().__divmod__(other)

    def __and__(self, other: Any) -> Any:
        return self._compared(Function.AND, self, other) if self.takes(other) else super().__and__(other)

    def __or__(self, other: Any) -> Any:
        return self._compared(Function.OR, self, other) if self.takes(other) else super().__or__(other)

    def __xor__(self, other: Any) -> Any:
        return self._compared(Function.XOR, self, other) if self.takes(other) else super().__xor__(other)

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __lshift__(self, other: Any) -> Any:
        if not self.takes(other):
            return super().__lshift__(other)
        return self * (1 << _shift(other))  # type: ignore[operator]

    def __rshift__(self, other: Any) -> Any:
        return self // (1 << _shift(other)) if self.takes(other) else super().__rshift__(other)

    def __invert__(self) -> Any:
        return -1 - self if self.takes() else super().__invert__()  # type: ignore[operator]

    def __abs__(self) -> Any:
        if not self.takes():
            return super().__abs__()
        return self._compared(Function.MAXIMUM, self, -self)  # type: ignore[operator]

    def __rfloordiv__(self, other: Any) -> Any:
        return self._by_table(f"{said(other)} // v") if self.takes(other) else super().__rfloordiv__(other)

    def __rmod__(self, other: Any) -> Any:
        return self._by_table(f"{said(other)} % v") if self.takes(other) else super().__rmod__(other)

    def __rdivmod__(self, other: Any) -> Any:
        return self.__rfloordiv__(other)

    def __rlshift__(self, other: Any) -> Any:
        return self._by_table(f"{said(other)} << v") if self.takes(other) else super().__rlshift__(other)

    def __rrshift__(self, other: Any) -> Any:
        return self._by_table(f"{said(other)} >> v") if self.takes(other) else super().__rrshift__(other)

    def __rpow__(self, other: Any) -> Any:
        return self._by_table(f"{said(other)} ** v") if self.takes(other) else super().__rpow__(other)

    def _by_table(self, function: str) -> Never:
        """Raises CircuitError for a function of an encrypted number that has to be looked up."""
        fail(
            f"{function.replace('v', 'x')} has an encrypted number on its right, which only a table takes",
            f"Write fh.lookup(x, [{function} for v in range(low, high + 1)], low=low), with the range of x.",
        )

    @property
    def _branches(self) -> str:
        if not self.takes():
            return super()._branches
        return (
            "Write fh.where(x > 3, a, b) for `if`, & and | for `and` and `or`, (0 < x) & (x < 5) for"
            " 0 < x < 5, 1 - mask for `not`, and fh.maximum(x, y) for max(x, y)."
        )

    def takes(self, *others: Any) -> bool:
        """Whether this vector and all others are integers."""
        both = (self, *others)
        return all(v.node.kind is Kind.INTEGER for v in both if encrypts(v))

    def _compared(self, function: Function, *sides: Any) -> Self:
        return discrete(self, Discrete(function), *sides)

    def _divided(self, function: Function, by: Any) -> Any:
        number = _divisor(by)
        if number > 0:
            return discrete(self, Discrete(function, number), self)
        found = discrete(self, Discrete(function, -number), -self)  # type: ignore[operator]
        return found if function is Function.FLOOR else -found  # type: ignore[operator]


def discrete(like: Vector, function: Discrete, *sides: Any) -> Vector:
    """The vector of a function of integers of these sides."""
    return type(like)(combined(Op.DISCRETE, sides, function))


def whole(given: Any) -> int | None:
    """A plain whole number, also one in a row whose numbers are all the same; None for anything else."""
    if isinstance(given, bool) or encrypts(given):
        return None
    try:
        values = np.unique(np.asarray(given))
    except (ValueError, TypeError):
        return None
    return int(values[0]) if len(values) == 1 and values.dtype.kind in "iu" else None


def _divisor(by: Any) -> int:
    number = whole(by)
    if encrypts(by):
        fail(
            "an encrypted vector cannot be a divisor",
            "Divide by a plain number. For few divisors, compare: fh.where(y == 2, x // 2, x // 3).",
        )
    if number is None or not number or abs(number) >= 2**62:
        fail(
            f"encrypted integers can be divided by one whole number other than 0 below 2^62, not by {by!r}",
            "Write x // 10, or x % 10.",
        )
    return number


def _shift(by: Any) -> int:
    number = whole(by)
    if number is None or not 0 <= number <= _MOST_SHIFT:
        fail(
            f"the bits of encrypted integers can be shifted by a plain number from 0 to {_MOST_SHIFT}, not by"
            f" {by!r}",
            "Write x << 2, or x >> 2.",
        )
    return number
