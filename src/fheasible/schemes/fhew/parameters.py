"""FHEW's parameters [DucMic15], with the bootstraps AP, GINX [CGGI20] and LMKCDEY [LMKCDEY23]."""

from dataclasses import dataclass
from math import ceil, log, log2
from typing import Final

from fheasible.aliases import Json

METHODS: Final = ("ginx", "ap", "lmkcdey")
SIGMA: Final = 3.19  # the standard deviation of all errors, each in units of its own modulus


@dataclass(frozen=True, slots=True)
class FhewSet:
    """A set: LWE of dimension n modulo q, key switching modulo `q_ks`, a ring of dimension `ring` modulo Q.

    `gadget` is how many of the n steps use each base; `refresh` the base of the keys of AP; `automorphisms`
    the number of keys of LMKCDEY. `methods` are the bootstraps that it was made for. `log_q`: log2 of the
    modulus of what functions are evaluated on; None for gates.
    """

    name: str
    n: int
    ring: int
    q: int
    ring_modulus: int
    q_ks: int
    base_ks: int
    refresh: int
    automorphisms: int
    gadget: tuple[tuple[int, int], ...]
    methods: tuple[str, ...]
    log_q: int | None = None
    arbitrary: bool = False

    @property
    def word(self) -> int:
        """The bytes of a residue: keys are kept in 32 bits where Q has no more than 31."""
        return 4 if self.ring_modulus.bit_length() < 32 else 8

    def levels(self, base: int) -> int:
        """The digits of a number modulo Q in this base; the lowest digit is left out."""
        return ceil(log(self.ring_modulus) / log(base)) - 1

    def rows(self, base: int) -> int:
        """The rows of a key for this base: one for each digit of both polynomials."""
        return 2 * self.levels(base)

    @property
    def switch_digits(self) -> int:
        """The digits of key switching."""
        return ceil(log(self.q_ks) / log(self.base_ks) - 1e-12)

    @property
    def switch_entries(self) -> int:
        """The entries of the key-switching key for one coefficient: every digit but 0."""
        of, total = self.base_ks, 0
        for digit in range(self.switch_digits):
            total += min(of - 1, (self.q_ks - 1) // of**digit)
        return total

    @property
    def refresh_digits(self) -> int:
        """The digits of a number modulo q in the base of AP's keys."""
        return ceil(log(self.q) / log(self.refresh) - 1e-12)


@dataclass(frozen=True, slots=True, kw_only=True)
class FhewParameters:
    """A set with the bootstrap that it is used with, one of `METHODS`, and what its ciphertexts hold: an
    integer in [0, message_modulus * carry_modulus), below one bit of padding.

    All secrets are ternary. The ring's secret is one polynomial.
    """

    set: FhewSet
    method: str
    message_modulus: int
    carry_modulus: int

    @property
    def lwe_dimension(self) -> int:
        return self.set.n

    @property
    def glwe_dimension(self) -> int:
        return 1

    @property
    def polynomial_size(self) -> int:
        return self.set.ring

    @property
    def large_dimension(self) -> int:
        """The dimension of the LWE ciphertexts that are extracted from the ring's."""
        return self.set.ring

    @property
    def plaintext_modulus(self) -> int:
        """How many values a ciphertext can hold."""
        return self.message_modulus * self.carry_modulus

    @property
    def precision(self) -> float:
        """log2 of how many values a ciphertext can hold; the bit of padding is not counted."""
        return log2(self.plaintext_modulus)

    @property
    def torus_bits(self) -> int:
        """The bits of the largest modulus, Q."""
        return self.set.ring_modulus.bit_length()

    def to_json(self) -> Json:
        """As the store keeps it."""
        of = self.set
        return {
            "set": of.name,
            "method": self.method,
            "lwe_dimension": of.n,
            "glwe_dimension": 1,
            "polynomial_size": of.ring,
            "lwe_modulus": of.q,
            "ring_modulus": str(of.ring_modulus),
            "switch_modulus": of.q_ks,
            "switch_base": of.base_ks,
            "refresh_base": of.refresh,
            "automorphisms": of.automorphisms,
            "gadget": [list(part) for part in of.gadget],
            "function_bits": of.log_q,
            "message_modulus": self.message_modulus,
            "carry_modulus": self.carry_modulus,
        }
