"""The memory that each operation of the exact ring needs while it runs, and what it leaves behind."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from fheasible.rings.element import Element, Scalar
from fheasible.rings.limbs import LIMB_BITS, LIMB_BYTES
from fheasible.rings.products import (
    ROWS_AT_ONCE,
    Product,
    at_once,
    convolution,
    limbs,
    matrix_product,
    padded,
    stored_bytes,
)
from fheasible.rings.sizes import Size, agree, ceil_div, larger, smaller


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
    each = at_once(out, x, y, n, rows)
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
    return 0, 0, {multiple: at_once(out, x, y, n, smaller(y.rows, ROWS_AT_ONCE)).tables()}


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
