"""The packing key switch [CGGI20]: many LWE ciphertexts become the coefficients of one GLWE ciphertext."""

from fheasible.rings.torus.element import Torus
from fheasible.rings.torus.ring import TorusRing
from fheasible.schemes.tfhe import glwe
from fheasible.schemes.tfhe.lwe import weights
from fheasible.schemes.tfhe.parameters import Errors, Gadget

PACKING_KEY = "packing"


def packing_key(ring: TorusRing, old: Torus, new: Torus, gadget: Gadget, distribution: Errors) -> Torus:
    """GLWE encryptions (level, m, k + 1, N) of the old secret's bits, times each digit's weight."""
    words = ring.swapped(ring.outer(old, weights(ring, gadget)))
    messages = glwe.constants(ring, words, new.shape[1])
    return ring.named(glwe.encrypt(ring, new, messages, distribution), PACKING_KEY)


def pack(ring: TorusRing, ciphertexts: Torus, key: Torus, gadget: Gadget) -> Torus:
    """The GLWE ciphertext (k + 1, N) whose coefficient i is the message of ciphertexts[i] (m + 1)."""

    def step(i: int, packed: Torus) -> Torus:
        return ring.add(packed, ring.rotate(switched(ring, ring.part(ciphertexts, i), key, gadget), i))

    return ring.repeat(ciphertexts.shape[0], ring.zero(key.shape[2:]), step)


def switched(ring: TorusRing, c: Torus, key: Torus, gadget: Gadget) -> Torus:
    """One LWE ciphertext as the constant coefficient of a GLWE ciphertext."""
    level, m, width, n = key.shape
    digits = ring.decompose(ring.slice(c, 0, m), gadget.base_log, gadget.level)
    rows = ring.reshape(key, (level * m, width * n))
    mask = ring.reshape(ring.weighted_sum(ring.reshape(digits, (level * m,)), rows), (width, n))
    constant = glwe.constants(ring, ring.part(c, m), n)
    return ring.subtract(glwe.trivial(ring, constant, width - 1), mask)
