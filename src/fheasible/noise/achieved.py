"""How far results are off, in each measure that a user may ask for."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

NEAR_ZERO = 2.0**-10  # fraction of a vector's largest element: a smaller one has no relative error of its own

FINEST = 2.0**-53  # an error below a double's resolution counts as that resolution

Vectors = Mapping[str, NDArray[Any]]


@dataclass(frozen=True, slots=True)
class Achieved:
    """How far results are off. `bits`: -log2 of the largest error of any element, as a fraction of the
    largest value of its output. `mean`: the average over elements of -log2 of the relative error. `absolute`:
    the largest error of any element. `relative`: the largest error over `reference`."""

    bits: float
    mean: float
    absolute: float
    relative: float


def reference(exact: NDArray[Any]) -> NDArray[np.float64]:
    """The size that the error of each element of a vector is compared with: the element's own size, or a
    thousandth (2^-10) of the largest element's where it is nearer to zero; 1 where all are zero."""
    size = np.abs(np.asarray(exact, dtype=np.float64))
    largest = float(size.max(initial=0.0))
    return np.maximum(size, NEAR_ZERO * largest) if largest else np.ones_like(size)


def largest_value(exact: NDArray[Any]) -> float:
    """The size of a vector's largest element; 1 where all are zero."""
    return float(np.abs(np.asarray(exact, dtype=np.float64)).max(initial=0.0)) or 1.0


def achieved(results: Vectors, truth: Vectors) -> Achieved:
    """How far decrypted results are from the true ones."""
    errors = {k: np.abs(np.asarray(results[k], dtype=np.float64) - truth[k]) for k in results}
    part = max(float(e.max()) / largest_value(truth[k]) for k, e in errors.items())
    joined = [np.concatenate([np.asarray(v[k], dtype=np.float64) for k in results]) for v in (results, truth)]
    return Achieved(
        -float(np.log2(max(part, FINEST))),
        bits_of(joined[0], joined[1]),
        max(float(e.max()) for e in errors.values()),
        max(float((e / reference(truth[k])).max()) for k, e in errors.items()),
    )


def bits_of(decrypted: NDArray[np.float64], exact: NDArray[np.float64]) -> float:
    """The average of -log2 of the relative error [GKS25, Sec. 3.1]; of the absolute error where the true
    value is 0."""
    return mean_bits(np.abs(decrypted - exact), exact)


def mean_bits(errors: NDArray[np.float64], exact: NDArray[np.float64]) -> float:
    """The average of -log2 of the relative error (`element_bits`), for absolute errors of the results
    `exact`."""
    return float(np.mean(element_bits(errors, exact)))


def element_bits(errors: NDArray[np.float64], exact: NDArray[np.float64]) -> NDArray[np.float64]:
    """-log2 of each element's relative error, or of its absolute error where the true value is 0."""
    size = np.where(exact == 0, 1.0, np.abs(exact))
    with np.errstate(over="ignore"):  # where the true value is next to 0
        return -np.log2(np.maximum(errors / size, FINEST))
