"""The least errors that libraries take for secure, of which they publish a curve."""

from collections.abc import Callable

import numpy as np

from fheasible.aliases import Floats

CONCRETE = {  # log2 of the deviation = slope * n + bias [ConcreteOptimizer, curves_gen.rs]
    128: (-0.025696778711484593, 2.675931372549016),
    132: (-0.024891456582633045, 2.65734593837534),
}


def gaussian_132(dimensions: Floats) -> Floats:
    """TFHE-rs's least Gaussian errors [TfheRs, secure_noise.rs]."""
    return np.asarray(np.sqrt(2.0**-124 + np.exp2(5.31469187675068 - 0.0497829131652661 * dimensions)))


def tuniform_132(dimensions: Floats) -> Floats:
    """TFHE-rs's least TUniform errors."""
    bounds = np.maximum(np.ceil(-0.025167785 * dimensions + 68.10067100000001), 3)
    return np.asarray(np.sqrt((np.exp2(2 * bounds + 1) + 1) / 6) * 2.0**-64)


def concrete(level: int) -> Callable[[Floats], Floats]:
    """Concrete's least Gaussian errors for a level of security."""
    slope, bias = CONCRETE[level]
    return lambda dimensions: np.asarray(np.maximum(np.exp2(slope * dimensions + bias), 2.0**-62))
