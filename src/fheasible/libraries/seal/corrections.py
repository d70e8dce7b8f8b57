"""What SEAL does besides the shared algorithms: copies, zeros, and sums that it leaves unreduced.

Counts are of limbs of n coefficients. Every function of the binding returns a new object, which SEAL first
fills with zeros (`DynArray::resize`), then makes a copy of the operand, and works in place [SEAL].
"""

from collections import Counter
from collections.abc import Callable
from typing import Final

from fheasible.libraries.seal.case import Case

Counts = Counter[str]

LOOPS: Final = 5  # RNSBase::compose_array: what a limb costs beside its k words, in words
PASSES: Final = 2  # BatchEncoder: numpy to std::vector, slots to their places


def added(action: str, c: Case) -> Counts:
    """What the counts of the shared algorithm lack; negative where SEAL does less."""
    if action == "encrypt" and c.switched:
        return _sum(added("encrypt", c.at_top), added("drop", c.from_top))
    return _sum(*(part(c) for part in _ADDED[action]))


def calls(action: str, c: Case) -> int:
    """How often our worker calls the binding: plain operands and fresh values are encoded by a call."""
    encoded = action in ("encrypt", "decrypt", "add_plain", "mul_plain", "add_scalar", "mul_scalar")
    return 1 + encoded + (action == "encrypt" and c.switched)


def nothing(scheme: object, c: Case) -> None:
    """An action that is copying alone."""


def _sum(*parts: Counts) -> Counts:
    """Added up, negative ones too."""
    total: Counts = Counter()
    for part in parts:
        total.update(part)
    return total


# -- parts


def _copied(limbs: int) -> Counts:
    return Counter(copies=limbs, reads=limbs, writes=limbs)


def _zeros(limbs: int) -> Counts:
    return Counter(writes=limbs)


def _new_copy(limbs: int) -> Counts:
    """Zeros, then the copy."""
    return _sum(_zeros(limbs), _copied(limbs))


def _unpooled(limbs: int) -> Counts:
    """Taken from the system, not from the pool, and wiped afterwards (rlwe.cpp, mm_force_new)."""
    return Counter(allocations=limbs, writes=limbs)


def _result(c: Case) -> Counts:
    """`destination = encrypted` (evaluator.h)."""
    return _new_copy(c.polys * c.limbs)


def _grown(c: Case) -> Counts:
    """The copy of two parts moves to an array for three."""
    return _sum(_new_copy(2 * c.limbs), _copied(2 * c.limbs), _zeros(c.limbs))


def _multiplied(c: Case) -> Counts:
    """256 coefficients at a time, so that no product leaves the first cache (ckks_multiply, bgv_multiply)."""
    if c.scheme == "bfv":
        return _sum(_grown(c), _behz(c, inputs=4, sums=3))
    return _sum(_grown(c), Counter(reads=-6 * c.limbs, writes=-2 * c.limbs))


def _squared(c: Case) -> Counts:
    """bgv_square zeroes three parts that it does not use."""
    if c.scheme == "bfv":
        return _sum(_grown(c), _behz(c, inputs=2, sums=0))
    return _sum(_grown(c), _zeros(3 * c.limbs if c.scheme == "bgv" else 0))


def _behz(c: Case, inputs: int, sums: int) -> Counts:
    """bfv_multiply copies its inputs, and adds all products to zeros. q -> m~ and B -> m_sk multiply by the
    inverse cofactors again (fastbconv_m_tilde, fastbconv_sk). A conversion reads its transposed operand once
    for each limb that it makes (fast_convert_array)."""
    k, b = c.limbs, c.extended
    base, wide = b - 1, k + b
    again = inputs * k + 3 * base
    strided = inputs * k * (b + 1) + 3 * (k * b + base * k + base)
    products = Counter(additions=sums * wide, reads=2 * sums * wide, writes=(sums + 3) * wide)
    cofactors = Counter(constant_products=again, reads=again + strided, writes=again)
    return _sum(_copied(inputs * k), products, cofactors)


def _relinearized(c: Case) -> Counts:
    return _sum(_new_copy(3 * c.limbs), _switched(c))


def _switched(c: Case) -> Counts:
    """switch_key_inplace copies c_2. A digit is reduced modulo smaller primes than its own, which of any two
    one is, and copied for the others, of which the special prime is one. For each of k + 1 limbs, two zeroed
    accumulators of two words are read and written k times. Both sums are divided."""
    k = c.limbs
    plain = k * (k - 1) // 2 + k
    own = k if c.scheme == "bfv" else 0  # its digits have no NTT form yet
    digits = Counter(copies=plain + own, word_reductions=-plain, reads=own, writes=own)
    sums = Counter(reads=4 * k * (k + 1), writes=(4 * k + 6) * (k + 1))
    return _sum(_copied(k), digits, sums, _unreduced(c, 2 * k))


def _unreduced(c: Case, limbs: int) -> Counts:
    """Half the prime and the remainder are added without a reduction, which takes no longer than a copy; not
    in BGV (divide_and_round_q_last_ntt_inplace, switch_key_inplace)."""
    return Counter(additions=0 if c.scheme == "bgv" else -2 * limbs)


