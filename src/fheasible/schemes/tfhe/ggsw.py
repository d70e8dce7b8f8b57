"""GGSW ciphertexts and the external product [CGGI20].

A ciphertext has level·(k + 1) rows, each a GLWE ciphertext: row (j, i) is an encryption of zero with
message·2^64/B^(j + 1) added to its column i.
"""

from fheasible.rings.torus.element import Torus
from fheasible.rings.torus.ring import TorusRing
from fheasible.schemes.tfhe import glwe
from fheasible.schemes.tfhe.lwe import weights
from fheasible.schemes.tfhe.parameters import Errors, Gadget


def encrypt(ring: TorusRing, secret: Torus, bits: Torus, gadget: Gadget, distribution: Errors) -> Torus:
    """Ciphertexts (..., level, k + 1, k + 1, N) of bits (...)."""
    k, n = secret.shape
    zeros = ring.zero((*bits.shape, gadget.level, k + 1, n))
    return ring.add(
        glwe.encrypt(ring, secret, zeros, distribution), ring.outer(bits, _identity(ring, gadget, k, n))
    )


def _identity(ring: TorusRing, gadget: Gadget, k: int, n: int) -> Torus:
    """The rows of a ciphertext of 1 without masks and errors: (level, k + 1, k + 1, N)."""
    level = gadget.level
    entry = ring.reshape(glwe.constants(ring, weights(ring, gadget), n), (level, 1, 1, n))

    def row(i: int) -> Torus:
        around = [ring.zero((level, 1, width, n)) for width in (i, k - i)]
        return ring.join((around[0], entry, around[1]), -2)

    return ring.join(tuple(row(i) for i in range(k + 1)), -3)


def external_product(ring: TorusRing, ciphertext: Torus, c: Torus, gadget: Gadget) -> Torus:
    """A GLWE ciphertext of the product of both messages; `ciphertext` is a transformed GGSW ciphertext."""
    level, rows, columns, n = ciphertext.shape
    digits = ring.decompose(c, gadget.base_log, gadget.level)
    matrix = ring.reshape(ciphertext, (level * rows, columns, n))
    transformed = ring.transform(ring.reshape(digits, (level * rows, n)))
    return ring.back(ring.products(transformed, matrix))


def cmux(ring: TorusRing, bit: Torus, zero: Torus, one: Torus, gadget: Gadget) -> Torus:
    """`one` where the bit is 1, `zero` where it is 0."""
    return ring.add(zero, external_product(ring, bit, ring.subtract(one, zero), gadget))
