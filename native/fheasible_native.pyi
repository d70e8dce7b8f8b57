"""Kernels for Z[X]/(X^n+1), n = 1, 2, 4, ..., 2^15, with coefficients of many 64-bit limbs.

An `Array` is uint64, C-contiguous, (rows, columns, n, limbs), the lowest limb first. Its coefficients are
either *signed* (two's complement) or *residues* in [0, q) with exactly the limbs of q (unsigned: the top
bit may be set). An `Integer` is a uint64 vector of limbs: q, t and residues c unsigned, c of `times` and w
of `compose` in two's complement.

For residues modulo many primes (`rns_...`) a `Limbs` is uint64, C-contiguous, (limbs, n), and `Moduli` are
as many, each in [2, 2^62); residues in [0, p) come in and go out.

Every function returns a new array, works in one thread without the interpreter's lock, and raises
ValueError for shapes that do not fit. Integers that leave `limbs_out` limbs are cut to them: modulo 2^(64
limbs_out).
"""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.uint64]
Integer = NDArray[np.uint64]
Limbs = NDArray[np.uint64]
Moduli = NDArray[np.uint64]

def product(
    a: Array, a_modular: bool, a_bits: int, b: Array, b_modular: bool, b_bits: int, limbs_out: int
) -> Array:
    """Signed (r, c, n, limbs_out): the exact matrix product of a (r, m) and b (m, c).

    `*_modular` says that an operand holds residues, `*_bits` that no coefficient exceeds 2^bits in absolute
    value: a bound too small gives wrong results unnoticed. One array given twice is transformed once.
    """

def product_mod(
    a: Array, a_modular: bool, a_bits: int, b: Array, b_modular: bool, b_bits: int, q: Integer
) -> Array:
    """Residues (r, c, n, limbs of q): `product` modulo q >= 2, without the wide product in between."""

def convolve(
    a: Array, a_modular: bool, a_bits: int, b: Array, b_modular: bool, b_bits: int, limbs_out: int
) -> Array:
    """Signed (1, k + l - 1, n, limbs_out): entry e is sum_i a[i] b[e - i], of a (1, k) and b (1, l)."""

def reduce(x: Array, q: Integer) -> Array:
    """Residues: signed x modulo q >= 1."""

def remainder(x: Array, t: Integer) -> Array:
    """Residues: signed x modulo t >= 1, as `reduce`."""

def centre(x: Array, q: Integer, limbs_out: int) -> Array:
    """Signed: the representatives of residues x in (-q/2, q/2]."""

def add_mod(x: Array, y: Array, q: Integer) -> Array:
    """Residues: x + y."""

def sub_mod(x: Array, y: Array, q: Integer) -> Array:
    """Residues: x - y."""

def neg_mod(x: Array, q: Integer) -> Array:
    """Residues: -x."""

def times_mod(x: Array, c: Integer, q: Integer) -> Array:
    """Residues: c x for one residue c."""

def add(x: Array, y: Array, limbs_out: int) -> Array:
    """Signed: x + y, whose limbs may differ."""

def sub(x: Array, y: Array, limbs_out: int) -> Array:
    """Signed: x - y, whose limbs may differ."""

def neg(x: Array, limbs_out: int) -> Array:
    """Signed: -x."""

def times(x: Array, c: Integer, limbs_out: int) -> Array:
    """Signed: c x for one signed integer c."""

def scale_round(x: Array, t: Integer, q: Integer, limbs_out: int) -> Array:
    """Signed: t x / q rounded to the nearest integer, ties away from zero, for signed x and t, q >= 1."""

def decompose(x: Array, w_bits: int, count: int) -> Array:
    """(r, c count, n, ceil(w_bits / 64)): the lowest digits in base 2^w_bits, in [0, 2^w_bits).

    The digits of entry (i, j), least significant first, stand in the columns j count ... j count + count - 1.
    """

def decompose_word(x: Array, w: int, count: int) -> Array:
    """(r, c count, n, 1): the lowest digits in any base 2 <= w < 2^63, placed as `decompose` places them."""

def compose(digits: Array, w: Integer, count: int, q: Integer) -> Array:
    """Residues (r, c, n, limbs of q): sum_k digit_k w^k of *signed* digits (r, c count, n, limbs), for any
    signed w.

    Digits of `decompose` whose w_bits is a multiple of 64 want a limb of zeros above them first.
    """

def prime_bits() -> int:
    """Bits of the primes modulo which products are computed."""

def prime_count(m: int, n: int, a_bits: int, b_bits: int) -> int:
    """How many primes a sum of m products takes: they hold 4 m n 2^(a_bits + b_bits)."""

def workspace_bytes(r: int, m: int, c: int, n: int, a_bits: int, b_bits: int, shared: bool = False) -> int:
    """Bytes that `product` or `product_mod` of (r, m) and (m, c) holds at its peak besides operands and
    result.

    `shared`: one array is given twice. Besides these there are constants of a few KiB, and `table_bytes`.
    """

def convolve_workspace_bytes(k: int, l: int, n: int, a_bits: int, b_bits: int, shared: bool = False) -> int:
    """Bytes that `convolve` of (1, k) and (1, l) holds, as `workspace_bytes`."""

def table_bytes(n: int, primes: int) -> int:
    """Bytes of the transforms' tables for size n and that many primes, made once and kept by the process."""

def rns_forward(x: Limbs, moduli: Moduli) -> Limbs:
    """The values at the roots of X^n + 1 modulo primes p = 1 modulo 2n, 16 <= n, in tfhe-ntt's order."""

def rns_inverse(x: Limbs, moduli: Moduli) -> Limbs:
    """The coefficients with these values."""

def rns_add(x: Limbs, y: Limbs, moduli: Moduli) -> Limbs:
    """x + y."""

def rns_sub(x: Limbs, y: Limbs, moduli: Moduli) -> Limbs:
    """x - y."""

def rns_scale(x: Limbs, constants: Moduli, moduli: Moduli) -> Limbs:
    """Limb i times constants[i], which is a residue."""

def rns_offset(x: Limbs, constants: Moduli, moduli: Moduli) -> Limbs:
    """constants[i] added to every residue of limb i."""

def rns_inner_product(xs: list[Limbs], ys: list[Limbs], moduli: Moduli) -> Limbs:
    """sum_i xs[i] ys[i], residue by residue."""

def rns_convert(x: Limbs, matrix: Limbs, moduli: Moduli) -> Limbs:
    """Limb j: sum_i x[i] matrix[j, i] modulo moduli[j], for any x below 2^62; matrix[j] are residues."""

def rns_reconstruct(y: Limbs, cofactors: Limbs, centred: bool, moduli: Moduli) -> Array:
    """Signed (1, 1, n, limbs): sum_i y[i] Q/p_i modulo Q, in [0, Q), or in (-Q/2, Q/2] where `centred`.

    `cofactors` (moduli + 1, limbs): the Q/p_i, then Q, in as many 64-bit limbs as hold 2 Q.
    """
