"""Kernel counts of each ring operation in the exact interpreter, which predict its time, and its memory.

A kernel is one inner loop of the native code; its count is how often the body of that loop runs. All counts
are sums of products of shapes and bit lengths, so they are computed for thousands of parameter sets at once.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from fheasible.rings.element import Element
from fheasible.rings.limbs import LIMB_BITS, LIMB_BYTES
from fheasible.rings.pieces import Counts, copies, many, new_array, together
from fheasible.rings.products import (
    PRIME_BITS,
    ROWS_AT_ONCE,
    Product,
    at_once,
    convolution,
    limbs,
    matrix_product,
    padded,
    stored_bytes,
)
from fheasible.rings.sizes import Size, agree, ceil_div, ceil_log2, larger, smaller

OPERATIONS = "operations"  # a kernel: the operation itself, with its call from Python


def kernels(operation: str, out: Element, operands: tuple[Any, ...], n: Size, q_bits: Size) -> Counts:
    """Counts of one operation by name: its kernels, the bytes that it allocates, and the call itself."""
    counts = _RULES[operation](out, operands, n, q_bits)
    return together({OPERATIONS: 1}, counts, new_array(stored_bytes(out, n)))


def _multiply(out: Element, operands: tuple[Any, ...], n: Size, q_bits: Size) -> Counts:
    return _finished(matrix_product(out, operands, n), out, q_bits)


def _finished(product: Product, out: Element, q_bits: Size) -> Counts:
    """Counts of a product, with what makes residues modulo q, or integers, of its sums."""
    coefficients = product.entries * product.n
    if not out.modular:
        return together(product.counts(limbs(out)), {"moved_words": coefficients * limbs(out)})
    width, sums = ceil_div(q_bits, LIMB_BITS) + 1, q_bits + PRIME_BITS + ceil_log2(product.primes + 1)
    return together(product.counts(width), _divisions(coefficients, width, sums, q_bits))


def _convolve(out: Element, operands: tuple[Any, ...], n: Size, q_bits: Size) -> Counts:
    return _finished(convolution(out, operands, n), out, q_bits)


def _in_full(out: Element, operands: tuple[Any, ...], n: Size, q_bits: Size) -> Counts:
    x, y = operands
    rows, large, summed = y.rows, padded(x, y, n), agree(out.rows, 1)
    chunk = smaller(rows, ROWS_AT_ONCE)
    each = at_once(out, x, y, n, chunk)
    factors = ((chunk if summed else 1) * limbs(x), chunk * limbs(y))
    stretched = [copies(large * words * LIMB_BYTES) for words in factors]
    kept = (1 if summed else chunk) * out.cols * n
    sums = many(1 * summed, together(copies(kept * limbs(out) * LIMB_BYTES), _sums(out, kept)))
    made = new_array(each.entries * large * limbs(out) * LIMB_BYTES)
    moved = {"calls": 4, "moved_words": kept * limbs(out)}
    return many(rows / chunk, together(_finished(each, out, q_bits), *stretched, sums, made, moved))


def _fold(out: Element, operands: tuple[Any, ...], n: Size, q_bits: Size) -> Counts:
    (x,) = operands
    part = x.rows * n
    first = copies(part * limbs(out) * LIMB_BYTES)
    again = together({"calls": 2}, copies(part * limbs(x) * LIMB_BYTES), _sums(out, part))
    return together(first, many(x.cols - 1, together(again, new_array(part * limbs(out) * LIMB_BYTES))))


def _inverse(out: Element, operands: tuple[Any, ...], n: Size, q_bits: Size) -> Counts:
    """Counts of an inverse: two products of residues at each of the degrees n, n/2, ..., 2.

    Each degree also takes calls that set its products up.
    """
    (x,) = operands
    other = Element(1, 1, True, x.bits)
    total: Counts = {"calls": 0 * n}
    degree = n
    while np.any(degree > 1):
        words = degree * limbs(x)
        polynomial = words * LIMB_BYTES
        product = together(_multiply(out, (x, other), degree, q_bits), new_array(polynomial))
        moved = {
            "calls": 8,
            "negated_words": degree * limbs(x) // 2,
            "scattered_words": 3 * degree * limbs(x),
        }
        step = together(many(2, product), many(4, new_array(polynomial)), moved)
        total = together(total, many(degree > 1, step))
        degree = larger(degree // 2, 1)
    return total


# -- multiplications and divisions by one integer: products of limbs


def _divisions(coefficients: Size, dividend: Size, dividend_bits: Size, q_bits: Size) -> Counts:
    """Counts of long divisions of numbers of `dividend` limbs that are below 2^dividend_bits.

    Dividend and divisor are shifted so that the divisor has its top bit set and two limbs at least. Limbs of
    the quotient that must be 0 are skipped; each of the others takes a row of products.
    """
    length = larger(ceil_div(q_bits, LIMB_BITS), 2)
    stride = larger(length, dividend + (LIMB_BITS * length - q_bits) // LIMB_BITS + 1)
    return _quotients(coefficients, stride, length, dividend_bits - q_bits)


def _quotients(coefficients: Size, stride: Size, length: Size, bits: Size) -> Counts:
    """Counts of divisions of numbers of `stride` limbs by one of `length`; quotients have `bits` bits."""
    steps = stride - length
    quotient = smaller(larger(ceil_div(bits, LIMB_BITS), 0), steps)
    return {
        "divisions": coefficients,
        "quotient_limbs": coefficients * quotient,
        "skipped_limbs": coefficients * (steps - quotient),
        "limb_products": coefficients * quotient * length,
        "shifted_words": coefficients * (stride + length),
    }


def _scale(out: Element, operands: tuple[Any, ...], n: Size, q_bits: Size) -> Counts:
    x, c = operands
    coefficients = out.rows * out.cols * n
    if out.modular:
        return _times_residue(coefficients, q_bits)
    words = {"scaling_products": coefficients * limbs(x) * ceil_div(c.bits, LIMB_BITS)}
    return words | {
        "scaled_coefficients": coefficients,
        "negated_words": coefficients * (limbs(x) + limbs(out)),
    }


def _times_residue(coefficients: Size, q_bits: Size, factor: Size = 1) -> Counts:
    """Counts of products of residues and a constant, each followed by a division by q.

    Quotients are below the smaller factor, which has `factor` bits: the constant, or, where that is
    floor(q/t), a number below t.
    """
    q_limbs = ceil_div(q_bits, LIMB_BITS)
    division = _divisions(coefficients, 2 * q_limbs, q_bits + factor, q_bits)
    products = {"scaled_coefficients": coefficients, "scaling_products": coefficients * q_limbs * q_limbs}
    return together(division, products)


def _powers(out: Element, operands: tuple[Any, ...], n: Size, q_bits: Size) -> Counts:
    x, w = operands
    each, moved = stored_bytes(x, n), out.rows * out.cols * n * limbs(out)
    products = together(_times_residue(x.rows * x.cols * n, q_bits, w.bits), new_array(each), {"calls": 1})
    return together(
        many(out.rows // x.rows - 1, products), {"calls": out.rows // x.rows, "moved_words": moved}
    )


def _scale_round(out: Element, operands: tuple[Any, ...], n: Size, q_bits: Size) -> Counts:
    x, t = operands
    coefficients, length = out.rows * out.cols * n, larger(ceil_div(q_bits, LIMB_BITS), 2)
    factor = ceil_div(t.bits + LIMB_BITS * length - q_bits, LIMB_BITS)
    stride = larger(limbs(x) + factor, length) + 1
    division = _quotients(coefficients, stride, length, x.bits + t.bits - q_bits)
    products = {"scaled_coefficients": coefficients, "scaling_products": coefficients * limbs(x) * factor}
    return together(division, products, {"negated_words": coefficients * (limbs(x) + limbs(out))})


def _reduce(out: Element, operands: tuple[Any, ...], n: Size, q_bits: Size) -> Counts:
    (x,) = operands
    coefficients = out.rows * out.cols * n
    division = _divisions(coefficients, limbs(x), x.bits, q_bits)
    signs = {
        "corrections": coefficients,
        "negated_words": coefficients * (limbs(x) + ceil_div(q_bits, LIMB_BITS)),
    }
    return together(division, signs)


def _remainder(out: Element, operands: tuple[Any, ...], n: Size, q_bits: Size) -> Counts:
    x, t = operands
    return together(_reduce(out, (x,), n, t.bits), _extended(out, ceil_div(t.bits, LIMB_BITS), n))


def _extended(out: Element, words: Size, n: Size) -> Counts:
    """Counts of a copy of the result, where its numbers first have `words` words, without a sign."""
    fewer = 1 * (words < limbs(out))
    numbers = out.rows * out.cols * n
    return many(
        fewer, {"calls": 2, "scattered_words": numbers * words} | new_array(numbers * words * LIMB_BYTES)
    )


def _decompose(out: Element, operands: tuple[Any, ...], n: Size, q_bits: Size) -> Counts:
    _, w = operands
    words = ceil_div(w.bits if w.shift is None else w.shift, LIMB_BITS)
    return together({"digit_words": out.rows * out.cols * n * words}, _extended(out, words, n))


def _compose(out: Element, operands: tuple[Any, ...], n: Size, q_bits: Size) -> Counts:
    x, _ = operands
    q_limbs, digits = ceil_div(q_bits, LIMB_BITS), x.rows * x.cols * n
    sums = q_bits + x.bits + ceil_log2(x.cols // out.cols)
    division = _divisions(out.rows * out.cols * n, q_limbs + 2, sums, q_bits)
    return together(division, {"composed_digits": digits, "composed_words": digits * limbs(x) * q_limbs})


# -- one step for each word or coefficient


def _sums(out: Element, coefficients: Size) -> Counts:
    """Counts of sums or differences. Of residues, each is compared with q, and as likely as not corrected."""
    each = "corrections" if out.modular else "coefficients"
    return {"added_words": coefficients * limbs(out), each: coefficients}


def _add(out: Element, operands: tuple[Any, ...], n: Size, q_bits: Size) -> Counts:
    return _sums(out, out.rows * out.cols * n)


def _negate(out: Element, operands: tuple[Any, ...], n: Size, q_bits: Size) -> Counts:
    coefficients = out.rows * out.cols * n
    return {"negated_words": coefficients * limbs(out), "coefficients": coefficients}


def _lift(out: Element, operands: tuple[Any, ...], n: Size, q_bits: Size) -> Counts:
    coefficients = out.rows * out.cols * n
    return {"centred_words": coefficients * limbs(out), "corrections": coefficients}


def _copied(out: Element, operands: tuple[Any, ...], n: Size, q_bits: Size) -> Counts:
    return {"moved_words": out.rows * out.cols * n * limbs(out)}


def _samples(name: str) -> Callable[..., Counts]:
    """A rule that counts one step for each coefficient of the result."""
    return lambda out, operands, n, q_bits: {name: out.rows * out.cols * n}


def _drawn(name: str, arrays: int) -> Callable[..., Counts]:
    """A rule that counts one step for each word of the result; polynomials are drawn one at a time."""

    def rule(out: Element, operands: tuple[Any, ...], n: Size, q_bits: Size) -> Counts:
        polynomials, words = out.rows * out.cols, n * limbs(out)
        drawn = new_array(words * LIMB_BYTES)
        return together({name: polynomials * words, "draws": polynomials}, many(arrays * polynomials, drawn))

    return rule


_RULES: dict[str, Callable[..., Counts]] = {
    "uniform": _drawn("uniform_words", 1),
    "ternary": _samples("ternary_samples"),
    "gaussian": _drawn("gaussian_samples", 3),
    "message": _samples("packed_coefficients"),
    "gadget": _copied,
    "beside": _copied,
    "add": _add,
    "subtract": _add,
    "negate": _negate,
    "lift": _lift,
    "decompose": _decompose,
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
