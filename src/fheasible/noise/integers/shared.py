"""What the noise of values has in common, where sums and products would take it as independent."""

from collections.abc import Hashable
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple, assert_never

from fheasible.errors import UnsupportedOperation
from fheasible.noise.integers.returning import PRODUCTS, factors, returning, secrets
from fheasible.program.types import Action, Operation, Program, Scheme
from fheasible.schemes.ties import Uses, most, once_more

Turned = tuple[int, int]
Turns = dict[int, Turned]
"""For each source of noise, the steps by which it was rotated, as bits: in its own row, and in the other."""

_MOST_SOURCES = 64  # a product keeps no more sources apart


class Relation(IntEnum):
    """What the noise of two values has in common.

    APART   nothing: variances add
    TURNED  the same noise in different rotations: variances add in every embedding, and standard deviations
            in the coefficients that rotations leave where they are
    SAME    the same noise: standard deviations add
    """

    APART = 0
    TURNED = 1
    SAME = 2


@lru_cache(maxsize=64)
def repeats(program: Program) -> dict[int, tuple[int, int]]:
    """For each product, how often the noise of each operand has been multiplied by the other operand, this
    product included. With a plain operand, every plain vector that may have the same polynomial counts. Only
    factors that return are counted at all: any other one multiplies once."""
    uses: dict[int, Uses] = {}
    found: dict[int, tuple[int, int]] = {}
    alike, again = secrets(program), returning(program)
    for o in program.operations:
        behind = [uses[a] for a in o.args]
        if o.action is Action.MUL_PLAIN:
            for factor in again.intersection(factors(o, program)):
                behind = [once_more(behind[0], factor)]
                found[o.out] = (behind[0][factor], 1)
        elif o.action in PRODUCTS:
            x, y = o.args[0], o.args[-1]
            pairs = (uses[x], alike[y]), (uses[y], alike[x])
            behind = [once_more(use, factor) if factor in again else use for use, factor in pairs]
            found[o.out] = (behind[0].get(alike[y], 1), behind[1].get(alike[x], 1))
        uses[o.out] = most(behind) if any(behind) else {}
    return found


@lru_cache(maxsize=64)
def relations(program: Program) -> dict[int, Relation]:
    """What the noise of both operands has in common, for every operation that has two."""
    return _Sources(program).relations()


class _Factor(NamedTuple):
    """A factor that noise is multiplied by: a plain vector, or a ciphertext."""

    plain: bool
    place: int
    number: int  # as in `returning`


class _Multiplied(NamedTuple):
    """A source of noise that is another source, rotated, times a factor."""

    source: int
    turned: Turned
    factor: _Factor


