"""BGV: exact slots modulo t; switching to a smaller modulus divides the noise [BGV12], [KPZ21].

c_0 + c_1·s = f·m + t·e modulo Q for the factor f of the ciphertext. Every division by a prime q also divides
f by q. With `Message.HIGH`, c_0 + c_1·s is (f·m + t·e)/t instead.
"""

from dataclasses import replace
from typing import ClassVar

from fheasible.rings.rns.element import Poly
from fheasible.rings.rns.modulus import rescale
from fheasible.schemes.rns.ciphertext import Ciphertext
from fheasible.schemes.rns.integers import IntegerScheme
from fheasible.schemes.rns.key_switch import keeping
from fheasible.schemes.rns.variant import Message


class BGV(IntegerScheme):
    name: ClassVar[str] = "bgv"
    usual = Message.LOW

    @property
    def product_factor(self) -> int | None:
        """t where messages lie HIGH: the product of (m + t·e)/t and (m' + t·e')/t lacks one factor t."""
        return self.t if self.message is Message.HIGH else super().product_factor

    def _product_of(self, f: int, g: int) -> int:
        return f * g % self.t if self.t > 1 else 1

    def _divided(self, x: Ciphertext) -> Ciphertext:
        parts = tuple(self._switched(part) for part in x.parts)
        return replace(x, parts=parts, factor=self._after(x.factor, x.parts[0]))

    def _switched(self, x: Poly) -> Poly:
        rounding = keeping(self.ring, self.variant.rescale, self.variant)
        return rescale(self.ring, x, rounding, self.noise_factor)

    def _after(self, factor: int, x: Poly) -> int:
        """The factor after x has been divided by its last prime."""
        prime = self.ring.product(x.basis[-1:])
        return 1 if prime is None else factor * pow(prime, -1, self.t) % self.t

    def drop(self, x: Ciphertext, level: int) -> Ciphertext:
        """x divided by each prime above the level, or without those limbs, as the variant says."""
        self._copy("drop", x.parts[0])
        if not self.variant.drop_switches:
            basis = self.ring.level(level)
            return replace(x, parts=tuple(self.ring.restrict(part, basis) for part in x.parts))
        while x.level > level:
            x = self._divided(x)
        return x

    def _message_of(self, phase: Poly, factor: int) -> tuple[Poly, int]:
        while self.variant.decode_switched and len(phase.basis) > 1:
            phase, factor = self._switched(phase), self._after(factor, phase)
        return super()._message_of(phase, factor)
