"""The nodes of a circuit: immutable, and one object for one expression (hash-consed)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import prod
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray


class Op(StrEnum):
    INPUT = "input"  # attribute: Input
    CONSTANT = "constant"  # attribute: Values, of length 1 or of the vector's length
    ADD = "add"
    SUBTRACT = "subtract"
    NEGATE = "negate"
    MULTIPLY = "multiply"
    POWER = "power"  # attribute: the exponent, an int >= 2
    SUM = "sum"  # length 1: the sum of all elements
    MEAN = "mean"  # length 1: the mean of all elements
    ROTATE = "rotate"  # attribute: steps k >= 1; element i of the result is element (i + k) mod n
    POLYNOMIAL = "polynomial"  # attribute: coefficients, constant term first
    CHEBYSHEV = "chebyshev"  # attribute: Chebyshev
    LINEAR = "linear"  # attribute: Matrix, which the vector is multiplied by
    BOOTSTRAP = "bootstrap"  # the same vector with its levels back
    DISCRETE = "discrete"  # attribute: Discrete, a function of integers that products do not compute


class Kind(StrEnum):
    REAL = "real"
    INTEGER = "integer"


class Column(NamedTuple):
    """Where the input `name` lies in a vector of several inputs: element i of `length` in place start + i *
    step. It has `room` places; those beyond its elements hold its first elements again."""

    name: str
    length: int
    start: int
    step: int
    room: int

    @property
    def places(self) -> slice:
        """All of its places in the vector."""
        return slice(self.start, self.start + self.step * self.room, self.step)


@dataclass(frozen=True, slots=True)
class Input:
    """An encrypted vector that the user declares. Elements lie in [low, high].

    If `modulus` is set, integers wrap around modulo it, and low and high are its signed range. A column of a
    `table` has both names, such as people.age. A matrix lies row by row in its vector. A vector that several
    inputs are joined to says where each lies in its `columns`; no user declares one.
    """

    name: str
    kind: Kind
    length: int
    low: float
    high: float
    modulus: int | None = None
    table: str = field(default="", repr=False)
    shape: tuple[int, int] | None = field(default=None, repr=False)
    columns: tuple[Column, ...] = field(default=(), repr=False)

    @property
    def argument(self) -> str:
        """The parameter of the user's function that it is, or that it is a column of."""
        return self.table or self.name

    @property
    def column(self) -> str:
        """Its name among the columns of its table; without a table, its name."""
        return self.name[len(self.table) + 1 :] if self.table else self.name


class Values:
    """A read-only plain vector that compares and hashes by content. float64 or int64."""

    __slots__ = ("__weakref__", "_key", "array")

    def __init__(self, values: Any) -> None:
        array = np.atleast_1d(np.array(values))
        array = array.astype(np.int64 if array.dtype.kind in "iub" else np.float64)
        array.setflags(write=False)
        self.array: NDArray[Any] = array
        self._key = (array.dtype.str, array.shape, array.tobytes())

    def __len__(self) -> int:
        return len(self.array)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Values) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __reduce__(self) -> tuple[Any, ...]:
        return Values, (self.array,)

    def __repr__(self) -> str:
        return f"Values({self.array!r})"


@dataclass(frozen=True, slots=True)
class Jump:
    """What is known of a function that jumps at 0 or has a kink there, and of the composition in its place.

    At least `margin` away from 0, what the polynomials make is off by at most `error`. If `promised`, the
    user promises arguments there alone. The polynomials stand for the sign s of the argument, or for (1 + s)
    / 2 if `half`. The result is the argument times that if `gated`. With `zero`, arguments of 0 are promised,
    too: an odd polynomial is right there.
    """

    margin: float
    error: float
    promised: bool
    gated: bool
    half: bool
    zero: bool = False


class Places(NamedTuple):
    """Evenly spaced numbers: arguments of a function that takes integers."""

    first: float
    last: float
    number: int


