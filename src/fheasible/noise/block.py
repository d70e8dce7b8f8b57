"""The gains of the output elements that lie in one value, source of noise by source."""

from collections import defaultdict
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from fheasible.noise.aims import Aim
from fheasible.noise.reach import Values, adjoints
from fheasible.noise.scales import Scale, scales_of, sizes_of
from fheasible.noise.shape import shape
from fheasible.program.schedule import value_levels
from fheasible.program.types import Action, Operation, Program

Floats = NDArray[np.float64]


class Source(NamedTuple):
    """What adds noise: "encrypt", "rescale" (of a product that is
    not relinearised: "rescale_product"), "key_switch", "encoding" of a plain operand; "digits" and
    "division", what the means of a switched polynomial's digits and of its division bring; at a level, to a
    result of scale `own`; `other`: of the operand that it meets."""

    kind: str
    level: int
    own: Scale
    other: Scale = (0, 0)


Factor = tuple[int, Scale, Scale]  # a plain number, the scales of its product and of its operand
Key = TypeVar("Key")
KEY_SWITCH = ("relinearize", "rotate")
_UNASKED = {"rescale": 1.0, "mul_scalar": -1.0}  # dividing by a prime, multiplying by it


class Block:
    """The gains of one value's columns."""

    def __init__(self, program: Program, values: Values, aim: Aim) -> None:
        self.aim, self.width = aim, len(aim.slots)
        self.variances: dict[Source, Floats] = {}
        self.whole: dict[Source, float] = defaultdict(float)
        self.average: dict[Source, float] = defaultdict(float)
        self.drifts: dict[int, Floats] = {}
        self.factors: dict[Factor, Floats] = {}
        rows = len(aim.directions)
        self._weights = {fresh: np.zeros((rows, program.slots)) for fresh in (True, False)}
        self._products = {switching: np.zeros((rows, rows)) for switching in (False, True)}
        self._divisions = np.zeros((rows, program.slots))
        self.switches = 0
        self._program, self._values, self._scales = program, values, scales_of(program)
        self._adjusted = _adjusted_operands(program)
        for i, g, shares in adjoints(program, values, aim.value, aim.directions):
            self._noise(program.operations[i], g)
            self._unasked(i, g, shares)
            self._drift(program.operations[i], g)
        if self._divisions.any():
            self._add(Source("division", 0, (0, 1)), self._divisions, shape(program.slots))

    def _noise(self, o: Operation, g: Floats) -> None:
        """What the operation and its plain operand bring."""
        own = self._scales[o.out]
        if o.action in (Action.ENCRYPT, Action.RESCALE):
            self._add(Source(o.action.value, o.level, own), g)
        elif o.action.value in KEY_SWITCH:
            self._switch(o.level, own, g)
        elif o.action is Action.MUL_PLAIN:
            self._add(Source("encoding", o.level, own, self._scales[o.args[0]]), g * self._values[o.args[0]])
        elif o.action is Action.ADD_PLAIN:
            self._add(Source("encoding", o.level, own), g)

    def _switch(self, level: int, own: Scale, g: Floats) -> None:
        self._add(Source("key_switch", level, own), g)
        self._add(Source("digits", level, own), g, shape(self._program.slots))
        if own[1] == 1:  # the same mean times the same secret each time: added up before it is squared
            self._divisions += g
            self.switches += 1

    def _unasked(self, i: int, g: Floats, shares: list[Floats]) -> None:
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

    def _align(self, o: Operation, operand: int, share: Floats) -> None:
        """An operand, perhaps multiplied by a number, is rescaled to the degree of the other, once or
        twice."""
        relative = self._linear(share, self._values[operand])
        kind = "rescale_product" if sizes_of(self._program)[operand] == 3 else "rescale"
        rescaled = [level - 1 for action, level in o.internal if action == "rescale"]
        for k, level in enumerate(rescaled, start=1):
            degree = min(self._scales[a][1] for a in o.args) if k == len(rescaled) else 2
            self._add(Source(kind, level, (level, degree)), share)
        for action, level in o.internal:
            if action in _UNASKED:
                _accumulate(self.drifts, level - 1, _UNASKED[action] * relative)

    def _sum(self, o: Operation, g: Floats) -> None:
        """Rotations by 1, 2, 4, ... slots, each added to what was there: what an early one brings is summed
        by all later ones."""
        turns = [level for action, level in o.internal if action == "rotate"]
        for k in range(len(turns) - 1, -1, -1):
            self._switch(turns[k], self._scales[o.out], g)
            g = g + np.roll(g, 1 << k, axis=-1)

    def _drift(self, o: Operation, g: Floats) -> None:
        """Relative errors of what is divided by a prime, and of plain numbers."""
        if o.action is Action.RESCALE:
            _accumulate(self.drifts, o.level, self._linear(g, self._values[o.out]))
        if o.action is Action.ADD_SCALAR and self._scales[o.out][1] == 2 and o.plain is not None:
            # measured of OpenFHE 1.6.1: a number is added so that it is right once it has been divided
            _accumulate(self.drifts, o.level - 1, -self._linear(g, self._program.plains[o.plain]))
        if o.action is Action.MUL_SCALAR and o.plain is not None and self._program.plains[o.plain][0] != 0:
            key = (o.plain, self._scales[o.out], self._scales[o.args[0]])
            _accumulate(self.factors, key, self._linear(g, self._values[o.out]))

    def _add(self, source: Source, g: Floats, weights: Floats | None = None) -> None:
        squares = g * g if weights is None else g * g * weights
        found = squares[0, self.aim.slots] if self.aim.alone else squares.sum(axis=1)[: self.width]
        _accumulate(self.variances, source, found)
        self.whole[source] += self._seen(g, squares, weights)
        alone = self.aim.alone
        self.average[source] += float(
            squares[0, : self.aim.elements].mean() if alone else self.aim.weights @ found
        )
        if weights is None and source.own[1] == 1 and source.kind != "encoding":
            self._weights[source.kind == "encrypt"] += squares
            self._products[source.kind == "key_switch"] += np.einsum("is,js->ij", g, g)

    def _seen(self, g: Floats, squares: Floats, weights: Floats | None) -> float:
        """The mean over all slots, of what is sounded. OpenFHE takes the mean of its coefficients off the
        imaginary part before it looks at its size (`StdDev`), and so most of an offset that still sits in
        slot 0."""
        alone, slots = self.aim.alone, self._program.slots
        mean = float(squares.mean() if alone else self.aim.seen @ squares.sum(axis=1))
        if weights is None:
            return mean
        first = float(g[0 if alone else self.width, 0])  # from slot 0 to slot 0
        return max(mean - (first * float(weights[0]) / slots) ** 2, 0.0)

    def _linear(self, g: Floats, values: Floats) -> Floats:
        product = g * values
        return np.asarray(product[0, self.aim.slots] if self.aim.alone else product[: self.width].sum(axis=1))

    def mixed(self, fresh: bool) -> Floats:
        """How many slots the noise of each column comes from, by their shares; 1 where it has none."""
        if self.aim.alone:
            return np.ones(self.width)
        w = self._weights[fresh][: self.width]
        square = (w * w).sum(axis=1)
        return np.where(square > 0, w.sum(axis=1) ** 2 / np.where(square > 0, square, 1), 1.0)

    def company(self) -> float:
        """How many elements lie in the value, over how many neighbours share a slot's noise."""
        elements = min(self.aim.elements, self._program.slots)
        return max(elements / float(np.median(self.mixed(fresh=False))), 1.0)

    def shared(self) -> list[float]:
        """Root mean square of the correlation of two elements' noise, but key switching's and that alone."""
        if self.aim.alone or self.width == 1:
            return [0.0, 0.0]
        return [self._correlation(self._products[switching]) for switching in (False, True)]

    def _correlation(self, products: Floats) -> float:
        own = products[: self.width, : self.width]
        size = np.sqrt(np.maximum(np.diag(own), np.finfo(float).tiny))
        squares = (own / np.outer(size, size)) ** 2
        return float(np.sqrt(max(squares.sum() - np.trace(squares), 0.0) / (self.width * (self.width - 1))))


def _accumulate(found: dict[Key, Floats], key: Key, more: Floats) -> None:
    found[key] = found[key] + more if key in found else more


def _adjusted_operands(program: Program) -> dict[int, int]:
    """Of each operation that has to align its operands: the one of the higher level, or the lower degree."""
    levels = value_levels(program)
    scales = scales_of(program) if program.automatic else {}
    return {
        i: max(o.args, key=lambda a: (levels[a], -scales[a][1]))
        for i, o in enumerate(program.operations)
        if o.internal and scales and len(o.args) == 2
    }
