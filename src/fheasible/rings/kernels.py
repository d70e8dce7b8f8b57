"""Kernel counts of each ring operation in the exact interpreter, which predict its time, and its memory.

A kernel is one inner loop of the native code; its count is how often the body of that loop runs. All counts
are sums of products of shapes and bit lengths, so they are computed for thousands of parameter sets at once.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from fheasible.rings.element import Element, Scalar
from fheasible.rings.limbs import LIMB_BITS, LIMB_BYTES
from fheasible.rings.operations import product_pairs
from fheasible.rings.sizes import Size, agree, ceil_div, ceil_log2, larger, smaller

PRIME_BITS = 50  # bits that each CRT prime carries (a test compares this with the native module)
SPARE_BITS = 3  # for a sign, a quarter of the range to round in, and primes slightly below 2^50

Counts = dict[str, Size]


def limbs(x: Element) -> Size:
    """The 64-bit words of one stored coefficient: two's complement for integers, unsigned for residues."""
    return larger(ceil_div(x.bits + (not x.modular), LIMB_BITS), 1)


def stored_bytes(x: Element, n: Size) -> Size:
    """The bytes in which the exact interpreter stores x."""
    return x.rows * x.cols * n * limbs(x) * LIMB_BYTES


def kernels(operation: str, out: Element, operands: tuple[Any, ...], n: Size, q_bits: Size) -> Counts:
    """Counts of one operation by name: its kernels, the bytes that it allocates, and the call itself."""
    counts = _RULES[operation](out, operands, n, ceil_div(q_bits, LIMB_BITS))
    new = stored_bytes(out, n) + counts.get("new_bytes", 0)
    return {"calls": 1} | counts | {"new_bytes": new}


def workspace(operation: str, out: Element, operands: tuple[Any, ...], n: Size) -> Size:
    """Bytes that one operation needs in addition to its operands and its result."""
    rule = _WORKSPACES.get(operation)
    return 0 if rule is None else rule(out, operands, n)


Tables = tuple[Size, Size, Mapping[int, Size]]


def tables(operation: str, out: Element, operands: tuple[Any, ...], n: Size) -> Tables:
    """Bytes of transform tables that an operation leaves in the process.

    The first number is for degree n, the second for all smaller degrees; those of a larger degree follow, by
    its multiple of n.
    """
    rule = _TABLES.get(operation)
    return (0, 0, {}) if rule is None else rule(out, operands, n)


# -- products


