"""The lattices of primal attacks, and the block size and dimension that an attack needs to succeed.

A lattice spanned by d - n samples and n coordinates of the secret has volume q^(d-n) xi^n, where xi makes the
secret as wide as the error [BaiGal14]. After BKZ-beta the lengths of its basis vectors fall geometrically, by
delta^-2 (GSA). The target, (secret, error), is embedded with a factor sigma [AGVW17]. All logarithms are
natural. Arrays broadcast against each other, so that (problems, block sizes, dimensions) are looked at
together. The conditions are those of [LatticeEstimator, lwe_primal.py].
"""

from dataclasses import dataclass

import numpy as np

from fheasible.aliases import Floats, Ints
from fheasible.security.attacks.reduction import LOG_DELTAS

_LOG_TWO_PI_E = float(np.log(2 * np.pi * np.e))


@dataclass(frozen=True, slots=True, eq=False)
class Lattice:
    """Lattices of n coordinates of the secret, scaled by exp(`log_scale`) = xi, and any number of samples.

    `log_sigma` belongs to the error, which is as wide as the scaled secret.
    """

    n: Floats
    log_q: Floats
    log_scale: Floats
    log_sigma: Floats

    def smallest_dimension(self, beta: Ints) -> Floats:
        """The smallest d above n and beta in which BKZ-beta finds the target; inf where none does.

        BKZ-beta finds it where sigma sqrt(beta) <= delta^(2 beta - d - 1) vol^(1/d), with d counting the
        target [ADPS16]. The logarithms of the two sides, times d, differ by a quadratic in d.
        """
        slope = LOG_DELTAS[beta]
        linear = slope * (2 * beta - 1) + self.log_q - self.log_sigma - np.log(beta) / 2
        constant = self.log_sigma + self.n * self.log_scale - (self.n + 1) * self.log_q
        with np.errstate(invalid="ignore"):
            root = np.sqrt(linear * linear + 4 * slope * constant)  # NaN where no d succeeds
        first, last = (linear - root) / (2 * slope), (linear + root) / (2 * slope)
        d = np.maximum(np.ceil(first), np.maximum(self.n, beta) + 1)
        return np.where(d <= last, d, np.inf)

    def widest(self, log_delta: Floats) -> Floats:
        """The d whose last vectors are longest: sqrt(n ln(q / xi) / ln delta) [MicReg09], at least n + 1."""
        gain = np.maximum(self.log_q - self.log_scale, 0)
        return np.maximum(np.sqrt(self.n * gain / log_delta), self.n + 1)

    def log_root(self, d: Floats | Ints) -> Floats:
        """ln vol^(1/d) of the lattice of dimension d, without the target."""
        dimension = np.asarray(d)
        return np.asarray(((dimension - self.n) * self.log_q + self.n * self.log_scale) / dimension)

    def last_block(self, log_delta: Floats, d: Ints) -> Ints:
        """eta: one more than the largest k in which the Gaussian heuristic is below the error [LiuNgu13].

        In the last k dimensions, with the target embedded, the heuristic must reach sigma sqrt(k + 1). With
        Stirling's formula the difference, times k + 1, is 2 ln(delta) k^2 + linear k + rest. The rest changes
        with ln k alone, so that three rounds settle it.
        """
        slope = 2 * log_delta
        linear = 2 * self.log_root(d) - slope * d - _LOG_TWO_PI_E - 2 * self.log_sigma
        k = np.maximum(-linear / slope, 1)
        for _ in range(3):
            rest = np.log(np.pi * (k + 1)) + 1 / (3 * (k + 1)) - _LOG_TWO_PI_E
            square = np.maximum(linear * linear - 4 * slope * rest, 0)
            k = np.maximum((np.sqrt(square) - linear) / (2 * slope), 1)
        return np.asarray(np.ceil(np.minimum(k, d + 1))).astype(np.int64)

    def whole(self) -> Floats:
        """The smallest d > n whose lattice has the embedded target as its shortest vector.

        The Gaussian heuristic of the d + 1 vectors must reach sigma sqrt(d + 1). With Stirling's formula this
        is an equation that is linear in d except for ln d, which three rounds settle.
        """
        gain = self.log_q - self.log_sigma - _LOG_TWO_PI_E / 2
        d = self.n + 1
        for _ in range(3):
            rest = _LOG_TWO_PI_E / 2 - np.log(np.pi * (d + 1)) / 2
            d = (self.n * (self.log_q - self.log_scale) + rest) / np.maximum(gain, 1e-9)
            d = np.clip(d, self.n + 1, 1e9)
        return np.ceil(d)
