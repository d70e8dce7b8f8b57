"""F-NTRU: flattening NTRU, without evaluation keys [DorSun16].

A ciphertext is a column of l residues c_i with f·c_i = f·m·w^i + v_i modulo q, where v_i is a multiple of
t = 2. The c_i are encryptions of m, w·m, w²·m, ... The paper writes each of them out in l digits,
Flatten(I·m + BD(c)). Here the digits of each row are composed, as in the published code of PAnTHErS
[FerLL18], which takes l times less memory.

The plaintext m is an integer or an integer polynomial. It is read modulo 2 at decryption and not reduced
before, so c + d carries the integer m1 + m2, as the paper's sum does. `xor` carries m1 + m2 - 2·m1·m2, which
is again a bit for two bits, at the price of a product; it is the sum in the published code of PAnTHErS.
"""

from typing import Any

import numpy as np

from fheasible.rings.element import Element, Scalar
from fheasible.schemes.average import CoefficientSpread, GadgetAverage
from fheasible.schemes.magnitude import Magnitude
from fheasible.schemes.noise import AVERAGE, PANTHERS, WORST_CASE, Bounds, Noise
from fheasible.schemes.ntru import ntru_keys
from fheasible.schemes.scheme import Keys, RingScheme
from fheasible.schemes.ties import RELATED, Tie


class FNTRU(RingScheme):
    name, title, problem, bits = "fntru", "F-NTRU", "ntru", True
    functions = (*RingScheme.functions, "xor")

    def keygen(self) -> Keys:
        """The secret key f = t·f' + 1 and the public key h = t·g·f^-1."""
        return Keys(*ntru_keys(self.ring, self.spec.t))

    def encrypt(self, keys: Keys, m: Element) -> Element:
        """h·s + t·e + m·(1, w, w², ...)."""
        R, sigma, l = self.ring, self.spec.sigma, self.ring.digits(self.spec.w)
        s, e = R.gaussian(sigma, l, 1), R.gaussian(sigma, l, 1)
        zeros = R.add(R.multiply(keys.public, s), R.reduce(R.scale(e, self.spec.t)))
        return R.add(zeros, self.constant(m))

    def constant(self, m: Element) -> Element:
        """m·(1, w, w², ...)."""
        return self.ring.powers(self.ring.reduce(m), self.spec.w)

    def phase(self, keys: Keys, c: Element) -> Element:
        """f·c_0 modulo q."""
        return self.ring.multiply(keys.secret, self.ring.entry(c, 0, 0))

    def decrypt(self, keys: Keys, c: Element) -> Element:
        """[f·c_0]_q modulo t."""
        return self.ring.remainder(self.ring.lift(self.phase(keys, c)), self.spec.t)

    def multiply(self, keys: Keys, c: Element, d: Element) -> Element:
        """D_w(c)·d."""
        return self.ring.multiply(self.ring.decompose(c, self.spec.w), d)

    def xor(self, keys: Keys, c: Element, d: Element) -> Element:
        """c + d - 2·c·d, for bits."""
        R = self.ring
        return R.subtract(R.add(c, d), R.scale(self.multiply(keys, c, d), Scalar.of(2)))

    def noise(self, bounds: Bounds) -> Noise:
        return _NOISES[bounds.source](self.ring, self.spec, bounds)


class FNTRUNoise(Noise):
    """Bounds on max |v_i| for f·c_i = f·m·w^i + v_i, where |f| <= F = t·B_key + 1.

    They are proven for plaintexts whose sum of |coefficients| never exceeds `message`, here M. M is 1 as long
    as only bits are multiplied.
    """

    @property
    def _f(self) -> Magnitude:
        return self.t * self.key + 1

    def fresh(self) -> Magnitude:
        """|t·(g·s + f·e)|: δ·t·B_err·(B_key + F)."""
        return self.delta * self.t * self.error * (self.key + self._f)

    def product(self, v: Magnitude, depth: int) -> Magnitude:
        """(M + l·δ·(w - 1))·v."""
        return self.product_of(v, v, depth)

    def product_of(self, v: Magnitude, u: Magnitude, depth: int, tie: Tie = RELATED) -> Magnitude:
        """M·v + l·δ·(w - 1)·u: D_w(c)·d = D_w(c)·(m2·(w^i) + z) = m2·c + D_w(c)·z, where |f·z| <= u.

        So the noise of a chain c·d1·d2·... of new ciphertexts on the right grows by a sum, while M = 1.
        """
        return self.message * v + self.l * self.delta * self.w.minus(1) * u

    def sum(self, v: Magnitude, u: Magnitude, tie: Tie = RELATED) -> Magnitude:
        return v + u

    def limit(self) -> Magnitude:
        """q/2 - F·M, since decryption reads f·m + v_0 modulo t."""
        return (self.q / 2).minus(self._f * self.message)


class FntruPublishedNoise(FNTRUNoise):
    """The average case in the published code of PAnTHErS [FerLL18].

    A sum of δ terms counts as d = sqrt(δ), and a product's sum of l digits as sqrt(depth). These formulas do
    not bound products of products. Digits in [0, w) have a mean, which is the same in every row, so from the
    second level on the rows' errors add up as l·δ, not as its root. At n = 4096, q = 2^102 and w = 4, noise
    grows by 17.6 bits a level where the formulas say 9, and 5 levels decrypt where they say 10. The noise of
    chains of new factors on the right stays below the formulas.
    """

    @property
    def _d(self) -> Magnitude:
        return self.delta.sqrt()

    def fresh(self) -> Magnitude:
        """2·d·B_err·(3·B_key + 1); the code adds 2·d²·B_key for the message, which is here in `limit`."""
        return 2 * self._d * self.error * (3 * self.key + 1)

    def product(self, v: Magnitude, depth: int) -> Magnitude:
        """((w - 1)·sqrt(depth)·d + 2·d)·v."""
        return (self.w.minus(1) * float(np.sqrt(depth)) * self._d + 2 * self._d) * v

    def product_of(self, v: Magnitude, u: Magnitude, depth: int, tie: Tie = RELATED) -> Magnitude:
        """Noise of a product of two ciphertexts that both have the larger noise."""
        return self.product(v.larger(u), depth)

    def limit(self) -> Magnitude:
        """q/2 - 2·d²·B_key."""
        return (self.q / 2).minus(2 * self.delta * self.key)

    def depth(self) -> Any:
        """One more than the number of products that stay below the limit, as the published code counts."""
        return super().depth() + (self.fresh() < self.limit())


class FNTRUAverage(GadgetAverage):
    """Standard deviations of v_i, derived here."""

    @property
    def rows(self) -> Magnitude:
        return self.l

    @property
    def _f(self) -> Magnitude:
        """The squared norm of f."""
        return self.n * self.t * self.t * self.key * self.key + 1

    def fresh(self) -> CoefficientSpread:
        """t·(g·s + f·e): t·B_err·sqrt(n·B_key² + |f|²)."""
        return CoefficientSpread(self.t * self.error * (self.n * self.key * self.key + self._f).sqrt())

    def limit(self) -> Magnitude:
        """(q/2 - |f·m|) divided by the tail; no coefficient of f exceeds t + 1."""
        return (self.q / 2).minus((self.t + 1) * self.message) / self.tail


_NOISES = {WORST_CASE: FNTRUNoise, PANTHERS: FntruPublishedNoise, AVERAGE: FNTRUAverage}
