"""The values of a program that are the same number in every slot, whatever the data: sums over all slots."""

from functools import lru_cache
from typing import Final, NamedTuple

from fheasible.program.types import Action, Operation, Program

_COPIES = (Action.RELINEARIZE, Action.RESCALE, Action.DROP, Action.BOOTSTRAP, Action.ROTATE)
_SUMS = (Action.ADD, Action.SUB)
_OF_VARIED = (Action.MUL, Action.SQUARE, Action.EVAL_CHEBYSHEV)
_WITH_VECTORS = (Action.ADD_PLAIN, Action.MUL_PLAIN)
_EVAL_SUM: Final = Action.EVAL_SUM


class _Known(NamedTuple):
    """What is known of a value. Bit k of `silent` is set where its discrete Fourier transform vanishes at all
    roots of unity of order 2^(k+1). The value is `root`, turned by `steps`."""

    silent: int
    root: int
    steps: int


@lru_cache(maxsize=64)
def alike(program: Program) -> frozenset[int]:
    """The values that are the same number in every slot, as far as operations alone tell.

    x plus x turned by s is (1 + X^s) x modulo X^slots - 1. This vanishes at w where w^s = -1: at all roots of
    order 2^(k+1), for s = 2^k times an odd number. A value whose transform vanishes everywhere but at 1 is
    constant.
    """
    constant = program.slots - 1
    single = {p.name for p in program.inputs if p.length == 1}
    known: dict[int, _Known] = {}
    for o in program.operations:
        args = [known[a] for a in o.args]
        root, steps = (args[0].root, args[0].steps + o.steps) if o.action in _COPIES else (o.out, 0)
        if o.action is Action.ENCRYPT:
            silent = constant if o.source in single else 0
        else:
            silent = _silent(program, o, args, constant)
        known[o.out] = _Known(silent, root, steps % program.slots)
    return frozenset(value for value, k in known.items() if k.silent == constant)


def _silent(program: Program, o: Operation, args: list[_Known], constant: int) -> int:
    """The bits `silent` of what an operation makes of its operands."""
    if o.action is _EVAL_SUM:
        return constant
    both = args[0].silent & args[-1].silent
    if o.action in _SUMS:
        return both | _turned(o, args)
    varied = o.action in _OF_VARIED
    if o.action in _WITH_VECTORS:
        varied |= len(program.plains[o.plain or 0]) > 1
        both = 0 if varied else both
    return both if not varied or both == constant else 0


def _turned(o: Operation, args: list[_Known]) -> int:
    """The bit of `silent` that is set by adding a value to itself, turned; 0 for any other operation."""
    apart = args[0].steps - args[1].steps
    if o.action is not Action.ADD or args[0].root != args[1].root or not apart:
        return 0
    return apart & -apart
