"""The gains of the output elements that lie in one value, for each source of noise."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from fheasible.aliases import Floats
from fheasible.noise.doubles import mean_square
from fheasible.noise.reach.reach import Values, adjoints
from fheasible.noise.reach.readings import Readings
from fheasible.noise.reach.rows import Adjoint, Rows
from fheasible.noise.reach.sources import (
    DIVISION,
    DOUBLES,
    OFFSETS,
    PLAIN,
    UNASKED,
    Source,
    adjusted_operands,
    all_brought,
    brought,
    right_once_divided,
    turns,
)
from fheasible.noise.reach.sums import GrowingSum, Squared, Sums
from fheasible.noise.reach.targets import Target
from fheasible.noise.scales import Scale, scales_of
from fheasible.program.types import Action, Operation, Program

Factor = tuple[int, Scale, Scale]  # a plain number, the scales of its product and of its operand


class _Met(NamedTuple):
    """What a pass meets at an operation, whatever the data: whether it meets vectors that are encoded,
    sources of noise, a library's own sum, an operand that is brought to another's scale, and relative
    errors."""

    encodes: bool
    brings: bool
    sums: bool
    adjusts: bool
    drifts: bool


_ENCODED = (Action.ENCRYPT, Action.MUL_PLAIN, Action.ADD_PLAIN)
_INEXACT = (Action.RESCALE, Action.MUL_SCALAR, Action.ADD_SCALAR)


@lru_cache(maxsize=64)
def _all_met(program: Program) -> tuple[_Met | None, ...]:
    """What a pass meets at each operation; None where it meets nothing."""
    adjusted, brings = adjusted_operands(program), all_brought(program)
    known: dict[_Met, _Met | None] = {}  # one for all operations that are alike

    def of(i: int, o: Operation) -> _Met | None:
        encodes, drifts = o.action in _ENCODED, o.action in _INEXACT
        met = _Met(encodes, bool(brings[i]), o.action is Action.EVAL_SUM, i in adjusted, drifts)
        return known.setdefault(met, met if any(met) else None)

    return tuple(of(i, o) for i, o in enumerate(program.operations))


class Traced:
    """A value of an output, traced backwards: the gains of its columns."""

    def __init__(self, program: Program, values: Values, target: Target) -> None:
        self.target, self.width = target, len(target.slots)
        self._program, self._values, self._scales = program, values, scales_of(program)
        self._readings = Readings(target, program.slots)
        self._brought: Sums[Source] = Sums()  # of columns, all slots, elements
        self._drifts: Sums[int] = Sums()
        self._factors: Sums[Factor] = Sums()
        slots, columns = (self.width, program.slots), (self.width, self.width)
        self._weights = {fresh: Squared(slots, _add_squares) for fresh in (True, False)}
        self._products = {switching: Squared(columns, _add_products) for switching in (False, True)}
        self._means: dict[Source, GrowingSum] = {}
        self.switches = 0
        self.mean_square = mean_square(values[target.value])
        self._follow()
        brought = self._brought.totals()
        self.variances = {source: found[: self.width] for source, found in brought.items()}
        self.whole = {source: float(found[-3]) for source, found in brought.items() if source != DOUBLES}
        self.seen = {source: float(found[-2]) for source, found in brought.items()}
        self.average = {source: float(found[-1]) for source, found in brought.items()}
        self.drifts, self.factors = self._drifts.totals(), self._factors.totals()

    def _follow(self) -> None:
        met_at = _all_met(self._program)
        for i, g, shares in adjoints(self._program, self._values, self.target.value, self.target.directions):
            what = met_at[i]
            if what:
                self._meet(i, what, g, shares)
        for source, met in self._means.items():
            self._add(source._replace(key=0), met.total)
        self._readings.finish()

    def _meet(self, i: int, what: "_Met", g: Adjoint, shares: list[Adjoint]) -> None:
        o = self._program.operations[i]
        if what.encodes:
            self._encoding(o, g)
        if what.brings:
            for source, met in brought(self._program, i, g, shares):
                self._noise(source, met)
        if what.sums:
            for source, met in turns(self._program, o, g):
                self._noise(source, met)
        if what.adjusts:
            operand = adjusted_operands(self._program)[i]
            self._adjusting(o, operand, shares[o.args.index(operand)])
        if what.drifts:
            self._drift(o, g)

    def _encoding(self, o: Operation, g: Adjoint) -> None:
        """Adds the noise of encoding a plain operand, and that of doubles for any vector that is encoded."""
        own = self._scales[o.out]
        if o.action is Action.ENCRYPT:
            self._in_doubles(self._values[o.out], g)
        elif o.action is Action.MUL_PLAIN:
            met = g.times(self._values[o.args[0]])
            self._add(Source("encoding", o.level, own, self._scales[o.args[0]]), met)
            self._in_doubles(self._program.plains[o.plain or 0], met)
        elif o.action is Action.ADD_PLAIN:
            self._add(Source("encoding", o.level, own), g)
            self._in_doubles(self._program.plains[o.plain or 0], g)

    def _in_doubles(self, encoded: Floats, g: Adjoint) -> None:
        """Adds the rounding of doubles, which is relative to the root mean square of the slots."""
        self._add(DOUBLES, Adjoint(g.factor * mean_square(encoded) ** 0.5, g.rows))

    def _noise(self, source: Source, g: Adjoint) -> None:
        """Adds the noise of a source. In every operation, the mean of digits is multiplied by the errors of
        one key, and that of a division by the secret: such means are added up before they are squared."""
        if source.kind == "digits":
            self._mean(source, g)
            return
        self._add(source, g)
        if source.kind == "key_switch" and source.own[1] == 1:
            self._mean(DIVISION, g)
            self.switches += 1

    def _mean(self, source: Source, g: Adjoint) -> None:
        known = self._means.get(source)
        if known is None:
            self._means[source] = GrowingSum(g)
        else:
            known.add(g)

    def _adjusting(self, o: Operation, operand: int, share: Adjoint) -> None:
        """Adds the relative errors of bringing an operand to the other's scale."""
        relative, effect = self._linear(share, self._values[operand])
        for action, level in o.internal:
            if action in UNASKED:
                self._drifts.add(level - 1, UNASKED[action] * relative, effect)

    def _drift(self, o: Operation, g: Adjoint) -> None:
        """Adds the relative errors of what is divided by a prime, and of plain numbers."""
        if o.action is Action.RESCALE:
            self._drifts.add(o.level, *self._linear(g, self._values[o.out]))
        if right_once_divided(o, self._scales[o.out]):
            number, effect = self._linear(g, self._program.plains[o.plain or 0])
            self._drifts.add(o.level - 1, -number, effect)
        if o.action is Action.MUL_SCALAR and o.plain is not None and self._program.plains[o.plain][0] != 0:
            key = (o.plain, self._scales[o.out], self._scales[o.args[0]])
            self._factors.add(key, *self._linear(g, self._values[o.out]))

    def _add(self, source: Source, g: Adjoint) -> None:
        offset = source.kind in OFFSETS
        self._brought.add(source, g.factor**2, self._readings.of(g.rows, "offset" if offset else "spread"))
        if not offset and source.own[1] == 1 and source.kind not in PLAIN and not self.target.alone:
            self._weights[source.kind == "encrypt"].add(g)
            if self.width > 1:
                self._products[source.kind == "key_switch"].add(g)

    def _linear(self, g: Adjoint, values: Floats) -> tuple[float, Floats]:
        """A number and an array whose product is the effect of a relative error of one in the values."""
        if len(values) == 1:
            return g.factor * float(values[0]), self._readings.of(g.rows, "linear")
        if self.target.alone:
            return g.factor, g.rows.whole()[0][self.target.slots] * values[self.target.slots]
        return g.factor, g.rows.along(values, self.width)

    def mixed(self, fresh: bool) -> Floats:
        """The number of slots that the noise of each column comes from, by their shares; 1 where it has no
        noise."""
        w = self._slots_of(fresh)
        if w is None:
            return np.ones(self.width)
        square = (w * w).sum(axis=1)
        return np.where(square > 0, w.sum(axis=1) ** 2 / np.where(square > 0, square, 1), 1.0)

    def met(self) -> Floats:
        """How much of both, the noise of encryptions and all other noise, comes from the same slots in each
        column: the sum over slots of the product of their shares. It is 1 where all noise is from one
        slot."""
        fresh, other = (self._slots_of(kind) for kind in (True, False))
        if fresh is None or other is None:
            return np.ones(self.width) / np.sqrt(self.mixed(fresh=True) * self.mixed(fresh=False))
        tiny = np.finfo(float).tiny
        return np.asarray(
            (fresh * other).sum(axis=1) / np.maximum(fresh.sum(axis=1) * other.sum(axis=1), tiny)
        )

    def _slots_of(self, fresh: bool) -> Floats | None:
        """The noise that comes from each slot, over that of the slot that brings the most: (column, slot);
        None where no such noise was met."""
        w = self._weights[fresh].total()
        return None if w is None else w / np.maximum(w.max(axis=1, keepdims=True), np.finfo(float).tiny)

    def company(self) -> float:
        """The number of elements in the value over the number of neighbours that share a slot's noise; at
        least 1."""
        elements = min(self.target.elements, self._program.slots)
        return max(elements / float(np.median(self.mixed(fresh=False))), 1.0)

    def shared(self) -> list[float]:
        """The root mean square of the correlation of two elements' noise: for all but key switching's noise,
        and for key switching's alone."""
        return [self._correlation(self._products[switching].total()) for switching in (False, True)]

    def _correlation(self, own: Floats | None) -> float:
        if own is None:
            return 0.0
        size = np.sqrt(np.maximum(np.diag(own), np.finfo(float).tiny))
        squares = (own / size / size[:, None]) ** 2
        np.fill_diagonal(squares, 0.0)
        return float(np.sqrt(squares.sum() / (self.width * (self.width - 1))))


def _add_squares(rows: Rows, number: float, total: Floats) -> None:
    rows.add_squares(number, total)


def _add_products(rows: Rows, number: float, total: Floats) -> None:
    rows.add_products(number, total)
