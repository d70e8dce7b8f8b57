"""What lives when: the last use of every value, and what is alive at each operation."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from fheasible.program.types import Action, Operation, Program


def reachable(operations: Sequence[Operation], outputs: Iterable[int]) -> list[Operation]:
    """The operations that some output depends on, in order."""
    needed = set(outputs)
    kept: list[Operation] = []
    for operation in reversed(operations):
        if operation.out in needed:
            needed.update(operation.args)
            kept.append(operation)
    return kept[::-1]


def with_frees(operations: Sequence[Operation], outputs: Iterable[int]) -> tuple[Operation, ...]:
    """The operations, each freeing the values that nothing after it needs, its own result included."""
    alive = set(outputs)
    scheduled: list[Operation] = []
    for operation in reversed(operations):
        dying = dict.fromkeys(a for a in (*operation.args, operation.out) if a not in alive)
        alive.update(dying)
        scheduled.append(replace(operation, frees=tuple(dying)))
    return tuple(reversed(scheduled))


def late_encryptions(operations: Sequence[Operation]) -> list[Operation]:
    """Encryptions first, as a client sends them, then everything else in order."""
    fresh = [o for o in operations if o.action is Action.ENCRYPT]
    return fresh + [o for o in operations if o.action is not Action.ENCRYPT]


def value_levels(program: Program) -> dict[int, int]:
    """The level of every value."""
    return {o.out: o.level for o in program.operations}


def _size(operation: Operation, sizes: dict[int, int]) -> int:
    """Polynomials of the result."""
    if operation.action in (Action.MUL, Action.SQUARE):
        return 3
    if operation.action in (Action.ENCRYPT, Action.RELINEARIZE):
        return 2
    return max(sizes[a] for a in operation.args)


def value_sizes(program: Program) -> dict[int, int]:
    """Polynomials of every value: 2, or 3 between a product and its relinearisation."""
    sizes: dict[int, int] = {}
    for operation in program.operations:
        sizes[operation.out] = _size(operation, sizes)
    return sizes


def product_depths(program: Program) -> dict[int, int]:
    """Products of two ciphertexts one after another on the longest path to each value."""
    depths: dict[int, int] = {}
    for o in program.operations:
        behind = max((depths[a] for a in o.args), default=0)
        depths[o.out] = behind + (o.action in (Action.MUL, Action.SQUARE))
    return depths
