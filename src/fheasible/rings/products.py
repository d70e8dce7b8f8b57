"""Products of matrices of polynomials as the native code computes them: sizes, primes, kernels, memory.

All are computed from shapes and bit lengths, for thousands of parameter sets at once.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from fheasible.rings.element import Element
from fheasible.rings.limbs import LIMB_BITS, LIMB_BYTES
from fheasible.rings.operations import product_pairs
from fheasible.rings.pieces import Counts, new_buffer, on_heap, together
from fheasible.rings.sizes import Size, agree, ceil_div, ceil_log2, larger, smaller

PRIME_BITS = 50  # bits that each CRT prime carries (a test compares this with the native module)
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


def small(x: Element) -> Size:
    """1 where every coefficient lies between -p and p for every prime p, else 0."""
    return 1 * (x.bits < PRIME_BITS - 1)


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
        return (
            {
                "primes": primes,
                "butterflies": (self.operands + self.entries)
                * primes
                * transformed
                * (n * ceil_log2(n) // 2),
                "schoolbook_products": self.pairs * primes * (1 - transformed) * n * n,
                "plain_residues": plain * n * primes,
                "residues": reduced * n * primes,
                "residue_products": words * n * primes,
                "pointwise_products": self.pairs * primes * n,
                "recombined_residues": self.entries * n * primes,
                "recombination_products": self.entries * n * (primes + 1) * LANES * ceil_div(width, LANES),
            }
            | self._beyond_caches()
            | self._buffers()
        )

    def _beyond_caches(self) -> Counts:
        """Bytes that each cache must load for every prime: the operands once, their residues twice."""
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
            own = self.operands * small(x)
            return own, self.operands - own, (self.operands - own) * limbs(x)
        left, right = x.rows * x.cols, y.rows * y.cols
        own_left, own_right = left * small(x), right * (1 - small(x)) * small(y)
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


# -- products in Z[X]: zeros are added above the factors, up to a power of two that holds the whole product

ROWS_AT_ONCE = 8  # of the rows of a product in full: what is padded for them alone is in use at a time


def padded(x: Element, y: Element, n: Size) -> Size:
    """The degree at which a row of x times a row of y is computed: a power of two."""
    return 2 ** ceil_log2((x.cols + y.cols) * n)


def at_once(out: Element, x: Element, y: Element, n: Size, rows: Size) -> Product:
    """The product of `rows` rows, each one polynomial of the larger degree."""
    summed = agree(out.rows, 1)
    left = Element(rows if summed else 1, 1, x.modular, x.bits)
    right = Element(rows, 1, y.modular, y.bits)
    entries, terms = (1, rows) if summed else (rows, 1)
    return Product(left, right, padded(x, y, n), entries, terms, rows)
