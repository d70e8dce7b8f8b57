"""Several inputs in one vector: a circuit in another form, which computes the same with fewer ciphertexts.

The inputs become the lanes of one vector (`grid.py`). Where all lanes are treated alike, in sums with plain
factors and in functions of each element, one operation computes with all of them, so that its results are
lanes, too. A sum over lanes is one product with a plain matrix, which takes rotations by halves. What is done
with one lane alone is done with the elements that a plain matrix selects.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from enum import Enum
from functools import reduce
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from fheasible.aliases import Array, Ints
from fheasible.circuit.matrix import Matrix
from fheasible.circuit.node import Chebyshev, Circuit, Column, Input, Kind, Node, Op, node
from fheasible.circuit.simplify import add, constant, linear, multiply, simplify
from fheasible.lowering.affine import Affine, TooLarge, affine, is_atom
from fheasible.lowering.grid import Grid
from fheasible.lowering.matrix_products import product_of
from fheasible.lowering.pairs import in_pairs
from fheasible.program.style import Layout

LONGEST = 1 << 14  # elements of an input that is joined with others: half of the slots of N = 2^16
_MOST_NODES = 2000
_MOST_ENTRIES = 1 << 20  # of a plain matrix
_FUNCTIONS = (Op.POLYNOMIAL, Op.CHEBYSHEV)


def joinable(circuit: Circuit) -> tuple[tuple[Node, ...], ...]:
    """The inputs that can be joined, in groups of equal length: short ones that are used, in two groups where
    they are multiplied in pairs. There are none in a circuit that is large, or that multiplies encrypted
    matrices."""
    nodes = list(circuit.nodes())
    if len(nodes) > _MOST_NODES or any(n.op is Op.DISCRETE or product_of(n) for n in nodes):
        return ()
    groups: dict[Hashable, list[Node]] = defaultdict(list)
    for n in sorted((n for n in nodes if n.op is Op.INPUT), key=lambda n: circuit.inputs.index(n.attribute)):
        if n.length <= LONGEST:
            groups[n.length, n.attribute.modulus].append(n)
    return tuple(part for group in groups.values() if len(group) > 1 for part in in_pairs(circuit, group))


def joined(circuit: Circuit, layout: Layout) -> Circuit | None:
    """The circuit with its inputs of equal length in one vector; None where there are none, where nothing is
    computed with several of them at once, or where the circuit is too large."""
    circuit = simplify(circuit)
    groups = joinable(circuit)
    if not groups or layout is Layout.BY_COLUMN:
        return None
    try:
        joining = _Joining(circuit, groups, layout is Layout.BY_ROW)
        found = joining.circuit()
    except TooLarge:
        return None
    return found if joining.gains else None


class _Gap(Enum):
    """What lies in the places of a vector that hold no element of a lane."""

    ZERO = 0
    LIKE = 1  # values that elements have
    WILD = 2


class _Pack(NamedTuple):
    """A vector whose lanes are values of the circuit as it was."""

    node: Node
    grid: Grid
    gap: _Gap
    number: int


class _Lane(NamedTuple):
    pack: _Pack
    lane: int


class _Member(NamedTuple):
    """A value that may become a lane. Those with the same key are treated alike."""

    key: Hashable
    lane: int
    lanes: int
    operands: tuple[Affine, ...]
    atom: Node


class _Joining:
    def __init__(self, circuit: Circuit, groups: Sequence[Sequence[Node]], by_row: bool) -> None:
        self.written, self.by_row = circuit, by_row
        self.kind = circuit.kind
        self.number: Any = np.float64 if self.kind is Kind.REAL else np.int64
        self.values = affine(circuit)
        operations = {n.op for n in circuit.nodes()}
        zeros = operations.isdisjoint(_FUNCTIONS) and not operations.isdisjoint((Op.SUM, Op.MEAN))
        self.repeats = not zeros  # gaps hold what elements do, unless zeros spare a mask before a sum
        self.order = {n: i for i, n in enumerate(circuit.nodes())}
        self.lanes: dict[Node, _Lane] = {}
        self.alone: dict[Node, Node] = {}
        self.inputs: dict[str, Input] = {}  # the joined input that each of its columns is in
        self.numbers = count()
        self.where = ""
        self.gains = False  # whether anything is computed with several lanes at once
        for group in groups:
            self._lay(group, self._input(group), Grid(len(group), group[0].length, by_row), self._fresh)

    @property
    def _fresh(self) -> _Gap:
        return _Gap.LIKE if self.repeats else _Gap.ZERO

    def circuit(self) -> Circuit:
        for atoms in self._by_depth():
            waiting: dict[Hashable, list[_Member]] = defaultdict(list)
            for atom in atoms:
                found = self._member(atom)
                if found is None:
                    self._leave(atom)
                else:
                    waiting[found.key].append(found)
            for members in waiting.values():
                self._pack(members)
        outputs = []
        for name, n in self.written.outputs:
            self.where = n.where
            outputs.append((name, self._gathered(self.values[n])))
        inputs = dict.fromkeys(self.inputs.get(i.name, i) for i in self.written.inputs)
        return replace(self.written, inputs=tuple(inputs), outputs=tuple(outputs))

    def _by_depth(self) -> Iterator[list[Node]]:
        """The atoms that are no joined inputs, in layers: none depends on another one of its layer."""
        depths: dict[Node, int] = {}
        layers: dict[int, list[Node]] = defaultdict(list)
        for n in filter(is_atom, self.written.nodes()):
            below = (depths[a] for operand in n.args for a in self.values[operand].terms)
            depths[n] = 1 + max(below, default=-1)
            if n not in self.lanes:
                layers[depths[n]].append(n)
        yield from (layers[depth] for depth in sorted(layers))

    # -- lanes --------------------------------------------------------------------------------------

    def _lay(self, atoms: Iterable[Node], made: Node, grid: Grid, gap: _Gap) -> None:
        pack = _Pack(made, grid, gap if grid.gaps else _Gap.ZERO, next(self.numbers))
        self.lanes |= {atom: _Lane(pack, lane) for lane, atom in enumerate(atoms)}

    def _input(self, group: Sequence[Node]) -> Node:
        """The input that the group is joined to."""
        given = [n.attribute for n in group]
        grid = Grid(len(group), group[0].length, self.by_row)
        lanes = grid.width if self.repeats else grid.lanes
        room = grid.height if self.repeats else grid.rows
        step = grid.width if self.by_row else 1
        columns = tuple(
            Column(given[lane % len(given)].name, grid.rows, int(grid.places(lane)[0]), step, room)
            for lane in range(lanes)
        )
        made = Input(
            _name([i.name for i in given]),
            self.kind,
            grid.length,
            min(i.low for i in given),
            max(i.high for i in given),
            given[0].modulus,
            columns=columns,
        )
        self.inputs |= {i.name: made for i in given}
        return node(Op.INPUT, attribute=made, length=grid.length, kind=self.kind, where=group[0].where)

    def _member(self, atom: Node) -> _Member | None:
        """The atom as a lane, where all that it is computed from lies in the same lane, or in no lane."""
        operands = [self.values[a] for a in atom.args]
        found = {self.lanes[a] for operand in operands for a in operand.terms if a in self.lanes}
        if len({(of.lane, of.pack.grid.lanes) for of in found}) != 1:
            return None
        keyed = sorted(((self._key(operand), operand) for operand in operands), key=lambda each: each[0])
        square = len(atom.args) == 2 and atom.args[0] is atom.args[1]
        like = atom.attribute.shape if atom.op is Op.LINEAR else atom.attribute
        key = (atom.op, like, atom.length, square, tuple(key for key, _ in keyed))
        own = next(iter(found))
        return _Member(key, own.lane, own.pack.grid.lanes, tuple(operand for _, operand in keyed), atom)

    def _key(self, operand: Affine) -> tuple[Any, ...]:
        of = (self.lanes.get(a) or self.order[a] for a in operand.terms)
        return operand.length, tuple(sorted((-1 - x.pack.number) if isinstance(x, _Lane) else x for x in of))

    def _pack(self, members: Sequence[_Member]) -> None:
        """The members as packs, as far as there is one for every lane; the others stay alone."""
        by_lane: dict[int, list[_Member]] = defaultdict(list)
        for member in members:
            by_lane[member.lane].append(member)
        rounds = min(map(len, by_lane.values())) if len(by_lane) == members[0].lanes else 0
        for i in range(rounds):
            self._packed([by_lane[lane][i] for lane in range(members[0].lanes)])
        for each in by_lane.values():
            for member in each[rounds:]:
                self._leave(member.atom)

    def _packed(self, members: Sequence[_Member]) -> None:
        """One operation for the members of all lanes, in their order."""
        atoms = [member.atom for member in members]
        first = atoms[0]
        self.where = first.where
        operands = [list(each) for each in zip(*(m.operands for m in members), strict=True)]
        made, grid, gap = self._operation(atoms, operands)
        self.gains = True
        self._lay(atoms, made, grid, gap)

    # -- operations on all lanes --------------------------------------------------------------------

    def _operation(self, atoms: Sequence[Node], operands: Sequence[list[Affine]]) -> tuple[Node, Grid, _Gap]:
        """What the operation of these atoms makes of its operands, each of which has a value for every
        lane."""
        n = atoms[0]
        rows = n.length if n.op is Op.MULTIPLY else n.args[0].length
        grid = Grid(len(atoms), rows, self.by_row)
        (x, gap), *others = [self._spread(each, grid) for each in operands]
        if n.op is Op.MULTIPLY:
            ((y, other),) = others
            both = _Gap.ZERO if _Gap.ZERO in (gap, other) else gap if gap is other else _Gap.WILD
            return multiply(x, y, where=n.where), grid, both
        x = x if x.length == grid.length else self._stretched(x, grid)
        if n.op in (Op.SUM, Op.MEAN, Op.ROTATE, Op.LINEAR):
            return self._mapped(atoms, x, grid, gap)
        if n.op in _FUNCTIONS:
            x, gap = self._tame(n, x, grid, gap)
        made = node(n.op, x, attribute=n.attribute, length=grid.length, kind=self.kind, where=n.where)
        return made, grid, gap

    def _stretched(self, x: Node, grid: Grid) -> Node:
        return add(x, self._plain(np.zeros(grid.length)))

    def _tame(self, n: Node, x: Node, grid: Grid, gap: _Gap) -> tuple[Node, _Gap]:
        """The operand of a function, with values in its gaps that the function can take, and what it leaves
        there."""
        if gap is _Gap.LIKE or not grid.gaps:
            return x, gap
        if gap is _Gap.WILD:
            x = multiply(x, self._plain(grid.inside), where=n.where)
        if n.op is Op.POLYNOMIAL:
            return x, _Gap.ZERO if n.attribute[0] == 0 else _Gap.WILD
        series: Chebyshev = n.attribute
        middle = np.where(grid.inside, 0.0, (series.low + series.high) / 2)
        return add(x, self._plain(middle), where=n.where), _Gap.WILD

    def _mapped(self, atoms: Sequence[Node], x: Node, grid: Grid, gap: _Gap) -> tuple[Node, Grid, _Gap]:
        """The linear maps of the lanes. Gaps of rows are mapped as the lanes that they repeat."""
        longer = atoms[0].op in (Op.SUM, Op.MEAN) and gap is _Gap.ZERO  # zeros may be added
        own = [self._matrix(n, grid.height if longer else grid.rows) for n in atoms]
        to, lanes = Grid(grid.lanes, own[0].shape[0], self.by_row), range(grid.width)
        each = [own[lane % grid.lanes] for lane in lanes]
        rows = [to.places(lane)[m.rows] for lane, m in zip(lanes, each, strict=True)]
        columns = [grid.places(lane, m.shape[1])[m.columns] for lane, m in zip(lanes, each, strict=True)]
        made = self._linear(
            to.length,
            x,
            np.concatenate(rows),
            np.concatenate(columns),
            np.concatenate([m.values for m in each]),
        )
        return made, to, gap if self.by_row else _Gap.ZERO

    def _matrix(self, n: Node, places: int) -> Matrix:
        """The matrix of a linear map of one lane of so many places."""
        if n.op is Op.LINEAR:
            found: Matrix = n.attribute
            return found
        if n.op is Op.ROTATE:
            return Matrix.selecting((np.arange(places) + n.attribute) % places, places, self.number)
        one = 1 / n.args[0].length if n.op is Op.MEAN else 1
        return Matrix.dense(np.full((1, places), one, dtype=self.number))

    # -- affine functions ---------------------------------------------------------------------------

    def _spread(self, values: Sequence[Affine], grid: Grid) -> tuple[Node, _Gap]:
        """A value for each lane, in the places of the grid; one element where all are the same number."""
        parts: list[tuple[Node, _Gap]] = []
        atoms = [sorted(value.terms, key=self._place) for value in values]
        for own in zip(*atoms, strict=True):
            factors = [value.terms[a] for value, a in zip(values, own, strict=True)]
            parts.append(self._term(own[0], factors, grid))
        gaps = {gap for _, gap in parts}
        gap = (gaps.pop() if len(gaps) == 1 else _Gap.WILD) if grid.gaps else _Gap.ZERO
        constants = [value.constant for value in values]
        if not parts:
            return self._number(constants, grid, True), _Gap.LIKE
        total = reduce(self._sum, (part for part, _ in parts))
        if any(c.any() for c in constants):
            total = self._sum(total, self._number(constants, grid, gap is not _Gap.ZERO))
        return total, gap

    def _place(self, atom: Node) -> tuple[int, int]:
        of = self.lanes.get(atom)
        return (of.pack.number, 0) if of else (-1, self.order[atom])

    def _term(self, atom: Node, factors: Sequence[Array], grid: Grid) -> tuple[Node, _Gap]:
        """The lanes' products of an atom, or of the lanes of its pack, with their factors."""
        if atom in self.lanes:
            pack = self.lanes[atom].pack
            if pack.grid.rows == grid.rows:
                return self._times(pack.node, self._number(factors, grid, True)), pack.gap
            lane, _ = grid.owners
            starts = np.array([pack.grid.places(each)[0] for each in range(grid.lanes)])
            return self._copied(pack.node, starts[lane], factors, grid)
        own = self.alone[atom]
        if own.length == 1:
            filled = self.repeats or self._one(factors) is not None
            return self._times(own, self._number(factors, grid, filled)), self._filled(filled)
        return self._copied(own, grid.owners[1], factors, grid)

    def _copied(self, x: Node, places: Ints, factors: Sequence[Array], grid: Grid) -> tuple[Node, _Gap]:
        """For each place of the grid, the element of x in one of `places`, times its lane's factor."""
        kept = np.arange(grid.length) if self.repeats else np.flatnonzero(grid.inside)
        values = self._table(factors, grid)[kept]
        return self._linear(grid.length, x, kept, places[kept], values), self._filled(self.repeats)

    def _filled(self, filled: bool) -> _Gap:
        return _Gap.LIKE if filled else _Gap.ZERO

    def _number(self, values: Sequence[Array], grid: Grid, filled: bool) -> Node:
        """The plain operand with these values in each lane: one number, if it is the same everywhere and may
        stand in gaps."""
        one = self._one(values)
        if one is not None and (filled or not grid.gaps):
            return self._plain(np.array([one]))
        table = self._table(values, grid)
        return self._plain(table if filled else np.where(grid.inside, table, 0))

    def _one(self, values: Sequence[Array]) -> Any:
        """The number that all values are; None where they differ."""
        found = values[0].flat[0]
        return found if all((v == found).all() for v in values) else None

    def _table(self, values: Sequence[Array], grid: Grid) -> Array:
        """For each place of the grid, the value of its lane and row."""
        lane, row = grid.owners
        return np.stack([np.broadcast_to(v, grid.rows) for v in values])[lane, row]

    # -- values that are no lanes -------------------------------------------------------------------

    def _leave(self, atom: Node) -> None:
        """The atom as an operation of its own, on what is gathered from lanes."""
        self.where = atom.where
        if atom.op is Op.INPUT:
            self.alone[atom] = atom
            return
        operands = [self._gathered(self.values[a]) for a in atom.args]
        self.alone[atom] = node(
            atom.op, *operands, attribute=atom.attribute, length=atom.length, kind=self.kind, where=atom.where
        )

    def _gathered(self, value: Affine) -> Node:
        """The value, with its sums over lanes as plain matrices."""
        packs: dict[int, list[tuple[_Lane, Array]]] = defaultdict(list)
        parts: list[Node] = []
        for atom, factor in value.terms.items():
            if atom in self.lanes:
                of = self.lanes[atom]
                packs[of.pack.number].append((of, factor))
            else:
                parts.append(self._times(self.alone[atom], self._plain(factor)))
        parts += [self._from_lanes(own, value.length) for own in packs.values()]
        if not parts:
            return self._plain(np.broadcast_to(value.constant, value.length))
        total = reduce(self._sum, parts)
        if value.constant.any():
            total = self._sum(total, self._plain(value.constant))
        return total if total.length == value.length else add(total, self._plain(np.zeros(value.length)))

    def _from_lanes(self, own: Sequence[tuple[_Lane, Array]], length: int) -> Node:
        """The sum of lanes of one pack, times their factors."""
        pack = own[0][0].pack
        self.gains |= len(own) > 1
        factors = [factor for _, factor in own]
        if pack.grid.rows < length and all(len(f) == 1 for f in factors):
            length = 1  # the same number everywhere
        rows = [np.arange(length) for _ in own]
        columns = [
            np.broadcast_to(pack.grid.places(of.lane), length) if pack.grid.rows in (1, length) else rows[0]
            for of, _ in own
        ]
        values = [np.broadcast_to(f, length) for f in factors]
        whole = pack.gap is _Gap.ZERO and len(own) == pack.grid.lanes and self._one(factors) is not None
        if length == pack.grid.rows == 1 and whole:  # zeros may be added
            gaps = np.flatnonzero(~pack.grid.inside)
            rows, columns = [*rows, gaps * 0], [*columns, gaps]
            values.append(np.full(len(gaps), factors[0][0], dtype=self.number))
        return self._linear(
            length, pack.node, np.concatenate(rows), np.concatenate(columns), np.concatenate(values)
        )

    # -- nodes --------------------------------------------------------------------------------------

    def _linear(self, length: int, x: Node, rows: Ints, columns: Ints, values: Array) -> Node:
        if len(rows) > _MOST_ENTRIES:
            raise TooLarge
        matrix = Matrix((length, x.length), rows, columns, values.astype(self.number))
        return linear(matrix, x, self.kind, where=self.where)

    def _times(self, x: Node, plain: Node) -> Node:
        return multiply(x, plain, where=self.where)

    def _sum(self, x: Node, y: Node) -> Node:
        return add(x, y, where=self.where)

    def _plain(self, values: Array) -> Node:
        return constant(np.asarray(values).astype(self.number), self.kind, self.where)


def _name(names: Sequence[str]) -> str:
    """The name of a joined input; no input that a user declares can have it."""
    return ", ".join(names) if len(names) <= 3 else f"{names[0]}, ..., {names[-1]}"
