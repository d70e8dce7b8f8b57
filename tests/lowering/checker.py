"""The rules of program/types.py, checked by following every value through a program.

Nothing here is shared with the lowering: level, degree, size and scale of each value are derived anew
from the operations. Logarithms of scales and primes are large random whole numbers, so that two scales
agree only if the rule makes them the same.
"""

import random
from dataclasses import dataclass

from fheasible.program.style import Style
from fheasible.program.types import Action, Operation, Program, Scheme

SCALAR_ACTIONS = {Action.ADD_SCALAR, Action.MUL_SCALAR}
SUMMANDS = {Action.ADD_SCALAR, Action.ADD_PLAIN}
PLAIN_ACTIONS = SCALAR_ACTIONS | {Action.ADD_PLAIN, Action.MUL_PLAIN, Action.EVAL_CHEBYSHEV}
ARITY = {Action.ENCRYPT: 0, Action.ADD: 2, Action.SUB: 2, Action.MUL: 2}


@dataclass(frozen=True)
class Seen:
    level: int
    degree: int
    size: int
    scale: int  # logarithm


def check(program: Program, style: Style) -> dict[int, Seen]:
    """What every value is. AssertionError with the operation that breaks a rule."""
    checker = _Checker(program, style)
    for i, operation in enumerate(program.operations):
        try:
            checker.step(operation)
        except AssertionError as error:
            raise AssertionError(f"operation {i}, {operation}: {error}") from error
    checker.finish()
    return checker.seen