@dataclass(frozen=True, slots=True)
class Chebyshev:
    """The series sum_i coefficients[i] T_i(u), u = (2x - low - high) / (high - low), in place of `function`.

    A function with a `jump` is a composition: further series on [-1, 1] are in `then`, each of the result of
    the one before. If `open`, the user left the degrees to whoever chooses the parameters; the coefficients
    are a first guess. With `places`, the arguments lie there alone, and in between the series is anything.
    """

    function: str  # for messages: "sqrt"
    coefficients: tuple[float, ...]
    low: float
    high: float
    exact: Any = field(compare=False, repr=False, default=None)  # the function itself, on arrays
    open: bool = False
    then: tuple[tuple[float, ...], ...] = ()
    jump: Jump | None = None
    places: Places | None = None

    @property
    def stages(self) -> tuple[tuple[float, ...], ...]:
        """The coefficients of all series, in the order in which they are computed."""
        return (self.coefficients, *self.then)

    @property
    def gated(self) -> bool:
        """Whether the result is the argument times what the series make of it."""
        return self.jump is not None and self.jump.gated

    @property
    def degree(self) -> int:
        """The degree of the whole polynomial."""
        return prod(len(c) - 1 for c in self.stages) + int(self.gated)

    def times(self, by: float) -> Chebyshev:
        """The series of `by` times the result, by factors in the last one; `exact` stays."""
        *before, last = self.stages
        first, *then = (*before, tuple(c * by for c in last))
        jump = self.jump and replace(self.jump, error=abs(by) * self.jump.error)
        return replace(self, coefficients=first, then=tuple(then), jump=jump)


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Node:
    """One vector value. Build it with `node`, never directly. Only identical nodes are equal."""

    op: Op
    args: tuple[Node, ...]
    attribute: Any
    length: int
    kind: Kind
    where: str = ""  # file:line of the user's program that first made it
    owner: str = field(default="", repr=False)  # of an input: a name of the application, unlike all others


_interned: WeakValueDictionary[tuple[Any, ...], Node] = WeakValueDictionary()


def node(
    op: Op,
    *args: Node,
    attribute: Any = None,
    length: int,
    kind: Kind,
    where: str = "",
    owner: str = "",
) -> Node:
    """The one node of that operation, operands and attribute.

    Inputs that have different owners are different nodes, and so is whatever is computed from them.
    Otherwise `where` would name a line of another application that computes the same.
    """
    key = (op, args, attribute, length, kind, owner)
    found = _interned.get(key)
    if found is None:
        found = _interned[key] = Node(op, args, attribute, length, kind, where, owner)
    return found


@dataclass(frozen=True, slots=True)
class Circuit:
    """A traced application."""

    name: str
    inputs: tuple[Input, ...]
    outputs: tuple[tuple[str, Node], ...]
    minimise_depth: bool = True
    _order: tuple[Node, ...] | None = field(default=None, init=False, compare=False, repr=False)

    def nodes(self) -> Iterator[Node]:
        """Every node once, operands before their users."""
        if self._order is None:
            object.__setattr__(self, "_order", tuple(self._ordered()))  # once: circuits never change
        assert self._order is not None
        return iter(self._order)

    def _ordered(self) -> Iterator[Node]:
        seen: set[int] = set()
        stack: list[tuple[Node, bool]] = [(n, False) for _, n in reversed(self.outputs)]
        while stack:
            n, ready = stack.pop()
            if ready:
                yield n
            elif id(n) not in seen:
                seen.add(id(n))
                stack.append((n, True))
                stack.extend((a, False) for a in reversed(n.args) if id(a) not in seen)

    @property
    def kind(self) -> Kind:
        """REAL if any value is real: exact schemes cannot carry it."""
        return Kind.REAL if any(n.kind is Kind.REAL for n in self.nodes()) else Kind.INTEGER


def last_uses(circuit: Circuit) -> Iterator[tuple[Node, tuple[Node, ...]]]:
    """Every node once, operands before their users, each with the nodes that no later one refers to.

    Whoever computes a value for each node need not keep the values of these. Outputs are never among them.
    """
    last: dict[Node, Node] = {}
    order = list(circuit.nodes())
    for n in order:
        last.update(dict.fromkeys(n.args, n))
    kept = {n for _, n in circuit.outputs}
    for n in order:
        yield n, tuple(a for a in dict.fromkeys(n.args) if last[a] is n and a not in kept)


def lines_of(circuit: Circuit) -> dict[Node, str]:
    """The `where` of each node; of a constant, which applications may share, that of its first user."""
    order = list(circuit.nodes())
    users = {a: n.where for n in reversed(order) for a in n.args if a.op is Op.CONSTANT}
    return {n: users.get(n, n.where) for n in order}
