"""The functions of integers that no short sum of products computes: comparisons, choices, bits, tables.

Schemes with table look-ups compute them exactly. Where integers wrap around modulo t, each function takes the
residues in (-t/2, t/2].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, assert_never

import numpy as np
from numpy.typing import NDArray

Span = tuple[Any, Any]  # the least and the greatest value


class Function(StrEnum):
    GREATER = "x > y"  # 1 where it holds, else 0
    EQUAL = "x == y"  # 1 where it holds, else 0
    MAXIMUM = "maximum"
    MINIMUM = "minimum"
    SELECT = "where"  # of the mask, x and y: x where the mask is 1, y where it is 0
    AND = "x & y"  # of negative numbers, the bits of their two's complement
    OR = "x | y"
    XOR = "x ^ y"
    FLOOR = "x // number"
    REMAINDER = "x % number"  # in [0, number)
    LOOKUP = "lookup"  # entry x - number of the table


BITWISE = (Function.AND, Function.OR, Function.XOR)


@dataclass(frozen=True, slots=True)
class Discrete:
    """One function. `number`: the divisor, above 0, or the value that the first entry of a table is for."""

    function: Function
    number: int = 0
    table: tuple[int, ...] = ()


def result(found: Discrete, operands: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """The function of integers, element by element: int64, or Python's integers where those are given."""
    x, *others = (np.rint(a).astype(np.int64) if a.dtype.kind == "f" else a for a in operands)
    match found.function:
        case Function.GREATER:
            return np.asarray(x > others[0]).astype(np.int64)
        case Function.EQUAL:
            return np.asarray(x == others[0]).astype(np.int64)
        case Function.MAXIMUM:
            return np.asarray(np.maximum(x, others[0]))
        case Function.MINIMUM:
            return np.asarray(np.minimum(x, others[0]))
        case Function.SELECT:
            return np.where(x.astype(bool), others[0], others[1])
        case Function.AND:
            return np.asarray(x & others[0])
        case Function.OR:
            return np.asarray(x | others[0])
        case Function.XOR:
            return np.asarray(x ^ others[0])
        case Function.FLOOR:
            return np.asarray(x // found.number)
        case Function.REMAINDER:
            return np.asarray(x % found.number)
        case Function.LOOKUP:
            place = np.clip((x - found.number).astype(np.int64), 0, len(found.table) - 1)
            return np.array(found.table, dtype=np.int64)[place]
        case _:
            assert_never(found.function)


def span(found: Discrete, operands: Sequence[Span]) -> Span:
    """The interval of the results for operands in these intervals."""
    (low, high), *others = operands
    match found.function:
        case Function.GREATER:
            return int(low > others[0][1]), int(high > others[0][0])
        case Function.EQUAL:
            apart = low > others[0][1] or high < others[0][0]
            return int(low == high == others[0][0] == others[0][1]), int(not apart)
        case Function.MAXIMUM:
            return max(low, others[0][0]), max(high, others[0][1])
        case Function.MINIMUM:
            return min(low, others[0][0]), min(high, others[0][1])
        case Function.SELECT:
            chosen = [v for v, there in zip(others, (high == 1, low == 0), strict=True) if there]
            return min(v[0] for v in chosen), max(v[1] for v in chosen)
        case Function.AND | Function.OR | Function.XOR:
            return _bits(found.function, operands)
        case Function.FLOOR:
            return low // found.number, high // found.number
        case Function.REMAINDER:
            inside = low // found.number == high // found.number
            return (low % found.number, high % found.number) if inside else (0, found.number - 1)
        case Function.LOOKUP:
            entries = found.table[max(low - found.number, 0) : high - found.number + 1] or found.table
            return min(entries), max(entries)
        case _:
            assert_never(found.function)


def signed_bits(spans: Sequence[Span]) -> int:
    """The least w such that all values of these intervals lie in [-2^w, 2^w)."""
    return max(int(end if end >= 0 else -end - 1).bit_length() for ends in spans for end in ends)


def _bits(function: Function, spans: Sequence[Span]) -> Span:
    """The interval of a bitwise function, where a value without sign leaves no sign in AND."""
    all_bits = (1 << signed_bits(spans)) - 1
    unsigned = [high for low, high in spans if low >= 0]
    if function is Function.AND and unsigned:
        return 0, min(unsigned)
    if len(unsigned) < len(spans):
        return -all_bits - 1, all_bits
    return (max(low for low, _ in spans) if function is Function.OR else 0), all_bits
