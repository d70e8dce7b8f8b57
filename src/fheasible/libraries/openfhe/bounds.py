"""The bounds on noise that OpenFHE chooses BGV's and BFV's primes by, and BFV's limbs [KPZ21, Sec. 3]."""

from dataclasses import dataclass
from math import floor, log2, sqrt

from fheasible.libraries.openfhe.rns import error_bound


@dataclass(frozen=True, slots=True)
class NoiseBounds:
    """The bounds at one ring dimension. `key` and `error` bound a coefficient of the secret and of an error.

    A product of two random polynomials grows by `expansion`, and in modulus switching by `expansion_ms`.
    """

    error: float
    key: float
    expansion: float
    expansion_ms: float

    @staticmethod
    def of(n: int, secret: str | None) -> "NoiseBounds":
        """The bounds at ring dimension n."""
        error = error_bound()
        return NoiseBounds(error, error if secret == "gaussian" else 1.0, 2.0 * sqrt(n), 4.0 * sqrt(n))

    @property
    def fresh(self) -> float:
        """The noise of a fresh ciphertext."""
        return self.error * (1.0 + 2.0 * self.expansion * self.key)

    def switched_hybrid(self, limbs: int, digits: int) -> float:
        """The noise of one hybrid key switch, with digits of `limbs` limbs.

        OpenFHE does not know the digits yet where it generates parameters. For BFV it takes one digit of all
        limbs, and for BGV no digit, and the limbs of P.
        """
        return limbs * (digits * self.expansion * self.error + self.expansion_ms * self.key + 1.0)

    def switched_bv(self, log_q: float, bits: int) -> float:
        """The noise of one BV key switch modulo a q of primes of `bits` bits."""
        return self.expansion * (floor(log_q / bits) + 1) * 2.0**bits * self.error / 2.0

    def log_q(self, t: int, depth: int, switched: float) -> float:
        """The bits of q with which BFV decrypts correctly after `depth` successive products, at least one.

        `switched` is the noise of one key switch.
        """
        growth = self.expansion * self.expansion_ms * t * self.key
        constant = self.expansion * self.expansion_ms * self.key * self.key / 2.0 + switched
        return log2(4 * t) + (depth - 1) * log2(growth) + log2(growth * self.fresh + depth * constant)
