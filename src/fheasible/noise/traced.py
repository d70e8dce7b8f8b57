"""The gains of the output elements that lie in one value, source of noise by source."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fheasible.noise.aims import Aim
from fheasible.noise.reach import Values, adjoints
from fheasible.noise.rows import Adjoint, Rows
from fheasible.noise.scales import Scale, scales_of, sizes_of
from fheasible.noise.shape import shape
from fheasible.noise.sums import Squared, Sums
from fheasible.program.schedule import value_levels
from fheasible.program.types import Action, Operation, Program

Floats = NDArray[np.float64]

KINDS = ("encrypt", "rescale", "rescale_product", "key_switch", "digits", "division", "encoding")


class Source(NamedTuple):
    """What adds noise: "encrypt", "rescale" (of a product that is not relinearised: "rescale_product"),
    "key_switch", "encoding" of a plain operand; "digits" and "division", what the means of a switched
    polynomial's digits and of its division bring; at a level, to a result of scale `own`; `other`: of the
    operand that it meets."""

    kind: str
    level: int
    own: Scale
    other: Scale = (0, 0)


Factor = tuple[int, Scale, Scale]  # a plain number, the scales of its product and of its operand
KEY_SWITCH = ("relinearize", "rotate")
_UNASKED = {"rescale": 1.0, "mul_scalar": -1.0}  # dividing by a prime, multiplying by it


class Traced:
    """A value of an output, traced backwards: the gains of its columns."""

    def __init__(self, program: Program, values: Values, aim: Aim) -> None:
        self.aim, self.width = aim, len(aim.slots)
        self._program, self._values, self._scales = program, values, scales_of(program)
        self._adjusted = _adjusted_operands(program)
        self._brought: Sums[Source] = Sums()  # of the columns, over all slots, over the elements
        self._drifts: Sums[int] = Sums()
        self._factors: Sums[Factor] = Sums()
        slots, columns = (self.width, program.slots), (self.width, self.width)
        self._weights = {fresh: Squared(slots, _add_squares) for fresh in (True, False)}
        self._products = {switching: Squared(columns, _add_products) for switching in (False, True)}
        self._divisions: Adjoint | None = None
        self.switches = 0
        self._follow()
        brought = self._brought.totals()
        self.variances = {source: found[: self.width] for source, found in brought.items()}
        self.whole = {source: float(found[-2]) for source, found in brought.items()}
        self.average = {source: float(found[-1]) for source, found in brought.items()}
        self.drifts, self.factors = self._drifts.totals(), self._factors.totals()

    def _follow(self) -> None:
        for i, g, shares in adjoints(self._program, self._values, self.aim.value, self.aim.directions):
            self._noise(self._program.operations[i], g)
            self._unasked(i, g, shares)
            self._drift(self._program.operations[i], g)
        if self._divisions is not None:
            self._add(Source("division", 0, (0, 1)), self._divisions, offset=True)

    def _noise(self, o: Operation, g: Adjoint) -> None:
        """What the operation and its plain operand bring."""
        own = self._scales[o.out]
        if o.action in (Action.ENCRYPT, Action.RESCALE):
            self._add(Source(o.action.value, o.level, own), g)
        elif o.action in KEY_SWITCH:
            self._switch(o.level, own, g)
        elif o.action is Action.MUL_PLAIN:
            met = Source("encoding", o.level, own, self._scales[o.args[0]])
            self._add(met, g.times(self._values[o.args[0]]))
        elif o.action is Action.ADD_PLAIN:
            self._add(Source("encoding", o.level, own), g)

    def _switch(self, level: int, own: Scale, g: Adjoint) -> None:
        self._add(Source("key_switch", level, own), g)
        self._add(Source("digits", level, own), g, offset=True)
        if own[1] == 1:  # the same mean times the same secret each time: added up before it is squared
            self._divisions = g if self._divisions is None else self._divisions.plus(g)
            self.switches += 1

    def _unasked(self, i: int, g: Adjoint, shares: list[Adjoint]) -> None:
        """What the library does besides: to the operand that it adjusts, or within a composite."""
        o = self._program.operations[i]
        if o.action is Action.EVAL_SUM:
            self._sum(o, g)
            return
        if i in self._adjusted:
            at = o.args.index(self._adjusted[i])
            self._align(o, self._adjusted[i], shares[at])
            return
        for action, level in o.internal:
            if action == "rescale":
                self._add(Source("rescale", level - 1, (level - 1, 1)), g)
            elif action in KEY_SWITCH:
                self._switch(level, (level, 2 if action == "relinearize" else 1), g)

    def _align(self, o: Operation, operand: int, share: Adjoint) -> None:
        """An operand, perhaps multiplied by a number, is rescaled to the degree of the other, once or
        twice."""
        relative, effect = self._linear(share, self._values[operand])
        kind = "rescale_product" if sizes_of(self._program)[operand] == 3 else "rescale"
        rescaled = [level - 1 for action, level in o.internal if action == "rescale"]
        for k, level in enumerate(rescaled, start=1):
            degree = min(self._scales[a][1] for a in o.args) if k == len(rescaled) else 2
            self._add(Source(kind, level, (level, degree)), share)
        for action, level in o.internal:
            if action in _UNASKED:
                self._drifts.add(level - 1, _UNASKED[action] * relative, effect)

    def _sum(self, o: Operation, g: Adjoint) -> None:
        """Rotations by 1, 2, 4, ... slots, each added to what was there: what an early one brings is summed
        by all later ones."""
        turns = [level for action, level in o.internal if action == "rotate"]
        for k in range(len(turns) - 1, -1, -1):
            self._switch(turns[k], self._scales[o.out], g)
            g = g.plus(g.turned(1 << k))

    def _drift(self, o: Operation, g: Adjoint) -> None:
        """Relative errors of what is divided by a prime, and of plain numbers."""
        if o.action is Action.RESCALE:
            self._drifts.add(o.level, *self._linear(g, self._values[o.out]))
        if o.action is Action.ADD_SCALAR and self._scales[o.out][1] == 2 and o.plain is not None:
            # measured of OpenFHE 1.6.1: a number is added so that it is right once it has been divided
            number, effect = self._linear(g, self._program.plains[o.plain])
            self._drifts.add(o.level - 1, -number, effect)
        if o.action is Action.MUL_SCALAR and o.plain is not None and self._program.plains[o.plain][0] != 0:
            key = (o.plain, self._scales[o.out], self._scales[o.args[0]])
            self._factors.add(key, *self._linear(g, self._values[o.out]))

    def _add(self, source: Source, g: Adjoint, offset: bool = False) -> None:
        """`offset`: in the shape of a mean of coefficients, not in all slots alike."""
        self._brought.add(source, g.factor**2, self._reading(g.rows, "offset" if offset else "spread"))
        if not offset and source.own[1] == 1 and source.kind != "encoding" and not self.aim.alone:
            self._weights[source.kind == "encrypt"].add(g)
            if self.width > 1:
                self._products[source.kind == "key_switch"].add(g)

    def _reading(self, rows: Rows, what: str) -> Floats:
        """Of the columns, where every slot has an error of one (`linear`) or unit variance: then with the
        means over all slots of the value and over the elements."""
        if what not in rows.known:
            rows.known[what] = (self._of_slots if self.aim.alone else self._of_rows)(rows, what)
        return rows.known[what]

    def _of_rows(self, rows: Rows, what: str) -> Floats:
        if what == "linear":
            return rows.sums[: self.width]
        offset = what == "offset"
        squares = rows.offsets if offset else rows.squares
        own = squares[: self.width]
        whole = self._seen(float(self.aim.seen @ squares), rows.at_slot_0(self.width) if offset else 0.0)
        return np.append(own, (whole, float(self.aim.weights @ own)))

    def _of_slots(self, rows: Rows, what: str) -> Floats:
        (slots,) = rows.whole()
        if what == "linear":
            return np.asarray(slots[self.aim.slots])
        offset = what == "offset"
        squares = slots * slots * (shape(self._program.slots) if offset else 1.0)
        whole = self._seen(float(squares.mean()), float(slots[0]) if offset else 0.0)
        return np.append(squares[self.aim.slots], (whole, squares[: self.aim.elements].mean()))

    def _seen(self, mean: float, first: float) -> float:
        """The mean over all slots, of what is sounded. OpenFHE takes the mean of its coefficients off the
        imaginary part before it looks at its size (`StdDev`), and so most of an offset that still sits in
        slot 0: `first` of it came from there."""
        slots = self._program.slots
        return max(mean - (first * float(shape(slots)[0]) / slots) ** 2, 0.0) if first else mean

    def _linear(self, g: Adjoint, values: Floats) -> tuple[float, Floats]:
        """A number and an array, whose product is the effect of relative errors of one in the values."""
        if len(values) == 1:
            return g.factor * float(values[0]), self._reading(g.rows, "linear")
        if self.aim.alone:
            return g.factor, (g.rows.whole()[0] * values)[self.aim.slots]
        return g.factor, g.rows.along(values, self.width)

    def mixed(self, fresh: bool) -> Floats:
        """How many slots the noise of each column comes from, by their shares; 1 where it has none."""
        w = self._weights[fresh].total()
        if w is None:
            return np.ones(self.width)
        square = (w * w).sum(axis=1)
        return np.where(square > 0, w.sum(axis=1) ** 2 / np.where(square > 0, square, 1), 1.0)

    def company(self) -> float:
        """How many elements lie in the value, over how many neighbours share a slot's noise."""
        elements = min(self.aim.elements, self._program.slots)
        return max(elements / float(np.median(self.mixed(fresh=False))), 1.0)

    def shared(self) -> list[float]:
        """Root mean square of the correlation of two elements' noise, but key switching's and that alone."""
        return [self._correlation(self._products[switching].total()) for switching in (False, True)]

    def _correlation(self, own: Floats | None) -> float:
        if own is None:
            return 0.0
        size = np.sqrt(np.maximum(np.diag(own), np.finfo(float).tiny))
        squares = (own / np.outer(size, size)) ** 2
        np.fill_diagonal(squares, 0.0)
        return float(np.sqrt(squares.sum() / (self.width * (self.width - 1))))


def _add_squares(rows: Rows, number: float, total: Floats) -> None:
    rows.add_squares(number, total)


def _add_products(rows: Rows, number: float, total: Floats) -> None:
    rows.add_products(number, total)


@lru_cache(maxsize=64)
def _adjusted_operands(program: Program) -> dict[int, int]:
    """Of each operation that has to align its operands: the one of the higher level, or the lower degree."""
    levels = value_levels(program)
    scales = scales_of(program) if program.automatic else {}
    return {
        i: max(o.args, key=lambda a: (levels[a], -scales[a][1]))
        for i, o in enumerate(program.operations)
        if o.internal and scales and len(o.args) == 2
    }
