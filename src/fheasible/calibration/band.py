"""The error band of predicted times: how far they may be off."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from math import hypot, sqrt

import numpy as np

from fheasible.calibration.fit import Prices, fit
from fheasible.estimation.features import Caches
from fheasible.estimation.profile import TimedShape

SHARE = 0.9  # the share of the time, or of the runs, that is predicted within the band
OPERATIONS = 4  # in the short runs that a band is made for; longer ones have smaller errors
# The errors of whole applications are larger than those of their operations show: other data are in the
# caches, and it is another minute. Nine of ten quiet runs of a trial (benchmarks/results/trial.json) were
# within 7.7 % in OpenFHE, 6.8 % in SEAL and 6.7 % in Lattigo. The prices' own spread was 4.6, 1.5 and 1.9 %,
# and in Lattigo times had still been falling by 2.0 %. So 6.1, 6.6 and 6.1 % are left; this is their mean.
APPLICATIONS = 0.063


def error_band(errors: Sequence[float], seconds: Sequence[float]) -> float:
    """The relative error that nine tenths of the time stay within; 1 where there are no errors.

    `errors`: those of predictions made from other contexts. Each is weighted by its `seconds`, because an
    addition hardly matters beside a key switch.
    """
    if not errors:
        return 1.0
    off = np.abs(errors)
    return float(np.quantile(off, SHARE, weights=np.asarray(seconds), method="inverted_cdf"))


def band_of(points: Sequence[TimedShape], caches: Caches) -> float:
    """The relative error that nine of ten runs of applications stay within; 1 where the points do not tell.

    The error of prices and the error of applications are independent, so their squares add up.
    """
    found = list(run_errors(points, caches))
    return hypot(error_band(found, [1.0] * len(found)), APPLICATIONS) if found else 1.0


def run_errors(points: Sequence[TimedShape], caches: Caches) -> Iterator[float]:
    """The relative error of short runs in the calibrated contexts, as far as prices make it; never negative.

    A run encrypts at the top level, decrypts, and has OPERATIONS of one kind at one level between. Key
    generation is not part of a total. A fit lies closer to its own points than to new ones, and a fit without
    a point lies further from it than from new points among the others. The first error is the second times
    1 - h, where h is the point's leverage, so their geometric mean has the spread of the measurements
    [CooWei82].
    """
    full = fit(points, caches) if points else None
    contexts: dict[object, list[TimedShape]] = defaultdict(list)
    for p in points:
        contexts[p.shape.n, p.shape.layout].append(p)
    for context, here in contexts.items():
        others = [p for p in points if (p.shape.n, p.shape.layout) != context]
        if full and others:
            left_out = fit(others, caches)
            for run in _runs(here):
                yield sqrt(_off(run, full, caches) * _off(run, left_out, caches))


def _runs(context: Sequence[TimedShape]) -> Iterator[list[TimedShape]]:
    """The short runs that the points of one context make."""
    around = {p.shape.task.action: p for p in sorted(context, key=lambda p: p.shape.task.level)}
    ends = [around[action] for action in ("encrypt", "decrypt") if action in around]
    for p in context:
        if p.shape.task.action not in ("encrypt", "decrypt", "keygen"):
            yield [*ends, *[p] * OPERATIONS]


def _off(run: Sequence[TimedShape], prices: Prices, caches: Caches) -> float:
    """|predicted / measured - 1| of all points of a run together."""
    return abs(sum(prices.seconds(p, caches) for p in run) / sum(p.seconds for p in run) - 1)
