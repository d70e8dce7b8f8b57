"""What brings noise, and where: met by a pass backwards from an output."""

from collections.abc import Hashable, Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from fheasible.noise.rows import Adjoint
from fheasible.noise.scales import Scale, scales_of, sizes_of
from fheasible.program.schedule import value_levels
from fheasible.program.types import Action, Operation, Program

KINDS = ("encrypt", "rescale", "rescale_product", "key_switch", "digits", "division", "encoding", "doubles")
OFFSETS = ("digits", "division")  # in the shape of a mean of coefficients, not in all slots alike
PLAIN = ("encoding", "doubles")  # times no part of a key
KEY_SWITCH = ("relinearize", "rotate")
# What a library does to bring an operand to another's scale: dividing by a prime, multiplying by it.
UNASKED = {"rescale": 1.0, "mul_scalar": -1.0}


def right_once_divided(o: Operation, own: Scale) -> bool:
    """Whether a number is added, to a product of scale `own`, so that it is right once that has been divided
    by a prime that is not the scale itself: measured of OpenFHE 1.6.1."""
    return o.action is Action.ADD_SCALAR and own[1] == 2 and o.plain is not None


class Source(NamedTuple):
    """What adds noise: "encrypt", "rescale" (of a product that is not relinearised: "rescale_product"),
    "key_switch", "encoding" of a plain operand; "doubles", what encoding any vector in them brings; "digits"
    and "division", what the means of a switched polynomial's digits and of its division bring; at a level, to
    a result of scale `own`; `other`: of the operand that it meets; `key`: of "digits", the rotation's steps,
    and 0 of a relinearisation."""

    kind: str
    level: int
    own: Scale
    other: Scale = (0, 0)
    key: int = 0


DOUBLES = Source("doubles", 0, (0, 1))
DIVISION: Final = Source("division", 0, (0, 1))  # of every switch to a value of degree 1, at any level
Met = tuple[Source, Adjoint]


class Brought(NamedTuple):
    """A source of an operation's noise, which it adds to the operand `share`, or to its result for None."""

    source: Source
    share: int | None = None


def brought(program: Program, i: int, g: Adjoint, shares: list[Adjoint]) -> Iterator[Met]:
    """What operation i brings, and what the library does unasked: to its result, whose derivative is g, or to
    the operand that it adjusts, of `shares`. Without its plain operand's encoding, and but for `turns`."""
    for source, share in all_brought(program)[i]:
        yield source, g if share is None else shares[share]


@lru_cache(maxsize=64)
def all_brought(program: Program) -> tuple[tuple[Brought, ...], ...]:
    """Of each operation what `brought` says, which no data change."""
    adjusted, scales = adjusted_operands(program), scales_of(program)
    known: dict[Hashable, tuple[Brought, ...]] = {}  # of operations that are alike

    def of(i: int, o: Operation) -> tuple[Brought, ...]:
        if i in adjusted:
            return tuple(_brought(program, o, scales[o.out], adjusted[i]))
        key = o.action, o.level, scales[o.out], o.steps, o.internal
        if key not in known:
            known[key] = tuple(_brought(program, o, scales[o.out], None))
        return known[key]

    return tuple(of(i, o) for i, o in enumerate(program.operations))


def _brought(program: Program, o: Operation, own: Scale, operand: int | None) -> Iterator[Brought]:
    if o.action in (Action.ENCRYPT, Action.RESCALE):
        yield Brought(Source(o.action.value, o.level, own))
    elif o.action in KEY_SWITCH:
        yield from map(Brought, switch(o.level, own, o.steps))
    if o.action is Action.EVAL_SUM:
        return
    if operand is not None:
        share = o.args.index(operand)
        yield from (Brought(source, share) for source in _aligned(program, o, operand))
        return
    for action, level in o.internal:
        if action == "rescale":
            yield Brought(Source("rescale", level - 1, (level - 1, 1)))
        elif action in KEY_SWITCH:
            degree = 2 if action == "relinearize" else 1
            yield from map(Brought, switch(level, (level, degree), o.steps))


def turns(program: Program, o: Operation, g: Adjoint) -> Iterator[Met]:
    """Of a library's own sum: rotations by 1, 2, 4, ... slots, each added to what was there, so that what an
    early one brings is summed by all later ones."""
    levels = turned_levels(o)
    for k in range(len(levels) - 1, -1, -1):
        for source in switch(levels[k], scales_of(program)[o.out], 1 << k):
            yield source, g
        g = g.plus(g.turned(1 << k))


def turned_levels(o: Operation) -> list[int]:
    """Of the rotations in a library's own sum: that by 2^k slots in place k."""
    return [level for action, level in o.internal if action == "rotate"]


def switch(level: int, own: Scale, key: int) -> tuple[Source, Source]:
    return Source("key_switch", level, own), Source("digits", level, own, key=key)


def _aligned(program: Program, o: Operation, operand: int) -> Iterator[Source]:
    """An operand, perhaps multiplied by a number, is rescaled to the degree of the other, once or twice."""
    kind = "rescale_product" if sizes_of(program)[operand] == 3 else "rescale"
    rescaled = [level - 1 for action, level in o.internal if action == "rescale"]
    for k, level in enumerate(rescaled, start=1):
        degree = min(scales_of(program)[a][1] for a in o.args) if k == len(rescaled) else 2
        yield Source(kind, level, (level, degree))


@lru_cache(maxsize=64)
def adjusted_operands(program: Program) -> dict[int, int]:
    """Of each operation that has to align its operands: the one of the higher level, or the lower degree."""
    levels = value_levels(program)
    scales = scales_of(program) if program.automatic else {}
    return {
        i: max(o.args, key=lambda a: (levels[a], -scales[a][1]))
        for i, o in enumerate(program.operations)
        if o.internal and scales and len(o.args) == 2
    }
