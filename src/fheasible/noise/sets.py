"""One set of parameters, or a block of them: figures by level have an axis for the sets before their own.

So that a formula written once serves both: `...` stands for the sets of a block, and for nothing of one set.
"""

from collections.abc import Callable, Sequence
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
    if not isinstance(p, Block):
        return float(found)
    each = np.asarray(found, dtype=np.float64)
    return each if each.shape == (len(p),) else np.broadcast_to(each, (len(p),))


def by_ladder(p: Sets, figures: Callable[[Sets], Floats]) -> Floats:
    """Figures (..., position) of scales and of the primes above the first: once for all sets of a block that
    are alike in these."""
    if not isinstance(p, Block) or p.ladders is None:
        return figures(p)
    few, each = p.ladders
    return np.take(figures(few), each, axis=0) if len(few) < len(p) else figures(p)


def by_switching(p: Sets, figures: Callable[[Sets], Floats]) -> Floats:
    """Figures (set, position) of P and digits: of each part of a block by itself, where these differ."""
    if not isinstance(p, Block) or not p.parts:
        return figures(p)
    return np.concatenate([figures(part) for part in p.parts])


def by_first(p: Sets, figures: Callable[[Sets], Floats]) -> Floats:
    """Figures (..., position) that are linear in the square of q[0]: of sets that differ in it alone, from
    two of them."""
    if not isinstance(p, Block) or p.ends is None:
        return figures(p)
    low, high = np.split(figures(p.ends.sets), 2)
    weight, group = p.ends.weight[:, None], p.ends.group
    return np.asarray(low[group] * (1 - weight) + high[group] * weight)
