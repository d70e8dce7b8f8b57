"""What BGV and BFV share: slots modulo t, and the plain factor that multiplies a ciphertext's message."""

from dataclasses import replace
from typing import Any

import numpy as np

from fheasible.errors import InfeasibleParameters
from fheasible.rings.rns import embedding
from fheasible.rings.rns.basis import Basis
from fheasible.rings.rns.element import Conversion, Domain, Poly
from fheasible.rings.rns.modulus import in_domain
from fheasible.rings.rns.ring import RnsRing
from fheasible.schemes.rns.arithmetic import Parts, ResidueArithmetic
from fheasible.schemes.rns.auxiliary import plain_limb
from fheasible.schemes.rns.ciphertext import Ciphertext, RnsSpec
from fheasible.schemes.rns.factors import balanced
from fheasible.schemes.rns.rotation import GENERATOR
from fheasible.schemes.rns.tensor import times
from fheasible.schemes.rns.variant import Message, Variant

SMALL = 1 << 31  # products of two residues below it fit an int64


class IntegerScheme(ResidueArithmetic):
    """A scheme with n slots modulo a prime t = 1 modulo 2n, in two rows; fewer slots are repeated.

    t is the ring's last prime.
    """

    usual: Message  # where the message lies if the variant does not say

    def __init__(self, ring: RnsRing, spec: RnsSpec, variant: Variant | None = None) -> None:
        super().__init__(ring, spec, variant)
        limb = ring.product(plain_limb(ring))
        if limb != spec.t and limb is not None:
            raise InfeasibleParameters(
                f"t = {spec.t}, but the ring's last prime is {limb}", "make them equal"
            )
        self.t = 1 if spec.t is None else spec.t
        self.message = self.variant.message or self.usual

    @property
    def noise_factor(self) -> int | None:
        return self.t if self.message is Message.LOW else None

    # -- encoding

    def _fresh(self, values: Any, level: int) -> Ciphertext:
        return Ciphertext(self.at_rest([self._placed(values, self.ring.level(level), 1)]))

    def _placed(self, values: Any, basis: Basis, factor: int) -> Poly:
        """The slots times the factor, encoded where the scheme's messages lie."""
        if self.message is Message.ROUNDED:
            factor = -factor * (self.ring.product(basis) or 1)
        plain = self._encoded(values, basis, None if self.message is Message.LOW and factor == 1 else factor)
        if self.message is Message.LOW:
            return plain
        return self.ring.scale(in_domain(self.ring, plain, Domain.COEFFICIENT), self.t, inverse=True)

    def _encoded(self, values: Any, basis: Basis, factor: int | None = None) -> Poly:
        """The polynomial with these slots times the factor, centred around 0 if the variant says so."""
        coefficients = embedding.batch(self.ring, self._repeated(values), self.t, GENERATOR)
        if factor is not None:
            coefficients = self._multiplied_modulo(coefficients, factor)
        if coefficients is not None and self.variant.centred:
            coefficients = self._centred(coefficients)
        return in_domain(self.ring, self.ring.integers(basis, coefficients), self.variant.plaintext)

    def _repeated(self, values: Any) -> Any:
        """The values repeated to as many slots as the ring has."""
        if values is None or self.ring.n is None:
            return None
        given = np.asarray(values).ravel()
        return np.tile(given, self.ring.n // len(given))

    def _multiplied_modulo(self, coefficients: Any, factor: int) -> Any:
        """Each coefficient times the factor, modulo t."""
        kind, factor = np.int64 if self.t < SMALL else object, factor % self.t
        return self.ring.outside(
            "constant_products", lambda: (coefficients.astype(kind) * factor % self.t).astype(np.int64)
        )

    def _centred(self, residues: Any) -> Any:
        return np.where(residues > self.t // 2, residues - self.t, residues)

    def _decode(self, phase: Poly, x: Ciphertext) -> Any:
        """The slots: n integers in (-t/2, t/2)."""
        plain, factor = self._message_of(phase, x.factor)
        coefficients = self.ring.lift(plain)
        if factor != 1:
            inverse = pow(factor, -1, self.t)
            coefficients = self._multiplied_modulo(coefficients, inverse)
        slots = embedding.unbatch(self.ring, coefficients, self.t, GENERATOR)
        return None if slots is None else self._centred(slots)

    def _message_of(self, phase: Poly, factor: int) -> tuple[Poly, int]:
        """The message over the limb t, and its factor. For LOW and HIGH it is m + t·e, reduced exactly."""
        multiple = phase if self.message is Message.LOW else self.ring.scale(phase, self.t)
        return self.ring.convert(multiple, plain_limb(self.ring), Conversion.EXACT), factor

    # -- plain operands

    def _summand(self, values: Any, x: Ciphertext) -> Poly:
        return self._placed(values, x.basis, x.factor)

    def _factor(self, values: Any, x: Ciphertext) -> Poly:
        """The slots as a factor of x; for HIGH they are placed as a message is, then multiplied by t."""
        if self.message is not Message.HIGH:
            return self._encoded(values, x.basis)
        placed = in_domain(self.ring, self._placed(values, x.basis, 1), Domain.NTT)
        return self.ring.scale(placed, self.t)

    def _summand_number(self, value: Any, x: Ciphertext) -> int | None:
        modulus = self.ring.product(x.basis)
        if value is None or modulus is None:
            return None
        number = self._small(int(value) * x.factor)
        match self.message:
            case Message.LOW:
                return number
            case Message.HIGH:
                return number * pow(self.t, -1, modulus) % modulus
            case Message.ROUNDED:
                return (2 * modulus * number + self.t) // (2 * self.t)

    def _factor_number(self, value: Any, x: Ciphertext) -> int | None:
        if value is None or self.ring.n is None:
            return None
        return self._small(int(value)) if self.variant.signed_numbers else int(value) % self.t

    def _small(self, value: int) -> int:
        """The integer around 0 that is congruent to the value modulo t."""
        residue = value % self.t
        return residue - self.t if residue > self.t // 2 else residue

    def _rated(self, x: Ciphertext, parts: Parts) -> Ciphertext:
        return replace(x, parts=parts)

    def _matched(self, x: Ciphertext, y: Ciphertext) -> tuple[Ciphertext, Ciphertext]:
        """x and y with one factor; where factors differ, small integers multiply both to make them equal."""
        if x.factor == y.factor:
            return x, y
        a, b = balanced(x.factor, y.factor, self.t)
        factor = a * x.factor % self.t
        return (
            replace(x, parts=times(self.ring, x.parts, a), factor=factor),
            replace(y, parts=times(self.ring, y.parts, b), factor=factor),
        )
