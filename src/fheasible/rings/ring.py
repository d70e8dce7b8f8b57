"""The rings Z[X]/(X^n + 1) and R_q = Z_q[X]/(X^n + 1), for any modulus q >= 2, as a scheme may use them.

A public method checks its operands and determines what the result is (shape, integer or residue, size of
its coefficients). One hook of the interpreter does the rest. So a scheme that misuses the ring fails in the
same way whether it is counted or run.
"""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from fheasible.errors import RingMismatch
from fheasible.rings.element import Element, Scalar
from fheasible.rings.sizes import Size, agree, ceil_div, ceil_log2, larger, smaller

TAIL = 9.2  # a Gaussian is cut at TAIL·sigma: less than 2^-60 of it lies beyond [PAnTHErS's code]


class Ring(ABC):
    """A ring of polynomials of n coefficients. `q_bits` is q's bit length; `q` is None where not known."""

    n: Size
    q_bits: Size
    q: int | None

    def digits(self, w: Scalar) -> Size:
        """The number of digits that write every residue in base w: l = floor(log_w q) + 1."""
        if np.any(w.bits < 2):
            raise RingMismatch(f"digits: base {w.value} has no digits", "choose a base of 2 or more")
        if w.shift is not None:
            return ceil_div(self.q_bits, w.shift)
        assert w.value is not None
        assert self.q is not None
        count, rest = 0, self.q
        while rest:
            count, rest = count + 1, rest // w.value
        return count

    # -- random elements and constants

    def uniform(self, rows: Size = 1, cols: Size = 1) -> Element:
        """Residues, each value equally likely."""
        return self._new("uniform", rows, cols, True, self.q_bits)

    def ternary(self, rows: Size = 1, cols: Size = 1) -> Element:
        """Integers -1, 0 and 1, equally likely."""
        return self._new("ternary", rows, cols, False, 1)

    def gaussian(self, sigma: Any, rows: Size = 1, cols: Size = 1) -> Element:
        """Integers of the discrete Gaussian of width sigma around 0, cut at 9.2 sigma."""
        return self._new("gaussian", rows, cols, False, ceil_log2(tail(sigma) + 1), sigma)

    def message(self, t: Scalar, coefficients: Any = None) -> Element:
        """An integer polynomial with these coefficients in [0, t), and zeros where fewer than n are given."""
        if coefficients is not None:
            _fitting(coefficients, t, self.n)
        return self._new("message", 1, 1, False, t.bits, coefficients)

    def quotient(self, t: Scalar) -> Scalar:
        """The constant floor(q/t); only its size where q or t is not known."""
        if self.q is None or t.value is None:
            return Scalar(self.q_bits - t.bits + 1)
        return Scalar.of(self.q // t.value)

    def gadget(self, k: Size, w: Scalar) -> Element:
        """`compose` as a matrix: I_k ⊗ (1, w, w^2, ...)^T, of k·l rows and k columns."""
        return self._new("gadget", k * self.digits(w), k, True, self.q_bits, w)

    # -- arithmetic

    def add(self, x: Element, y: Element) -> Element:
        return self._sum("add", x, y)

    def subtract(self, x: Element, y: Element) -> Element:
        return self._sum("subtract", x, y)

    def negate(self, x: Element) -> Element:
        return self._new("negate", x.rows, x.cols, x.modular, x.bits, x)

    def multiply(self, x: Element, y: Element) -> Element:
        """The matrix product; a single polynomial multiplies every entry of the other operand."""
        modular = x.modular or y.modular
        if is_single(x) or is_single(y):
            rows, cols, inner = x.rows * y.rows, x.cols * y.cols, 1
        else:
            _same("multiply", "columns against rows", x.cols, y.rows)
            rows, cols, inner = x.rows, y.cols, x.cols
        bits = self.q_bits if modular else x.bits + y.bits + ceil_log2(self.n) + ceil_log2(inner)
        return self._new("multiply", rows, cols, modular, bits, x, y)

    def convolve(self, x: Element, y: Element) -> Element:
        """The coefficients of (Σ x_i Y^i)(Σ y_j Y^j), for rows x and y of integer polynomials."""
        _integers("convolve", x, y)
        _same("convolve", "rows", x.rows, 1)
        _same("convolve", "rows", y.rows, 1)
        bits = x.bits + y.bits + ceil_log2(self.n) + ceil_log2(smaller(x.cols, y.cols))
        return self._new("convolve", 1, x.cols + y.cols - 1, False, bits, x, y)

    def scale(self, x: Element, c: Scalar) -> Element:
        """c·x."""
        return self._new("scale", x.rows, x.cols, x.modular, x.bits + c.bits * (not x.modular), x, c)

    def scale_round(self, x: Element, t: Scalar) -> Element:
        """The integers nearest to t·x/q, for integers x."""
        _integers("scale_round", x)
        bits = larger(x.bits + t.bits - self.q_bits + 1, 0) + 1
        return self._new("scale_round", x.rows, x.cols, False, bits, x, t)

    def inverse(self, x: Element) -> Element:
        """x^-1 in R_q, for one polynomial x. NotInvertible where x has no inverse."""
        _residues("inverse", x)
        _same("inverse", "polynomials", x.rows * x.cols, 1)
        return self._new("inverse", 1, 1, True, self.q_bits, x)

    # -- integers and residues

    def lift(self, x: Element) -> Element:
        """The integers in (-q/2, q/2] that are congruent to x modulo q."""
        _residues("lift", x)
        return self._new("lift", x.rows, x.cols, False, larger(self.q_bits - 1, 1), x)

    def reduce(self, x: Element) -> Element:
        """x modulo q, for integers x."""
        _integers("reduce", x)
        return self._new("reduce", x.rows, x.cols, True, self.q_bits, x)

    def remainder(self, x: Element, t: Scalar) -> Element:
        """The integers in [0, t) that are congruent to x modulo t, for integers x."""
        _integers("remainder", x)
        return self._new("remainder", x.rows, x.cols, False, t.bits, x, t)

    # -- digits

    def decompose(self, x: Element, w: Scalar) -> Element:
        """The base-w digits of each residue, lowest first: column j becomes columns j·l to j·l + l - 1."""
        _residues("decompose", x)
        bits = w.shift if w.shift is not None else w.bits
        return self._new("decompose", x.rows, x.cols * self.digits(w), False, bits, x, w)

    def compose(self, x: Element, w: Scalar) -> Element:
        """The inverse of `decompose`: Σ_k w^k x_k modulo q, over each group of l columns of integers."""
        _integers("compose", x)
        count = self.digits(w)
        _same("compose", "columns beyond whole words", x.cols % count, 0)
        return self._new("compose", x.rows, x.cols // count, True, self.q_bits, x, w)

    def powers(self, x: Element, w: Scalar) -> Element:
        """(x, w·x, w^2·x, ...): row i becomes rows i·l to i·l + l - 1; decompose(y)·powers(x) = y·x."""
        _residues("powers", x)
        return self._new("powers", x.rows * self.digits(w), x.cols, True, self.q_bits, x, w)

    def flatten(self, x: Element, w: Scalar) -> Element:
        """Digits below w whose composed value is that of x."""
        return self.decompose(self.compose(x, w), w)

    # -- polynomials that are not reduced modulo X^n + 1: a row of k polynomials stands for Σ x_j X^(j·n)

    def product_in_full(self, x: Element, y: Element) -> Element:
        """x·y in Z[X], for one row x of a polynomials and each row y of b polynomials: rows of a + b."""
        _same("product_in_full", "rows", x.rows, 1)
        return self._whole_product("product_in_full", y.rows, 1, x, y)

    def inner_product_in_full(self, x: Element, y: Element) -> Element:
        """Σ_i x_i·y_i in Z[X], for rows x_i of a and y_i of b polynomials: one row of a + b."""
        _same("inner_product_in_full", "rows", x.rows, y.rows)
        return self._whole_product("inner_product_in_full", 1, x.rows, x, y)

    def fold(self, x: Element) -> Element:
        """Each row modulo X^n + 1: Σ (-1)^j x_j, a column."""
        bits = self.q_bits if x.modular else x.bits + ceil_log2(x.cols)
        return self._new("fold", x.rows, 1, x.modular, bits, x)

    def _whole_product(self, operation: str, rows: Size, terms: Size, x: Element, y: Element) -> Element:
        modular, shorter = x.modular or y.modular, smaller(x.cols, y.cols)
        bits = x.bits + y.bits + ceil_log2(self.n * shorter) + ceil_log2(terms)
        return self._new(operation, rows, x.cols + y.cols, modular, self.q_bits if modular else bits, x, y)

    # -- parts: nothing is computed or copied

    def transpose(self, x: Element) -> Element:
        return Element(x.cols, x.rows, x.modular, x.bits, self._part("transpose", x))

    def entry(self, x: Element, i: int, j: int) -> Element:
        """The polynomial in row i and column j, each counted from 0."""
        _within("entry", "row", i, x.rows)
        _within("entry", "column", j, x.cols)
        return Element(1, 1, x.modular, x.bits, self._part("entry", x, i, j))

    def column(self, x: Element, j: int) -> Element:
        _within("column", "column", j, x.cols)
        return Element(x.rows, 1, x.modular, x.bits, self._part("column", x, j))

    def row(self, x: Element, i: int) -> Element:
        _within("row", "row", i, x.rows)
        return Element(1, x.cols, x.modular, x.bits, self._part("row", x, i))

    def flat(self, x: Element) -> Element:
        """One row of all polynomials of x, row after row."""
        return Element(1, x.rows * x.cols, x.modular, x.bits, self._part("flat", x))

    def beside(self, *xs: Element) -> Element:
        """One matrix with the columns of all xs, side by side."""
        first = xs[0]
        for x in xs[1:]:
            _alike("beside", first, x)
            _same("beside", "rows", first.rows, x.rows)
        bits = first.bits
        for x in xs[1:]:
            bits = larger(bits, x.bits)
        return self._new("beside", first.rows, sum(x.cols for x in xs), first.modular, bits, *xs)

    # -- what interpreters supply

    def _new(
        self, operation: str, rows: Size, cols: Size, modular: bool, bits: Size, *operands: Any
    ) -> Element:
        """The element that the hook of this operation makes."""
        form = Element(rows, cols, modular, bits)
        return Element(rows, cols, modular, bits, self._interpret(operation, form, *operands))

    @abstractmethod
    def _interpret(self, operation: str, form: Element, *operands: Any) -> Any:
        """The data of a new element of this form."""

    @abstractmethod
    def _part(self, operation: str, x: Element, *where: int) -> Any:
        """The data of a part of x."""

    def _sum(self, operation: str, x: Element, y: Element) -> Element:
        _alike(operation, x, y)
        _same(operation, "rows", x.rows, y.rows)
        _same(operation, "columns", x.cols, y.cols)
        bits = self.q_bits if x.modular else larger(x.bits, y.bits) + 1
        return self._new(operation, x.rows, x.cols, x.modular, bits, x, y)


def tail(sigma: Any) -> Size:
    """The largest magnitude that a Gaussian of width sigma draws."""
    bound = np.ceil(TAIL * np.asarray(sigma)).astype(np.int64)
    return bound if bound.ndim else int(bound)


def is_single(x: Element) -> bool:
    """Whether x is one polynomial."""
    return agree(x.rows, 1) and agree(x.cols, 1)


def _same(operation: str, what: str, a: Size, b: Size) -> None:
    if not agree(a, b):
        raise RingMismatch(f"{operation}: {what} are {a} and {b}", "give operands of shapes that fit")


def _within(operation: str, what: str, k: int, count: Size) -> None:
    if k < 0 or np.any(k >= count):
        raise RingMismatch(
            f"{operation}: there is no {what} {k} among {count}", f"{what}s are counted from 0"
        )


def _fitting(coefficients: Any, t: Scalar, n: Size) -> None:
    if np.any(len(coefficients) > n):
        raise RingMismatch(
            f"message: {len(coefficients)} coefficients are too many for n = {n}", "give n or fewer"
        )
    low, high = min(coefficients, default=0), max(coefficients, default=0)
    wrong = low if low < 0 else high
    if low < 0 or (t.value is not None and np.any(high >= t.value)):
        raise RingMismatch(f"message: {wrong} is not in [0, {t.value})", "reduce coefficients modulo t")


def _alike(operation: str, x: Element, y: Element) -> None:
    if x.modular != y.modular:
        kinds = ["residues" if e.modular else "integers" for e in (x, y)]
        raise RingMismatch(
            f"{operation}: {kinds[0]} and {kinds[1]} cannot be combined", "reduce or lift one of them"
        )


def _integers(operation: str, *xs: Element) -> None:
    if any(x.modular for x in xs):
        raise RingMismatch(f"{operation}: needs integers, got residues modulo q", "lift them first")


def _residues(operation: str, x: Element) -> None:
    if not x.modular:
        raise RingMismatch(f"{operation}: needs residues modulo q, got integers", "reduce them first")
