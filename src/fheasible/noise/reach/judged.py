"""The elements of the outputs that stand for all of them, and those that promise the largest errors."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from fheasible.aliases import Floats, Ints
from fheasible.noise.achieved import reference
from fheasible.noise.reach.reach import mixing
from fheasible.noise.reach.variances import Variances
from fheasible.noise.sets import Figure
from fheasible.program.simulate import unpack
from fheasible.program.types import Packed, Program

STANDING = 192  # elements of an output, drawn at random
LOUD = 6  # elements that noise of a kind disturbs the most; as many of each other sort
_STRETCHES = 256
_WORK = 1 << 23  # slots times operations times directions
_DIRECTIONS = (6, 32)  # fewest and most, for an output whose slots mix: each needs a pass of its own
_NOTHING = 1e-140  # stands for the size of a result that is 0: a double still holds its square
_ROUNDING = 1e-9  # the most by which numbers that are all alike may seem to differ


@dataclass(frozen=True, slots=True, eq=False)
class JudgedElements:
    """The elements that stand for all. `elements`: indices into all outputs, joined. Each element has the
    variance of a column: its own, or another element's where a pass for each would be too expensive.
    `weights` sum to 1: an element that was drawn at random stands for many, one that promises a large error
    for itself alone."""

    elements: Ints
    columns: Ints
    weights: Floats
    of_columns: Ints  # the element of each column
    count: int  # the number of all elements
    calibrated: Floats  # weights that also give the known means over all elements, of logs and of zeros

    def mean(self, figures: Floats) -> Figure:
        """The mean over all elements of figures that are known for the judged ones (..., element), by
        regression on their sizes."""
        return figures @ self.calibrated


def judged(
    program: Program, reached: Mapping[int, Variances], outputs: dict[str, Floats], seed: int
) -> JudgedElements:
    """The judged elements of all outputs; they include every element of an output that is up to STANDING
    elements long. `reached`: the variances of the values of `sampled` outputs. `outputs`: the results of a
    noiseless execution."""
    draw, mixed = np.random.default_rng(seed), mixing(program)
    most = {p.name: _columns_of(program, p, mixed) for p in program.outputs}
    loud = _loudest(program, reached, outputs)
    count = sum(p.length for p in program.outputs)
    parts, start, width = [], 0, 0
    for packed in program.outputs:
        part = _of_output(outputs[packed.name], loud[packed.name], most[packed.name], draw)
        share = packed.length / count
        parts.append((part[0] + start, part[1] + width, part[2] * share, part[3] + start))
        start += packed.length
        width += len(part[3])
    elements, columns, weights, of_columns = (np.concatenate(x) for x in zip(*parts, strict=True))
    sizes = np.abs(np.concatenate([outputs[p.name] for p in program.outputs]))
    calibrated = _calibrated(weights, elements, sizes)
    return JudgedElements(elements, columns, weights, of_columns, count, calibrated)


def _calibrated(weights: Floats, elements: Ints, sizes: Floats) -> Floats:
    """The weights of a regression estimate that is right in the number of elements that are 0 and in the mean
    log2 of the others. Elements that are all alike tell nothing about others: their rounding must not be
    divided by itself."""
    known = np.stack([np.log2(np.where(sizes > 0, sizes, 1.0)), sizes == 0])
    sample = known[:, elements]
    apart = sample - (sample @ weights)[:, None]
    apart = np.where(np.abs(apart) > _ROUNDING, apart, 0.0)
    missed = known.mean(axis=1) - sample @ weights
    return np.asarray(weights + weights * (missed @ np.linalg.pinv((apart * weights) @ apart.T) @ apart))


def _columns_of(program: Program, packed: Packed, mixed: frozenset[int]) -> int:
    """The number of columns that an output may have."""
    if packed.length == 1 or packed.values[0] not in mixed:
        return packed.length
    few, many = _DIRECTIONS
    return min(max(_WORK // (len(program.operations) * program.slots), few), many)


def _of_output(
    values: Floats, loud: Ints, most: int, draw: np.random.Generator
) -> tuple[Ints, Ints, Floats, Ints]:
    """The judged elements of an output, in ascending order, their columns and weights, and the elements of
    the columns, in ascending order."""
    length = len(values)
    sample = np.setdiff1d(draw.permutation(length)[:STANDING], loud)
    elements = np.union1d(sample, loud)
    weights = np.where(np.isin(elements, loud), 1.0, (length - len(loud)) / max(len(sample), 1)) / length
    if len(elements) <= most:
        return elements, np.arange(len(elements)), weights, elements
    loud = loud[: most // 2]
    if len(sample) < most - len(loud):  # a short output may have hardly any other
        sample = np.setdiff1d(elements, loud)
    ranked = sample[np.argsort(values[sample])]
    standing = ranked[np.linspace(0, len(ranked) - 1, most - len(loud)).astype(int)]
    own = np.union1d(standing, loud)
    return elements, _columns(elements, own, standing, values), weights, own


def _columns(elements: Ints, own: Ints, standing: Ints, values: Floats) -> Ints:
    """The column of each element: its own, or that of the standing element with the nearest value."""
    middles = (values[standing][1:] + values[standing][:-1]) / 2
    nearest = standing[np.searchsorted(middles, values[elements])]
    return np.searchsorted(own, np.where(np.isin(elements, own), elements, nearest))


@lru_cache(maxsize=64)
def sampled(program: Program) -> tuple[Packed, ...]:
    """The outputs in which a few elements stand for others."""
    mixed = mixing(program)
    return tuple(p for p in program.outputs if p.length > min(_columns_of(program, p, mixed), STANDING))


def _loudest(
    program: Program, reached: Mapping[int, Variances], outputs: dict[str, Floats]
) -> dict[str, Ints]:
    """For each output that is `sampled`: the elements that each kind of noise disturbs the most, those that
    it disturbs the most for their size, and those nearest to zero. There are none for other outputs."""
    found = {p.name: np.empty(0, dtype=np.int64) for p in program.outputs}
    for packed in sampled(program):
        of_kinds, results = _of_elements(program, packed, reached), outputs[packed.name]
        relative = [v / np.maximum(reference(results), _NOTHING) ** 2 for v in of_kinds]
        smallness = -np.where(results != 0, np.abs(results), np.finfo(float).max)
        most = np.array([_most(v) for v in _telling([*of_kinds, *relative, smallness])]).T.reshape(-1)
        found[packed.name] = np.array(list(dict.fromkeys(most)), dtype=np.int64)
    return found


def _of_elements(program: Program, packed: Packed, reached: Mapping[int, Variances]) -> list[Floats]:
    """The variance of every element, for each kind of noise that reaches an output. Offsets come first,
    because few elements have nearly all of their variance."""
    kinds = sorted({kind for v in packed.values for kind in reached[v]})
    found = [
        unpack(packed, [np.broadcast_to(reached[v].get(kind, 0.0), program.slots) for v in packed.values])
        for kind in kinds
    ]
    return [v for v in found if v.any()]


def _telling(figures: list[Floats]) -> list[Floats]:
    """The figures that are not alike for all elements."""
    return [v for v in figures if v.max() - v.min() > _ROUNDING * abs(v.max())]


def _most(figures: Floats) -> Ints:
    """The places of the LOUD largest figures, the largest first. The figures are cut into stretches; the LOUD
    largest are no smaller than the maximum of the LOUD-th best stretch, which is found quickly."""
    stretches = np.arange(0, len(figures), max(len(figures) // _STRETCHES, 1))
    least = np.partition(np.maximum.reduceat(figures, stretches), -LOUD)[-LOUD]
    likely = np.flatnonzero(figures >= least)
    return likely[np.argsort(-figures[likely], kind="stable")[:LOUD]]
