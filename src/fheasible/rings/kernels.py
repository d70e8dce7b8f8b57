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
from fheasible.rings.pieces import Counts, new_array, new_buffer, on_heap
from fheasible.rings.sizes import Size, agree, ceil_div, ceil_log2, larger, smaller

PRIME_BITS = 50  # bits that each CRT prime carries (a test compares this with the native module)
OPERATIONS = "operations"  # a kernel: the operation itself, with its call from Python
CACHES = {"l2": 1 << 20, "l3": 8 << 20}  # bytes of the caches that one core has, on a usual machine
LANES = 4  # words of a recombined coefficient that are summed side by side
LEAST_TRANSFORMED = 16  # the least degree that is transformed; smaller polynomials are multiplied as they are
SPARE_BITS = 3  # for a sign, a quarter of the range to round in, and primes slightly below 2^50



def limbs(x: Element) -> Size:
    """The 64-bit words of one stored coefficient: two's complement for integers, unsigned for residues."""
    return larger(ceil_div(x.bits + (not x.modular), LIMB_BITS), 1)


def stored_bytes(x: Element, n: Size) -> Size:
    """The bytes in which the exact interpreter stores x."""
    return x.rows * x.cols * n * limbs(x) * LIMB_BYTES


def kernels(operation: str, out: Element, operands: tuple[Any, ...], n: Size, q_bits: Size) -> Counts:
    """Counts of one operation by name: its kernels, the bytes that it allocates, and the call itself."""
    counts = _RULES[operation](out, operands, n, q_bits)
    return together({OPERATIONS: 1}, counts, new_array(stored_bytes(out, n)))


