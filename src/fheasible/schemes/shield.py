"""SHIELD: the scheme of Gentry, Sahai and Waters over rings [KheGulVai16].

A ciphertext is a matrix C of N = 2·l rows and 2 columns with C·(1, -s)^T = m·G·(1, -s)^T + v modulo q. Here
G = I_2 ⊗ (1, w, w², ...)^T is the paper's BDI(I), s is the paper's secret t, and v is the noise. The paper
has w = 2.

The plaintext m is an integer or an integer polynomial. It is read modulo t = 2 at decryption and not reduced
before, so C + D carries m1 + m2, and C·D carries m1·m2. The paper reads m itself from the rows m·2^i + v.
Here the digits of Δ = floor(q/2) combine the rows to Δ·m + v', as in FV, so that sums wrap around for every
modulus q.
"""

from fheasible.rings.element import Element
from fheasible.schemes.average import CoefficientSpread, GadgetAverage
from fheasible.schemes.magnitude import Magnitude
from fheasible.schemes.noise import AVERAGE, Bounds, Noise
from fheasible.schemes.scheme import Keys, RingScheme
from fheasible.schemes.ties import RELATED, Tie


class SHIELD(RingScheme):
    name, title, problem, bits = "shield", "SHIELD", "rlwe", True
    functions = (*RingScheme.functions, "select")

    def keygen(self) -> Keys:
        """The ternary secret key s, and the public key (b, a) with b = a·s + e."""
        R = self.ring
        s, a = R.ternary(), R.uniform()
        b = R.add(R.multiply(a, s), R.reduce(R.gaussian(self.spec.sigma)))
        return Keys(s, R.beside(b, a))

    def encrypt(self, keys: Keys, m: Element) -> Element:
        """m·G + r·(b, a) + E, for r ternary."""
        R, rows = self.ring, 2 * self.ring.digits(self.spec.w)
        errors = R.reduce(R.gaussian(self.spec.sigma, rows, 2))
        return R.add(R.add(R.multiply(R.ternary(rows, 1), keys.public), errors), self.constant(m))

    def constant(self, m: Element) -> Element:
        """m·G: the powers of the rows (m, 0) and (0, m)."""
        R = self.ring
        plain = R.reduce(m)
        zero = R.subtract(plain, plain)
        rows = [R.transpose(R.beside(*row)) for row in ((plain, zero), (zero, plain))]
        return R.powers(R.transpose(R.beside(*rows)), self.spec.w)

    def select(self, c: Element) -> Element:
        """D_w((Δ, 0))·C: a row (c0, c1) with c0 - c1·s = Δ·m + noise."""
        R = self.ring
        one = R.reduce(self.message([1]))
        delta = R.scale(one, R.quotient(self.spec.t))
        return R.multiply(R.decompose(R.beside(delta, R.subtract(delta, delta)), self.spec.w), c)

    def phase(self, keys: Keys, c: Element) -> Element:
        """c0 - c1·s modulo q, of the selected row."""
        R = self.ring
        row = self.select(c)
        return R.subtract(R.entry(row, 0, 0), R.multiply(R.entry(row, 0, 1), keys.secret))

    def decrypt(self, keys: Keys, c: Element) -> Element:
        """round(t·[c0 - c1·s]_q / q) modulo t."""
        R, t = self.ring, self.spec.t
        return R.remainder(R.scale_round(R.lift(self.phase(keys, c)), t), t)

    def multiply(self, keys: Keys, c: Element, d: Element) -> Element:
        """D_w(C)·D."""
        return self.ring.multiply(self.ring.decompose(c, self.spec.w), d)

    def noise(self, bounds: Bounds) -> Noise:
        kind = SHIELDAverage if bounds.source == AVERAGE else SHIELDNoise
        return kind(self.ring, self.spec, bounds)


class SHIELDNoise(Noise):
    """Bounds on max |v| over the rows of C.

    The paper has no formula for depth. This one is derived here, and proven for plaintexts whose sum of
    |coefficients| never exceeds `message`, here M; M is 1 while only bits are multiplied.

    D_w(C)·D = D_w(C)·(m2·G + Z) = m2·C + D_w(C)·Z carries m1·m2 with the noise m2·v + D_w(C)·u. This noise is
    at most M·|v| from the first factor and N·δ·(w - 1)·|u| from the second, with N = 2·l. So the noise of a
    chain C·D1·D2·... of new ciphertexts on the right grows by a sum, not by a product, while M = 1. `depth`
    counts products of factors with equal noise.
    """

    def fresh(self) -> Magnitude:
        """|r·e + E_0 - E_1·s|: B_err·(1 + 2·δ·B_key)."""
        return self.error * (1 + 2 * self.delta * self.key)

    def product(self, v: Magnitude, depth: int) -> Magnitude:
        """(M + N·δ·(w - 1))·v."""
        return self.product_of(v, v, depth)

    def product_of(self, v: Magnitude, u: Magnitude, depth: int, tie: Tie = RELATED) -> Magnitude:
        """M·v + N·δ·(w - 1)·u."""
        return self.message * v + 2 * self.l * self.delta * self.w.minus(1) * u

    def sum(self, v: Magnitude, u: Magnitude, tie: Tie = RELATED) -> Magnitude:
        return v + u

    def limit(self) -> Magnitude:
        """((Δ - r)/2 - r·(M + 1)/t) / (l·(w - 1)), with r = q mod t.

        The digits of Δ add up l·(w - 1) times the noise, and m = [m] + t·k moves Δ·m by Δ·t·k = (q - r)·k.
        """
        wrapped = self.q_mod_t * ((self.message + 1) / self.t)
        readable = (self.q / self.t).minus(self.q_mod_t) / 2
        return readable.minus(wrapped) / (self.l * self.w.minus(1))


class SHIELDAverage(GadgetAverage):
    """Standard deviations of v, derived here."""

    @property
    def rows(self) -> Magnitude:
        return 2 * self.l

    def fresh(self) -> CoefficientSpread:
        """B_err·sqrt(1 + 2·n·B_key²)."""
        return CoefficientSpread(self.error * (1 + 2 * self.n * self.key * self.key).sqrt())

    def limit(self) -> Magnitude:
        """The worst-case limit divided by the tail, since all rows share the common noise of products."""
        wrapped = self.q_mod_t * ((self.message + 1) / self.t)
        return self.readable().minus(wrapped) / (self.l * self.w.minus(1)) / self.tail
