"""How far predicted times may be off: the error band that is told of them."""

from collections.abc import Sequence

import numpy as np

SHARE = 0.9  # of the time, that is predicted within the band


def error_band(errors: Sequence[float], seconds: Sequence[float]) -> float:
    """The relative error that operations stay within which take nine tenths of the time: an addition's hardly
    matters beside a key switch's. `errors`: of predictions by what other contexts took. 1 of none."""
    if not errors:
        return 1.0
    off = np.abs(errors)
    return float(np.quantile(off, SHARE, weights=np.asarray(seconds), method="inverted_cdf"))
