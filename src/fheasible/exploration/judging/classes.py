"""Results that are scores of classes: a sample's class is that of its largest score.

Several outputs of one length are the classes, and their elements are the samples. A single output holds the
scores of one sample, or of one sample after another where the number of classes is given.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fheasible.aliases import Floats
from fheasible.errors import UsageError
from fheasible.exploration.problem.wish import Asked, Measure

Vectors = Mapping[str, NDArray[Any]]

KEPT = 0.99  # the share of the samples whose class must be the same as in the clear
_FORM = (
    "return a vector for each class, or return one vector of scores and give --precision class:10 if it "
    "holds ten scores for each sample"
)


def resolved(asked: Asked | None, truth: Vectors) -> Asked | None:
    """A wish for classes, as the absolute error that keeps them on 99 % of these samples; any other wish
    unchanged.

    The error is half of the distance between a sample's two largest scores. UsageError where the results are
    no scores, or where too many samples have no single largest score.
    """
    if asked is None or asked.measure is not Measure.CLASS:
        return asked
    ordered = np.sort(scores(truth, int(asked.value)), axis=1)
    margins = np.sort(ordered[:, -1] - ordered[:, -2])
    allowed = int((1 - KEPT) * len(margins) + 1e-9)
    if margins[allowed] <= 0:
        ties = float(np.mean(margins <= 0))
        raise UsageError(
            f"{100 * ties:.3g} % of the samples have no single largest score in the clear, so that their "
            f"class cannot be kept; it must be kept on {100 * KEPT:g} % of the samples",
            "give data with clear classes, or ask for bits: --precision 15",
        )
    error = float(margins[allowed]) / 2
    return replace(asked, measure=Measure.ABSOLUTE, value=error, classes=int(asked.value))


def scores(vectors: Vectors, classes: int = 0) -> Floats:
    """The scores as (sample, class). `classes` is their number in a single vector, 0 where all of it is one
    sample. UsageError for vectors that cannot be read so."""
    found = [np.asarray(v, dtype=np.float64) for v in vectors.values()]
    lengths = {len(v) for v in found}
    if len(found) > 1:
        if len(lengths) > 1 or classes not in (0, len(found)):
            said = ", ".join(f"{name}: {len(v):,}" for name, v in zip(vectors, found, strict=True))
            raise UsageError(
                f"outputs of different lengths ({said}) cannot be read as scores of classes", _FORM
            )
        return np.stack(found, axis=1)
    (length,) = lengths
    each = classes or length
    if each < 2 or length % each:
        raise UsageError(
            f"a vector of {length:,} elements cannot be read as scores of {each:,} classes", _FORM
        )
    return found[0].reshape(-1, each)


def kept(result: Vectors, truth: Vectors, classes: int) -> float:
    """The share of the samples whose class is the same as in the clear."""
    own, clear = (scores(v, classes).argmax(axis=1) for v in (result, truth))
    return float(np.mean(own == clear))


def right(asked: Asked, result: Vectors, truth: Vectors) -> bool | None:
    """Whether the classes are kept as asked; None where the wish is not for classes."""
    return None if asked.classes is None else kept(result, truth, asked.classes) >= KEPT
