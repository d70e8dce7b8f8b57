"""How one bootstrap is done: all that its algorithm, its cost and its noise need, whatever the library.

A ciphertext at level 0 holds S·m modulo q_0. Read modulo the whole of Q, it holds S·m + q_0·I for small
integers I. *Coefficients to slots* brings them to the slots, a polynomial close to the remainder modulo q_0
takes q_0·I away, and *slots to coefficients* brings them back [CHKKS18].
"""

from dataclasses import dataclass
from enum import StrEnum


class Wave(StrEnum):
    """The function that stands for the remainder modulo q_0, near whose zeros it is linear.

    COSINE  cos(2π(x - 1/4)/2^r) near the integers alone, then r double angles [HanKi19]
    SERIES  the same function by a Chebyshev series on the whole interval [BMTH21]
    SINE    sin(2πx) by a Chebyshev series, without double angles [CCS19]
    """

    COSINE = "cosine"
    SERIES = "series"
    SINE = "sine"


@dataclass(frozen=True, slots=True)
class Reduction:
    """The approximate modular reduction."""

    bound: int  # it holds for |I| < bound
    degree: int  # of the wave's polynomial
    doublings: int = 0  # how often an angle is doubled
    inverse_degree: int = 0  # of the arcsine's polynomial; 0: none
    wave: Wave = Wave.SERIES


@dataclass(frozen=True, slots=True)
class Table:
    """A table of 2^bits entries, which is looked up while a value is bootstrapped [AKP25].

    `order` is how many derivatives of the trigonometric interpolation are zero at the entries, so that the
    operand's noise adds little to the result.
    """

    bits: int
    order: int = 1

    @property
    def entries(self) -> int:
        return 1 << self.bits

    @property
    def boolean(self) -> bool:
        """Whether a squared cosine is enough, since there are two entries."""
        return self.bits == 1 and self.order == 1

    @property
    def divisor(self) -> int:
        """What entries are divided by as long as they are in slots, so that they are about 1."""
        return 1 if self.boolean else max(1, self.entries // 4)


@dataclass(frozen=True, slots=True)
class Procedure:
    """A bootstrap of `slots` slots, that many of them repeated over all of the ring's N/2.

    The homomorphic DFT of log2(slots) stages is done in factors of some stages each, the first applied first.
    Each factor takes one level, but for those that share a prime.
    """

    slots: int
    encode: tuple[int, ...]  # coefficients to slots
    decode: tuple[int, ...]  # slots to coefficients
    reduction: Reduction
    message_bits: int  # log2 of q_0 over S times the largest value
    ephemeral: int | None = (
        None  # weight of the secret in which the modulus is raised [BTH22]; None: the main one
    )
    iterations: int = 1  # each after the first bootstraps the error of the one before it [BCCKY22]
    iteration_bits: int = 0  # precision that the first is believed to have
    encode_shared: tuple[
        int, ...
    ] = ()  # how many factors share each prime, the first used first; (): one each
    decode_shared: tuple[int, ...] = ()
    table: Table | None = None  # looked up in the place of the modular reduction; None: the message itself