class _Checker:
    def __init__(self, program: Program, style: Style) -> None:
        self.program, self.style = program, style
        self.ckks = style.scheme is Scheme.CKKS
        self.leveled = style.scheme is not Scheme.BFV
        self.seen: dict[int, Seen] = {}
        self.alive: set[int] = set()
        self.used: set[int] = set()
        self.above = style.budget.above if style.budget and program.bootstraps else 0
        top = program.levels + 1 + self.above
        self.scales, self.primes = _ladder(top, self.ckks, style.exact_scales)
        self.row = program.slots // 2 if program.two_rows else program.slots

    def step(self, o: Operation) -> None:
        assert o.out not in self.seen, "a value is made twice"
        assert len(o.args) == ARITY.get(o.action, 1), "wrong number of operands"
        assert self.alive.issuperset(o.args), "an operand is not there"
        self._check_plain(o)
        self.used.update(o.args)
        self.seen[o.out] = made = self._made(o)
        assert o.level == made.level, f"the rules give level {made.level}"
        assert o.level >= 0
        assert not o.internal or self.style.automatic
        self._free(o)

    def _check_plain(self, o: Operation) -> None:
        assert (o.plain is not None) == (o.action in PLAIN_ACTIONS)
        if o.plain is not None:
            plain = self.program.plains[o.plain]
            length = 1 if o.action in SCALAR_ACTIONS else self.program.slots
            assert plain.shape == (length,) or (o.action is Action.EVAL_CHEBYSHEV and len(plain) > 2)
            assert plain.dtype == ("float64" if self.ckks else "int64")
            assert plain.any(), "adding or multiplying by zeros"
            signed = o.action is not Action.MUL_SCALAR or self.style.signed_numbers
            assert signed or plain[0] > 0, "t - 3 is multiplied where -3 is meant"

    def _free(self, o: Operation) -> None:
        self.alive.add(o.out)
        assert len(set(o.frees)) == len(o.frees)
        assert self.alive.issuperset(o.frees), "a value is freed that is not there"
        self.alive.difference_update(o.frees)

    def _made(self, o: Operation) -> Seen:
        args = [self.seen[a] for a in o.args]
        match o.action:
            case Action.ENCRYPT:
                return self._encrypted(o)
            case Action.ADD | Action.SUB:
                assert o.action is Action.ADD or o.args[0] != o.args[1], "a transparent zero"
                manual = self.style.scheme is Scheme.BGV and not self.style.automatic
                assert not manual or args[0].size >= args[1].size, "SEAL adds these wrongly in BGV"
                return self._sum(args[0], args[1])
            case Action.MUL | Action.SQUARE:
                return self._product(args)
            case Action.MUL_PLAIN | Action.MUL_SCALAR:
                return self._plain_product(args[0])
            case Action.ADD_PLAIN | Action.ADD_SCALAR:
                assert args[0].size == 2 or self.style.mixed_sizes
                return args[0]
            case Action.RELINEARIZE:
                assert args[0].size == 3, "nothing to relinearise"
                return Seen(args[0].level, args[0].degree, 2, args[0].scale)
            case Action.RESCALE:
                return self._rescaled(args[0])
            case Action.DROP:
                return self._dropped(args[0], o.level)
            case Action.ROTATE:
                assert 1 <= o.steps < max(self.row, 2)
                assert (args[0].size, args[0].degree) == (2, 1)
                return args[0]
            case Action.SWAP_ROWS:
                assert not self.ckks
                assert args[0].size == 2
                return args[0]
            case Action.NEG:
                return args[0]
            case Action.BOOTSTRAP:
                return self._bootstrapped(args[0])
            case Action.EVAL_SUM:
                assert self.style.composites
                assert (args[0].size, args[0].degree) == (2, 1)
                return args[0]
            case Action.EVAL_CHEBYSHEV:
                return self._series(args[0], o)

    def _encrypted(self, o: Operation) -> Seen:
        made = {p.action for p in self.program.operations if p.out in self.seen}
        assert made <= {Action.ENCRYPT}, "an encryption after other work"
        (packed,) = [p for p in self.program.inputs if p.name == o.source]
        assert packed.values[o.chunk] == o.out
        level = self.program.levels + int(self.style.extended)
        if self.above:
            assert level <= o.level <= level + self.above, "a fresh value of too many levels"
            level = o.level
        degree = 2 if self.style.extended else 1
        return Seen(level, degree, 2, degree * self.scales[level])

    def _sum(self, x: Seen, y: Seen) -> Seen:
        size = max(x.size, y.size)
        assert x.size == y.size or self.style.mixed_sizes, "sizes 2 and 3 meet"
        if self.style.automatic:
            shallow, deep = sorted((x, y), key=lambda v: (-v.level, v.degree))
            return Seen(deep.level, max(deep.degree, shallow.degree * (shallow.level == deep.level)), size, 0)
        assert x.level == y.level, f"levels {x.level} and {y.level} meet"
        if self.ckks:
            assert x.degree == y.degree, "degrees 1 and 2 meet"
            assert x.scale == y.scale, "two scales meet"
        return Seen(x.level, max(x.degree, y.degree), size, x.scale)

    def _product(self, args: list[Seen]) -> Seen:
        level = min(a.level for a in args)
        for a in args:
            assert a.size == 2, "a factor of size 3"
            assert a.degree == 1, "a factor that waits to be rescaled"
            assert a.level == level or self.style.automatic, "factors of two levels"
            assert a.scale == self.scales[level] or self.style.automatic, "a factor of another level's scale"
        return Seen(level, 2 if self.leveled else 1, 3, 2 * self.scales[level])

    def _plain_product(self, x: Seen) -> Seen:
        assert (x.size, x.degree) == (2, 1)
        return Seen(x.level, 2 if self.leveled else 1, 2, 2 * self.scales[x.level])

    def _series(self, x: Seen, o: Operation) -> Seen:
        """The library's own algorithm takes the levels of its terms, and up to two for itself."""
        assert self.style.composites
        assert (x.size, x.degree) == (2, 1)
        terms = len(self.program.plains[o.plain or 0]) - 2
        least = (terms - 1).bit_length()
        assert least <= x.level - o.level + 1 <= least + 2
        return Seen(o.level, 2, 2, 0)

    def _rescaled(self, x: Seen) -> Seen:
        assert self.leveled
        assert x.degree == 2, "nothing to rescale"
        assert x.size == 2, "rescaled before it is relinearised"
        return Seen(x.level - 1, 1, 2, x.scale - self.primes[x.level])

    def _bootstrapped(self, x: Seen) -> Seen:
        assert self.ckks
        assert self.style.budget is not None
        assert (x.size, x.degree) == (2, 1), "a bootstrap of what is not settled"
        assert x.level >= self.style.budget.least, "a bootstrap from too low a level"
        assert not self.above or x.level <= self.program.levels, "a bootstrap that takes levels away"
        return Seen(self.program.levels, 1, 2, self.scales[self.program.levels])

    def _dropped(self, x: Seen, level: int) -> Seen:
        assert self.leveled
        assert not self.style.automatic
        assert x.degree == 1
        assert level < x.level
        return Seen(level, x.degree, x.size, x.scale)

    def finish(self) -> None:
        outputs = {v for p in self.program.outputs for v in p.values}
        inputs = {v for p in self.program.inputs for v in p.values}
        assert self.alive == outputs, "values are left over"
        assert self.seen.keys() - self.used - outputs <= inputs, "a dead operation"
        for v in outputs:
            assert (self.seen[v].degree, self.seen[v].size) == (1, 2), "an output that is not settled"
        self._check_levels(outputs)
        assert self.leveled or self.program.levels == 0
        used = {o.plain for o in self.program.operations} - {None}
        assert used == set(range(len(self.program.plains)))
        self._check_packing()

    def _check_levels(self, outputs: set[int]) -> None:
        if self.program.bootstraps:
            assert self.style.budget is not None
            assert self.program.levels == self.style.budget.levels
            assert min(self.seen[v].level for v in outputs) >= self.style.spare
            return
        kept = self.style.spare + self._keeps_a_level_for_summands()
        assert min(v.level for v in self.seen.values()) == kept, "more levels than are used, or fewer"

    def _keeps_a_level_for_summands(self) -> bool:
        """As one at the last level would be lost."""
        summands = [o.level for o in self.program.operations if o.action in SUMMANDS]
        assert not self.style.loses_last_summands or 0 not in summands, "a summand that is lost"
        least = min(v.level for v in self.seen.values())
        return self.style.loses_last_summands and least == 1 and least in summands

    def _check_packing(self) -> None:
        for p in (*self.program.inputs, *self.program.outputs):
            assert len(p.values) == -(-p.length // self.program.slots)


def _ladder(top: int, ckks: bool, own_scales: bool) -> tuple[list[int], list[int]]:
    """Logarithms of S_0 .. S_top and of the primes; with one scale for all, every prime is that scale."""
    draw = random.Random(1)
    start = draw.getrandbits(100) if ckks else 0
    primes = [draw.getrandbits(100) if ckks and own_scales else start for _ in range(top + 1)]
    scales = [start]
    for l in range(top, 0, -1):
        scales.append(2 * scales[-1] - primes[l])
    return scales[::-1], primes
