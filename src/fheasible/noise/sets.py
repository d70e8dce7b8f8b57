"""One set of parameters, or a block of them: figures by level have an axis for the sets before their own.

So that a formula written once serves both: `...` stands for the sets of a block, and for nothing of one set.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fheasible.libraries.block import Block
from fheasible.libraries.parameters import Parameters

Floats = NDArray[np.float64]
Sets = Parameters | Block
Figure = Any  # a float of `Parameters`; of a `Block` an array, with an entry for each set


def along(values: Sequence[Any]) -> Floats:
    """Primes or scales as an array (..., position)."""
    return np.asarray(values, dtype=np.float64).T


def column(figure: Figure) -> Floats:
    """With a last axis, to meet figures by level, source or element."""
    return np.asarray(figure, dtype=np.float64)[..., None]


def figure(p: Sets, found: Any) -> Figure:
    """As a float where there is one set; for a block one entry for each, whatever they have in common."""
    if isinstance(p, Block):
        return np.broadcast_to(np.asarray(found, dtype=np.float64), (len(p),))
    return float(found)
