"""Programmable bootstrapping [CGGI20][CJP21]: a table is rotated by the phase of a ciphertext, blindly.

With groups of g bits [ZYLZL18][JoyPai22] one external product rotates by the bits of a group: its key has an
encryption for each of the 2^g values of the group, of 1 for the true value and of 0 for the others.
"""

from math import log2

from fheasible.rings.torus.element import Torus
from fheasible.rings.torus.ring import TorusRing
from fheasible.schemes.tfhe import ggsw, glwe, lwe
from fheasible.schemes.tfhe.parameters import Errors, Gadget, ModulusSwitch

BOOTSTRAP_KEY = "bootstrap"


def bootstrap_key(
    ring: TorusRing, small: Torus, large: Torus, gadget: Gadget, distribution: Errors, grouping: int = 1
) -> Torus:
    """The transformed GGSW ciphertexts (n, ...) of the small secret's bits, or (n/g, 2^g, ...) of groups."""
    bits = small if grouping == 1 else ring.indicators(small, grouping)
    return ring.named(ring.transform(ggsw.encrypt(ring, large, bits, gadget, distribution)), BOOTSTRAP_KEY)


def exponent_bits(n: int) -> int:
    """log2(2N): a phase is switched to that many bits."""
    return int(log2(n)) + 1


def blind_rotate(ring: TorusRing, table: Torus, exponents: Torus, key: Torus, gadget: Gadget) -> Torus:
    """A GLWE ciphertext of X^-phase times the table."""
    dimension = key.shape[0]
    turned = ring.rotate(table, ring.part(exponents, dimension), inverse=True)

    def step(i: int, c: Torus) -> Torus:
        rotated = ring.rotate(c, ring.part(exponents, i))
        return ggsw.cmux(ring, ring.part(key, i), c, rotated, gadget)

    return ring.repeat(dimension, turned, step)


def blind_rotate_groups(ring: TorusRing, table: Torus, c: Torus, key: Torus, gadget: Gadget) -> Torus:
    """The same from the ciphertext itself: sums of its mask's numbers are switched, not the numbers."""
    groups, values = key.shape[:2]
    bits, size = exponent_bits(table.shape[-1]), int(log2(values))
    n = groups * size
    turned = ring.rotate(table, ring.exponents(ring.part(c, n), bits), inverse=True)

    def step(i: int, rotated: Torus) -> Torus:
        sums = subset_sums(ring, ring.slice(c, i * size, (i + 1) * size))
        monomials = ring.monomial_sum(ring.part(key, i), ring.exponents(sums, bits))
        return ggsw.external_product(ring, monomials, rotated, gadget)

    return ring.repeat(groups, turned, step)


def subset_sums(ring: TorusRing, words: Torus) -> Torus:
    """The sums of all sets of words but the empty one: entry v - 1 sums the words i with bit i of v set."""
    sums = [ring.slice(words, 0, 1)]
    for i in range(1, words.shape[0]):
        new = ring.slice(words, i, i + 1)
        sums += [new, *(ring.add(old, new) for old in sums)]
    return ring.join(tuple(sums), -1)


def bootstrap(
    ring: TorusRing, c: Torus, table: Torus, key: Torus, gadget: Gadget, how: ModulusSwitch
) -> Torus:
    """An LWE ciphertext under the large secret: the table's entry at the phase of c, with fresh noise."""
    if len(key.shape) > 5:
        return glwe.sample_extract(ring, blind_rotate_groups(ring, table, c, key, gadget))
    exponents = lwe.modulus_switch(ring, c, exponent_bits(table.shape[-1]), how)
    return glwe.sample_extract(ring, blind_rotate(ring, table, exponents, key, gadget))
