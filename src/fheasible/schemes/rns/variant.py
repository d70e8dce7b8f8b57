"""Which of the published algorithms an operation runs: the differences of the libraries, as small choices.

A variant changes what is counted and how noise is rounded, never what a ciphertext decrypts to.
"""

from dataclasses import dataclass
from enum import StrEnum

from fheasible.errors import InfeasibleParameters
from fheasible.rings.rns.element import Conversion, Domain
from fheasible.rings.rns.modulus import NEAREST, Rounding


class KeySwitching(StrEnum):
    """How the digits of a polynomial are multiplied with the key.

    HYBRID  digits of several limbs, keys over QP, the product divided by P [HanKi19]
    BV      digits of one limb or of some of its bits, keys over Q [BraVai11]
    """

    HYBRID = "hybrid"
    BV = "bv"


class Automorphism(StrEnum):
    """Where a rotation applies X -> X^k: to the operand, to the key switching's result, or between.

    FIRST     to both parts; then keys are switched
    EXTENDED  to the inner products over QP, after P·c_0 was added; then they are divided by P
    LAST      to both parts of the result
    """

    FIRST = "first"
    EXTENDED = "extended"
    LAST = "last"


class Multiplication(StrEnum):
    """How BFV divides the tensor product by Q/t.

    BEHZ                Montgomery, floor and Shenoy-Kumaresan conversions [BEHZ16]
    HPS                 both factors in QR, the product times t/Q in floating point [HPS19]
    HPS_OVER_Q          the second factor times R/Q, the product times t/R [KPZ21]
    HPS_OVER_Q_LEVELED  the same over fewer limbs, `multiplication_limbs` of Q [KPZ21]
    DIVIDE_FIRST        both factors in QR, the product divided by Q, brought back to Q, times t [Lattigo]
    """

    BEHZ = "behz"
    HPS = "hps"
    HPS_OVER_Q = "hps_over_q"
    HPS_OVER_Q_LEVELED = "hps_over_q_leveled"
    DIVIDE_FIRST = "divide_first"


class Mask(StrEnum):
    """The modulus that the encryption of zero is made over, and divided down from, before a message is added.

    CHAIN    the ciphertext's own: nothing is divided
    NEXT     that times the next prime of the chain (at the top: times P)
    FIRST    that times the first special prime
    SPECIAL  that times P
    """

    CHAIN = "chain"
    NEXT = "next"
    FIRST = "first"
    SPECIAL = "special"


class ScalarForm(StrEnum):
    """What a scalar operand becomes.

    NUMBER       an integer, added to or multiplied with the stored residues
    FILLED       a constant polynomial in NTT domain: every residue of a limb the same, no transform
    TRANSFORMED  a constant polynomial in coefficients, transformed like any other
    ENCODED      a vector with the number in every slot, encoded like any other
    """

    NUMBER = "number"
    FILLED = "filled"
    TRANSFORMED = "transformed"
    ENCODED = "encoded"


class Message(StrEnum):
    """Where the message of BGV and BFV lies: what c_0 + c_1·s is modulo Q.

    LOW      m + t·e (BGV)
    HIGH     m/t + e, that is (m + t·e)/t: BGV where nothing is multiplied by t before a product; also BFV
    ROUNDED  the integer nearest to Q·m/t, + e (BFV); HIGH is this with -m/Q modulo t in place of m
    """

    LOW = "low"
    HIGH = "high"
    ROUNDED = "rounded"


