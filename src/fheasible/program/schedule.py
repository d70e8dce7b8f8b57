"""The last use of every value, and what is known of it: level, polynomials, and the products before it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final, NamedTuple, Protocol, TypeVar

from fheasible.program.types import Action, Operation, Program


class ScheduledStep(Protocol):
    """What is known of an operation before its place in the program is fixed."""

    @property
    def action(self) -> Action: ...
    @property
    def out(self) -> int: ...
    @property
    def args(self) -> tuple[int, ...]: ...


S = TypeVar("S", bound=ScheduledStep)
_PRODUCTS: Final = (Action.MUL, Action.SQUARE)
_ENCRYPT: Final = Action.ENCRYPT
_RELINEARIZE: Final = Action.RELINEARIZE


def reachable(operations: Sequence[S], outputs: Iterable[int]) -> list[S]:
    """The operations that some output depends on, in order."""
    needed = set(outputs)
    kept: list[S] = []
    for operation in reversed(operations):
        if operation.out in needed:
            needed.update(operation.args)
            kept.append(operation)
    return kept[::-1]


def with_frees(operations: Sequence[Operation], outputs: Iterable[int]) -> tuple[Operation, ...]:
    """The operations, each freeing the values that nothing after it needs, its own result included."""
    dying = frees(operations, outputs)
    return tuple(replace(o, frees=values) for o, values in zip(operations, dying, strict=True))


def frees(operations: Sequence[ScheduledStep], outputs: Iterable[int]) -> list[tuple[int, ...]]:
    """For each operation, the values that nothing after it needs; its own result may be among them."""
    alive = set(outputs)
    found: list[tuple[int, ...]] = []
    for operation in reversed(operations):
        dying = dict.fromkeys(a for a in (*operation.args, operation.out) if a not in alive)
        alive.update(dying)
        found.append(tuple(dying))
    return found[::-1]


def late_encryptions(operations: Sequence[S]) -> list[S]:
    """The operations with encryptions first, as a client sends them, then everything else in order."""
    fresh = [o for o in operations if o.action is _ENCRYPT]
    return fresh + [o for o in operations if o.action is not _ENCRYPT]


class Flow(NamedTuple):
    """What is found by following a program once.

    For every value: its level, its number of polynomials, and the number of successive products up to and
    including it. For every operation, in order: its kind, and over its operands the most polynomials, the
    highest level and the most products. The operand of an encryption is its own result.
    """

    levels: dict[int, int]
    sizes: dict[int, int]
    depths: dict[int, int]
    kinds: list[str]
    operand_sizes: list[int]
    operand_levels: list[int]
    operand_depths: list[int]


@lru_cache(maxsize=1024)
def flow(program: Program) -> Flow:
    """What the operations of a program work on, and what they make."""
    found = Flow({}, {}, {}, [], [], [], [])
    levels, sizes, depths, kinds, operand_sizes, operand_levels, operand_depths = found
    for o in program.operations:
        out, args = o.out, o.args
        if len(args) == 1:
            (x,) = args
            size, level, depth = sizes[x], levels[x], depths[x]
        elif args:
            size = max([sizes[x] for x in args])
            level = max([levels[x] for x in args])
            depth = max([depths[x] for x in args])
        else:
            size, level, depth = 2, o.level, 0
        kinds.append(o.kind)
        operand_sizes.append(size)
        operand_levels.append(level)
        operand_depths.append(depth)
        product = o.action in _PRODUCTS
        sizes[out] = 3 if product else 2 if o.action is _RELINEARIZE else size
        levels[out], depths[out] = o.level, depth + product
    return found


def value_levels(program: Program) -> Mapping[int, int]:
    """The level of every value."""
    return flow(program).levels


def value_sizes(program: Program) -> Mapping[int, int]:
    """The number of polynomials of every value.

    It is 3 for a product, and for what is made of one until it is relinearised, else 2.
    """
    return flow(program).sizes


def product_depths(program: Program) -> Mapping[int, int]:
    """The number of successive products of two ciphertexts on the longest path to each value."""
    return flow(program).depths
