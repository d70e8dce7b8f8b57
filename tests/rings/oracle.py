"""The ring in Python's integers, by the schoolbook: slow, and independent of the native code."""

from fractions import Fraction
from math import gcd
from random import Random
from typing import Any

import numpy as np

from fheasible.errors import NotInvertible
from fheasible.rings.element import Element, Scalar
from fheasible.rings.ring import Ring, is_single, tail
from fheasible.rings.sizes import Size


class OracleRing(Ring):
    """Data of an element: an object array (rows, columns, n) of integers; residues stand in [0, q)."""

    def __init__(self, n: int, q: int, seed: int | None = None) -> None:
        self.n, self.q, self.q_bits = n, q, q.bit_length()
        self.modulus, self.random = q, Random(seed)

    def element(self, coefficients: Any, modular: bool) -> Element:
        """The element of these integers (rows, columns, n); reduced modulo q where `modular`."""
        data = integers(coefficients)
        data = data % self.modulus if modular else data
        bits = self.q_bits if modular else max((abs(v).bit_length() for v in data.ravel()), default=1)
        return Element(data.shape[0], data.shape[1], modular, max(bits, 1), data)

    def coefficients(self, x: Element) -> Any:
        """Python's integers (rows, columns, n)."""
        return x.data.copy()

    def _interpret(self, operation: str, form: Element, *operands: Any) -> Any:
        data = getattr(self, f"_{operation}")(form, *operands)
        assert data.shape == (form.rows, form.cols, self.n), f"{operation} made {data.shape}"
        return data % self.modulus if form.modular else data

    def _part(self, operation: str, x: Element, *where: int) -> Any:
        if operation == "transpose":
            return x.data.transpose(1, 0, 2)
        if operation == "entry":
            i, j = where
            return x.data[i : i + 1, j : j + 1]
        if operation == "flat":
            return x.data.reshape(1, -1, self.n)
        (k,) = where
        return x.data[k : k + 1] if operation == "row" else x.data[:, k : k + 1]

    # -- what is drawn, and constants

    def _draw(self, form: Element, low: int, high: int) -> Any:
        return self._fill(form, lambda: self.random.randrange(low, high))

    def _fill(self, form: Element, draw: Any) -> Any:
        count = form.rows * form.cols * self.n
        return integers([draw() for _ in range(count)]).reshape(form.rows, form.cols, self.n)

    def _uniform(self, form: Element) -> Any:
        return self._draw(form, 0, self.modulus)

    def _ternary(self, form: Element) -> Any:
        return self._draw(form, -1, 2)

    def _gaussian(self, form: Element, sigma: float) -> Any:
        """A rounded Gaussian, redrawn beyond the cut: near enough to the discrete one here."""

        def once() -> int:
            while abs(v := round(self.random.gauss(0.0, sigma))) > tail(sigma):
                pass
            return v

        return self._fill(form, once)

    def _message(self, form: Element, coefficients: Any) -> Any:
        given = [] if coefficients is None else [int(c) for c in coefficients]
        return integers([*given, *[0] * (self.n - len(given))]).reshape(1, 1, self.n)

    def _gadget(self, form: Element, w: Scalar) -> Any:
        out = zeros(form.rows, form.cols, self.n)
        count = self.digits(w)
        for row in range(form.rows):
            out[row, row // count, 0] = value(w) ** (row % count)
        return out

    # -- arithmetic

    def _add(self, form: Element, x: Element, y: Element) -> Any:
        return x.data + y.data

    def _subtract(self, form: Element, x: Element, y: Element) -> Any:
        return x.data - y.data

    def _negate(self, form: Element, x: Element) -> Any:
        return -x.data

    def _multiply(self, form: Element, x: Element, y: Element) -> Any:
        out = zeros(form.rows, form.cols, self.n)
        single, inner = is_single(x) or is_single(y), x.cols
        for i, j in np.ndindex(form.rows, form.cols):
            if single:
                out[i, j] = negacyclic(x.data[i % x.rows, j % x.cols], y.data[i % y.rows, j % y.cols])
            else:
                out[i, j] = sum(negacyclic(x.data[i, k], y.data[k, j]) for k in range(inner))
        return out

    def _convolve(self, form: Element, x: Element, y: Element) -> Any:
        out = zeros(1, form.cols, self.n)
        for i, j in np.ndindex(x.cols, y.cols):
            out[0, i + j] += negacyclic(x.data[0, i], y.data[0, j])
        return out

    def _product_in_full(self, form: Element, x: Element, y: Element) -> Any:
        whole = [np.convolve(x.data[0].ravel(), row.ravel()) for row in y.data]
        return self._rows(form, whole)

    def _inner_product_in_full(self, form: Element, x: Element, y: Element) -> Any:
        whole = sum(np.convolve(a.ravel(), b.ravel()) for a, b in zip(x.data, y.data, strict=True))
        return self._rows(form, [whole])

    def _rows(self, form: Element, whole: list[Any]) -> Any:
        return integers([[*row, 0] for row in whole]).reshape(form.rows, form.cols, self.n)

    def _fold(self, form: Element, x: Element) -> Any:
        return sum((-1) ** j * x.data[:, j : j + 1] for j in range(x.cols))

    def _scale(self, form: Element, x: Element, c: Scalar) -> Any:
        return x.data * value(c)

    def _scale_round(self, form: Element, x: Element, t: Scalar) -> Any:
        return each(lambda v: round_away(value(t) * v, self.modulus), x.data)

    def _inverse(self, form: Element, x: Element) -> Any:
        """The solution over the rationals of x·y = 1, whose denominators must be prime to q."""
        solution = solve(rotations(list(x.data[0, 0])))
        if solution is None or any(gcd(v.denominator, self.modulus) != 1 for v in solution):
            raise NotInvertible("inverse: there is none modulo q", "draw another polynomial")
        inverses = [v.numerator * pow(v.denominator, -1, self.modulus) for v in solution]
        return integers(inverses).reshape(1, 1, self.n)

    # -- integers and residues, digits

    def _lift(self, form: Element, x: Element) -> Any:
        return each(lambda v: v - self.modulus if 2 * v > self.modulus else v, x.data)

    def _reduce(self, form: Element, x: Element) -> Any:
        return x.data

    def _remainder(self, form: Element, x: Element, t: Scalar) -> Any:
        return x.data % value(t)

    def _decompose(self, form: Element, x: Element, w: Scalar) -> Any:
        count = self.digits(w)
        out = zeros(form.rows, form.cols, self.n)
        for j in range(form.cols):
            out[:, j] = x.data[:, j // count] // value(w) ** (j % count) % value(w)
        return out

    def _compose(self, form: Element, x: Element, w: Scalar) -> Any:
        count = self.digits(w)
        out = zeros(form.rows, form.cols, self.n)
        for j in range(x.cols):
            out[:, j // count] += x.data[:, j] * value(w) ** (j % count)
        return out

    def _powers(self, form: Element, x: Element, w: Scalar) -> Any:
        count = self.digits(w)
        out = zeros(form.rows, form.cols, self.n)
        for i in range(form.rows):
            out[i] = x.data[i // count] * value(w) ** (i % count)
        return out

    def _beside(self, form: Element, *xs: Element) -> Any:
        return np.concatenate([x.data for x in xs], axis=1)


def integers(values: Any) -> Any:
    """An object array of Python's integers: numpy's own would overflow."""
    return each(int, np.array(values, dtype=object))


def each(f: Any, data: Any) -> Any:
    """f of every coefficient."""
    out = np.empty(data.shape, dtype=object)
    out.ravel()[:] = [f(v) for v in data.ravel()]
    return out


def zeros(*shape: Size) -> Any:
    return integers(np.zeros(shape, dtype=np.int64))


def value(c: Scalar) -> int:
    assert c.value is not None, "the oracle computes: it needs the constant itself"
    return c.value


def negacyclic(x: Any, y: Any) -> Any:
    """x·y modulo X^n + 1."""
    n = len(x)
    out = zeros(n)
    for i in range(n):
        out[i:] += x[i] * y[: n - i]
        out[:i] -= x[i] * y[n - i :]
    return out


def round_away(numerator: int, denominator: int) -> int:
    """The nearest integer to a fraction, ties away from zero."""
    size = (2 * abs(numerator) + denominator) // (2 * denominator)
    return size if numerator >= 0 else -size


def rotations(x: list[int]) -> list[list[int]]:
    """The matrix of y -> x·y."""
    n = len(x)
    return [[x[i - j] if i >= j else -x[n + i - j] for j in range(n)] for i in range(n)]


def solve(matrix: list[list[int]]) -> list[Fraction] | None:
    """The rational solution of matrix·y = (1, 0, ..., 0), by elimination; None where there is none."""
    n = len(matrix)
    rows = [[Fraction(v) for v in row] + [Fraction(i == 0)] for i, row in enumerate(matrix)]
    for k in range(n):
        pivot = next((i for i in range(k, n) if rows[i][k]), None)
        if pivot is None:
            return None
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [v / rows[k][k] for v in rows[k]]
        for i in range(n):
            if i != k and rows[i][k]:
                rows[i] = [a - rows[i][k] * b for a, b in zip(rows[i], rows[k], strict=True)]
    return [row[n] for row in rows]