@dataclass(frozen=True, slots=True)
class Product:
    """A product of x and y: `pairs` products of polynomials, at most `terms` summed in each of `entries`.

    Modulo each of the primes, every polynomial of x and y is transformed once, and every entry is
    transformed back once.
    """

    x: Element
    y: Element
    n: Size
    entries: Size
    terms: Size
    pairs: Size

    @property
    def primes(self) -> Size:
        """The number of CRT primes that carry the largest coefficient."""
        growth = ceil_log2(self.n) + ceil_log2(self.terms)
        return ceil_div(self.x.bits + self.y.bits + growth + SPARE_BITS, PRIME_BITS)

    @property
    def operands(self) -> Size:
        """The number of polynomials transformed; a matrix that is both operands is transformed once."""
        left, right = self.x.rows * self.x.cols, self.y.rows * self.y.cols
        return left if self.x is self.y else left + right

    def counts(self, width: Size) -> Counts:
        """Kernel counts of the product, for results recombined in `width` words."""
        primes, n = self.primes, self.n
        words = [x.rows * x.cols * limbs(x) for x in (self.x, self.y)]
        return {
            "butterflies": (self.operands + self.entries) * primes * (n * ceil_log2(n) // 2),
            "residues": (self.operands + self.entries) * n * primes,
            "residue_products": (words[0] if self.x is self.y else sum(words)) * n * primes,
            "pointwise_products": self.pairs * primes * n,
            "recombination_products": self.entries * n * primes * width,
            "new_bytes": self.workspace(),
        }

    def workspace(self) -> Size:
        """Bytes of the residues: of the operands modulo one prime, and of the result modulo all primes."""
        return LIMB_BYTES * self.n * (self.operands + self.entries * self.primes)

    def resident(self, result: Size) -> Size:
        """Bytes of the workspace that are in use in addition to a result of `result` bytes.

        The result is not written before the operands' residues are freed, and memory that has not been
        written to is not in use.
        """
        return self.workspace() - smaller(LIMB_BYTES * self.n * self.operands, result)

    def tables(self) -> Size:
        """Bytes of the transform tables, which the process keeps."""
        return 4 * LIMB_BYTES * self.n * self.primes * (self.n >= 16)


def matrix_product(out: Element, operands: tuple[Any, ...], n: Size) -> Product:
    x, y = operands
    entries, pairs = out.rows * out.cols, product_pairs(out, x, y)
    return Product(x, y, n, entries, pairs // entries, pairs)


def convolution(out: Element, operands: tuple[Any, ...], n: Size) -> Product:
    x, y = operands
    return Product(x, y, n, out.cols, smaller(x.cols, y.cols), x.cols * y.cols)


def _multiply(out: Element, operands: tuple[Any, ...], n: Size, q_limbs: Size) -> Counts:
    product = matrix_product(out, operands, n)
    if not out.modular:
        return product.counts(limbs(out))
    return product.counts(q_limbs + 1) | _divisions(product.entries * n, q_limbs + 1, q_limbs)


def _convolve(out: Element, operands: tuple[Any, ...], n: Size, q_limbs: Size) -> Counts:
    return convolution(out, operands, n).counts(limbs(out))


# -- products in Z[X]: zeros are added above the factors, up to a power of two that holds the whole product

ROWS_AT_ONCE = 8  # of the rows of a product in full: what is padded for them alone is in use at a time


def padded(x: Element, y: Element, n: Size) -> Size:
    """The degree at which a row of x times a row of y is computed: a power of two."""
    return 2 ** ceil_log2((x.cols + y.cols) * n)


def _at_once(out: Element, x: Element, y: Element, n: Size, rows: Size) -> Product:
    """The product of `rows` rows, each one polynomial of the larger degree."""
    summed = agree(out.rows, 1)
    left = Element(rows if summed else 1, 1, x.modular, x.bits)
    right = Element(rows, 1, y.modular, y.bits)
    entries, terms = (1, rows) if summed else (rows, 1)
    return Product(left, right, padded(x, y, n), entries, terms, rows)


def _in_full(out: Element, operands: tuple[Any, ...], n: Size, q_limbs: Size) -> Counts:
    x, y = operands
    rows, large, summed = y.rows, padded(x, y, n), agree(out.rows, 1)
    chunks = ceil_div(rows, ROWS_AT_ONCE)
    each = _at_once(out, x, y, n, smaller(rows, ROWS_AT_ONCE))
    width = q_limbs + 1 if out.modular else limbs(out)
    factors, entries = (2 * rows, chunks) if summed else (rows + chunks, rows)
    words = factors * large * ((limbs(x) + limbs(y)) / 2)
    counts: Counts = {
        "calls": 4 * chunks,
        "butterflies": (factors + entries) * each.primes * (large * ceil_log2(large) // 2),
        "residues": (factors + entries) * large * each.primes,
        "residue_products": words * each.primes,
        "pointwise_products": rows * each.primes * large,
        "recombination_products": entries * large * each.primes * width,
        "moved_words": words,
        "added_words": summed * (chunks - 1) * out.cols * n * limbs(out),
        "new_bytes": chunks * each.workspace() + words * LIMB_BYTES,
    }
    return counts | (_divisions(entries * large, width, q_limbs) if out.modular else {})


def _fold(out: Element, operands: tuple[Any, ...], n: Size, q_limbs: Size) -> Counts:
    (x,) = operands
    coefficients = x.rows * (x.cols - 1) * n
    return {"added_words": coefficients * limbs(out), "coefficients": coefficients}


def _inverse(out: Element, operands: tuple[Any, ...], n: Size, q_limbs: Size) -> Counts:
    """Counts of an inverse: two products of residues at each of the degrees n, n/2, ..., 2.

    Each degree also takes calls that set its products up.
    """
    (x,) = operands
    other = Element(1, 1, True, x.bits)
    words = n * limbs(x)  # for f(-X) and the even parts, over all degrees
    total: Counts = {
        "calls": 6 * ceil_log2(n),
        "added_words": words,
        "moved_words": 6 * words,
        "new_bytes": 10 * words * LIMB_BYTES,
    }
    degree = n
    while np.any(degree > 1):
        for name, count in _multiply(out, (x, other), degree, q_limbs).items():
            total[name] = total.get(name, 0) + 2 * (degree > 1) * count
        degree = larger(degree // 2, 1)
    return total


# -- multiplications and divisions by one integer: products of limbs


def _divisions(coefficients: Size, dividend: Size, divisor: Size) -> Counts:
    """Counts of long divisions of numbers of `dividend` limbs: a row of products per limb of the quotient.

    Division by a divisor of one limb works as for a divisor of two limbs.
    """
    quotients = coefficients * larger(dividend - divisor + 1, 1)
    return {
        "divisions": coefficients,
        "quotient_limbs": quotients,
        "limb_products": quotients * larger(divisor, 2),
    }


def _and_products(counts: Counts, limb_products: Size) -> Counts:
    """The counts with `limb_products` more products of limbs."""
    return counts | {"limb_products": counts["limb_products"] + limb_products}


def _scale(out: Element, operands: tuple[Any, ...], n: Size, q_limbs: Size) -> Counts:
    x, c = operands
    coefficients = out.rows * out.cols * n
    if out.modular:
        return _times_residue(coefficients, q_limbs)
    return {"limb_products": coefficients * limbs(x) * ceil_div(c.bits, LIMB_BITS)}


def _times_residue(coefficients: Size, q_limbs: Size) -> Counts:
    """Counts of products of two residues, each followed by a division by q."""
    division = _divisions(coefficients, 2 * q_limbs, q_limbs)
    return _and_products(division, coefficients * q_limbs * q_limbs)


def _powers(out: Element, operands: tuple[Any, ...], n: Size, q_limbs: Size) -> Counts:
    x, _ = operands
    counts = _times_residue((out.rows - x.rows) * out.cols * n, q_limbs)
    return counts | {"calls": out.rows // x.rows}


def _scale_round(out: Element, operands: tuple[Any, ...], n: Size, q_limbs: Size) -> Counts:
    x, t = operands
    coefficients, factor = out.rows * out.cols * n, ceil_div(t.bits, LIMB_BITS)
    division = _divisions(coefficients, limbs(x) + factor, q_limbs)
    return _and_products(division, coefficients * limbs(x) * factor)


def _reduce(out: Element, operands: tuple[Any, ...], n: Size, q_limbs: Size) -> Counts:
    return _divisions(out.rows * out.cols * n, limbs(operands[0]), q_limbs)


def _remainder(out: Element, operands: tuple[Any, ...], n: Size, q_limbs: Size) -> Counts:
    x, t = operands
    return _divisions(out.rows * out.cols * n, limbs(x), ceil_div(t.bits, LIMB_BITS))


def _compose(out: Element, operands: tuple[Any, ...], n: Size, q_limbs: Size) -> Counts:
    x, _ = operands
    digits = x.rows * x.cols * n * limbs(x)
    division = _divisions(out.rows * out.cols * n, q_limbs + 2, q_limbs)
    return {"digit_words": digits} | _and_products(division, digits * q_limbs)


# -- one step for each word or coefficient


def _words(name: str) -> Callable[..., Counts]:
    """A rule that counts one step for each stored word of the result, and one for each coefficient."""

    def rule(out: Element, operands: tuple[Any, ...], n: Size, q_limbs: Size) -> Counts:
        coefficients = out.rows * out.cols * n
        return {name: coefficients * limbs(out), "coefficients": coefficients}

    return rule


def _samples(name: str) -> Callable[..., Counts]:
    """A rule that counts one step for each coefficient of the result."""
    return lambda out, operands, n, q_limbs: {name: out.rows * out.cols * n}


def _drawn(name: str, out: Element, each: Size) -> Counts:
    """Counts of `each` steps for every polynomial; polynomials are drawn one at a time."""
    return {name: out.rows * out.cols * each, "draws": out.rows * out.cols}


_RULES: dict[str, Callable[..., Counts]] = {
    "uniform": lambda out, operands, n, q_limbs: _drawn("uniform_words", out, n * limbs(out)),
    "ternary": _samples("ternary_samples"),
    "gaussian": lambda out, operands, n, q_limbs: _drawn("gaussian_samples", out, n),
    "message": _samples("packed_coefficients"),
    "gadget": _words("moved_words"),
    "beside": _words("moved_words"),
    "add": _words("added_words"),
    "subtract": _words("added_words"),
    "negate": _words("added_words"),
    "lift": _words("added_words"),
    "decompose": _words("digit_words"),
    "multiply": _multiply,
    "convolve": _convolve,
    "inverse": _inverse,
    "product_in_full": _in_full,
    "inner_product_in_full": _in_full,
    "fold": _fold,
    "scale": _scale,
    "scale_round": _scale_round,
    "reduce": _reduce,
    "remainder": _remainder,
    "compose": _compose,
    "powers": _powers,
}


# -- memory needed while an operation runs


def _uniform_workspace(out: Element, operands: tuple[Any, ...], n: Size) -> Size:
    """Bytes of one polynomial as it is drawn, and of its coefficients that are drawn again."""
    return 2 * n * limbs(out) * LIMB_BYTES


def _gaussian_workspace(out: Element, operands: tuple[Any, ...], n: Size) -> Size:
    """Bytes of one polynomial's random words, their positions in the table, and its coefficients."""
    return 3 * n * LIMB_BYTES


def _product_workspace(out: Element, product: Product, n: Size) -> Size:
    return product.resident(stored_bytes(out, n))


def _full_workspace(out: Element, operands: tuple[Any, ...], n: Size) -> Size:
    """Bytes of the rows that are padded at a time, of their product, and of its residues."""
    x, y = operands
    rows, large = smaller(y.rows, ROWS_AT_ONCE), padded(x, y, n)
    each = _at_once(out, x, y, n, rows)
    factors = (rows if agree(out.rows, 1) else 1) * limbs(x) + rows * limbs(y)
    product = each.entries * large * limbs(out) * LIMB_BYTES
    return factors * large * LIMB_BYTES + product + each.resident(product)


def _fold_workspace(out: Element, operands: tuple[Any, ...], n: Size) -> Size:
    """Bytes of one part more, and of the sum so far."""
    return 2 * stored_bytes(out, n)


def _square(x: Element, n: Size) -> Product:
    """One of the products that an inverse takes, at degree n."""
    return Product(x, Element(1, 1, True, x.bits), n, 1, 1, 1)


def _inverse_workspace(out: Element, operands: tuple[Any, ...], n: Size) -> Size:
    """Bytes needed at the last product: f(-X), the inverse at half the degree, and that inverse in X²."""
    (x,) = operands
    return 5 * stored_bytes(x, n) // 2 + _square(x, n).workspace()


def _inverse_tables(out: Element, operands: tuple[Any, ...], n: Size) -> Tables:
    """Bytes of the transform tables of an inverse: for degree n, and for n/2, ..., 2 together."""
    (x,) = operands
    smaller, degree = 0 * n, n // 2
    while np.any(degree > 1):
        smaller = smaller + _square(x, larger(degree, 1)).tables()
        degree = degree // 2
    return _square(x, n).tables(), smaller, {}


def _full_tables(out: Element, operands: tuple[Any, ...], n: Size) -> Tables:
    """Bytes of the transform tables of the larger degree, which stay beside those of degree n."""
    x, y = operands
    multiple = int(np.max(padded(x, y, n) // n))
    return 0, 0, {multiple: _at_once(out, x, y, n, smaller(y.rows, ROWS_AT_ONCE)).tables()}


def _powers_workspace(out: Element, operands: tuple[Any, ...], n: Size) -> Size:
    """Bytes of one power and the next."""
    x, _ = operands
    return 2 * stored_bytes(x, n)


def _unsigned_workspace(out: Element, operands: tuple[Any, ...], n: Size) -> Size:
    """Bytes of digits that fill their words, before a word for the sign is added above them."""
    base: Scalar = operands[1]
    bits = base.shift if base.shift is not None else base.bits
    words = ceil_div(bits, LIMB_BITS)
    return out.rows * out.cols * n * words * LIMB_BYTES * (words < limbs(out))


_WORKSPACES: dict[str, Callable[..., Size]] = {
    "uniform": _uniform_workspace,
    "gaussian": _gaussian_workspace,
    "multiply": lambda out, operands, n: _product_workspace(out, matrix_product(out, operands, n), n),
    "convolve": lambda out, operands, n: _product_workspace(out, convolution(out, operands, n), n),
    "inverse": _inverse_workspace,
    "product_in_full": _full_workspace,
    "inner_product_in_full": _full_workspace,
    "fold": _fold_workspace,
    "powers": _powers_workspace,
    "decompose": _unsigned_workspace,
    "remainder": _unsigned_workspace,
}

_TABLES: dict[str, Callable[..., Tables]] = {
    "multiply": lambda out, operands, n: (matrix_product(out, operands, n).tables(), 0, {}),
    "convolve": lambda out, operands, n: (convolution(out, operands, n).tables(), 0, {}),
    "inverse": _inverse_tables,
    "product_in_full": _full_tables,
    "inner_product_in_full": _full_tables,
}
