"""YASHE itself, and YASHE as PAnTHErS has it: variants beside YASHE' (yashe.py).

YASHE [BosLauLofNae13] writes out the powers of both factors before it multiplies: a product has l² residues,
and the key that switches it l³ rows. Its security rests on fewer assumptions, since no multiple of f is
encrypted under f.

The published code of PAnTHErS [FerLL18] (yashe.sage) has the algorithms of YASHE' with two differences. A
product is left under f²; whatever uses it later, a sum or a product, first switches its key, each time anew.
And neither the key's rows nor what is switched with them are reduced modulo X^n + 1: rows have 2n
coefficients, switched ciphertexts 3n. Both cost time and memory, and change no decrypted result. Its code
keeps residues in [0, q); here they are centred before they are multiplied, as in YASHE'.
"""

from fheasible.errors import UnsupportedOperation
from fheasible.rings.element import Element, Scalar
from fheasible.rings.sizes import agree
from fheasible.schemes.magnitude import Magnitude
from fheasible.schemes.noise import AVERAGE, PANTHERS, WORST_CASE, Bounds, Noise
from fheasible.schemes.scheme import Keys
from fheasible.schemes.yashe import YASHE, YASHEAverage, YASHENoise, YashePublishedNoise

SEGMENTS = 3  # times n coefficients: a ciphertext that is switched and not reduced


class YasheProper(YASHE):
    """YASHE itself: a product has l² residues."""

    name, title = "yasheproper", "YASHE proper"

    def _evaluation_key(self, f: Element, h: Element) -> Element:
        """l³ rows f^-1·w^k·D(f)_i·D(f)_j + e + h·s."""
        R, w = self.ring, self.spec.w
        residues = R.reduce(f)
        digits = R.decompose(residues, w)
        pairs = R.transpose(R.flat(R.multiply(R.transpose(digits), digits)))
        powers = R.multiply(R.inverse(residues), R.powers(R.reduce(pairs), w))
        return R.add(powers, self._zeros(h, powers.rows))

    def product(self, c: Element, d: Element) -> Element:
        """round(t·P(c)_i·P(d)_j / q), over the integers: l² residues in one row."""
        R, w = self.ring, self.spec.w
        left, right = R.lift(R.powers(c, w)), R.lift(R.powers(d, w))
        return R.flat(R.reduce(R.scale_round(R.multiply(left, R.transpose(right)), self.spec.t)))

    def noise(self, bounds: Bounds) -> Noise:
        if bounds.source == AVERAGE:
            raise UnsupportedOperation(
                f"{self.title}: average noise is not derived, since its digits of f are not random",
                f"ask for {WORST_CASE} noise, or take YASHE",
            )
        return ProperNoise(self.ring, self.spec, bounds)


class ProperNoise(YASHENoise):
    """Bounds on |v| as in YASHE', where factors are read by l digits of f, each below w, instead of by f."""

    @property
    def _read(self) -> Magnitude:
        return self.l * self.delta * self.w

    @property
    def _rounding(self) -> Magnitude:
        """l²·δ²·w²/2."""
        return self._read * self._read / 2

    @property
    def _rows(self) -> Magnitude:
        return self.l * self.l * self.l


class UnderSquare(Element):
    """A product that is still a ciphertext under f²."""

    __slots__ = ()


class YashePanthers(YASHE):
    """YASHE as the published code of PAnTHErS has it: switched at every later use, and not reduced."""

    name, title, stateful = "yashepanthers", "YASHE as PAnTHErS has it", True

    def _evaluation_key(self, f: Element, h: Element) -> Element:
        """l rows w^i·f + e_i + h·s_i, not reduced modulo X^n + 1: two polynomials each."""
        R, sigma, rows = self.ring, self.spec.sigma, self.ring.digits(self.spec.w)
        s, e = R.gaussian(sigma, rows, 1), R.reduce(R.gaussian(sigma, rows, 1))
        masks = R.product_in_full(h, s)
        low = R.add(R.add(R.column(masks, 0), e), R.powers(R.reduce(f), self.spec.w))
        return R.beside(low, R.column(masks, 1))

    def multiply(self, keys: Keys, c: Element, d: Element) -> Element:
        """round(t·c·d / q) under f², of factors whose keys are switched now where they are products."""
        left = self._ready(keys, c)
        return self.product(left, left if d is c else self._ready(keys, d))

    def product(self, c: Element, d: Element) -> Element:
        R = self.ring
        whole = R.fold(R.product_in_full(R.lift(c), R.lift(d)))
        x = R.reduce(R.scale_round(whole, self.spec.t))
        return UnderSquare(x.rows, x.cols, x.modular, x.bits, x.data)

    def add(self, keys: Keys, c: Element, d: Element) -> Element:
        """c + d, of operands whose keys are switched now where they are products."""
        R = self.ring
        longer, shorter = sorted((self._ready(keys, c), self._ready(keys, d)), key=lambda x: -x.cols)
        if agree(longer.cols, shorter.cols):
            return R.add(longer, shorter)
        low = R.add(R.column(longer, 0), shorter)
        return R.beside(low, *(R.column(longer, j) for j in range(1, longer.cols)))

    def negate(self, c: Element) -> Element:
        return _as(c, super().negate(c))

    def times(self, c: Element, k: int) -> Element:
        return _as(c, self.ring.scale(c, Scalar.of(k)))

    def _ready(self, keys: Keys, c: Element) -> Element:
        return self.key_switch(keys, c) if isinstance(c, UnderSquare) else c

    def key_switch(self, keys: Keys, c: Element) -> Element:
        """D_w(c)·evk in Z_q[X], which is not reduced: three polynomials."""
        R = self.ring
        assert keys.evaluation is not None
        return R.inner_product_in_full(R.transpose(R.decompose(c, self.spec.w)), keys.evaluation)

    def phase(self, keys: Keys, c: Element) -> Element:
        """f·c modulo q, or f²·c for a product."""
        R = self.ring
        once = R.fold(R.product_in_full(R.reduce(keys.secret), c))
        return R.multiply(keys.secret, once) if isinstance(c, UnderSquare) else once

    def noise(self, bounds: Bounds) -> Noise:
        return _NOISES[bounds.source](self.ring, self.spec, bounds)


def _as(c: Element, x: Element) -> Element:
    """x as a ciphertext under the same key as c."""
    return UnderSquare(x.rows, x.cols, x.modular, x.bits, x.data) if isinstance(c, UnderSquare) else x


class UnreducedNoise(YASHENoise):
    """Bounds on |v| as in YASHE', for factors of three times as many coefficients."""

    @property
    def _read(self) -> Magnitude:
        return super()._read * SEGMENTS


class UnreducedAverage(YASHEAverage):
    """Standard deviations as in YASHE', for factors of three times as many coefficients."""

    def quotient(self) -> Magnitude:
        return super().quotient() * SEGMENTS


_NOISES = {WORST_CASE: UnreducedNoise, PANTHERS: YashePublishedNoise, AVERAGE: UnreducedAverage}
