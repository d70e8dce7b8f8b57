"""Which elements of the outputs stand for all of them, and which promise the largest errors."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fheasible.noise.sets import Figure
from fheasible.noise.shape import shape
from fheasible.program.simulate import run, unpack
from fheasible.program.types import Action, Operation, Packed, Program

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]

STANDING = 192  # elements of an output, drawn at random
LOUD = 6  # that injected noise disturbs the most, and as many next to zero
_ROUNDS = 4
_AT_ONCE = 1 << 19  # slots times operations of several rounds, which are cheaper run as one
_STEP = 2.0**-24
_WORK = 1 << 23  # slots times operations times directions
_DIRECTIONS = (6, 32)  # for an output whose slots mix, each needs a pass of its own
_NOISY = (Action.ENCRYPT, Action.RESCALE, Action.ROTATE)
_ROUNDING = 1e-9  # what numbers that are all alike may seem to differ by


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """`elements`: indices into all outputs, joined. Each has the variance of a column: its own, or, where a
    pass for each would be too dear, another element's. `weights` sum to 1: each drawn at random stands for
    many, each that promises a large error for itself alone."""

    elements: Indices
    columns: Indices
    weights: Floats
    of_columns: Indices  # the element of each column
    count: int  # of all elements
    calibrated: Floats  # weights that also give the means that are known of all elements, of logs and zeros

    def mean(self, figures: Floats) -> Figure:
        """The mean over all elements of what is known of the judged ones (..., element), by regression on
        their sizes."""
        return figures @ self.calibrated


def judged(
    program: Program, data: Mapping[str, Floats], outputs: dict[str, Floats], mixed: frozenset[int], seed: int
) -> Judged:
    """Of an output up to STANDING elements long: every one."""
    draw = np.random.default_rng(seed)
    most = {p.name: _columns_of(program, p, mixed) for p in program.outputs}
    sampled = [p for p in program.outputs if p.length > min(most[p.name], STANDING)]
    loud = _loudest(program, data, outputs, sampled, draw)
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
    return Judged(elements, columns, weights, of_columns, count, calibrated)


def _calibrated(weights: Floats, elements: Indices, sizes: Floats) -> Floats:
    """Weights of a regression estimate: right in how many elements are 0, in the mean log2 of the others.
    Elements that are all alike tell nothing of others: their rounding must not be divided by itself."""
    known = np.stack([np.log2(np.where(sizes > 0, sizes, 1.0)), sizes == 0])
    sample = known[:, elements]
    apart = sample - (sample @ weights)[:, None]
    apart = np.where(np.abs(apart) > _ROUNDING, apart, 0.0)
    missed = known.mean(axis=1) - sample @ weights
    return np.asarray(weights + weights * (missed @ np.linalg.pinv((apart * weights) @ apart.T) @ apart))


def _columns_of(program: Program, packed: Packed, mixed: frozenset[int]) -> int:
    """How many an output may have."""
    if packed.length == 1 or packed.values[0] not in mixed:
        return packed.length
    few, many = _DIRECTIONS
    return min(max(_WORK // (len(program.operations) * program.slots), few), many)


def _of_output(
    values: Floats, loud: Indices, most: int, draw: np.random.Generator
) -> tuple[Indices, Indices, Floats, Indices]:
    """Its elements, their columns and weights, and the elements of the columns, in ascending order."""
    length = len(values)
    sample = np.setdiff1d(draw.permutation(length)[:STANDING], loud)
    elements = np.union1d(sample, loud)
    weights = np.where(np.isin(elements, loud), 1.0, (length - len(loud)) / max(len(sample), 1)) / length
    if len(elements) <= most:
        return elements, np.arange(len(elements)), weights, elements
    loud = loud[: most // 2]
    ranked = sample[np.argsort(values[sample])]
    standing = ranked[np.linspace(0, len(ranked) - 1, most - len(loud)).astype(int)]
    own = np.union1d(standing, loud)
    return elements, _columns(elements, own, standing, values), weights, own


def _columns(elements: Indices, own: Indices, standing: Indices, values: Floats) -> Indices:
    """Each element's own column, or that of the standing element with the nearest value."""
    middles = (values[standing][1:] + values[standing][:-1]) / 2
    nearest = standing[np.searchsorted(middles, values[elements])]
    return np.searchsorted(own, np.where(np.isin(elements, own), elements, nearest))


def _loudest(
    program: Program,
    data: Mapping[str, Floats],
    outputs: dict[str, Floats],
    sampled: Sequence[Packed],
    draw: np.random.Generator,
) -> dict[str, Indices]:
    """Of each output of which a few elements stand for others: those that noise disturbs the most, of either
    kind, and those next to zero, which have the largest relative errors."""
    found = {p.name: np.empty(0, dtype=np.int64) for p in program.outputs}
    if not sampled:
        return found
    spread, offset = (_disturbed(program, data, outputs, draw, of) for of in (None, shape(program.slots)))
    for packed in sampled:
        size = np.abs(outputs[packed.name])
        small = np.argsort(np.where(size > 0, size, np.inf))[:LOUD]
        errors = (spread[packed.name], offset[packed.name])
        largest = np.argsort(-np.stack(errors), axis=1)[:, :LOUD].T.reshape(-1)
        found[packed.name] = np.array(list(dict.fromkeys([*largest, *small])))
    return found


def _disturbed(
    program: Program,
    data: Mapping[str, Floats],
    outputs: dict[str, Floats],
    draw: np.random.Generator,
    of: Floats | None,
) -> dict[str, Floats]:
    """The largest change of each element, of a few executions with noise, in slots alike or in the shape
    `of`."""
    width = _STEP if of is None else _STEP * np.sqrt(of)
    noisy = {o.out: k for k, o in enumerate(o for o in program.operations if o.action in _NOISY)}
    fitting = _AT_ONCE // (len(program.operations) * program.slots)
    at_once = next((rounds for rounds in (_ROUNDS, _ROUNDS // 2) if rounds <= fitting), 1)
    drawn = np.empty((at_once if at_once > 1 else 0, len(noisy), program.slots))

    def disturb(o: Operation, slots: Floats) -> Floats:
        if o.out not in noisy:
            return slots
        return slots + width * (drawn[:, noisy[o.out]] if len(drawn) else draw.normal(size=len(slots)))

    found = {name: np.zeros(len(v)) for name, v in outputs.items()}
    for _ in range(_ROUNDS // at_once):
        draw.standard_normal(out=drawn)
        values = run(program, data, disturb=disturb)
        for p in program.outputs:
            came = np.abs(unpack(p, [values[v] for v in p.values]) - outputs[p.name])
            found[p.name] = np.maximum(found[p.name], np.atleast_2d(came).max(axis=0))
    return found
