"""Correctness of BFV and BGV programs: the variance of the noise along the program, and the bits left.

The variances are those of the average case [BMCM23], [BMMU25], corrected for what is not independent: powers
of one secret (the mean of |s|^(2d) is d! times as large as that of d different secrets), products of one
value, sums of values that have noise in common, and the amount by which a library's rounding shifts all
coefficients.
"""

from collections.abc import Hashable, Sequence
from functools import lru_cache
from itertools import islice
from math import ceil, inf, log2
from typing import Final

import numpy as np

from fheasible.aliases import Floats, Ints
from fheasible.libraries.block import IntegerBlock, IntegerSets
from fheasible.libraries.parameters import IntegerParameters
from fheasible.noise.integers.batch_walk import BatchWalk
from fheasible.noise.integers.batches import batches
from fheasible.noise.integers.block_parts import block_parts
from fheasible.noise.integers.parts import parts, sum_of_bits
from fheasible.noise.integers.plain_factors import growths
from fheasible.noise.integers.spine import LeastParts, SpineBound, Vertebra, least_parts, spine
from fheasible.noise.integers.walk import StepWalk, narrows
from fheasible.noise.sets import Figure
from fheasible.program.types import Program

FAILURE_BITS = 40.0  # a wrong decryption with probability below 2^-40
_BATCH: Final = 8  # a batch of steps, of any number of sets, takes as long as so many steps of one set

_MOST_KEPT: Final = 1 << 12  # budgets
_kept: dict[tuple[Program, IntegerParameters, float], float] = {}  # the latest last


def budget_bits(program: Program, p: IntegerSets, failure_bits: float = FAILURE_BITS) -> Figure:
    """Bits left between the noise of the worst value and a wrong decryption; a negative number means a wrong
    result.

    The probability of any failure is at most 2^-failure_bits, over keys and encryptions. Every value counts:
    a product that wraps around its modulus is lost, however small it is divided. For a block the result is an
    array.
    """
    if isinstance(p, IntegerBlock):
        return budgets(program, [p], failure_bits)[0]
    known = _kept.get((program, p, failure_bits))
    if known is not None:
        return known
    found = _of_alike(program, [p], failure_bits)
    _keep(program, [p], found, failure_bits)
    return float(found[0])


def budgets(
    program: Program,
    blocks: Sequence[IntegerBlock],
    failure_bits: float = FAILURE_BITS,
    enough: float = inf,
) -> list[Floats]:
    """The budget (`budget_bits`) of each block, all of one library and scheme in one ring. Sets share one
    walk where, for noise, their layouts differ in numbers only.

    A set whose budget is known to be below `-enough` is not followed any further: what is said of it is no
    less than its budget, and below `-enough`.
    """
    if not blocks:
        return []
    each: Sequence[IntegerSets] = blocks
    if narrows(blocks[0]):
        each = [one for block in blocks for one in block.exact]
    alike: dict[Hashable, list[int]] = {}
    for place, p in enumerate(each):
        alike.setdefault(_walked_alike(p), []).append(place)
    found = [np.empty(0)] * len(each)
    for places in alike.values():
        together = [each[place] for place in places]
        ends = np.cumsum([_size(p) for p in together])
        parted = np.split(_of_alike(program, together, failure_bits, enough), ends[:-1])
        for place, part in zip(places, parted, strict=True):
            found[place] = part
    figures, ends = np.concatenate(found), np.cumsum([len(block) for block in blocks])
    _keep(program, [one for block in blocks for one in block.exact], figures, failure_bits)
    return np.split(figures, ends[:-1])


def _keep(program: Program, each: Sequence[IntegerParameters], found: Floats, failure_bits: float) -> None:
    """Keep the budgets of sets that are right, which are asked for again when they are shown."""
    right = np.flatnonzero(found >= 0)[:_MOST_KEPT].tolist()
    _kept.update(((program, each[i], failure_bits), float(found[i])) for i in right)
    for key in list(islice(_kept, max(len(_kept) - _MOST_KEPT, 0))):
        del _kept[key]


