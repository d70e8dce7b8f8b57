"""What a program's values share of their noise, where sums and products would take it as independent."""

from enum import IntEnum
from functools import lru_cache

from fheasible.program.types import Action, Operation, Program
from fheasible.schemes.ties import Uses, most, once_more

Turns = dict[int, tuple[int, int]]
"""Of each source of noise: by how many steps it was rotated, as bits; in its own row, and in the other."""

_PRODUCTS = (Action.MUL, Action.SQUARE)
_KEEP = (Action.ADD_PLAIN, Action.ADD_SCALAR, Action.NEG)
_MOST_SOURCES = 64  # that a product keeps apart


class Relation(IntEnum):
    """What the noise of two values has in common.

    APART   nothing: variances add
    TURNED  the same, rotated otherwise: of every embedding variances add, and of the coefficients that
            rotations leave where they are standard deviations
    SAME    the same: standard deviations add
    """

    APART = 0
    TURNED = 1
    SAME = 2


@lru_cache(maxsize=64)
def repeats(program: Program) -> dict[int, tuple[int, int]]:
    """How often the noise of each operand of a product has by then been multiplied by the other operand."""
    uses: dict[int, Uses] = {}
    found: dict[int, tuple[int, int]] = {}
    alike = secrets(program)
    for o in program.operations:
        behind = [uses[a] for a in o.args]
        if o.action in _PRODUCTS:
            x, y = o.args[0], o.args[-1]
            behind = [once_more(uses[x], alike[y]), once_more(uses[y], alike[x])]
            found[o.out] = (behind[0][alike[y]], behind[1][alike[x]])
        uses[o.out] = most(behind)
    return found


@lru_cache(maxsize=64)
def secrets(program: Program) -> dict[int, int]:
    """Of each value, the first one that has the same polynomial beside the secret, but for the sign: x + 1
    and -x have that of x, and so its noise and its quotient by the modulus."""
    found: dict[int, int] = {}
    for o in program.operations:
        found[o.out] = found[o.args[0]] if o.action in _KEEP else o.out
    return found


@lru_cache(maxsize=64)
def relations(program: Program) -> dict[int, Relation]:
    """Of the operands of every operation that has two."""
    return _Sources(program).relations()


class _Sources:
    """Where the noise of each value comes from."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.row = program.slots // 2 if program.two_rows else 0
        self.names: dict[object, int] = {}
        self.turns: dict[int, Turns] = {}

    def relations(self) -> dict[int, Relation]:
        found: dict[int, Relation] = {}
        for o in self.program.operations:
            if len(o.args) == 2:
                found[o.out] = _relation(self.turns[o.args[0]], self.turns[o.args[1]])
            self.turns[o.out] = self._after(o)
            for v in o.frees:
                self.turns.pop(v, None)
        return found

    def _after(self, o: Operation) -> Turns:
        match o.action:
            case Action.ENCRYPT:
                return self._own(o)
            case Action.ADD | Action.SUB:
                return _union(self.turns[o.args[0]], self.turns[o.args[1]])
            case Action.MUL | Action.SQUARE:
                x, y = o.args[0], o.args[-1]
                if self._many(x) or self._many(y):
                    return self._own(o)
                both = _union(self._times(x, y), self._times(y, x))
                return both if len(both) <= _MOST_SOURCES else self._own(o)
            case Action.MUL_PLAIN:
                x = o.args[0]
                return self._own(o) if self._many(x) else self._times(x, ("plain", o.plain))
            case Action.ROTATE | Action.SWAP_ROWS:
                return self._rotated(o) | self._own(o)
            case Action.RELINEARIZE | Action.RESCALE:
                return self.turns[o.args[0]] | self._own(o)
        return self.turns[o.args[0]]

    def _own(self, o: Operation) -> Turns:
        return {self._name(o.out): (1, 0)}

    def _name(self, of: object) -> int:
        return self.names.setdefault(of, len(self.names))

    def _times(self, value: int, factor: object) -> Turns:
        """Noise that is multiplied is the same again only where it is multiplied by the same."""
        return {self._name((s, turned, factor)): (1, 0) for s, turned in self.turns[value].items()}

    def _many(self, value: int) -> bool:
        """Whether it has too many sources: those of a product are then taken as one, as if no other value had
        products with the same factors."""
        return len(self.turns[value]) > _MOST_SOURCES

    def _rotated(self, o: Operation) -> Turns:
        before = self.turns[o.args[0]]
        if o.action is Action.SWAP_ROWS:
            return {s: (b, a) for s, (a, b) in before.items()}
        return {s: (self._turned(a, o.steps), self._turned(b, o.steps)) for s, (a, b) in before.items()}

    def _turned(self, steps: int, by: int) -> int:
        """Around the row, where it is known how long that is."""
        moved = steps << by
        return moved if not self.row else (moved & (1 << self.row) - 1) | (moved >> self.row)


def _relation(x: Turns, y: Turns) -> Relation:
    common = x.keys() & y.keys()
    if any(a & b for source in common for a, b in zip(x[source], y[source], strict=True)):
        return Relation.SAME
    return Relation.TURNED if common else Relation.APART


def _union(x: Turns, y: Turns) -> Turns:
    both = x | y
    for source in x.keys() & y.keys():
        (a, b), (c, d) = x[source], y[source]
        both[source] = (a | c, b | d)
    return both
