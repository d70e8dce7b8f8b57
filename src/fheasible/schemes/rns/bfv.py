"""BFV: exact slots modulo t, in the high part of the modulus, at one level [FanVer12], [BEHZ16], [HPS19].

c_0 + c_1·s = round(Q·m/t) + e modulo Q, or (f·m)/t + e (`Message.HIGH`) for the factor f of the ciphertext.
"""

from dataclasses import replace
from typing import ClassVar

from fheasible.errors import RingMismatch, UnsupportedOperation
from fheasible.rings.rns.element import Domain, Poly
from fheasible.rings.rns.modulus import in_domain
from fheasible.schemes.rns import multiply_behz, multiply_hps
from fheasible.schemes.rns.arithmetic import Parts
from fheasible.schemes.rns.auxiliary import plain_limb
from fheasible.schemes.rns.ciphertext import Ciphertext, RnsKeys
from fheasible.schemes.rns.integers import IntegerScheme
from fheasible.schemes.rns.key_switch import decompose, switch
from fheasible.schemes.rns.rotation import Name, exponent
from fheasible.schemes.rns.scheme import found, pair
from fheasible.schemes.rns.variant import Message, Multiplication

_PRODUCTS = {
    Multiplication.BEHZ: multiply_behz.multiply,
    Multiplication.HPS: multiply_hps.hps,
    Multiplication.HPS_OVER_Q: multiply_hps.hps_over_q,
    Multiplication.HPS_OVER_Q_LEVELED: multiply_hps.hps_over_q,
    Multiplication.DIVIDE_FIRST: multiply_hps.divide_first,
}


class BFV(IntegerScheme):
    name: ClassVar[str] = "bfv"
    usual = Message.ROUNDED

    def _tensor(self, xs: Parts, ys: Parts) -> Parts:
        return _PRODUCTS[self.variant.multiplication](self.ring, xs, ys, self.t, self.variant)

    def _product_of(self, f: int, g: int) -> int:
        """-f·g/Q where messages lie HIGH (see `Message`), otherwise 1."""
        modulus = self.ring.product(self.ring.q)
        if self.message is Message.ROUNDED or modulus is None:
            return 1
        return -f * g * pow(modulus, -1, self.t) % self.t

    def _message_of(self, phase: Poly, factor: int) -> tuple[Poly, int]:
        if self.message is not Message.ROUNDED:
            return super()._message_of(phase, factor)
        if self.variant.multiplication is Multiplication.BEHZ:
            return multiply_behz.scaled_to_plain(self.ring, phase, self.t), factor
        plain = plain_limb(self.ring)
        return self.ring.scale_round(phase, self.t, phase.basis, plain), factor

    def _divided(self, x: Ciphertext) -> Ciphertext:
        raise UnsupportedOperation("BFV has no levels to rescale to", "leave the modulus as it is")

    def drop(self, x: Ciphertext, level: int) -> Ciphertext:
        """x itself, since BFV has only one level. RingMismatch for any other level."""
        if level != x.level:
            raise RingMismatch(f"drop: BFV stays at level {x.level}, not {level}", "leave the level as it is")
        return x

    def _turned(self, keys: RnsKeys, x: Ciphertext, name: Name) -> Ciphertext:
        """x rotated.

        Where the variant says so, c_1 is scaled down to fewer limbs, and the key switch's result up again.
        """
        if self.variant.rotation_limbs is None:
            return super()._turned(keys, x, name)
        return self._turned_again(keys, x, self.digits(x), name)

    def digits(self, x: Ciphertext) -> Parts:
        """The digits of c_1; where the variant says so, those of c_1 scaled down to fewer limbs."""
        limbs, second = self.variant.rotation_limbs, pair(x)[1]
        if limbs is None:
            return super().digits(x)
        small = in_domain(self.ring, self._scaled_down(second, limbs), second.domain)
        return decompose(self.ring, small, self.variant)

    def _turned_again(self, keys: RnsKeys, x: Ciphertext, digits: Parts, name: Name) -> Ciphertext:
        if self.variant.rotation_limbs is None:
            return super()._turned_again(keys, x, digits, name)
        ring, (first, second) = self.ring, pair(x)
        key = found(keys.rotations.get(name), f"rotation by {name}")
        k0, k1 = (self._scaled_up(k) for k in switch(ring, digits, second, key, self.variant))
        e = exponent(ring, name)
        return replace(x, parts=(ring.automorphism(ring.add(first, k0), e), ring.automorphism(k1, e)))

    def _scaled_down(self, x: Poly, limbs: int) -> Poly:
        """round(Q_l/Q·x); where no limb is removed, x is still multiplied by 1."""
        coefficients = in_domain(self.ring, x, Domain.COEFFICIENT)
        if limbs == len(x.basis):
            return self.ring.scale(coefficients, 1)
        return multiply_hps.narrowed(self.ring, coefficients, x.basis[:limbs])

    def _scaled_up(self, x: Poly) -> Poly:
        if len(x.basis) == len(self.ring.q):
            return self.ring.scale(x, 1)
        return multiply_hps.widened(self.ring, x)
