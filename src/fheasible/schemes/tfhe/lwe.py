"""LWE ciphertexts over the torus [CGGI20]: (a_1, ..., a_n, b) with b = <a, s> + message + error.

The last number is the body b. Axes before the last stand for several ciphertexts.
"""

from fheasible.rings.torus.element import Domain, Torus
from fheasible.rings.torus.ring import TorusRing
from fheasible.schemes.tfhe.parameters import Errors, Gadget, Gaussian, ModulusSwitch

SWITCH_KEY = "switch"
WORD_BITS = 64  # numbers of fewer bits are the highest bits of a word


def errors(ring: TorusRing, shape: tuple[int, ...], distribution: Errors) -> Torus:
    """Words near 0 with this distribution."""
    if isinstance(distribution, Gaussian):
        return ring.gaussian(shape, distribution.std)
    return ring.tuniform(shape, distribution.bound + WORD_BITS - distribution.torus_bits)


def encrypt(ring: TorusRing, secret: Torus, messages: Torus, distribution: Errors) -> Torus:
    """Ciphertexts (..., n + 1) of words (...)."""
    n, count = secret.shape[0], messages.shape
    mask = ring.uniform((*count, n))
    body = ring.add(_product(ring, secret, mask), ring.reshape(messages, (*count, 1)))
    body = ring.add(body, errors(ring, (*count, 1), distribution))
    return ring.join((mask, body), -1)


def _product(ring: TorusRing, secret: Torus, mask: Torus) -> Torus:
    """<a, s>, of shape (..., 1)."""
    return ring.weighted_sum(secret, ring.reshape(mask, (*mask.shape, 1)))


def phase(ring: TorusRing, secret: Torus, c: Torus) -> Torus:
    """message + error of one ciphertext, of shape (1,)."""
    n = secret.shape[0]
    return ring.subtract(ring.slice(c, n, n + 1), _product(ring, secret, ring.slice(c, 0, n)))


def weights(ring: TorusRing, gadget: Gadget) -> Torus:
    """The word that each digit of a decomposition stands for: 2^64/B, 2^64/B^2, ..."""
    values = [1 << (WORD_BITS - gadget.base_log * (j + 1)) for j in range(gadget.level)]
    return ring.given((gadget.level,), Domain.WORDS, values)


def switch_key(ring: TorusRing, old: Torus, new: Torus, gadget: Gadget, distribution: Errors) -> Torus:
    """Encryptions (level, m, n + 1) under the new secret of the old one's bits, times each digit's weight."""
    words = ring.swapped(ring.outer(old, weights(ring, gadget)))
    return ring.named(encrypt(ring, new, words, distribution), SWITCH_KEY)


def key_switch(ring: TorusRing, c: Torus, key: Torus, gadget: Gadget) -> Torus:
    """(0, b) less the digits of the mask times the key: c under the key's secret."""
    level, m, width = key.shape
    digits = ring.decompose(ring.slice(c, 0, m), gadget.base_log, gadget.level)
    mask = ring.weighted_sum(ring.reshape(digits, (level * m,)), ring.reshape(key, (level * m, width)))
    body = ring.join((ring.zero((width - 1,)), ring.slice(c, m, m + 1)), -1)
    return ring.subtract(body, mask)


def modulus_switch(ring: TorusRing, c: Torus, bits: int, how: ModulusSwitch) -> Torus:
    """c as numbers modulo 2^bits."""
    return ring.exponents(centered(ring, c, bits) if how is ModulusSwitch.CENTERED else c, bits)


def centered(ring: TorusRing, c: Torus, bits: int) -> Torus:
    """c with half the sum of the mask's errors of rounding added to its body: what they take from the phase,
    on average over binary secrets. Half a step is taken from the body, because the entries of a table's box
    are read at the integers -h, ..., h - 1 around its middle (TFHE-rs 1.8.2, `modulus_switch.rs`)."""
    n = c.shape[0] - 1
    mask = ring.slice(c, 0, n)
    mean = ring.half_sum(ring.subtract(ring.nearest(mask, bits), mask))
    body = ring.offset(ring.add(ring.part(c, n), mean), -(1 << (WORD_BITS - bits - 1)))
    return ring.join((mask, ring.reshape(body, (1,))), -1)
