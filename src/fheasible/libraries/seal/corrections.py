"""What SEAL does besides the shared algorithms: copies, zeros, and sums that it leaves unreduced.

Counts are in limbs of n coefficients. Every function of the binding returns a new object. SEAL fills it with
zeros (`DynArray::resize`), then makes it a copy of the operand, and then works in place [SEAL].
"""

from collections import Counter
from collections.abc import Callable
from typing import Final

from fheasible.libraries.seal.case import SealCase

Counts = Counter[str]

LOOPS: Final = 5  # RNSBase::compose_array: the cost of a limb beside its k words, in words
PASSES: Final = 2  # BatchEncoder: numpy to std::vector, slots to their places


def added(action: str, c: SealCase) -> Counts:
    """The counts to add to those of the shared algorithm; negative where SEAL does less."""
    if action == "encrypt" and c.switched:
        return _sum(added("encrypt", c.at_top), added("drop", c.from_top))
    return _sum(*(part(c) for part in _ADDED[action]))


def calls(action: str, c: SealCase) -> int:
    """How often our worker calls the binding for an action.

    Encoding, decoding and the switch of a fresh value to its level are calls of their own.
    """
    encoded = action in ("encrypt", "decrypt", "add_plain", "mul_plain", "add_scalar", "mul_scalar")
    return 1 + encoded + (action == "encrypt" and c.switched)


def nothing(scheme: object, c: SealCase) -> None:
    """The run of an action that only copies."""


def _sum(*parts: Counts) -> Counts:
    """The sum of all counts, negative ones included."""
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
    """The counts of a new object: it is filled with zeros, then with the copy."""
    return _sum(_zeros(limbs), _copied(limbs))


def _unpooled(limbs: int) -> Counts:
    """The counts of limbs that are taken from the system, not the pool, and wiped afterwards (rlwe.cpp,
    mm_force_new)."""
    return Counter(allocations=limbs, writes=limbs)


def _result(c: SealCase) -> Counts:
    """The counts of `destination = encrypted` (evaluator.h)."""
    return _new_copy(c.polys * c.limbs)


def _grown(c: SealCase) -> Counts:
    """The counts of a copy of two parts that moves to an array for three."""
    return _sum(_new_copy(2 * c.limbs), _copied(2 * c.limbs), _zeros(c.limbs))


def _multiplied(c: SealCase) -> Counts:
    """The counts to add for a product.

    CKKS and BGV work on 256 coefficients at a time, so that no product leaves the first cache (ckks_multiply,
    bgv_multiply).
    """
    if c.scheme == "bfv":
        return _sum(_grown(c), _behz(c, inputs=4, sums=3))
    return _sum(_grown(c), Counter(reads=-6 * c.limbs, writes=-2 * c.limbs))


def _squared(c: SealCase) -> Counts:
    """The counts to add for a square; bgv_square also fills three parts with zeros and does not use them."""
    if c.scheme == "bfv":
        return _sum(_grown(c), _behz(c, inputs=2, sums=0))
    return _sum(_grown(c), _zeros(3 * c.limbs if c.scheme == "bgv" else 0))


def _behz(c: SealCase, inputs: int, sums: int) -> Counts:
    """The counts to add for a product in BFV.

    bfv_multiply copies its inputs, and adds all products to zeros. The conversions q -> m~ and B -> m_sk
    multiply by the inverse cofactors again (fastbconv_m_tilde, fastbconv_sk). A conversion reads its
    transposed operand once for each limb that it makes (fast_convert_array).
    """
    k, b = c.limbs, c.extended
    base, wide = b - 1, k + b
    again = inputs * k + 3 * base
    strided = inputs * k * (b + 1) + 3 * (k * b + base * k + base)
    products = Counter(additions=sums * wide, reads=2 * sums * wide, writes=(sums + 3) * wide)
    cofactors = Counter(constant_products=again, reads=again + strided, writes=again)
    return _sum(_copied(inputs * k), products, cofactors)


def _relinearized(c: SealCase) -> Counts:
    return _sum(_new_copy(3 * c.limbs), _switched(c))


def _switched(c: SealCase) -> Counts:
    """The counts to add for a key switch of k limbs.

    switch_key_inplace copies c_2. A digit is reduced modulo primes that are smaller than its own, and copied
    for all others. Of any two primes of Q one is smaller; the special prime is never smaller. For each of
    k + 1 limbs, two accumulators of two words begin as zeros and are read and written k times. Both sums are
    divided.
    """
    k = c.limbs
    plain = k * (k - 1) // 2 + k
    own = k if c.scheme == "bfv" else 0  # its digits have no NTT form yet
    digits = Counter(copies=plain + own, word_reductions=-plain, reads=own, writes=own)
    sums = Counter(reads=4 * k * (k + 1), writes=(4 * k + 6) * (k + 1))
    return _sum(_copied(k), digits, sums, _unreduced(c, 2 * k))


def _unreduced(c: SealCase, limbs: int) -> Counts:
    """The counts to add for a rounded division, except in BGV.

    Half the prime and the remainder are added without a reduction, which takes no longer than a copy
    (divide_and_round_q_last_ntt_inplace, switch_key_inplace).
    """
    return Counter(additions=0 if c.scheme == "bgv" else -2 * limbs)


