"""Where NTRU with a large modulus breaks: the fatigue point of [DucWoe21].

The NTRU lattice holds the dense sublattice that the key's rotations span. From a certain q on, lattice
reduction meets that sublattice sooner than it meets the key itself, and a key falls far more cheaply than
RLWE of the same n and q would. NTRU is then overstretched. Schemes that multiply work far beyond that point.
"""

from typing import overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fheasible.errors import UnknownName
from fheasible.security.attacks.lwe import problem

# [DucWoe21, abstract]; [LatticeEstimator, conf.py] already looks for the attack from exp(-6) = 0.0025 on.
CONSTANT = 0.004
EXPONENT = 2.484
TERNARY_VARIANCE = 2 / 3  # of a coefficient drawn uniformly from -1, 0, 1


@overload
def fatigue_log_q(n: int, variance: ArrayLike = ...) -> float: ...
@overload
def fatigue_log_q(n: ArrayLike, variance: ArrayLike = ...) -> NDArray[np.float64]: ...
def fatigue_log_q(n: ArrayLike, variance: ArrayLike = TERNARY_VARIANCE) -> float | NDArray[np.float64]:
    """log2 of the q from which NTRU of dimension n is overstretched; of n's shape.

    The point is q = 0.004 n^2.484 for keys f, g with independent ternary coefficients [DucWoe21]. The
    exponent is asymptotic, n^(2.484 + o(1)). The constant fits predictions for prime n below 500
    [NTRUFatigue, estimator.sage], so that rings X^n + 1 with n = 2^10 ... 2^15 extrapolate it: good to a bit.
    Coefficients of another `variance` scale q in proportion: [HouSanSil24, Eq. 3] fit 0.0058 variance
    n^2.484, which is 0.0039 n^2.484 for 2/3. A key t f' + 1 moves the point up by at most log2 t. This is not
    counted: the smaller figure is the safe one.
    """
    log_constant = np.log2(CONSTANT * np.asarray(variance) / TERNARY_VARIANCE)
    points = log_constant + EXPONENT * np.log2(np.asarray(n, dtype=np.float64))
    return float(points) if points.ndim == 0 else points


def overstretched(
    n: ArrayLike, log_q: ArrayLike, variance: ArrayLike = TERNARY_VARIANCE
) -> NDArray[np.bool_]:
    """True where log2 q has reached the fatigue point of n; n and log_q broadcast against each other."""
    return np.asarray(np.asarray(log_q, dtype=np.float64) >= fatigue_log_q(np.asarray(n), variance))


def key_variance(secret: str, n: ArrayLike) -> NDArray[np.float64]:
    """Variance of a coefficient of NTRU keys of n coefficients.

    A secret that nobody estimates counts as ternary.
    """
    try:
        drawn, shape = problem(n, 1.0, secret)
    except UnknownName:
        return np.full(np.shape(n), TERNARY_VARIANCE)
    return np.asarray(drawn.secret_sigma.reshape(shape) ** 2)
