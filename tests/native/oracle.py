"""Schoolbook arithmetic in Python's integers, and the way between integers and limbs."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Limbs = NDArray[np.uint64]
Poly = list[int]
Grid = list[list[Poly]]  # rows of entries


def limbs(value: int, count: int) -> list[int]:
    """`value` modulo 2^(64 count) as `count` limbs, the lowest first."""
    return [value >> 64 * j & (1 << 64) - 1 for j in range(count)]


def constant(value: int, count: int | None = None) -> Limbs:
    """An integer as the kernels take it; by default in as many limbs as its two's complement needs."""
    return np.array(limbs(value, count or value.bit_length() // 64 + 1), np.uint64)


def modulus(q: int) -> Limbs:
    """An unsigned integer in as few limbs as it has."""
    return constant(q, -(-q.bit_length() // 64))


def array(grid: Grid, count: int) -> Limbs:
    """A matrix of polynomials as (rows, columns, n, count)."""
    return np.array([[[limbs(x, count) for x in poly] for poly in row] for row in grid], np.uint64)


def unsigned(x: Limbs) -> Grid:
    """The integers of an array of magnitudes."""
    rows, columns, n, count = x.shape
    raw = x.astype("<u8").tobytes()
    step = 8 * count
    values = [int.from_bytes(raw[i : i + step], "little") for i in range(0, len(raw), step)]
    return [[values[(i * columns + j) * n :][:n] for j in range(columns)] for i in range(rows)]


def signed(x: Limbs) -> Grid:
    """The integers of an array in two's complement."""
    bits = 64 * x.shape[3]
    return each(lambda v: v - (v >> bits - 1 << bits), unsigned(x))


def each(f, *grids: Grid) -> Grid:  # type: ignore[no-untyped-def]
    """f of the coefficients in the same places."""
    return [
        [[f(*values) for values in zip(*polys, strict=True)] for polys in zip(*rows, strict=True)]
        for rows in zip(*grids, strict=True)
    ]


def negacyclic(x: Poly, y: Poly) -> Poly:
    """x y modulo X^n + 1."""
    n = len(x)
    out = [0] * n
    for i, a in enumerate(x):
        for j, b in enumerate(y):
            out[(i + j) % n] += a * b if i + j < n else -a * b
    return out


def total(polys: Sequence[Poly]) -> Poly:
    return [sum(values) for values in zip(*polys, strict=True)]


def product(a: Grid, b: Grid) -> Grid:
    """The matrix product."""
    columns = [list(column) for column in zip(*b, strict=True)]
    return [
        [total([negacyclic(x, y) for x, y in zip(row, col, strict=True)]) for col in columns] for row in a
    ]


def convolution(a: list[Poly], b: list[Poly]) -> list[Poly]:
    """Entry e is the sum of a[i] b[e - i]."""
    return [
        total([negacyclic(a[i], b[e - i]) for i in range(len(a)) if 0 <= e - i < len(b)])
        for e in range(len(a) + len(b) - 1)
    ]


def round_away(numerator: int, denominator: int) -> int:
    """The nearest integer to a fraction, ties away from zero."""
    size = (2 * abs(numerator) + denominator) // (2 * denominator)
    return size if numerator >= 0 else -size


def centred(x: int, q: int) -> int:
    """The representative of x mod q in (-q/2, q/2]."""
    return x % q - q if 2 * (x % q) > q else x % q
