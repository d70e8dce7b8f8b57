"""CKKS operations as a library does them that brings operands together by itself and rescales late.

Products are left at degree 2. An operand of degree 2 is rescaled when it is multiplied, each time anew, and
operands of different levels meet at the lower one, by way of a number that corrects the scale. The scales
are those of the scheme's ladder: S_l at degree 1, S_l² at degree 2 [KPP22].
"""

from dataclasses import dataclass

from fheasible.schemes.rns.bootstrap.method import Alignment
from fheasible.schemes.rns.bootstrap.scaling import (
    lowered,
    multiple,
    offset,
    offset_complex,
    prime,
    scaled,
    scaled_complex,
)
from fheasible.schemes.rns.ciphertext import Ciphertext, RnsKeys
from fheasible.schemes.rns.ckks import CKKS


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """A ciphertext with the number of scales in its message: 1, or 2 while it waits to be rescaled."""

    x: Ciphertext
    degree: int = 1

    @property
    def level(self) -> int:
        return self.x.level


@dataclass(frozen=True, slots=True)
class Aligned:
    """The operations on values of a scheme; none of them changes an operand."""

    scheme: CKKS
    keys: RnsKeys
    alignment: Alignment = Alignment.CORRECTED

    def divided(self, x: Ciphertext) -> Ciphertext:
        """x, rescaled; where all levels are said to have one scale, it is said to have this scale."""
        x = self.scheme.rescale(x)
        corrected = self.alignment is Alignment.CORRECTED
        return x if corrected else x.having(scale=self._scale(x.level, 1))

    def settled(self, a: Value) -> Value:
        """a at degree 1."""
        return Value(self.divided(a.x)) if a.degree == 2 else a

    def reduced(self, a: Value) -> Value:
        """a, rescaled where products are rescaled at once."""
        return self.settled(a) if self.alignment is Alignment.AT_ONCE else a

    def mul(self, a: Value, b: Value) -> Value:
        a, b = self._together(a, b)
        x, y = self.settled(a).x, self.settled(b).x
        return Value(self.scheme.relinearize(self.keys, self.scheme.mul(x, y)), 2)

    def square(self, a: Value) -> Value:
        x = self.settled(a).x
        return Value(self.scheme.relinearize(self.keys, self.scheme.square(x)), 2)

    def add(self, a: Value, b: Value) -> Value:
        a, b = self._together(a, b)
        return Value(self.scheme.add(a.x, _named(b.x, a.x)), a.degree)

    def sub(self, a: Value, b: Value) -> Value:
        a, b = self._together(a, b)
        return Value(self.scheme.sub(a.x, _named(b.x, a.x)), a.degree)

    def double(self, a: Value) -> Value:
        return Value(self.scheme.add(a.x, a.x), a.degree)

    def multiple(self, a: Value, integer: int) -> Value:
        """a times an integer, at the same scale."""
        return Value(multiple(self.scheme, a.x, integer), a.degree)

    def negated(self, a: Value) -> Value:
        return Value(self.scheme.neg(a.x), a.degree)

    def add_number(self, a: Value, number: complex) -> Value:
        """a + number; a complex number is a polynomial, which is transformed. To a product of scale S² the
        number is added such that it is right after a division by the next prime, whatever that is."""
        x = a.x
        if self.alignment is not Alignment.CORRECTED and a.degree == 2:
            x = x.having(scale=self._scale(x.level, 1) * prime(self.scheme, x.level))
        if isinstance(number, complex):
            made = offset_complex(self.scheme, x, number)
        else:
            made = offset(self.scheme, x, number)
        return Value(made.having(scale=a.x.scale), a.degree)

    def mul_number(self, a: Value, number: complex) -> Value:
        """number·a, of degree 2."""
        x = self.settled(a).x
        scale = self._scale(x.level, 2) / x.scale
        by = scaled_complex if isinstance(number, complex) else scaled
        return Value(by(self.scheme, x, number, scale).having(scale=self._scale(x.level, 2)), 2)

    def adjusted(self, a: Value, b: Value) -> Value:
        """a at the level and the degree of b, which is lower, or has the higher degree at the same level."""
        scheme, x, level = self.scheme, a.x, b.level
        target = self._scale(level, b.degree)
        if a.level == level:
            return Value(self._by(x, target), 2) if a.degree < b.degree else a
        if self.alignment is not Alignment.CORRECTED:
            return self._dropped(a, b)
        if a.degree == 2 and b.degree == 1 and a.level == level + 1:
            return self.settled(a)
        if a.degree == 2:
            down = prime(scheme, a.level) * (prime(scheme, level + 1) if b.degree == 1 else 1)
            x = scheme.rescale(self._by(x, target * down))
            if b.degree == 2:
                return Value(lowered(scheme, x, level), 2)
            return Value(scheme.rescale(lowered(scheme, x, level + 1)))
        if b.degree == 2:
            return Value(lowered(scheme, self._by(x, target), level), 2)
        x = self._by(x, target * prime(scheme, level + 1))
        return Value(scheme.rescale(lowered(scheme, x, level + 1)))

    def _dropped(self, a: Value, b: Value) -> Value:
        """The same where all levels have one scale."""
        a = self.settled(a) if a.degree > b.degree else a
        x = lowered(self.scheme, a.x, b.level).having(scale=self._scale(b.level, a.degree))
        return Value(self._by(x, self._scale(b.level, 2)), 2) if a.degree < b.degree else Value(x, a.degree)

    def _by(self, x: Ciphertext, scale: float) -> Ciphertext:
        """x at this scale, which is about S times its own."""
        return scaled(self.scheme, x, 1.0, scale / x.scale).having(scale=scale)

    def _together(self, a: Value, b: Value) -> tuple[Value, Value]:
        """Both at one level and of one degree."""
        if a.level > b.level or (a.level == b.level and a.degree < b.degree):
            return self.adjusted(a, b), b
        return a, self.adjusted(b, a)

    def _scale(self, level: int, degree: int) -> float:
        return self.scheme.scale_of(level) ** degree


def _named(x: Ciphertext, like: Ciphertext) -> Ciphertext:
    """x, whose scale differs from that of `like` by the rounding of doubles alone."""
    return x.having(scale=like.scale) if abs(x.scale / like.scale - 1) < 1e-6 else x
