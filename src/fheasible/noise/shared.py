"""What a program's values share of their noise, where sums and products would take it as independent."""

from functools import lru_cache
from typing import NamedTuple

from fheasible.program.types import Action, Operation, Program

Uses = dict[int, int]


class Product(NamedTuple):
    """Products one after another up to this one; and how often the noise of each operand has by then been
    multiplied by the other operand."""

    depth: int
    repeats: tuple[int, int]


@lru_cache(maxsize=64)
def products(program: Program) -> dict[int, Product]:
    """Every product of two ciphertexts, by its value."""
    depths: dict[int, int] = {}
    uses: dict[int, Uses] = {}
    found: dict[int, Product] = {}
    for o in program.operations:
        depths[o.out] = max((depths[a] for a in o.args), default=0)
        behind = [uses[a] for a in o.args]
        if o.action in (Action.MUL, Action.SQUARE):
            x, y = o.args[0], o.args[-1]
            behind = [_once_more(uses[x], y), _once_more(uses[y], x)]
            depths[o.out] += 1
            found[o.out] = Product(depths[o.out], (behind[0][y], behind[1][x]))
        uses[o.out] = _most(behind)
    return found


def _once_more(uses: Uses, factor: int) -> Uses:
    return uses | {factor: uses.get(factor, 0) + 1}


def _most(behind: list[Uses]) -> Uses:
    return {v: max(uses.get(v, 0) for uses in behind) for v in set().union(*behind)}


@lru_cache(maxsize=64)
def correlated_sums(program: Program) -> frozenset[int]:
    """Sums and differences of values that some encryption is behind both of."""
    ancestors: dict[int, int] = {}  # sets of encryptions, as bits
    found: set[int] = set()
    for i, o in enumerate(program.operations):
        ancestors[o.out] = _union(o, ancestors) if o.args else 1 << i
        if o.action in (Action.ADD, Action.SUB) and ancestors[o.args[0]] & ancestors[o.args[1]]:
            found.add(o.out)
    return frozenset(found)


def _union(o: Operation, ancestors: dict[int, int]) -> int:
    union = 0
    for a in o.args:
        union |= ancestors[a]
    return union
