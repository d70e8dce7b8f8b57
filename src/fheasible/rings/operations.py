"""The PAnTHErS view of each ring operation: which operations on integers and polynomials it is made of.

A product of two polynomials is counted as one multiplication of polynomials and one reduction modulo
X^n + 1, which takes n - 1 subtractions of integers. Where the result is residues, each coefficient is also
reduced modulo q.
"""

from collections.abc import Callable
from typing import Any

from fheasible.rings.element import Element, Scalar
from fheasible.rings.ring import is_single
from fheasible.rings.sizes import Size, larger
from fheasible.rings.tally import Operand, Tally
from fheasible.rings.weights import Weights

INTEGER, MIXED, POLYNOMIAL = Operand.INTEGER, Operand.MIXED, Operand.POLYNOMIAL


class Operations:
    """Adds the operations that each ring operation takes to a tally, for rings of n coefficients."""

    def __init__(self, tally: Tally, n: Size, weights: Weights) -> None:
        self._tally, self._n, self._weights = tally, n, weights

    def count(self, operation: str, out: Element, *operands: Any) -> None:
        counted = _RULES.get(operation)
        if counted is not None:
            counted(self, out, *operands)

    def _each(self, operation: str, out: Element) -> None:
        """Count an operation on polynomials that works coefficient by coefficient."""
        self._tally.operate(operation, POLYNOMIAL, out.rows * out.cols, self._n)

    def _by_integer(self, operation: str, polynomials: Size) -> None:
        """Count an operation between an integer and each of these polynomials."""
        self._tally.operate(operation, MIXED, polynomials, self._n)

    def _modulo_q(self, out: Element) -> None:
        if out.modular:
            self._by_integer("modulo", out.rows * out.cols)

    def random(self, out: Element, *_: Any) -> None:
        self._each("random", out)

    def gadget(self, out: Element, w: Scalar) -> None:
        self._tally.operate(_power(w), INTEGER, out.rows, 1)

    def add(self, out: Element, *_: Element) -> None:
        self._each("addition", out)
        self._modulo_q(out)

    def subtract(self, out: Element, *_: Element) -> None:
        self._each("subtraction", out)
        self._modulo_q(out)

    def multiply(self, out: Element, x: Element, y: Element) -> None:
        entries = out.rows * out.cols
        pairs = product_pairs(out, x, y)
        self._products(pairs, pairs - entries)
        self._modulo_q(out)

    def convolve(self, out: Element, x: Element, y: Element) -> None:
        self._products(x.cols * y.cols, x.cols * y.cols - out.cols)

    def product_in_full(self, out: Element, x: Element, y: Element) -> None:
        self._in_full(out, x, y, y.rows, 0)

    def inner_product_in_full(self, out: Element, x: Element, y: Element) -> None:
        self._in_full(out, x, y, x.rows, (x.rows - 1) * out.cols)

    def _in_full(self, out: Element, x: Element, y: Element, pairs: Size, sums: Size) -> None:
        """Count products in Z[X] by the mean length of their factors: n in a product modulo X^n + 1."""
        length = (x.cols + y.cols) * self._n // 2
        tally = self._tally
        tally.operate("multiplication", POLYNOMIAL, pairs, self._weights.polynomial_product(length))
        tally.operate("addition", POLYNOMIAL, sums, self._n)
        self._modulo_q(out)

    def fold(self, out: Element, x: Element) -> None:
        """Count one subtraction for each coefficient beyond the first n of a row."""
        self._tally.operate("modulo", POLYNOMIAL, out.rows, (x.cols - 1) * self._n, as_="subtraction")
        self._modulo_q(out)

    def _products(self, pairs: Size, sums: Size) -> None:
        tally, n = self._tally, self._n
        tally.operate("multiplication", POLYNOMIAL, pairs, self._weights.polynomial_product(n))
        tally.operate("modulo", POLYNOMIAL, pairs, n - 1, as_="subtraction")
        tally.operate("addition", POLYNOMIAL, sums, n)

    def scale(self, out: Element, x: Element, c: Scalar) -> None:
        self._by_integer(_times(c), out.rows * out.cols)
        self._modulo_q(out)

    def scale_round(self, out: Element, x: Element, t: Scalar) -> None:
        entries = out.rows * out.cols
        self._by_integer(_times(t), entries)
        self._by_integer("division", entries)
        self._each("round", out)

    def inverse(self, out: Element, x: Element) -> None:
        """Count an inverse: f(X)·f(-X) halves the degree down to an integer, by two products per degree."""
        degree = self._n
        while (larger(degree, 1) > 1) if isinstance(degree, int) else (degree > 1).any():
            there = degree > 1
            self._tally.operate(
                "multiplication", POLYNOMIAL, 2 * there, self._weights.polynomial_product(degree)
            )
            self._tally.operate("modulo", POLYNOMIAL, 2 * there, (degree - 1) * there, as_="subtraction")
            self._tally.operate("modulo", MIXED, 2 * there, degree)
            degree = larger(degree // 2, 1)
        self._tally.operate("division", INTEGER, 1, 1)

    def lift(self, out: Element, x: Element) -> None:
        self._by_integer("subtraction", out.rows * out.cols)

    def reduce(self, out: Element, *_: Any) -> None:
        self._by_integer("modulo", out.rows * out.cols)

    def decompose(self, out: Element, x: Element, w: Scalar) -> None:
        digits = out.rows * out.cols
        self._by_integer("division" if w.shift is None else "shift", digits)
        self._by_integer("modulo", digits)

    def compose(self, out: Element, x: Element, w: Scalar) -> None:
        self._by_integer(_times(w), x.rows * x.cols)
        self._tally.operate("addition", POLYNOMIAL, x.rows * x.cols - out.rows * out.cols, self._n)
        self._modulo_q(out)

    def powers(self, out: Element, x: Element, w: Scalar) -> None:
        self._tally.operate(_power(w), INTEGER, out.rows // x.rows, 1)
        self._by_integer(_times(w), out.rows * out.cols)
        self._modulo_q(out)


def product_pairs(out: Element, x: Element, y: Element) -> Size:
    """The number of products of two polynomials in the matrix product x·y."""
    single = is_single(x) or is_single(y)
    return out.rows * out.cols * (1 if single else x.cols)


def _times(c: Scalar) -> str:
    return "multiplication" if c.shift is None else "shift"


def _power(w: Scalar) -> str:
    return "power" if w.shift is None else "shift"


_RULES: dict[str, Callable[..., None]] = {
    "uniform": Operations.random,
    "ternary": Operations.random,
    "gaussian": Operations.random,
    "gadget": Operations.gadget,
    "add": Operations.add,
    "subtract": Operations.subtract,
    "negate": Operations.subtract,
    "multiply": Operations.multiply,
    "convolve": Operations.convolve,
    "product_in_full": Operations.product_in_full,
    "inner_product_in_full": Operations.inner_product_in_full,
    "fold": Operations.fold,
    "scale": Operations.scale,
    "scale_round": Operations.scale_round,
    "inverse": Operations.inverse,
    "lift": Operations.lift,
    "reduce": Operations.reduce,
    "remainder": Operations.reduce,
    "decompose": Operations.decompose,
    "compose": Operations.compose,
    "powers": Operations.powers,
}
