"""The sizes of one operation of SEAL."""

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Case:
    """The sizes of one operation."""

    scheme: str
    limbs: int  # of the operands; of a fresh ciphertext
    polys: int  # of the result; of "decrypt", the operand's; of "keygen", how many switching keys
    dropped: int  # limbs that a drop takes away
    chain: int  # limbs of Q
    special: int  # limbs of P: one, or none
    extended: int  # |B_sk|: BEHZ's base B, and m_sk

    @property
    def level(self) -> int:
        return self.limbs - 1

    @property
    def key_limbs(self) -> int:
        """K, of keys."""
        return self.chain + self.special

    @property
    def masked(self) -> int:
        """Of the encryption of zero, before it is divided down: the previous level's."""
        return min(self.limbs + 1, self.key_limbs)

    @property
    def switched(self) -> bool:
        """A fresh ciphertext below the top: BGV encrypts at the top, and our worker switches it."""
        return self.scheme == "bgv" and self.limbs < self.chain

    @property
    def at_top(self) -> "Case":
        return replace(self, limbs=self.chain)

    @property
    def from_top(self) -> "Case":
        """The drop of a fresh ciphertext to its level."""
        return replace(self.at_top, polys=2, dropped=self.chain - self.limbs)

    def source_polys(self, action: str) -> int:
        """Of the operand."""
        return {"mul": 2, "square": 2, "relinearize": 3}.get(action, self.polys)
