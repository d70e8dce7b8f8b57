"""Arithmetic of numbers as bits modulo 2, the lowest first. A sum is XOR and a product is AND."""

from collections.abc import Sequence
from typing import Any

Bits = Sequence[Any]


def majority(a: Any, b: Any, c: Any) -> Any:
    """Whether at least two of three bits are set, by one product."""
    return (a + c) * (b + c) + c


def add(x: Bits, y: Bits) -> list[Any]:
    """x + y modulo 2^len(x), for y of as many bits; a 0 is an integer, and takes no products."""
    total, carry = [], 0
    for i, (a, b) in enumerate(zip(x, y, strict=True)):
        total.append(_xor(_xor(a, b), carry))
        if i + 1 < len(x):
            carry = _carry(a, b, carry)
    return total


def _carry(a: Any, b: Any, c: Any) -> Any:
    zeros = [bit for bit in (a, b, c) if not _is_zero(bit)]
    if len(zeros) < 2:
        return 0
    return zeros[0] * zeros[1] if len(zeros) == 2 else majority(a, b, c)


def _xor(a: Any, b: Any) -> Any:
    if _is_zero(a):
        return b
    return a if _is_zero(b) else a + b


def _is_zero(bit: Any) -> bool:
    return isinstance(bit, int) and bit == 0


def above(x: Bits, limit: int) -> Any:
    """Whether x > limit, for a public limit: by halves, so that products are few in succession."""
    return _compared(x, [limit >> i & 1 for i in range(len(x))])[0]


def _compared(x: Bits, limit: Sequence[int]) -> tuple[Any, Any]:
    """(x > limit, x = limit); a `greater` that cannot be is 0."""
    if len(x) == 1:
        return (0, x[0]) if limit[0] else (x[0], x[0] + 1)
    half = len(x) // 2
    low, high = _compared(x[:half], limit[:half]), _compared(x[half:], limit[half:])
    more = 0 if _is_zero(low[0]) else high[1] * low[0]
    return _xor(high[0], more), high[1] * low[1]


def greater(x: Bits, y: Bits) -> Any:
    """Whether x > y, from the lowest bit up: one product for each bit."""
    more = x[0] * (y[0] + 1)
    for a, b in zip(x[1:], y[1:], strict=True):
        more = majority(a, b + 1, more)
    return more


def counted(bits: Bits) -> list[Any]:
    """How many of eight bits are set, as four bits."""
    pairs = [[a + b, a * b] for a, b in zip(bits[::2], bits[1::2], strict=True)]
    fours = [_sum(x, y) for x, y in zip(pairs[::2], pairs[1::2], strict=True)]
    return _sum(*fours)


def _sum(x: Bits, y: Bits) -> list[Any]:
    return add([*x, 0], [*y, 0])


def one_more(x: Bits, bit: Any) -> list[Any]:
    """x + bit, for a bit that comes late: it is a factor of one product in succession."""
    total, below = [x[0] + bit], x[0]
    for digit in x[1:]:
        total.append(digit + below * bit)
        below = below * digit
    return total
