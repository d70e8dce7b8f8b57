"""The sources of noise in a program, as a backward pass from an output meets them."""

from collections.abc import Hashable, Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from fheasible.noise.reach.rows import Adjoint
from fheasible.noise.scales import Scale, scales_of
from fheasible.program.schedule import value_levels, value_sizes
from fheasible.program.types import Action, Operation, Program

KINDS = (
    "encrypt", "rescale", "rescale_product", "key_switch", "digits", "division", "encoding", "doubles",
    "bootstrap",
)  # fmt: skip
OFFSETS = ("digits", "division")  # spread as a mean of coefficients is (`shape`), not over all slots alike
PLAIN = ("encoding", "doubles")  # not multiplied by any part of a key
KEY_SWITCH = ("relinearize", "rotate")
# What a library does to bring an operand to another's scale: dividing by a prime, multiplying by it.
UNASKED = {"rescale": 1.0, "mul_scalar": -1.0}


def right_once_divided(o: Operation, own: Scale) -> bool:
    """Whether a number is added to a product of scale `own` such that it is right after a division by a prime
    that is not the scale itself. This was measured with OpenFHE 1.6.1."""
    return own[1] == 2 and o.action is Action.ADD_SCALAR and o.plain is not None


class Source(NamedTuple):
    """A source of noise, of one `kind`: "encrypt"; "rescale", or "rescale_product" for a product that is not
    relinearised; "key_switch"; "bootstrap"; "encoding" of a plain operand; "doubles", the rounding of any
    vector that is encoded in doubles; "digits" and "division", the means of a switched polynomial's digits
    and of its division.

    The noise is added at `level` to a result of scale `own`. `other`: the scale of the operand that a plain
    factor meets, or that is bootstrapped. `key`: for "digits" the rotation's steps, and 0 for a
    relinearisation.
    """

    kind: str
    level: int
    own: Scale
    other: Scale = (0, 0)
    key: int = 0


DOUBLES = Source("doubles", 0, (0, 1))
DIVISION: Final = Source("division", 0, (0, 1))  # for all switches to a value of degree 1, at any level
Met = tuple[Source, Adjoint]


class Brought(NamedTuple):
    """A source of an operation's noise. The noise is added to operand number `share`, or to the result if
    `share` is None."""

    source: Source
    share: int | None = None


def brought(program: Program, i: int, g: Adjoint, shares: list[Adjoint]) -> Iterator[Met]:
    """The sources of noise of operation i, and of what the library does unasked, each with the derivative
    that it meets: g, that of the result, or that of the operand that the library adjusts, from `shares`. The
    encoding of a plain operand and the rotations of a library's own sum (`turns`) are left out."""
    for source, share in all_brought(program)[i]:
        yield source, g if share is None else shares[share]


@lru_cache(maxsize=64)
def all_brought(program: Program) -> tuple[tuple[Brought, ...], ...]:
    """The sources of noise of each operation, as in `brought`; they do not depend on data."""
    adjusted, scales = adjusted_operands(program), scales_of(program)
    known: dict[Hashable, tuple[Brought, ...]] = {}  # of operations that are alike

    def of(i: int, o: Operation) -> tuple[Brought, ...]:
        if i in adjusted:
            return tuple(_brought(program, o, scales[o.out], adjusted[i]))
        other = scales[o.args[0]] if o.action is Action.BOOTSTRAP else (0, 0)
        key = o.action, o.level, scales[o.out], o.steps, o.internal, other
        if key not in known:
            known[key] = tuple(_brought(program, o, scales[o.out], None, other))
        return known[key]

    return tuple(of(i, o) for i, o in enumerate(program.operations))


def _brought(
    program: Program, o: Operation, own: Scale, operand: int | None, other: Scale = (0, 0)
) -> Iterator[Brought]:
    if o.action in (Action.ENCRYPT, Action.RESCALE, Action.BOOTSTRAP):
        yield Brought(Source(o.action.value, o.level, own, other))
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
    """The sources of noise of a library's own sum. It rotates by 1, 2, 4, ... slots and adds each result to
    what was there, so that the noise of an early rotation is summed by all later ones."""
    levels = turned_levels(o)
    for k in range(len(levels) - 1, -1, -1):
        for source in switch(levels[k], scales_of(program)[o.out], 1 << k):
            yield source, g
        g = g.plus(g.turned(1 << k))


def turned_levels(o: Operation) -> list[int]:
    """The levels of the rotations in a library's own sum; that of the rotation by 2^k slots is in place k."""
    return [level for action, level in o.internal if action == "rotate"]


def switch(level: int, own: Scale, key: int) -> tuple[Source, Source]:
    return Source("key_switch", level, own), Source("digits", level, own, key=key)


def _aligned(program: Program, o: Operation, operand: int) -> Iterator[Source]:
    """The sources of noise of aligning an operand: perhaps multiplied by a number, it is rescaled to the
    degree of the other operand, once or twice."""
    kind = "rescale_product" if value_sizes(program)[operand] == 3 else "rescale"
    rescaled = [level - 1 for action, level in o.internal if action == "rescale"]
    for k, level in enumerate(rescaled, start=1):
        degree = min(scales_of(program)[a][1] for a in o.args) if k == len(rescaled) else 2
        yield Source(kind, level, (level, degree))


@lru_cache(maxsize=64)
def adjusted_operands(program: Program) -> dict[int, int]:
    """For each operation that has to align its operands, the operand that is adjusted: that of the higher
    level, or of the lower degree where levels are equal."""
    levels = value_levels(program)
    scales = scales_of(program) if program.automatic else {}
    return {
        i: max(o.args, key=lambda a: (levels[a], -scales[a][1]))
        for i, o in enumerate(program.operations)
        if o.internal and scales and len(o.args) == 2
    }