def _size(p: IntegerSets) -> int:
    return len(p) if isinstance(p, IntegerBlock) else 1


def _walked_alike(p: IntegerSets) -> Hashable:
    """The properties that sets must have in common to share one walk, as a dictionary key. BFV has no levels,
    so the number of limbs is left out for it."""
    limbs = 0 if p.scheme == "bfv" else p.limbs
    return limbs, p.key_switching, not p.p, p.technique, p.extended_limbs, p.secret


def _of_alike(
    program: Program, each: Sequence[IntegerSets], failure_bits: float, enough: float = inf
) -> Floats:
    """The budgets of all sets, one after another, of blocks and sets that share one walk; `enough` is as in
    `budgets`."""
    count, n = sum(map(_size, each)), each[0].ring_dimension
    certain, together = _of_each(program, each[0], failure_bits), batches(program)
    if count * together.steps < _BATCH * len(together.each):
        return np.array([StepWalk(program, p, parts(n, certain)).budget() for p in _exact(each)])
    by, found, hopeful = growths(together, each), np.full(count, inf), np.arange(count)
    if enough < inf:
        algebra = least_parts(n, certain)
        few = _spine_of(program, _exact(each), algebra)
        found[:] = SpineBound(program, each, algebra, by, few).budget()
        hopeful = np.flatnonzero(found >= -enough)
        each, by = _taken(each, hopeful), [grown and grown.taken(hopeful) for grown in by]
    if len(hopeful):
        found[hopeful] = BatchWalk(program, each, block_parts(n, certain), by).budget()
    return found


def _spine_of(program: Program, sets: Sequence[IntegerParameters], algebra: LeastParts) -> Sequence[Vertebra]:
    """The program's spine, made once by the set with the most room among those that are asked for first."""
    kept = _spines(program)
    if not kept:
        kept.append(spine(program, max(sets, key=lambda p: p.log_q), algebra))
    return kept[0]


@lru_cache(maxsize=256)
def _spines(program: Program) -> list[Sequence[Vertebra]]:
    return []


def _exact(each: Sequence[IntegerSets]) -> list[IntegerParameters]:
    return [one for p in each for one in (p.exact if isinstance(p, IntegerBlock) else (p,))]


def _taken(each: Sequence[IntegerSets], chosen: Ints) -> list[IntegerSets]:
    """The chosen ones of all sets."""
    found: list[IntegerSets] = []
    first = 0
    for p in each:
        mine = chosen[(first <= chosen) & (chosen < first + _size(p))] - first
        if len(mine):
            found.append(p.take(mine) if isinstance(p, IntegerBlock) else p)
        first += _size(p)
    return found


def _of_each(program: Program, p: IntegerSets, failure_bits: float) -> float:
    """-log2 of the probability with which each coefficient of each value may fail."""
    return float(ceil(failure_bits + log2(3 * p.ring_dimension * max(len(program.operations), 1))))


def expected_bits(program: Program, p: IntegerParameters) -> dict[int, float]:
    """The noise budget that is left in each value on average: bits between half of its modulus and the
    largest coefficient of the noise. (Only `budget_bits` tells how far rare cases stray.)"""
    walk = StepWalk(program, p, parts(p.ring_dimension, FAILURE_BITS))
    largest = [sum_of_bits([walk.parts.usual_bits(x) for x in noise if x]) for noise in walk.noise()]
    return {o.out: walk.room(o.level) - largest[walk.of[o.out]] for o in program.operations}


def noise_bits(program: Program, p: IntegerParameters) -> dict[int, float]:
    """log2 of the root mean square of the noise of each value, as a fraction of its modulus."""
    walk = StepWalk(program, p, parts(p.ring_dimension, FAILURE_BITS))
    rms = [sum_of_bits([x.mean for x in noise if x]) / 2 for noise in walk.noise()]
    return {o.out: rms[walk.of[o.out]] - walk.room(o.level) - 1 for o in program.operations}
