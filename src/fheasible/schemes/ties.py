"""What the operands of a circuit's steps share: noise that is not independent adds up differently."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

from fheasible.circuit.node import Op
from fheasible.schemes.plan import Plan, Step

Offsets = frozenset[int] | None  # elements of an input, counted from the element's own index; None: all
Uses = dict[int, int]  # how often the noise was multiplied by each factor
Sources = dict[str, Offsets]  # the inputs that an element depends on


@dataclass(frozen=True, slots=True)
class Tie:
    """What the operands of one step share.

    `related`: both operands depend on a common encryption; in a sum over elements, two elements do.
    `repeats`: for each operand of a product, how often its noise has been multiplied by the other operand,
    this product included.
    """

    related: bool = True
    repeats: tuple[int, int] = (1, 1)


RELATED = Tie()


def ties(steps: Plan) -> list[Tie]:
    """The tie of each step."""
    sources: list[Sources] = []
    uses: list[Uses] = []
    found: list[Tie] = []
    for step in steps.steps:
        behind = [sources[a] for a in step.args]
        counts = [uses[a] for a in step.args]
        repeats = (1, 1)
        if steps.multiplies(step):
            x, y = step.args
            counts = [once_more(uses[x], y), once_more(uses[y], x)]
            repeats = (counts[0][y], counts[1][x])
        found.append(Tie(_related(step, behind, steps), repeats))
        sources.append(_sources(step, behind, steps))
        uses.append(most(counts))
    return found


def once_more(uses: Uses, factor: int) -> Uses:
    """The uses after the noise is multiplied by that factor once more."""
    return uses | {factor: uses.get(factor, 0) + 1}


def most(counts: Sequence[Uses]) -> Uses:
    """For each factor, the most uses among several operands."""
    return {v: max(uses.get(v, 0) for uses in counts) for v in set().union(*counts)}


def _related(step: Step, behind: Sequence[Sources], steps: Plan) -> bool:
    if step.op is Op.SUM:
        return any(offsets is None or len(offsets) > 1 for offsets in behind[0].values())
    if len(behind) < 2:
        return True
    x, y = (_spread(s, steps.steps[a], step) for s, a in zip(behind, step.args, strict=True))
    return any(_meet(x[name], y[name]) for name in x.keys() & y.keys())


def _meet(a: Offsets, b: Offsets) -> bool:
    return a is None or b is None or bool(a & b)


def _sources(step: Step, behind: Sequence[Sources], steps: Plan) -> Sources:
    match step.op:
        case Op.INPUT:
            return {step.attribute: frozenset((0,))}
        case Op.SUM | Op.LINEAR:
            return dict.fromkeys(behind[0])
        case Op.ROTATE:
            return {name: _moved(o, step.attribute, step.length) for name, o in behind[0].items()}
        case Op.CONSTANT | Op.ADD | Op.SUBTRACT | Op.NEGATE | Op.MULTIPLY:
            return _united(step, behind, steps)
        case Op.POWER | Op.MEAN | Op.POLYNOMIAL | Op.CHEBYSHEV | Op.BOOTSTRAP | Op.DISCRETE:
            raise AssertionError(f"a plan has no {step.op}")
        case _:
            assert_never(step.op)


def _united(step: Step, behind: Sequence[Sources], steps: Plan) -> Sources:
    found: Sources = {}
    for one, a in zip(behind, step.args, strict=True):
        for name, offsets in _spread(one, steps.steps[a], step).items():
            found[name] = _union(found[name], offsets) if name in found else offsets
    return found


def _spread(sources: Sources, operand: Step, step: Step) -> Sources:
    """The sources of an operand of this step.

    A vector of one element goes with every element of the other, so its inputs count in all their elements.
    """
    return dict.fromkeys(sources) if operand.length != step.length else sources


def _moved(offsets: Offsets, by: int, length: int) -> Offsets:
    return None if offsets is None else frozenset((o + by) % length for o in offsets)


def _union(a: Offsets, b: Offsets) -> Offsets:
    return None if a is None or b is None else a | b
