"""YASHE', the practical variant of YASHE [BosLauLofNae13]; the other variants are in yashe_variants.py.

A ciphertext is one residue c with f·c = Δ·m + v modulo q, where Δ = floor(q/t) and v is the noise. A product
is at first a ciphertext under f²; the key switch, by l encryptions of w^i·f, brings it back under f.
"""

from collections.abc import Mapping
from typing import ClassVar

from fheasible.rings.element import Element
from fheasible.schemes.average import CoefficientSpread, ScaledAverage
from fheasible.schemes.magnitude import Magnitude
from fheasible.schemes.noise import AVERAGE, PANTHERS, WORST_CASE, Bounds, Noise
from fheasible.schemes.ntru import ntru_keys
from fheasible.schemes.scheme import Keys, RingScheme
from fheasible.schemes.ties import RELATED, Tie


class YASHE(RingScheme):
    name, title, problem = "yashe", "YASHE", "ntru"
    functions = (*RingScheme.functions, "product", "key_switch")
    after: ClassVar[Mapping[str, str]] = {"key_switch": "product"}

    def keygen(self) -> Keys:
        """The secret key f = t·f' + 1, the public key h = t·g·f^-1, and evk of l rows w^i·f + e_i + h·s_i."""
        f, h = ntru_keys(self.ring, self.spec.t)
        return Keys(f, h, self._evaluation_key(f, h))

    def _evaluation_key(self, f: Element, h: Element) -> Element:
        R = self.ring
        powers = R.powers(R.reduce(f), self.spec.w)
        return R.add(powers, self._zeros(h, R.digits(self.spec.w)))

    def _zeros(self, h: Element, rows: int) -> Element:
        """Rows e + h·s: encryptions of zero."""
        R, sigma = self.ring, self.spec.sigma
        s, e = R.gaussian(sigma, rows, 1), R.reduce(R.gaussian(sigma, rows, 1))
        return R.add(e, R.multiply(h, s))

    def encrypt(self, keys: Keys, m: Element) -> Element:
        """Δ·m + e + h·s."""
        return self.ring.add(self._zeros(keys.public, 1), self.constant(m))

    def constant(self, m: Element) -> Element:
        """Δ·m, whose only noise is -(q mod t)·f'·m."""
        R = self.ring
        return R.scale(R.reduce(m), R.quotient(self.spec.t))

    def phase(self, keys: Keys, c: Element) -> Element:
        """f·c modulo q."""
        return self.ring.multiply(keys.secret, c)

    def decrypt(self, keys: Keys, c: Element) -> Element:
        """round(t·[f·c]_q / q) modulo t."""
        R, t = self.ring, self.spec.t
        return R.remainder(R.scale_round(R.lift(self.phase(keys, c)), t), t)

    def multiply(self, keys: Keys, c: Element, d: Element) -> Element:
        return self.key_switch(keys, self.product(c, d))

    def product(self, c: Element, d: Element) -> Element:
        """round(t·c·d / q), over the integers: a ciphertext under f²."""
        R = self.ring
        return R.reduce(R.scale_round(R.multiply(R.lift(c), R.lift(d)), self.spec.t))

    def key_switch(self, keys: Keys, c: Element) -> Element:
        """D_w(c)·evk, which brings a ciphertext under f² back under f."""
        assert keys.evaluation is not None
        return self.ring.multiply(self.ring.decompose(c, self.spec.w), keys.evaluation)

    def noise(self, bounds: Bounds) -> Noise:
        return _NOISES[bounds.source](self.ring, self.spec, bounds)


