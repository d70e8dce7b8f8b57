"""Figures of one set of parameters, or of a block of sets; those of a block have an axis for the sets first.

A formula that is written once then serves both: `...` stands for the sets of a block, and for nothing with
one set.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from fheasible.aliases import Floats
from fheasible.libraries.block import CkksBlock, CkksSets, ResidueBlock, Sets

Figure = Any  # a float for `Parameters`; for a `Block` an array with an entry for each set


def along(values: Sequence[Any]) -> Floats:
    """Primes or scales as an array (..., position)."""
    return np.asarray(values, dtype=np.float64).T


def column(figure: Figure) -> Floats:
    """The figure with a last axis of length 1, to be combined with figures by level, source or element."""
    return np.asarray(figure, dtype=np.float64)[..., None]


def figure(p: Sets, found: Any) -> Figure:
    """The figure as a float for one set; for a block as an array with an entry for each set, even where all
    are equal."""
    if not isinstance(p, ResidueBlock):
        return float(found)
    each = np.asarray(found, dtype=np.float64)
    return each if each.shape == (len(p),) else np.broadcast_to(each, (len(p),))


def by_ladder(p: CkksSets, figures: Callable[[CkksSets], Floats]) -> Floats:
    """Figures (..., position) that depend on scales and on the primes above the first; they are computed once
    for all sets of a block that agree in these."""
    if not isinstance(p, CkksBlock) or p.ladders is None:
        return figures(p)
    few, each = p.ladders
    return np.take(figures(few), each, axis=0) if len(few) < len(p) else figures(p)


def by_switching(p: CkksSets, figures: Callable[[CkksSets], Floats]) -> Floats:
    """Figures (set, position) that depend on P and on digits; they are computed for each part of a block by
    itself where these differ."""
    if not isinstance(p, CkksBlock) or not p.parts:
        return figures(p)
    return np.concatenate([figures(part) for part in p.parts])


def by_first(p: CkksSets, figures: Callable[[CkksSets], Floats]) -> Floats:
    """Figures (..., position) that are linear in the square of q[0]; for sets that differ in q[0] alone, they
    follow from those of two sets."""
    if not isinstance(p, CkksBlock) or p.ends is None:
        return figures(p)
    low, high = np.split(figures(p.ends.sets), 2)
    weight, group = p.ends.weight[:, None], p.ends.group
    return np.asarray(low[group] * (1 - weight) + high[group] * weight)
