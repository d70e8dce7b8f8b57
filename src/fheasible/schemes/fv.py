"""FV: somewhat practical fully homomorphic encryption [FanVer12].

A ciphertext is a row (c0, c1) with c0 + c1·s = Δ·m + v modulo q, where Δ = floor(q/t) and v is the noise.
Relinearisation is the paper's version 1, by the digits of the third component in base w.
"""

from collections.abc import Mapping
from typing import ClassVar

from fheasible.rings.element import Element
from fheasible.schemes.average import CoefficientSpread, ScaledAverage
from fheasible.schemes.magnitude import Magnitude
from fheasible.schemes.noise import AVERAGE, Bounds, Noise
from fheasible.schemes.scheme import Keys, RingScheme
from fheasible.schemes.ties import RELATED, Tie


class FV(RingScheme):
    name, title, problem = "fv", "FV", "rlwe"
    functions = (*RingScheme.functions, "tensor", "relinearize")
    after: ClassVar[Mapping[str, str]] = {"relinearize": "tensor"}

    def keygen(self) -> Keys:
        """A ternary s, pk = (-(a·s + e), a), and rlk of l rows (-(a_i·s + e_i) + w^i·s², a_i)."""
        R, w = self.ring, self.spec.w
        s = R.ternary()
        public = self._mask(s, 1)
        masks = self._mask(s, R.digits(w))
        squares = R.powers(R.reduce(R.multiply(s, s)), w)
        b, a = R.column(masks, 0), R.column(masks, 1)
        return Keys(s, public, R.beside(R.add(b, squares), a))

    def _mask(self, s: Element, rows: int) -> Element:
        """Rows (-(a·s + e), a): encryptions of zero under s."""
        R = self.ring
        a = R.uniform(rows, 1)
        e = R.reduce(R.gaussian(self.spec.sigma, rows, 1))
        return R.beside(R.negate(R.add(R.multiply(a, s), e)), a)

    def encrypt(self, keys: Keys, m: Element) -> Element:
        """u·pk + (e1, e2) + (Δ·m, 0), for u ternary."""
        R = self.ring
        errors = R.reduce(R.gaussian(self.spec.sigma, 1, 2))
        c = R.add(R.multiply(R.ternary(), keys.public), errors)
        return R.beside(R.add(R.entry(c, 0, 0), self._encode(m)), R.entry(c, 0, 1))

    def _encode(self, m: Element) -> Element:
        return self.ring.scale(self.ring.reduce(m), self.ring.quotient(self.spec.t))

    def phase(self, keys: Keys, c: Element) -> Element:
        """c0 + c1·s modulo q."""
        R = self.ring
        return R.add(R.entry(c, 0, 0), R.multiply(R.entry(c, 0, 1), keys.secret))

    def decrypt(self, keys: Keys, c: Element) -> Element:
        """round(t·[c0 + c1·s]_q / q) modulo t."""
        R, t = self.ring, self.spec.t
        return R.remainder(R.scale_round(R.lift(self.phase(keys, c)), t), t)

    def multiply(self, keys: Keys, c: Element, d: Element) -> Element:
        return self.relinearize(keys, self.tensor(c, d))

    def tensor(self, c: Element, d: Element) -> Element:
        """(c0·d0, c0·d1 + c1·d0, c1·d1) over the integers, each times t/q and rounded to the nearest."""
        R = self.ring
        return R.reduce(R.scale_round(R.convolve(R.lift(c), R.lift(d)), self.spec.t))

    def relinearize(self, keys: Keys, c: Element) -> Element:
        """(c0, c1) + D_w(c2)·rlk."""
        R = self.ring
        assert keys.evaluation is not None
        digits = R.decompose(R.entry(c, 0, 2), self.spec.w)
        pair = R.beside(R.entry(c, 0, 0), R.entry(c, 0, 1))
        return R.add(pair, R.multiply(digits, keys.evaluation))

    def constant(self, m: Element) -> Element:
        """(Δ·m, 0)."""
        R = self.ring
        encoded = self._encode(m)
        return R.beside(encoded, R.subtract(encoded, encoded))

    def noise(self, bounds: Bounds) -> Noise:
        kind = FVAverage if bounds.source == AVERAGE else FVNoise
        return kind(self.ring, self.spec, bounds)


class FVNoise(Noise):
    """Bounds on |v| for c0 + c1·s = Δ·[m] + v, with [m] = m modulo t in (-t/2, t/2] [FanVer12], [LepNae14].

    They are proven for δ·B_key >= 5: write c(s) = Δ·[m] + v + k·q with |k| <= (2 + δ·B_key + 1/t)/2, and
    multiply out.
    """

    def fresh(self) -> Magnitude:
        """B_err·(1 + 2·δ·B_key) + (q mod t): e1 - e·u + e2·s, and the step from m in [0, t) to [m]."""
        return self.error * (1 + 2 * self.delta * self.key) + self.q_mod_t

    def constant(self) -> Magnitude:
        """q mod t."""
        return self.q_mod_t

    def product(self, v: Magnitude, depth: int) -> Magnitude:
        """δ·t·(4 + δ·B_key)·v + δ²·B_key·(B_key + t²) + δ·l·w·B_err."""
        delta, key, t = self.delta, self.key, self.t
        tensor = delta * t * (4 + delta * key) * v + delta * delta * key * (key + t * t)
        return tensor + delta * self.l * self.w * self.error

    def sum(self, v: Magnitude, u: Magnitude, tie: Tie = RELATED) -> Magnitude:
        """v + u + (q mod t): a plaintext sum beyond t moves by Δ·t = q - (q mod t)."""
        return v + u + self.q_mod_t

    def limit(self) -> Magnitude:
        """(Δ - (q mod t)) / 2."""
        return (self.q / self.t).minus(self.q_mod_t) / 2


class FVAverage(ScaledAverage):
    """Standard deviations of v [CosLaiPlay20], [BMCM23]."""

    def fresh(self) -> CoefficientSpread:
        """B_err·sqrt(1 + 2·n·B_key²), and the step from m in [0, t) to [m]."""
        own = self.error * (1 + 2 * self.n * self.key * self.key).sqrt()
        return CoefficientSpread(own, self.q_mod_t, 1)

    def constant(self) -> CoefficientSpread:
        return CoefficientSpread(self.none().own, self.q_mod_t)

    def quotient(self) -> Magnitude:
        """1 + n·B_key², the squared norm of (1, s), since decryption reads c0 + c1·s."""
        return 1 + self.n * self.key * self.key

    def rounding(self) -> Magnitude:
        """The standard deviation of r0 + r1·s + r2·s², where s² has variance 2·n·B_key⁴."""
        norm = self.n * self.key * self.key
        return ((1 + norm + 2 * norm * norm) / 12).sqrt()

    def key_error(self) -> Magnitude:
        return self.error
