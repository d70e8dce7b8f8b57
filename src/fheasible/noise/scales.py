"""The scale of every value of a CKKS program, by the rule of program/types.py: symbolic, then in numbers."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from fheasible.aliases import Floats
from fheasible.libraries.block import CkksSets
from fheasible.noise.sets import along
from fheasible.program.types import Action, Operation, Program

Scale = tuple[int, int]  # (level l, degree d): S_l to the power d
FIXED = (
    "fixedmanual",
    "fixedauto",
)  # techniques in which every level keeps the nominal scale, whatever its prime is

_OF_DEGREE_1 = (Action.RESCALE, Action.BOOTSTRAP)
_SUMS = (Action.ADD, Action.SUB)
_PRODUCTS = (Action.MUL, Action.SQUARE, Action.MUL_PLAIN, Action.MUL_SCALAR, Action.EVAL_CHEBYSHEV)


@lru_cache(maxsize=1024)
def scales_of(program: Program) -> dict[int, Scale]:
    """The symbolic scale of every value."""
    scales: dict[int, Scale] = {}
    top = program.fresh_levels
    for o in program.operations:
        scales[o.out] = _scale(program, o, scales, top)
    return scales


def _scale(program: Program, o: Operation, scales: dict[int, Scale], top: int) -> Scale:
    if o.action in _PRODUCTS:
        return (o.level, 2)
    if o.action in _OF_DEGREE_1:
        return (o.level, 1)
    if o.action is Action.ENCRYPT:
        return (o.level, 2 if o.level > top else 1)  # FLEXIBLEAUTOEXT's fresh values
    if program.automatic and o.action in _SUMS:
        deeper = min((scales[a] for a in o.args), key=lambda s: (s[0], -s[1]))  # the other is brought to it
        return (o.level, deeper[1])
    return scales[o.args[0]]


def all_in_numbers(scales: NDArray[np.int64], p: CkksSets) -> Floats:
    """S_l^d for each row (level l, degree d of up to 2): (..., row). Levels above the ladder have its top
    scale."""
    levels, degrees = scales[:, 0], scales[:, 1]
    once = along(p.scales)[..., np.minimum(levels, len(p.scales) - 1)]
    return np.where(
        degrees == 2, once * once, np.where(degrees == 1, once, 1.0)
    )  # exactly rounded, unlike **