class _Sources:
    """The sources that the noise of each value comes from.

    Noise that is multiplied becomes another source, but a factor that comes for the second time makes a
    square. Where the slots repeat in both rows, polynomials have real embeddings and squares have a mean;
    this mean times the noise is the noise itself. The product of a polynomial with its conjugate has a mean
    as well: that of a factor with the same factor whose rows are swapped.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.row = program.slots // 2 if program.two_rows else 0
        self.names: dict[Hashable, int] = {}
        self.multiplied: dict[int, _Multiplied] = {}
        self.turns: dict[int, Turns] = {}
        self.values, self.again = secrets(program), returning(program)
        self.squares = {True, program.scheme is Scheme.BGV}  # as in `before_squares`

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
        match o.action:  # the most frequent first
            case Action.ADD | Action.SUB:
                return _union(self.turns[o.args[0]], self.turns[o.args[1]])
            case Action.MUL_SCALAR | Action.DROP | Action.NEG | Action.ADD_PLAIN | Action.ADD_SCALAR:
                return self.turns[o.args[0]]
            case Action.RELINEARIZE | Action.RESCALE:
                return self.turns[o.args[0]] | self._own(o)
            case Action.ENCRYPT:
                return self._own(o)
            case Action.MUL | Action.SQUARE:
                x, y = o.args[0], o.args[-1]
                if self._many(x) or self._many(y):
                    return self._own(o)
                both = _union(self._times(self.turns[x], y), self._times(self.turns[y], x))
                return both if len(both) <= _MOST_SOURCES else self._own(o)
            case Action.MUL_PLAIN:
                x = o.args[0]
                factor = _Factor(True, o.plain or 0, factors(o, self.program)[0])
                return self._multiply(self._as_one(x) if self._many(x) else self.turns[x], factor)
            case Action.ROTATE | Action.SWAP_ROWS:
                return self._rotated(o) | self._own(o)
            case Action.EVAL_SUM | Action.EVAL_CHEBYSHEV | Action.BOOTSTRAP:
                raise UnsupportedOperation(
                    f"{self.program.scheme} has no {o.action}", "lower the program without it"
                )
            case _:
                assert_never(o.action)

    def _own(self, o: Operation) -> Turns:
        return {self._name(o.out): (1, 0)}

    def _name(self, of: Hashable) -> int:
        return self.names.setdefault(of, len(self.names))

    def _times(self, turns: Turns, value: int) -> Turns:
        return self._multiply(turns, _Factor(False, value, self.values[value]))

    def _multiply(self, turns: Turns, factor: _Factor) -> Turns:
        found = {self._product(s, turned, factor): (1, 0) for s, turned in turns.items()}
        if factor.number in self.again and factor.plain in self.squares:
            for s, turned in turns.items():
                found = _union(found, self._without(s, turned, turned, factor))
        return found

    def _product(self, source: int, turned: Turned, factor: _Factor) -> int:
        made = _Multiplied(source, turned, factor)
        name = self._name(made)
        self.multiplied[name] = made
        return name

    def _without(self, source: int, turned: Turned, since: Turned, factor: _Factor) -> Turns:
        """What is left of a source when the factor comes again: nothing, or the source without the factor.
        `since`: the steps by which the earlier factor may have been rotated since then."""
        made = self.multiplied.get(source)
        if made is None:
            return {}
        if made.factor.number == factor.number:
            square = since[1] if self.row else 1
            return {made.source: self._both(made.turned, turned)} if square else {}
        earlier = self._both(made.turned, since)
        left = self._without(made.source, made.turned, earlier, factor)
        return {self._product(s, before, made.factor): turned for s, before in left.items()}

    def _as_one(self, value: int) -> Turns:
        """All sources of a value, joined into one that no other value has."""
        own = other = 0
        for a, b in self.turns[value].values():
            own, other = own | a, other | b
        return {self._name(("all", value)): (own, other)}

    def _many(self, value: int) -> bool:
        """Whether a value has too many sources. Those of a product are then joined into one, as if no other
        value had products with the same factors."""
        return len(self.turns[value]) > _MOST_SOURCES

    def _rotated(self, o: Operation) -> Turns:
        before = self.turns[o.args[0]]
        if o.action is Action.SWAP_ROWS:
            return {s: (b, a) for s, (a, b) in before.items()}
        return {s: (self._turned(a, o.steps), self._turned(b, o.steps)) for s, (a, b) in before.items()}

    def _both(self, x: Turned, y: Turned) -> Turned:
        """The steps of rotation x followed by rotation y."""
        (a, b), (c, d) = x, y
        return self._each(a, c) | self._each(b, d), self._each(a, d) | self._each(b, c)

    def _each(self, turned: int, steps: int) -> int:
        """`turned`, rotated further by each number of steps whose bit is set in `steps`."""
        found = 0
        while steps:
            lowest = steps & -steps
            found |= self._turned(turned, lowest.bit_length() - 1)
            steps ^= lowest
        return found

    def _turned(self, steps: int, by: int) -> int:
        """The bits `steps`, rotated further by `by` steps: around the row where its length is known."""
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
