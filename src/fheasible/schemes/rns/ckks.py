"""CKKS: approximate real and complex slots [CKKS17], [KPP22].

c_0 + c_1·s = S·m + e modulo Q, for the scale S of the ciphertext. Scales follow `program/types.py`.
"""

from typing import Any, ClassVar

from fheasible.errors import RingMismatch
from fheasible.rings.rns import embedding
from fheasible.rings.rns.element import Poly
from fheasible.rings.rns.modulus import rescale
from fheasible.schemes.rns.arithmetic import Parts, ResidueArithmetic
from fheasible.schemes.rns.ciphertext import Ciphertext

ROUNDING = 1e-9  # a smaller relative difference between scales is only the rounding of doubles


class CKKS(ResidueArithmetic):
    """CKKS with n/2 slots; fewer slots are repeated."""

    name: ClassVar[str] = "ckks"

    @property
    def noise_factor(self) -> None:
        return None

    def scale_of(self, level: int) -> float:
        """The scale S_level; 1 where the ring only counts and there are no scales."""
        return self.spec.scales[level] if self.spec.scales else 1.0

    # -- encoding

    def _fresh(self, values: Any, level: int) -> Ciphertext:
        scale = self.scale_of(level)
        encoded = embedding.encode(self.ring, values, scale, self.ring.level(level))
        return Ciphertext(self.at_rest([encoded]), scale)

    def _decode(self, phase: Poly, x: Ciphertext) -> Any:
        """The slots: n/2 complex numbers."""
        return embedding.decode(self.ring, phase, x.scale)

    def _summand(self, values: Any, x: Ciphertext) -> Poly:
        return embedding.encode(self.ring, values, x.scale, x.basis)

    def _factor(self, values: Any, x: Ciphertext) -> Poly:
        plain = embedding.encode(self.ring, values, self._complement(x), x.basis)
        return self.ring.scale(self.ring.to_ntt(plain), 1) if self.variant.montgomery else plain

    def _summand_number(self, value: Any, x: Ciphertext) -> int | None:
        return None if value is None else self.variant.whole(value * x.scale)

    def _factor_number(self, value: Any, x: Ciphertext) -> int | None:
        return None if value is None else self.variant.whole(value * self._complement(x))

    def _complement(self, x: Ciphertext) -> float:
        """The scale of a plain factor: S_l²/S for a ciphertext of scale S at level l."""
        return self.scale_of(x.level) ** 2 / x.scale

    # -- levels and scales

    def _divided(self, x: Ciphertext) -> Ciphertext:
        prime = self.ring.product(x.basis[-1:])
        parts = tuple(rescale(self.ring, part, self.variant.rescale) for part in x.parts)
        return x.having(parts=parts, scale=x.scale / (prime or 1))

    def drop(self, x: Ciphertext, level: int) -> Ciphertext:
        """x without the limbs above the level; the scale stays."""
        self._copy("drop", x.parts[0])
        basis = self.ring.level(level)
        return x.having(parts=tuple(self.ring.restrict(part, basis) for part in x.parts))

    def _matched(self, x: Ciphertext, y: Ciphertext) -> tuple[Ciphertext, Ciphertext]:
        if abs(x.scale - y.scale) > ROUNDING * x.scale:
            raise RingMismatch(
                f"scales {x.scale:.6g} and {y.scale:.6g} cannot be added", "bring both to the same scale"
            )
        return x, y

    def _rated(self, x: Ciphertext, parts: Parts) -> Ciphertext:
        return x.having(parts=parts, scale=self.scale_of(x.level) ** 2)

    def _product_of(self, f: int, g: int) -> int:
        return 1
