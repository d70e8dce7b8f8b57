"""Whether every value fits its modulus, and every plain number its scale.

A CKKS value that outgrows its modulus decrypts to garbage; a number that rounds to zero makes SEAL refuse.
"""

from functools import lru_cache
from math import inf, log2
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fheasible.noise.gains import Gains
from fheasible.noise.scales import Scale, all_in_numbers, scales_of
from fheasible.noise.sets import Figure, Floats, Sets, along, figure
from fheasible.program.types import Action, Program

Indices = NDArray[np.int64]

_SMALLEST = 2.0**-60  # a zero vector fits everywhere


def headroom_bits(program: Program, p: Sets, gains: Gains) -> Figure:
    """Bits left, at the tightest operation, between scale * value and half its modulus."""
    return tightest(program, p, gains)[0]


def tightest(program: Program, p: Sets, gains: Gains) -> tuple[Figure, Figure]:
    """(bits left, the largest value) where the fewest bits are left."""
    found = _largest(program, gains)
    left = _room(p, found.levels, found.scales) - np.log2(found.values)
    return figure(p, left.min(axis=-1)), figure(p, found.values[left.argmin(axis=-1)])


def room_bits(p: Sets, level: int, scale: Scale) -> Figure:
    """log2 of the largest value that half of a level's modulus holds at that scale."""
    return figure(p, _room(p, np.array([level]), np.array([scale]))[..., 0])


def _room(p: Sets, levels: Indices, scales: Indices) -> Floats:
    log_q = np.cumsum(np.log2(along(p.q)), axis=-1)[..., np.minimum(levels, p.limbs - 1)]
    return np.asarray(log_q - 1 - np.log2(all_in_numbers(scales, p)))


class _Largest(NamedTuple):
    """Of each level and scale (level, degree), the largest slot among its values; ascending."""

    levels: Indices
    scales: Indices
    values: Floats


@lru_cache(maxsize=256)
def _largest(program: Program, gains: Gains) -> _Largest:
    found: dict[tuple[int, Scale], float] = {}
    scales = scales_of(program)
    for o, value in zip(program.operations, gains.largest, strict=True):
        key = (o.level, scales[o.out])
        found[key] = max(found.get(key, _SMALLEST), float(value))
    ordered = sorted(found.items(), key=lambda item: item[1])
    levels, at = zip(*(key for key, _ in ordered), strict=True)
    return _Largest(np.array(levels), np.array(at), np.array([value for _, value in ordered]))


def smallest_number_bits(program: Program, p: Sets) -> Figure:
    """log2 of the least plain number at the scale it is multiplied in with; below -1 it rounds to zero."""
    found = _smallest_numbers(program)
    if not found:
        return figure(p, inf)
    own, other = (np.array(scales) for scales in zip(*found, strict=True))
    ratios = np.log2(all_in_numbers(own, p)) - np.log2(all_in_numbers(other, p))
    return figure(p, (np.array([log2(number) for number in found.values()]) + ratios).min(axis=-1))


@lru_cache(maxsize=256)
def _smallest_numbers(program: Program) -> dict[tuple[Scale, Scale], float]:
    """Among those between an operand and a product of the same scales."""
    scales = scales_of(program)
    found: dict[tuple[Scale, Scale], float] = {}
    for o in program.operations:
        if o.action is Action.MUL_SCALAR and o.plain is not None:
            key = (scales[o.out], scales[o.args[0]])
            found[key] = min(found.get(key, inf), abs(float(program.plains[o.plain][0])))
    return {key: number for key, number in found.items() if number}