class YASHENoise(Noise):
    """Bounds on |v| for f·c = Δ·[m] + v, where [m] is m modulo t in (-t/2, t/2], and |f| <= F = t·B_key + 1.

    They follow [BosLauLofNae13] and [LepNae14], and are proven for what is done here: plaintexts in [0, t),
    digits in [0, w), and the 1 in f = t·f' + 1. Write f·c = Δ·[m] + v + k·q with |k| <= (δ·F + 1 + 1/t)/2,
    and multiply out; r = q mod t comes in because t·Δ = q - r.
    """

    @property
    def _f(self) -> Magnitude:
        return self.t * self.key + 1

    @property
    def _read(self) -> Magnitude:
        """δ·F: twice a bound on |k| is this plus 1 + 1/t."""
        return self.delta * self._f

    @property
    def _rounding(self) -> Magnitude:
        """|f²·r0| for a rounding |r0| <= 1/2: δ²·F²/2."""
        return self.delta * self.delta * self._f * self._f / 2

    @property
    def _rows(self) -> Magnitude:
        """The number of rows of the key that switches products."""
        return self.l

    @property
    def _zero(self) -> Magnitude:
        """|f·e + t·g·s| of an encryption of zero: δ·B_err·(F + t·B_key)."""
        return self.delta * self.error * (self._f + self.t * self.key)

    def fresh(self) -> Magnitude:
        return self._zero + self.constant()

    def constant(self) -> Magnitude:
        """r·(δ·t·B_key + 1): r·f'·m, and the step from m in [0, t) to [m]."""
        return self.q_mod_t * (self.delta * self.t * self.key + 1)

    def product(self, v: Magnitude, depth: int) -> Magnitude:
        """δ·t·(4 + δ·F)·v + δ²·F²/2 + r·δ·t·(4 + δ·F)/2, then the key switch: l·w·δ²·B_err·(F + t·B_key)."""
        growth = self.delta * self.t * (4 + self._read)
        product = growth * v + self._rounding + self.q_mod_t * growth / 2
        return product + self._rows * self.w * self.delta * self._zero

    def sum(self, v: Magnitude, u: Magnitude, tie: Tie = RELATED) -> Magnitude:
        """v + u + r: a plaintext sum beyond t/2 moves by Δ·t = q - r."""
        return v + u + self.q_mod_t

    def limit(self) -> Magnitude:
        """(Δ - r)/2."""
        return (self.q / self.t).minus(self.q_mod_t) / 2


class YashePublishedNoise(YASHENoise):
    """The formulas in the published code of PAnTHErS [FerLL18], with F = t·B_key and centred digits."""

    def fresh(self) -> Magnitude:
        """δ·t·B_key·(2·B_err + r/2)."""
        return self.delta * self.t * self.key * (2 * self.error + self.q_mod_t / 2)

    def product(self, v: Magnitude, depth: int) -> Magnitude:
        """δ·t·(4 + δ·t·B_key)·v + δ²·t²·B_key·(B_key + t) + δ²·t·l·w·B_err·B_key."""
        delta, key, t = self.delta, self.key, self.t
        product = delta * t * (4 + delta * t * key) * v + delta * delta * t * t * key * (key + t)
        return product + delta * delta * t * self.l * self.w * self.error * key


class YASHEAverage(ScaledAverage):
    """Standard deviations of v, derived here in the way of FV's.

    f takes the place of the secret, and its squared norm is n·t²·B_key² + 1.
    """

    key_powers = 1

    @property
    def _f(self) -> Magnitude:
        return self.n * self.t * self.t * self.key * self.key + 1

    def fresh(self) -> CoefficientSpread:
        return CoefficientSpread(self.key_error(), self.constant().common, self.key_powers)

    def constant(self) -> CoefficientSpread:
        """r·f'·m, for m uniform modulo t, and the step from m to [m]."""
        wrapped = self.q_mod_t * (self.t * self.key * (self.n / 3).sqrt() + 1)
        return CoefficientSpread(self.none().own, wrapped)

    def quotient(self) -> Magnitude:
        return self._f

    def rounding(self) -> Magnitude:
        """The standard deviation of f²·r0, where f² has variance 2·n·t⁴·B_key⁴."""
        return (self._f * self._f / 6).sqrt()

    def key_error(self) -> Magnitude:
        """f·e + t·g·s: B_err·sqrt(|f|² + n·t²·B_key²)."""
        return self.error * (2 * self._f).sqrt()


_NOISES = {WORST_CASE: YASHENoise, PANTHERS: YashePublishedNoise, AVERAGE: YASHEAverage}
