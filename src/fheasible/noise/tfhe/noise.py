"""The noise of one set of parameters of TFHE or FHEW, and how often a table look-up fails with it."""

from dataclasses import dataclass
from math import log, sqrt

from scipy.special import log_ndtr

from fheasible.noise.tfhe import fhew
from fheasible.noise.tfhe.variances import (
    DOUBLE,
    bootstrap_variance,
    key_switch_variance,
    modulus_switch_variance,
)
from fheasible.schemes.fhew.parameters import FhewParameters
from fheasible.schemes.lookups import LookupParameters
from fheasible.schemes.tfhe.parameters import ModulusSwitch, Order

NEVER = -1e6  # log2 of the probability of what cannot fail: a value without noise


@dataclass(frozen=True, slots=True)
class Noise:
    """Variances, as parts of the torus squared, of what each step adds.

    `fresh`: encryption. `bootstrap`: what a look-up's result has after the bootstrap, before any key switch.
    """

    fresh: float
    bootstrap: float
    key_switch: float
    modulus_switch: float
    order: Order

    @property
    def looked_up(self) -> float:
        """The variance of a look-up's result between look-ups: with the key switch where that follows."""
        after = self.key_switch if self.order is Order.PBS_KS else 0.0
        return self.bootstrap + after

    def of_sum(self, looked_up: float, fresh: float = 0.0) -> float:
        """The variance of a sum of look-ups' results and fresh ciphertexts.

        Each is given by the sum of its factors' squares.
        """
        return looked_up * self.looked_up + fresh * self.fresh

    def before_table(self, looked_up: float, fresh: float = 0.0) -> float:
        """The variance that decides which entry of a table is taken for such a sum."""
        first = self.key_switch if self.order is Order.KS_PBS else 0.0
        return self.of_sum(looked_up, fresh) + first + self.modulus_switch


def noise_of(parameters: LookupParameters, mantissa: int | None = DOUBLE) -> Noise:
    """The variance that each step adds. `mantissa`: the precision of the FFT's numbers in bits; None for
    exact products, as FHEW's always are."""
    p = parameters
    if isinstance(p, FhewParameters):
        return _fhew_noise(p)
    glwe, lwe = p.glwe_errors.variance, p.lwe_errors.variance
    bootstrap = bootstrap_variance(
        p.lwe_dimension,
        p.glwe_dimension,
        p.polynomial_size,
        p.pbs.base_log,
        p.pbs.level,
        glwe,
        p.grouping,
        mantissa,
    )
    centered = p.modulus_switch is ModulusSwitch.CENTERED
    return Noise(
        fresh=glwe if p.order is Order.KS_PBS else lwe,
        bootstrap=float(bootstrap),
        key_switch=float(key_switch_variance(p.large_dimension, p.ks.base_log, p.ks.level, lwe)),
        modulus_switch=float(
            modulus_switch_variance(p.lwe_dimension, p.polynomial_size, p.grouping, centered)
        ),
        order=p.order,
    )


def _fhew_noise(p: FhewParameters) -> Noise:
    """Between look-ups, ciphertexts are under the small key modulo q, which divides 2N."""
    return Noise(
        fresh=fhew.fresh_variance(p),
        bootstrap=fhew.bootstrap_variance(p),
        key_switch=fhew.key_switch_variance(p),
        modulus_switch=fhew.odd_variance(p),
        order=Order.PBS_KS,
    )


def lookup_failure(parameters: LookupParameters, norm2: float = 1.0, mantissa: int | None = DOUBLE) -> float:
    """log2 of the probability that a look-up takes another entry of its table.

    What is looked up is a sum of independent look-ups' results. `norm2` is the 2-norm of its factors: the
    root of the sum of their squares. TFHE-rs's sets promise this for their `max_noise_level`.
    """
    noise = noise_of(parameters, mantissa)
    return failure_of(noise.before_table(norm2**2), parameters.plaintext_modulus)


def failure_of(variance: float, plaintext_modulus: int) -> float:
    """log2 of the probability that normal noise is beyond half a value's share of the torus, which is
    1 / (2 plaintext_modulus) with the bit of padding; `NEVER` without noise."""
    if variance <= 0:
        return NEVER
    reach = room(plaintext_modulus) / sqrt(variance)
    return max(float(log_ndtr(-reach)) / log(2) + 1, NEVER)


def room(plaintext_modulus: int) -> float:
    """How far noise may go before another value is read: half of a value's share of the torus."""
    return 1 / (4 * plaintext_modulus)
