"""Whether every value and every scale fits its modulus, and every plain number its scale.

A CKKS value that outgrows its modulus decrypts to garbage. Some libraries refuse scales that outgrow it, and
some refuse numbers that round to zero.
"""

from functools import lru_cache
from math import inf, log2
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fheasible.aliases import Floats, Ints
from fheasible.libraries.block import CkksSets
from fheasible.libraries.catalogue import library
from fheasible.noise.faint import least_coefficient
from fheasible.noise.reach.gains import Gains, SlotValues
from fheasible.noise.scales import Scale, all_in_numbers, scales_of
from fheasible.noise.sets import Figure, along, figure
from fheasible.program.types import Action, Program

_SMALLEST = 2.0**-60  # a zero vector fits everywhere


def headroom_bits(program: Program, p: CkksSets, met: Gains | SlotValues) -> Figure:
    """Bits left, at the tightest operation, between scale * value and half its modulus."""
    return tightest(program, p, met)[0]


def tightest(program: Program, p: CkksSets, met: Gains | SlotValues) -> tuple[Figure, Figure]:
    """The bits left and the largest value, where the fewest bits are left."""
    found = _largest(program, met)
    left = _room(p, found.levels, found.scales) - np.log2(found.values)
    return figure(p, left.min(axis=-1)), figure(p, found.values[left.argmin(axis=-1)])


def room_bits(p: CkksSets, level: int, scale: Scale) -> Figure:
    """log2 of the largest value that half of a level's modulus holds at that scale."""
    return figure(p, _room(p, np.array([level]), np.array([scale]))[..., 0])


def _room(p: CkksSets, levels: Ints, scales: Ints) -> Floats:
    return np.asarray(_log_q(p, levels) - 1 - np.log2(all_in_numbers(scales, p)))


def _log_q(p: CkksSets, levels: Ints) -> Floats:
    """log2 of the modulus that is left at each level."""
    return np.asarray(np.cumsum(np.log2(along(p.q)), axis=-1)[..., np.minimum(levels, p.limbs - 1)])


def scale_room_bits(program: Program, p: CkksSets) -> Figure:
    """Bits left, where they are fewest, until the library refuses a scale for being as large as the modulus;
    below 0 it refuses. Infinite where the library refuses no scale."""
    if not library(p.library).refuses_scales:
        return figure(p, inf)
    levels, own, other, sizes, encoded = _scales_met(program)
    log2_scale = np.log2(all_in_numbers(own, p) / all_in_numbers(other, p))
    room = library(p.library).scale_room_bits(log2_scale, _log_q(p, levels), encoded, sizes)
    return figure(p, room.min(axis=-1))


@lru_cache(maxsize=256)
def _scales_met(program: Program) -> tuple[Ints, Ints, Ints, Floats, NDArray[np.bool_]]:
    """Each scale that a program meets, as five columns: its level; the scale, and another one that it is
    divided by; log2 of what no coefficient of the plain vector there exceeds; whether a vector is encoded at
    the scale."""
    scales, found = scales_of(program), set[tuple[int, Scale, Scale, float, bool]]()
    for o in program.operations:
        found.add((o.level, scales[o.out], (0, 0), -inf, False))
        if o.action is Action.ENCRYPT:  # the headroom is for its values
            found.add((o.level, scales[o.out], (0, 0), -inf, True))
        elif o.action in (Action.ADD_PLAIN, Action.MUL_PLAIN):
            product = o.action is Action.MUL_PLAIN
            size = log2(float(np.abs(program.plains[o.plain or 0]).mean()) or _SMALLEST)
            found.add((o.level, scales[o.out], scales[o.args[0]] if product else (0, 0), size, True))
    levels, own, other, sizes, encoded = zip(*sorted(found), strict=True)
    return np.array(levels), np.array(own), np.array(other), np.array(sizes), np.array(encoded)


class _Largest(NamedTuple):
    """The largest slot among the values of each level and scale (level, degree), in ascending order."""

    levels: Ints
    scales: Ints
    values: Floats


@lru_cache(maxsize=256)
def _largest(program: Program, met: Gains | SlotValues) -> _Largest:
    found: dict[tuple[int, Scale], float] = {}
    scales = scales_of(program)
    for o, value in zip(program.operations, met.largest, strict=True):
        key = (o.level, scales[o.out])
        found[key] = max(found.get(key, _SMALLEST), float(value))
    ordered = sorted(found.items(), key=lambda item: item[1])
    levels, at = zip(*(key for key, _ in ordered), strict=True)
    return _Largest(np.array(levels), np.array(at), np.array([value for _, value in ordered]))


def smallest_number_bits(program: Program, p: CkksSets, gains: Gains) -> Figure:
    """log2 of the least plain number, or of the largest coefficient of the least row, at the scale at which
    it is encoded. Below -1 it rounds to zero, and the library refuses it. Infinite where the library refuses
    nothing. Inputs count, too, where the library refuses them."""
    found = _smallest_numbers(program, p.library)
    if Action.ENCRYPT in library(p.library).refused_zeros:
        inputs = _smallest_inputs(program, gains)  # encoded at the same ratios as summands
        found = found | {key: min(number, found.get(key, inf)) for key, number in inputs.items()}
    if not found:
        return figure(p, inf)
    own, other = (np.array(scales) for scales in zip(*found, strict=True))
    ratios = np.log2(all_in_numbers(own, p)) - np.log2(all_in_numbers(other, p))
    return figure(p, (np.array([log2(number) for number in found.values()]) + ratios).min(axis=-1))


@lru_cache(maxsize=256)
def _smallest_numbers(program: Program, name: str) -> dict[tuple[Scale, Scale], float]:
    """The least number, or largest coefficient of the least row, among those that are encoded at the same
    ratio of two scales."""
    scales, refused = scales_of(program), library(name).refused_zeros
    plains: dict[tuple[Scale, Scale], set[int]] = {}
    for o in program.operations:
        if o.plain is not None and o.action in refused:
            product = o.action is not Action.ADD_PLAIN
            key = (scales[o.out], scales[o.args[0]]) if product else ((scales[o.out][0], 1), (0, 0))
            plains.setdefault(key, set()).add(o.plain)
    found = {key: least_coefficient([program.plains[i] for i in sorted(own)]) for key, own in plains.items()}
    return {key: number for key, number in found.items() if number < inf}


def _smallest_inputs(program: Program, gains: Gains) -> dict[tuple[Scale, Scale], float]:
    if gains.faintest == inf:
        return {}
    scales = scales_of(program)
    encrypted = {scales[o.out] for o in program.operations if o.action is Action.ENCRYPT}
    return {((level, 1), (0, 0)): gains.faintest for level, _ in encrypted}
