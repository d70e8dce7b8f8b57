"""How far each operation's noise reaches the outputs, to first order and with all correlations.

The gains belong to a program and its data, not to parameters: the variance at any scale, modulus or library
is then a product of a matrix and a vector. Every element has a variance of its own; of a long output some
elements stand for all, with those beside them that promise the largest errors.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from fheasible.noise.aims import aims
from fheasible.noise.block import Block, Factor, Source
from fheasible.noise.judged import Judged, judged
from fheasible.noise.reach import mixing
from fheasible.program.simulate import run, unpack
from fheasible.program.types import Program

Floats = NDArray[np.float64]
Key = TypeVar("Key")


@dataclass(frozen=True, slots=True, eq=False)
class Gains:
    """`variances`: by what factor unit variance in all slots of a source reaches each column, summed over the
    operations that are alike. A column is an output element; `whole` is the same for the mean over all slots
    of the values that the outputs lie in. `drifts` and `factors`: the effect, with its sign, of a relative
    error of one in what rescaling to a level gives, and in a plain number.
    """

    outputs: dict[str, Floats]  # what a noiseless execution gives
    largest: Floats  # the largest slot of each operation's result, without its sign
    judged: Judged
    sources: tuple[Source, ...]
    variances: Floats  # (source, column)
    whole: Floats  # (source, value)
    average: Floats  # (source, value): the mean over the elements that lie there
    shares: Floats  # of each value, in the elements of all outputs
    value: NDArray[np.int64]  # of each column
    reading: Floats  # of each value: what the variance of noise in each of its slots is multiplied by
    company: Floats  # of each column: by how many others of its value its own noise is hardly shared
    shared: Floats  # (all but key switching, that alone; column): correlation with others of the value
    switches: Floats  # of each column: key switches that it depends on, of a key each
    mixed_fresh: Floats  # of each column: how many slots its noise comes from, that of encryptions
    mixed: Floats  # ... and all other
    drift_levels: tuple[int, ...]
    drifts: Floats  # (level, column)
    factor_keys: tuple[Factor, ...]
    numbers: Floats  # of each factor
    factors: Floats  # (factor, column)


def gains(program: Program, data: Mapping[str, Floats], seed: int = 0) -> Gains:
    """The gains at these input data."""
    values = run(program, data)
    outputs = {p.name: unpack(p, [values[v] for v in p.values]) for p in program.outputs}
    chosen = judged(program, data, outputs, mixing(program), seed)
    blocks = [Block(program, values, aim) for aim in aims(program, chosen, seed)]
    largest = np.array([float(np.abs(values[o.out]).max()) for o in program.operations])
    return _joined(program, outputs, largest, chosen, blocks)


def _joined(
    program: Program, outputs: dict[str, Floats], largest: Floats, chosen: Judged, blocks: list[Block]
) -> Gains:
    """All blocks' columns side by side."""
    sources = tuple(dict.fromkeys(s for b in blocks for s in b.variances))
    levels = tuple(dict.fromkeys(k for b in blocks for k in b.drifts))
    factors = tuple(dict.fromkeys(k for b in blocks for k in b.factors))
    widths = [b.width for b in blocks]
    return Gains(
        outputs,
        largest,
        chosen,
        sources,
        np.hstack([_rows(b.variances, sources, b.width) for b in blocks]),
        np.array([[b.whole[s] for b in blocks] for s in sources]).reshape(len(sources), len(blocks)),
        np.array([[b.average[s] for b in blocks] for s in sources]).reshape(len(sources), len(blocks)),
        np.array([b.aim.elements for b in blocks]) / sum(b.aim.elements for b in blocks),
        np.repeat(np.arange(len(blocks)), widths),
        np.array([b.aim.reading for b in blocks]),
        np.repeat([b.company() for b in blocks], widths),
        np.repeat(np.array([b.shared() for b in blocks]).T, widths, axis=1),
        np.repeat([float(max(b.switches, 1)) for b in blocks], widths),
        np.concatenate([b.mixed(fresh=True) for b in blocks]),
        np.concatenate([b.mixed(fresh=False) for b in blocks]),
        levels,
        np.hstack([_rows(b.drifts, levels, b.width) for b in blocks]),
        factors,
        np.array([float(program.plains[plain][0]) for plain, _, _ in factors]),
        np.hstack([_rows(b.factors, factors, b.width) for b in blocks]),
    )


def _rows(found: Mapping[Key, Floats], keys: tuple[Key, ...], width: int) -> Floats:
    return np.array([found.get(k, np.zeros(width)) for k in keys]).reshape(len(keys), width)