def copies(size: Size) -> Counts:
    """Counts of a copy of an array of `size` bytes, as scattered operands need one."""
    return {"moved_words": size // LIMB_BYTES} | new_array(size)


def together(*parts: Counts) -> Counts:
    """The sums of counts."""
    total: Counts = {}
    for part in parts:
        for name, count in part.items():
            total[name] = total.get(name, 0) + count
    return total


def many(times: Size, counts: Counts) -> Counts:
    """The counts of that many equal pieces of work."""
    return {name: times * count for name, count in counts.items()}


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
        primes, n, transformed = self.primes, self.n, self.n >= LEAST_TRANSFORMED
        plain, reduced, words = self._residues
        return {
            "primes": primes,
            "butterflies": (self.operands + self.entries) * primes * transformed * (n * ceil_log2(n) // 2),
            "schoolbook_products": self.pairs * primes * (1 - transformed) * n * n,
            "plain_residues": plain * n * primes,
            "residues": reduced * n * primes,
            "residue_products": words * n * primes,
            "pointwise_products": self.pairs * primes * n,
            "recombined_residues": self.entries * n * primes,
            "recombination_products": self.entries * n * (primes + 1) * LANES * ceil_div(width, LANES),
        } | self._beyond_caches() | self._buffers()

    def _beyond_caches(self) -> Counts:
        """Bytes that move into each cache anew for every prime: of the operands once, of their residues twice."""
        residues = LIMB_BYTES * self.n * self.operands
        working = stored_bytes(self.x, self.n) + residues
        working = working + stored_bytes(self.y, self.n) * (self.x is not self.y)
        moved = self.primes * (working + residues)
        return {f"{name}_missed_bytes": _missed(moved, working, cache) for name, cache in CACHES.items()}

    @property
    def _residues(self) -> tuple[Size, Size, Size]:
        """Polynomials that are their own residues, polynomials that are reduced, and words of the latter.

        Small coefficients are their own residues. One operand is also scaled, and so reduced however small:
        the larger, unless the left one is small.
        """
        x, y = self.x, self.y
        if x is y:
            own = self.operands * _small(x)
            return own, self.operands - own, (self.operands - own) * limbs(x)
        left, right = x.rows * x.cols, y.rows * y.cols
        own_left, own_right = left * _small(x), right * (1 - _small(x)) * _small(y)
        words = (left - own_left) * limbs(x) + (right - own_right) * limbs(y)
        return own_left + own_right, self.operands - own_left - own_right, words

    def _buffers(self) -> Counts:
        """Counts of the memory of the residues."""
        left, right = self.x.rows * self.x.cols, self.y.rows * self.y.cols
        word = LIMB_BYTES * self.n
        sums = word * self.entries * self.primes
        buffers = [word * left, sums] + [word * right] * (self.x is not self.y)
        read_first = {"zero_page_bytes": sums - on_heap(sums)}  # read as zeros before they are written
        return together(read_first, *map(new_buffer, buffers))

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
        return 4 * LIMB_BYTES * self.n * self.primes * (self.n >= LEAST_TRANSFORMED)


def _missed(moved: Size, working: Size, cache: int) -> Size:
    """The bytes of `moved` that a cache does not hold while `working` bytes are in use."""
    share = np.maximum(0.0, 1.0 - cache / np.asarray(working, dtype=np.float64))
    missed = np.floor(np.asarray(moved) * share).astype(np.int64)
    return missed if missed.ndim else int(missed)


def matrix_product(out: Element, operands: tuple[Any, ...], n: Size) -> Product:
    x, y = operands
    entries, pairs = out.rows * out.cols, product_pairs(out, x, y)
    return Product(x, y, n, entries, pairs // entries, pairs)


def convolution(out: Element, operands: tuple[Any, ...], n: Size) -> Product:
    x, y = operands
    return Product(x, y, n, out.cols, smaller(x.cols, y.cols), x.cols * y.cols)


def _small(x: Element) -> Size:
    """1 where every coefficient lies between -p and p for every prime p, else 0."""
    return 1 * (x.bits < PRIME_BITS - 1)


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


def _in_full(out: Element, operands: tuple[Any, ...], n: Size, q_bits: Size) -> Counts:
    x, y = operands
    rows, large, summed = y.rows, padded(x, y, n), agree(out.rows, 1)
    chunk = smaller(rows, ROWS_AT_ONCE)
    each = _at_once(out, x, y, n, chunk)
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
        polynomial = degree * limbs(x) * LIMB_BYTES
        product = together(_multiply(out, (x, other), degree, q_bits), new_array(polynomial))
        moved = {"calls": 8, "negated_words": degree * limbs(x) // 2, "scattered_words": 3 * degree * limbs(x)}
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
    """Counts of divisions of shifted numbers of `stride` limbs by one of `length`: quotients of `bits` bits."""
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
        return _times_residue(coefficients, c, q_bits)
    words = {"scaling_products": coefficients * limbs(x) * ceil_div(c.bits, LIMB_BITS)}
    return words | {"scaled_coefficients": coefficients, "negated_words": coefficients * (limbs(x) + limbs(out))}


def _times_residue(coefficients: Size, c: Scalar, q_bits: Size) -> Counts:
    """Counts of products of residues and a constant, each followed by a division by q.

    Quotients are below the constant, or below q/c: a large constant is floor(q/t), by which only numbers
    below t are multiplied.
    """
    q_limbs, factor = ceil_div(q_bits, LIMB_BITS), smaller(c.bits, larger(q_bits - c.bits + 1, 1))
    division = _divisions(coefficients, 2 * q_limbs, q_bits + factor, q_bits)
    products = {"scaled_coefficients": coefficients, "scaling_products": coefficients * q_limbs * q_limbs}
    return together(division, products)


def _powers(out: Element, operands: tuple[Any, ...], n: Size, q_bits: Size) -> Counts:
    x, w = operands
    each, moved = stored_bytes(x, n), out.rows * out.cols * n * limbs(out)
    products = together(_times_residue(x.rows * x.cols * n, w, q_bits), new_array(each), {"calls": 1})
    return together(many(out.rows // x.rows - 1, products), {"calls": out.rows // x.rows, "moved_words": moved})


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
    signs = {"corrections": coefficients, "negated_words": coefficients * (limbs(x) + ceil_div(q_bits, LIMB_BITS))}
    return together(division, signs)


def _remainder(out: Element, operands: tuple[Any, ...], n: Size, q_bits: Size) -> Counts:
    x, t = operands
    return together(_reduce(out, (x,), n, t.bits), _extended(out, ceil_div(t.bits, LIMB_BITS), n))


def _extended(out: Element, words: Size, n: Size) -> Counts:
    """Counts of a copy of the result, where its numbers first have `words` words, without a sign."""
    fewer = 1 * (words < limbs(out))
    numbers = out.rows * out.cols * n
    return many(fewer, {"calls": 2, "scattered_words": numbers * words} | new_array(numbers * words * LIMB_BYTES))


def _decompose(out: Element, operands: tuple[Any, ...], n: Size, q_bits: Size) -> Counts:
    _, w = operands
    words = ceil_div(w.bits if w.shift is None else w.shift, LIMB_BITS)
    return together({"digit_words": out.rows * out.cols * n * words}, _extended(out, words, n))


def _compose(out: Element, operands: tuple[Any, ...], n: Size, q_bits: Size) -> Counts:
    x, w = operands
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