def _turned(c: Case) -> Counts:
    """apply_galois_inplace: the first part back from a temporary, the second zeroed, both added to."""
    sums = Counter(additions=c.limbs, reads=2 * c.limbs, writes=c.limbs)
    return _sum(_result(c), _copied(c.limbs), _zeros(c.limbs), sums, _switched(c))


def _rescaled(c: Case) -> Counts:
    """mod_switch_scale_to_next: a copy, and the result copied out of it."""
    made = c.polys * (c.limbs - 1)
    return _sum(_result(c), _new_copy(made), _unreduced(c, made))


def _dropped(c: Case) -> Counts:
    """mod_switch_to, one prime at a time: CKKS copies to a temporary and back, BGV divides a copy."""
    total = _result(c)
    for left in range(c.limbs - 1, c.limbs - 1 - c.dropped, -1):
        there = _copied(c.polys * left) if c.scheme == "ckks" else _new_copy(c.polys * (left + 1))
        total = _sum(total, there, _copied(c.polys * left))
    return total


def _encrypted(c: Case) -> Counts:
    """encrypt_zero_internal: over the larger modulus into zeros, divided, copied to zeros. u and the errors
    lie in memory of their own. BFV reduces every sum."""
    lazy = _unreduced(c, 2 * c.limbs) if c.scheme == "ckks" else Counter()
    return _sum(_new_copy(2 * c.limbs), _zeros(2 * c.masked), _unpooled(c.masked), lazy)


def _encoded(c: Case) -> Counts:
    """A vector: CKKS transforms n complex points, not n/2 (ckks.h); BatchEncoder checks and scatters."""
    if c.scheme == "ckks":
        return Counter(embeddings=1, reads=c.limbs + 2, writes=c.limbs + 4)
    return _sum(_copied(PASSES), Counter(reads=1, writes=1))


def _summand(c: Case) -> Counts:
    """BFV: a division of 128 bits for each coefficient, one more sum for each residue
    (multiply_add_plain_with_scaling_variant). BGV: see `_raised`."""
    return Counter(reductions=2, additions=c.limbs) if c.scheme == "bfv" else _raised(c)


def _raised(c: Case) -> Counts:
    """BGV copies the plaintext, then once more to an array for all limbs; BFV has zeros for them."""
    return {"ckks": Counter(), "bgv": _sum(_copied(2), _zeros(c.limbs)), "bfv": _zeros(c.limbs)}[c.scheme]


def _corrected(c: Case) -> Counts:
    """BGV: the plain summand times the ciphertext's factor, even where it is 1 (add_plain_inplace)."""
    return Counter(constant_products=int(c.scheme == "bgv"))


def _constant(c: Case) -> Counts:
    """CKKS: our worker writes residues down: bytes, joined, a C++ string, the plaintext, which is checked.
    BGV: one coefficient, and zeros."""
    k = c.limbs
    if c.scheme == "ckks":
        return Counter(additions=-k, copies=3 * k, reads=4 * k, writes=3 * k, allocations=3 * k)
    return Counter(messages=-k) if c.scheme == "bgv" else Counter()


def _shifted(c: Case) -> Counts:
    """BFV's product with a monomial is made apart (negacyclic_multiply_poly_mono_coeffmod)."""
    return _copied(2 * c.limbs if c.scheme == "bfv" else 0)


def _decrypted(c: Case) -> Counts:
    """decryptor.cpp checks the residues and begins with zeros; of two parts BFV transforms a copy of c_1. Of
    three: copies, s² known from before, and a sum that begins with zeros."""
    k = c.limbs
    checked = Counter(reads=c.polys * k, writes=k)
    if c.polys == 2:
        return _sum(checked, _copied(k if c.scheme == "bfv" else 0))
    return _sum(checked, _copied(2 * k), Counter(products=-k, additions=k, writes=k))


def _decoded(c: Case) -> Counts:
    """CKKS: checked, copied, put together word by word (compose_array, if there are two limbs), n complex
    points. BGV and BFV read no large integers; BGV divides by the factor."""
    k = c.limbs
    if c.scheme != "ckks":
        return _sum(Counter(reconstructions=-1, constant_products=int(c.scheme == "bgv")), _copied(PASSES))
    composed = LOOPS * k if k > 1 else -1
    return _sum(_copied(2 * k), Counter(embeddings=1, reads=k, writes=k + 2, reconstructions=composed))


def _made(c: Case) -> Counts:
    """Keys into zeros, errors in memory of their own; the secret is copied twice, the public key once."""
    wide, rows = c.key_limbs, 1 + c.polys * c.chain
    return _sum(_zeros(2 * wide * rows), _unpooled(wide * rows), _copied(4 * wide))


_ADDED: Final[dict[str, tuple[Callable[[Case], Counts], ...]]] = {
    "encrypt": (_encoded, _encrypted, _summand),
    "add": (_result,),
    "sub": (_result,),
    "neg": (_result,),
    "mul": (_multiplied,),
    "square": (_squared,),
    "relinearize": (_relinearized,),
    "rescale": (_rescaled,),
    "drop": (_dropped,),
    "add_plain": (_encoded, _result, _summand, _corrected),
    "mul_plain": (_encoded, _result, _raised),
    "add_scalar": (_constant, _result),
    "mul_scalar": (_constant, _result, _shifted),
    "rotate": (_turned,),
    "swap_rows": (_turned,),
    "decrypt": (_decrypted, _decoded),
    "keygen": (_made,),
}