@dataclass(frozen=True, slots=True)
class Variant:
    """The choices; by default key switching is hybrid with digits of one limb, and all is in NTT domain."""

    # key switching
    key_switching: KeySwitching = KeySwitching.HYBRID
    limbs_per_digit: int = 1  # the last digit may have fewer
    digit_bits: int = 0  # BV: bits of a limb per digit; 0 takes whole limbs
    limb_bits: tuple[int, ...] = ()  # bit lengths of the chain's primes, to count `digit_bits`
    lazy: bool = True  # inner products with the key are reduced once, at the end
    reuse_ntt: bool = True  # a digit's own limbs are taken from the operand's NTT form
    copy_own: bool = False  # with `reuse_ntt`: those limbs are copied
    mod_up: Conversion = Conversion.FAST  # a digit's conversion; for one limb FAST: [0, q), EXACT: around 0
    mod_down: Rounding = NEAREST  # division by P, after a key switch or an encryption of zero
    automorphism: Automorphism = Automorphism.LAST
    hoisting: bool = True  # rotations of one operand share its digits
    rotation_limbs: int | None = None  # BFV: limbs of Q that a rotation scales c_1 down to, if at all

    # encryption and decryption
    mask: Mask = Mask.CHAIN
    mask_domain: Domain = Domain.NTT  # for adding errors to an encryption of zero, and dividing it
    detour: bool = False  # fresh ciphertexts go to the other domain and back
    top_first: bool = False  # to encrypt below the top, encrypt at the top and drop
    scaled_errors: bool = False  # errors are always multiplied: by 1 if not by t
    spare_power: bool = False  # decryption computes one more power of s than it needs
    decode_switched: bool = False  # BGV: the phase is switched down to one limb before it is reduced modulo t

    # plaintexts
    message: Message | None = None  # None: LOW in BGV, ROUNDED in BFV
    plaintext: Domain = Domain.COEFFICIENT  # where encoding leaves an integer vector
    centred: bool = True  # coefficients of an integer vector lie around 0, otherwise in [0, t)
    truncated_numbers: bool = False  # rounding a real number's multiple adds 1/2 and drops the fraction
    centred_number: bool = True  # an integer factor, not a vector, lies around 0, otherwise in [0, t)
    scalar_sum: ScalarForm = ScalarForm.NUMBER
    scalar_product: ScalarForm = ScalarForm.NUMBER

    # ciphertexts
    rest: Domain = Domain.NTT  # the domain of ciphertexts at rest in memory
    product: Domain | None = None  # that of a product before relinearization; None: as `rest`
    square_products: int = 3  # 3: c_0^2, 2 c_0 c_1, c_1^2; 4: as for two different operands
    montgomery: bool = False  # one factor of each product is first brought into Montgomery form
    rescale: Rounding = NEAREST  # division by the last prime of the chain
    through_plain: bool = False  # divisions that keep a LOW message pass through the limb t, see `Rounding`
    drop_switches: bool = True  # BGV: dropping levels divides the noise, otherwise limbs are left out
    multiplication: Multiplication = Multiplication.HPS  # BFV
    multiplication_limbs: int | None = None  # limbs of Q that HPS_OVER_Q_LEVELED keeps; None: all
    copies: tuple[tuple[str, int], ...] = ()  # (action, polynomials of its operand's basis it also copies)

    def __post_init__(self) -> None:
        if self.limbs_per_digit < 1:
            raise InfeasibleParameters(
                f"digits cannot have {self.limbs_per_digit} limbs", "take one limb or more"
            )
        if self.square_products not in (3, 4):
            raise InfeasibleParameters(f"a square cannot take {self.square_products} products", "take 3 or 4")
        bv = self.key_switching is KeySwitching.BV
        if self.digit_bits and not bv:
            raise InfeasibleParameters("hybrid key switching has no digits of single bits", "take BV")
        if bv and self.limbs_per_digit > 1:
            raise InfeasibleParameters(
                f"BV digits cannot have {self.limbs_per_digit} limbs", "take hybrid key switching"
            )
        if bv and self.automorphism is Automorphism.EXTENDED:
            raise InfeasibleParameters("BV has no QP to permute in", "take the automorphism first or last")

    def whole(self, number: float) -> int:
        """The integer that a multiple of a real number becomes.

        It is the nearest; with `truncated_numbers` a negative one is up to a unit nearer to 0.
        """
        return int(number + 0.5) if self.truncated_numbers else round(number)

    @property
    def signed_numbers(self) -> bool:
        """Whether a negative integer multiplies noise by its absolute value, not by its residue in [0, t)."""
        encoded = self.scalar_product in (ScalarForm.ENCODED, ScalarForm.TRANSFORMED)
        return self.centred if encoded else self.centred_number

    @property
    def product_domain(self) -> Domain:
        return self.product or self.rest

    def copied(self, action: str) -> int:
        """The number of polynomials that `action` copies in addition to what its algorithm writes."""
        return sum(polys for name, polys in self.copies if name == action)
