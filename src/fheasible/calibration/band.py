"""The error band of predicted times: how far they may be off."""

from collections.abc import Sequence

import numpy as np

SHARE = 0.9  # the share of the time that is predicted within the band


def error_band(errors: Sequence[float], seconds: Sequence[float]) -> float:
    """The relative error that nine tenths of the time stay within; 1 where there are no errors.

    `errors`: those of predictions made from other contexts. Each is weighted by its `seconds`, because an
    addition hardly matters beside a key switch.
    """
    if not errors:
        return 1.0
    off = np.abs(errors)
    return float(np.quantile(off, SHARE, weights=np.asarray(seconds), method="inverted_cdf"))
