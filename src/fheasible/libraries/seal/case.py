"""The sizes of one operation of SEAL."""

from dataclasses import dataclass, replace


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
