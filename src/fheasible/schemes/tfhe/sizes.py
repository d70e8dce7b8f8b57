"""How many words of the torus each key and ciphertext has.

Masks are random, so that a seed of a few bytes can stand for all of them: `seeded` counts the words without
masks. A transformed polynomial has N/2 complex values, which take as many bytes as N words of 64 bits.
"""

from dataclasses import dataclass

from fheasible.schemes.tfhe.parameters import Gadget, Order, TfheParameters


@dataclass(frozen=True, slots=True)
class Words:
    """Words with all masks, and without them (`seeded`)."""

    full: int
    seeded: int

    def __mul__(self, count: int) -> "Words":
        return Words(self.full * count, self.seeded * count)


def lwe_ciphertext(dimension: int) -> Words:
    return Words(dimension + 1, 1)


def glwe_ciphertext(k: int, n: int) -> Words:
    return Words((k + 1) * n, n)


def ggsw_ciphertext(k: int, n: int, gadget: Gadget) -> Words:
    return glwe_ciphertext(k, n) * (gadget.level * (k + 1))


def bootstrap_key(p: TfheParameters) -> Words:
    """GGSW ciphertexts: one for each bit of the small key, or 2^g for each g bits."""
    count = (p.lwe_dimension // p.grouping) << p.grouping if p.grouping > 1 else p.lwe_dimension
    return ggsw_ciphertext(p.glwe_dimension, p.polynomial_size, p.pbs) * count


def switch_key(p: TfheParameters) -> Words:
    """From the large key to the small one."""
    return lwe_ciphertext(p.lwe_dimension) * (p.large_dimension * p.ks.level)


def packing_key(old: int, k: int, n: int, gadget: Gadget) -> Words:
    """From LWE ciphertexts of dimension `old` to GLWE ciphertexts."""
    return glwe_ciphertext(k, n) * (old * gadget.level)


def ciphertext(p: TfheParameters) -> Words:
    """One number as it is kept between table look-ups."""
    return lwe_ciphertext(p.large_dimension if p.order is Order.KS_PBS else p.lwe_dimension)


def secret_keys(p: TfheParameters) -> int:
    """Words of both secrets, where each bit is stored as a word."""
    return p.lwe_dimension + p.large_dimension
