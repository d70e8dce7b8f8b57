"""The sizes of one operation of SEAL."""

from dataclasses import dataclass, replace
from math import prod
from typing import Final

from fheasible.libraries.block import IntegerBlock, IntegerSets, Sets
from fheasible.libraries.parameters import Parameters
from fheasible.libraries.seal.rules import MAX_PRIME_BITS

AUXILIARY_BITS: Final = 61  # SEAL_INTERNAL_MOD_BIT_COUNT: of the primes of B, m_sk and gamma
RESERVED_BITS: Final = 32  # RNSTool::initialize: for the ring's expansion factor, in B's size


def base_limbs(p: Sets, limbs: int) -> int:
    """The number of primes of BEHZ's auxiliary base B for the first `limbs` primes of Q and P
    (RNSTool::initialize). The sets of a block must agree in it.

    SEAL makes this base, and the NTT tables of B and m_sk, for every level in every scheme.
    """
    if p.scheme == "ckks" or short_plain(p):
        return limbs
    primes = p.exact[0] if isinstance(p, IntegerBlock) else p
    bits = prod((primes.q + primes.p)[:limbs]).bit_length() + p.plain_modulus.bit_length() + RESERVED_BITS
    return limbs + (bits >= AUXILIARY_BITS * (limbs + 1))


def short_plain(p: IntegerSets) -> bool:
    """Whether the plain modulus is so short that every base B has as many primes as its level."""
    return p.plain_modulus.bit_length() < 2 * AUXILIARY_BITS - MAX_PRIME_BITS - RESERVED_BITS


@dataclass(frozen=True, slots=True)
class SealCase:
    """The sizes of one operation."""

    scheme: str
    limbs: int  # of the operands, or of a fresh ciphertext
    polys: int  # of the result; for "decrypt", of the operand; for "keygen", the number of switching keys
    dropped: int  # limbs that a drop takes away
    chain: int  # limbs of Q
    special: int  # limbs of P: 1 or 0
    extended: int  # primes of B_sk: those of BEHZ's base B, and m_sk

    @staticmethod
    def of(p: Parameters, level: int, polys: int, dropped: int) -> "SealCase":
        """The sizes of an operation at this level. BFV works on the whole chain; a drop ends at the level."""
        limbs = p.limbs if p.scheme == "bfv" else level + 1 + dropped
        return SealCase(p.scheme, limbs, polys, dropped, p.limbs, len(p.p), base_limbs(p, p.limbs) + 1)

    @property
    def level(self) -> int:
        return self.limbs - 1

    @property
    def key_limbs(self) -> int:
        """The number of limbs of keys, K."""
        return self.chain + self.special

    @property
    def masked(self) -> int:
        """The limbs of the encryption of zero before it is divided: those of the next level up, if any."""
        return min(self.limbs + 1, self.key_limbs)

    @property
    def switched(self) -> bool:
        """Whether a fresh ciphertext is switched down: BGV encrypts at the top, and our worker switches."""
        return self.scheme == "bgv" and self.limbs < self.chain

    @property
    def at_top(self) -> "SealCase":
        return replace(self, limbs=self.chain)

    @property
    def from_top(self) -> "SealCase":
        """The case of the drop that brings a fresh ciphertext to its level."""
        return replace(self.at_top, polys=2, dropped=self.chain - self.limbs)

    def source_polys(self, action: str) -> int:
        """The number of polynomials of the operand."""
        return {"mul": 2, "square": 2, "relinearize": 3}.get(action, self.polys)