def _turned(c: SealCase) -> Counts:
    """The counts to add for a rotation.

    apply_galois_inplace copies the first part back from a temporary and fills the second with zeros; then
    both are added to.
    """
    sums = Counter(additions=c.limbs, reads=2 * c.limbs, writes=c.limbs)
    return _sum(_result(c), _copied(c.limbs), _zeros(c.limbs), sums, _switched(c))


def _rescaled(c: SealCase) -> Counts:
    """The counts to add for rescaling: mod_switch_scale_to_next copies the operand, then the result."""
    made = c.polys * (c.limbs - 1)
    return _sum(_result(c), _new_copy(made), _unreduced(c, made))


def _dropped(c: SealCase) -> Counts:
    """The counts to add for a drop.

    mod_switch_to removes one prime at a time: CKKS copies to a temporary and back, BGV divides a copy.
    """
    total = _result(c)
    for left in range(c.limbs - 1, c.limbs - 1 - c.dropped, -1):
        there = _copied(c.polys * left) if c.scheme == "ckks" else _new_copy(c.polys * (left + 1))
        total = _sum(total, there, _copied(c.polys * left))
    return total


def _encrypted(c: SealCase) -> Counts:
    """The counts to add for an encryption.

    encrypt_zero_internal works over the larger modulus in memory filled with zeros, divides, and copies to
    other zeros. u and the errors have memory of their own. BFV reduces every sum.
    """
    lazy = _unreduced(c, 2 * c.limbs) if c.scheme == "ckks" else Counter()
    return _sum(_new_copy(2 * c.limbs), _zeros(2 * c.masked), _unpooled(c.masked), lazy)


def _encoded(c: SealCase) -> Counts:
    """The counts to add for encoding a vector.

    CKKS transforms n complex points, not n/2 (ckks.h); BatchEncoder checks and scatters.
    """
    if c.scheme == "ckks":
        return Counter(embeddings=1, reads=c.limbs + 2, writes=c.limbs + 4)
    return _sum(_copied(PASSES), Counter(reads=1, writes=1))


def _summand(c: SealCase) -> Counts:
    """The counts to add for a plain summand.

    BFV divides 128 bits for each coefficient, and adds once more for each residue
    (multiply_add_plain_with_scaling_variant). For BGV see `_raised`.
    """
    return Counter(reductions=2, additions=c.limbs) if c.scheme == "bfv" else _raised(c)


def _raised(c: SealCase) -> Counts:
    """The counts to add for a plaintext that is brought to all limbs.

    BGV copies it, then once more to an array for all limbs; BFV fills such an array with zeros.
    """
    return {"ckks": Counter(), "bgv": _sum(_copied(2), _zeros(c.limbs)), "bfv": _zeros(c.limbs)}[c.scheme]


def _corrected(c: SealCase) -> Counts:
    """The counts to add where BGV multiplies a plain summand by the ciphertext's factor, even if it is 1
    (add_plain_inplace)."""
    return Counter(constant_products=int(c.scheme == "bgv"))


def _constant(c: SealCase) -> Counts:
    """The counts to add for a scalar.

    In CKKS our worker writes its residues as bytes. These are joined, become a C++ string, and then the
    plaintext, which is checked. In BGV the scalar is one coefficient, and zeros.
    """
    k = c.limbs
    if c.scheme == "ckks":
        return Counter(additions=-k, copies=3 * k, reads=4 * k, writes=3 * k, allocations=3 * k)
    return Counter(messages=-k) if c.scheme == "bgv" else Counter()


def _shifted(c: SealCase) -> Counts:
    """The counts to add for a product with a scalar: BFV makes the product with a monomial in other memory
    (negacyclic_multiply_poly_mono_coeffmod)."""
    return _copied(2 * c.limbs if c.scheme == "bfv" else 0)


def _decrypted(c: SealCase) -> Counts:
    """The counts to add for decryption.

    decryptor.cpp checks the residues and begins with zeros. With two parts, BFV transforms a copy of c_1.
    With three, c_1 and c_2 are copied, s² is known from before, and the sum begins with zeros.
    """
    k = c.limbs
    checked = Counter(reads=c.polys * k, writes=k)
    if c.polys == 2:
        return _sum(checked, _copied(k if c.scheme == "bfv" else 0))
    return _sum(checked, _copied(2 * k), Counter(products=-k, additions=k, writes=k))


def _decoded(c: SealCase) -> Counts:
    """The counts to add for decoding.

    CKKS checks and copies the residues, puts integers together word by word (compose_array, from two limbs
    on), and transforms n complex points. BGV and BFV read no large integers; BGV divides by the factor.
    """
    k = c.limbs
    if c.scheme != "ckks":
        return _sum(Counter(reconstructions=-1, constant_products=int(c.scheme == "bgv")), _copied(PASSES))
    composed = LOOPS * k if k > 1 else -1
    return _sum(_copied(2 * k), Counter(embeddings=1, reads=k, writes=k + 2, reconstructions=composed))


def _made(c: SealCase) -> Counts:
    """The counts to add for key generation.

    Keys are written into zeros, and errors have memory of their own. The secret is copied twice, the public
    key once.
    """
    wide, rows = c.key_limbs, 1 + c.polys * c.chain
    return _sum(_zeros(2 * wide * rows), _unpooled(wide * rows), _copied(4 * wide))


_ADDED: Final[dict[str, tuple[Callable[[SealCase], Counts], ...]]] = {
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
