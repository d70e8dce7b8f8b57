"""TFHE with one set of parameters: keys, encryption, table look-ups and decryption of small integers."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fheasible.rings.torus.element import Domain, Torus
from fheasible.rings.torus.fourier import Words
from fheasible.rings.torus.ring import TorusRing
from fheasible.schemes.tfhe import bootstrap, glwe, lwe
from fheasible.schemes.tfhe.lwe import WORD_BITS
from fheasible.schemes.tfhe.parameters import Order, TfheParameters


@dataclass(frozen=True, slots=True)
class Secrets:
    """The bits (n,) of the small key, and the polynomials (k, N) of the large one."""

    small: Torus
    large: Torus


@dataclass(frozen=True, slots=True)
class EvaluationKeys:
    """What a table look-up needs."""

    bootstrap: Torus
    switch: Torus


class Tfhe:
    """The scheme over a ring that counts or computes."""

    def __init__(self, ring: TorusRing, parameters: TfheParameters) -> None:
        self.ring, self.parameters = ring, parameters

    def secrets(self) -> Secrets:
        p = self.parameters
        return Secrets(
            self.ring.binary((p.lwe_dimension,)), self.ring.binary((p.glwe_dimension, p.polynomial_size))
        )

    def keys(self, secrets: Secrets) -> EvaluationKeys:
        ring, p = self.ring, self.parameters
        flat = glwe.as_lwe_secret(ring, secrets.large)
        return EvaluationKeys(
            bootstrap.bootstrap_key(ring, secrets.small, secrets.large, p.pbs, p.glwe_errors, p.grouping),
            lwe.switch_key(ring, flat, secrets.small, p.ks, p.lwe_errors),
        )

    def secret(self, secrets: Secrets) -> Torus:
        """The key of ciphertexts between table look-ups."""
        if self.parameters.order is Order.KS_PBS:
            return glwe.as_lwe_secret(self.ring, secrets.large)
        return secrets.small

    def encrypt(self, secrets: Secrets, messages: Torus) -> Torus:
        """Ciphertexts of words, which `encoded` makes of small integers."""
        p = self.parameters
        errors = p.glwe_errors if p.order is Order.KS_PBS else p.lwe_errors
        return lwe.encrypt(self.ring, self.secret(secrets), messages, errors)

    @property
    def dimension(self) -> int:
        """Of ciphertexts between table look-ups."""
        p = self.parameters
        return p.large_dimension if p.order is Order.KS_PBS else p.lwe_dimension

    def phase(self, secrets: Secrets, c: Torus) -> Torus:
        """message + error, of shape (1,)."""
        return lwe.phase(self.ring, self.secret(secrets), c)

    def lookup(self, keys: EvaluationKeys, c: Torus, table: Torus) -> Torus:
        """The ciphertext of the table's entry at the message of c, with fresh noise."""
        ring, p = self.ring, self.parameters
        if p.order is Order.KS_PBS:
            return self.bootstrap(keys, lwe.key_switch(ring, c, keys.switch, p.ks), table)
        return lwe.key_switch(ring, self.bootstrap(keys, c, table), keys.switch, p.ks)

    def bootstrap(self, keys: EvaluationKeys, c: Torus, table: Torus) -> Torus:
        """The same from the small key to the large one, without a key switch."""
        p = self.parameters
        return bootstrap.bootstrap(self.ring, c, table, keys.bootstrap, p.pbs, p.modulus_switch)

    def table(self, entries: Sequence[int]) -> Torus:
        """The GLWE ciphertext (0, ..., 0, T) of a table with an entry for each message: box i of N/p
        coefficients has entry i. It begins half a box early, for errors of half a box either way."""
        p = self.parameters
        box = p.polynomial_size // p.plaintext_modulus
        words = [word for entry in entries for word in [self.encoded(entry)] * box]
        polynomial = self.ring.given((p.polynomial_size,), Domain.WORDS, words)
        return self.ring.rotate(glwe.trivial(self.ring, polynomial, p.glwe_dimension), box // 2, inverse=True)

    def encoded(self, message: int) -> int:
        """The word of a message in [0, p), below one bit of padding."""
        return message * self.step % (1 << WORD_BITS)

    def decoded(self, phases: Words) -> NDArray[np.int64]:
        """The messages in [0, 2p) that are nearest to phases; below p where the bit of padding is 0."""
        rounded = phases + np.uint64(self.step // 2)
        return (rounded // np.uint64(self.step)).astype(np.int64)

    @property
    def step(self) -> int:
        """The distance between the words of two neighbouring messages."""
        return (1 << (WORD_BITS - 1)) // self.parameters.plaintext_modulus
