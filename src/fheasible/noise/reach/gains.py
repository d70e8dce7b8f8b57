"""How far each operation's noise reaches the outputs, to first order and with all correlations.

The gains belong to a program and its data, not to parameters: the variance at any scale, modulus or library
is then a product of a matrix and a vector. Every element has a variance of its own. In a long output some
elements stand for all, together with those that promise the largest errors.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Final, NamedTuple, TypeVar
from weakref import WeakValueDictionary

import numpy as np

from fheasible.aliases import Floats, Ints
from fheasible.noise.achieved import NEAR_ZERO, largest_value, reference
from fheasible.noise.faint import least_coefficient
from fheasible.noise.reach.alike import alike
from fheasible.noise.reach.judged import JudgedElements, judged, sampled
from fheasible.noise.reach.reach import Values, mixing
from fheasible.noise.reach.sources import KINDS, Source
from fheasible.noise.reach.targets import targets
from fheasible.noise.reach.traced import Factor, Traced
from fheasible.noise.reach.variances import Variances, variances
from fheasible.noise.scales import Scale
from fheasible.program.digests import digest
from fheasible.program.simulate import run, unpack
from fheasible.program.types import Action, Operation, Packed, Program

Key = TypeVar("Key")

_ENCRYPT: Final = Action.ENCRYPT
_KEPT = 1 << 24  # slots of all operations: the values of a larger program are computed anew
_SIDE_BY_SIDE = 1 << 22  # slots of all operations in all executions that run side by side
_SHORT, _AT_ONCE = 1 << 12, 1 << 15  # slots of a value that counts as short; slots read at once


class Compared(NamedTuple):
    """A noiseless execution compared with the cleartext results. For each judged element: the true value
    (`exact`), the error of approximated functions (`functions`), the size that its relative error is compared
    with (`references`), and the largest true value of its output (`largest`). Over all elements: the largest
    error (`farthest`), the largest error as a fraction of its output's largest value (`farthest_part`), and
    the largest relative error (`farthest_relative`)."""

    exact: Floats
    functions: Floats
    references: Floats
    largest: Floats
    farthest: float
    farthest_part: float
    farthest_relative: float


@dataclass(frozen=True, eq=False)
class Gains:
    """How far the noise of each source reaches the outputs of a program, for given data.

    `variances`: the factor by which unit variance in all slots of a source reaches each column, summed over
    the operations that are alike. A column is an output element. `whole`: the same factor for the mean over
    all slots of each value that outputs lie in, without the rounding of doubles, which does not depend on the
    secret. `seen`: the factor for what OpenFHE sees of that mean, doubles included. `drifts` and `factors`:
    the effect, with its sign, of a relative error of one in the result of rescaling to a level, and in a
    plain number.
    """

    outputs: dict[str, Floats]  # the results of a noiseless execution
    largest: Floats  # the largest slot of each operation's result, without its sign
    faintest: float  # the least of the inputs' largest coefficients, without zero inputs; infinite if all are
    judged: JudgedElements
    sources: tuple[Source, ...]
    variances: Floats  # (source, column)
    whole: Floats  # (source, value)
    seen: Floats  # (source, value)
    average: Floats  # (source, value): the mean over the elements that lie in the value
    shares: Floats  # each value's share of the elements of all outputs
    value: Ints  # the value that each column lies in
    reading: Floats  # for each value, the factor for the variance of noise in each of its slots
    squares: Floats  # for each value, the mean square of its slots
    company: Floats  # for each column, how many elements of its value hardly share their noise
    shared: Floats  # (all but key switching, key switching; column): correlation with others of the value
    switches: Floats  # for each column, the key switches that it depends on, each with its own key
    mixed_fresh: Floats  # for each column, how many slots the noise of encryptions comes from
    mixed: Floats  # ... and how many slots all other noise comes from
    met: Floats  # how much of both comes from the same slots: 1 if all comes from one slot
    drift_levels: tuple[int, ...]
    drifts: Floats  # (level, column)
    factor_keys: tuple[Factor, ...]
    numbers: Floats  # the plain number of each factor
    factors: Floats  # (factor, column)
    encrypted: Mapping[int, Floats]  # the slots of each encrypted value, where a bootstrap changes them later

    def against(self, truth: Mapping[str, Floats]) -> Compared:
        """A noiseless execution compared with the results `truth`. The last comparison is kept, because it is
        asked for with every set of parameters."""
        known: list[tuple[object, Compared]] = self._compared
        if not known or known[0][0] is not truth:
            known[:] = [(truth, self.compared(truth, self.outputs))]
        return known[0][1]

    @cached_property
    def _compared(self) -> list[tuple[object, Compared]]:
        return []

    def compared(self, truth: Mapping[str, Floats], outputs: Mapping[str, Floats]) -> Compared:
        """These outputs, computed without noise, compared with the results `truth`."""
        at = self.judged.elements
        exact = np.concatenate([truth[name] for name in self.outputs])
        functions = np.concatenate([outputs[name] for name in self.outputs]) - exact
        references = np.concatenate([reference(truth[name]) for name in self.outputs])
        sizes = np.concatenate(
            [np.full(len(truth[name]), largest_value(truth[name])) for name in self.outputs]
        )
        return Compared(
            exact[at],
            functions[at],
            references[at],
            sizes[at],
            float(np.abs(functions).max()),
            float(np.abs(functions / sizes).max()),
            float(np.abs(functions / references).max()),
        )

    @cached_property
    def largest_result(self) -> float:
        """The largest result of a noiseless execution, without its sign."""
        return max(float(np.abs(values).max()) for values in self.outputs.values())

    @cached_property
    def sizes(self) -> Floats:
        """The size of each column's element in a noiseless execution (`achieved.reference`), but at least a
        thousandth of the largest value of the whole program: most noise of a smaller element comes after all
        products."""
        found = np.concatenate([reference(values) for values in self.outputs.values()])
        return np.asarray(np.maximum(found[self.judged.of_columns], NEAR_ZERO * self.largest.max()))

    @cached_property
    def places(self) -> Mapping[str, Ints]:
        """The positions of the sources of each kind."""
        kinds = np.array([s.kind for s in self.sources])
        return {kind: np.flatnonzero(kinds == kind) for kind in KINDS}

    @cached_property
    def levels(self) -> Ints:
        """The level of each source."""
        return np.array([s.level for s in self.sources], dtype=np.int64)

    @cached_property
    def own(self) -> Ints:
        """The scale of each source: a row (level, degree) for each."""
        return _rows_of([s.own for s in self.sources])

    @cached_property
    def other(self) -> Ints:
        return _rows_of([s.other for s in self.sources])

    @cached_property
    def products(self) -> Ints:
        """The scale of each factor's product."""
        return _rows_of([own for _, own, _ in self.factor_keys])

    @cached_property
    def operands(self) -> Ints:
        """The scale of the operand that each factor multiplies."""
        return _rows_of([other for _, _, other in self.factor_keys])


def _rows_of(scales: Sequence[Scale]) -> Ints:
    return np.array(scales, dtype=np.int64).reshape(len(scales), 2)


@dataclass(frozen=True, eq=False)
class SlotValues:
    """What a noiseless execution shows before any gains are computed: the largest slot of each operation's
    result, without its sign. `values` are the slots of each result, where they are kept."""

    largest: Floats
    values: Values | None = None


_ALIVE: WeakValueDictionary[Hashable, Gains] = WeakValueDictionary()  # gains that something still holds


def gains(
    program: Program, data: Mapping[str, Floats], seed: int = 0, known: SlotValues | None = None
) -> Gains:
    """The gains at these input data. `known`: what `seen` found for these data."""
    key = _key(program, data, seed)
    found = _ALIVE.get(key)
    if found is None:
        if known is None or known.values is None:
            looked = _looked_through(program, [data], keep=True)
        else:
            looked = _Looked(known.largest[None], known.values)
        (found,) = _side_by_side(program, looked, seed)
        _ALIVE[key] = found
    return found


def gains_at(program: Program, inputs: Sequence[Mapping[str, Floats]], seed: int = 0) -> list[Gains]:
    """The gains at each of several input data. As many executions as memory may hold run side by side: in a
    long program with few slots, an operation costs hardly more than its call."""
    keys = [_key(program, data, seed) for data in inputs]
    found = {key: known for key in keys if (known := _ALIVE.get(key)) is not None}
    anew = {key: data for key, data in zip(keys, inputs, strict=True) if key not in found}
    for some in _at_once(program, list(anew.items())):
        looked = _looked_through(program, [data for _, data in some], keep=True)
        found |= zip((key for key, _ in some), _side_by_side(program, looked, seed), strict=True)
    _ALIVE.update(found)
    return [found[key] for key in keys]


def _at_once(program: Program, inputs: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """The inputs in groups that may be executed side by side."""
    size = max(_SIDE_BY_SIDE // (len(program.operations) * program.slots), 1)
    return (inputs[first : first + size] for first in range(0, len(inputs), size))


def _key(program: Program, data: Mapping[str, Floats], seed: int) -> Hashable:
    return content(program), tuple((name, digest(values)) for name, values in sorted(data.items())), seed


class _Looked(NamedTuple):
    """Executions on several inputs: the largest slot of each operation's result (input, operation), and the
    values where they are kept; for more than one input these are (input, slot)."""

    largest: Floats
    values: Values


def _side_by_side(program: Program, looked: _Looked, seed: int) -> list[Gains]:
    """The gains at each input, from executions whose values are kept."""
    values, count = looked.values, len(looked.largest)
    reached = variances(program, values, {v for packed in sampled(program) for v in packed.values})
    return [
        _of_one(
            program,
            values if count == 1 else {value: rows[k] for value, rows in values.items()},
            looked.largest[k],
            _row(reached, k),
            seed,
        )
        for k in range(count)
    ]


def _row(reached: Mapping[int, Variances], k: int) -> dict[int, Variances]:
    """The variances at input k, from arrays that have a row for each input, or one for all inputs."""
    return {
        value: {kind: found[k] if found.ndim > 1 else found for kind, found in of_kinds.items()}
        for value, of_kinds in reached.items()
    }


def _of_one(
    program: Program, values: Values, largest: Floats, reached: Mapping[int, Variances], seed: int
) -> Gains:
    outputs = {p.name: _unpacked(program, p, values) for p in program.outputs}
    chosen = judged(program, reached, outputs, seed)
    traced = [Traced(program, values, target) for target in targets(program, chosen, mixing(program), seed)]
    inputs = {o.out: values[o.out] for o in program.operations if o.action is _ENCRYPT}
    kept = inputs if program.bootstraps else {}
    return _joined(program, outputs, largest, least_coefficient([*inputs.values()]), chosen, traced, kept)


def seen(
    program: Program, data: Mapping[str, Floats], others: Sequence[Mapping[str, Floats]] = ()
) -> tuple[SlotValues, Floats]:
    """What a noiseless execution on these input data shows, with the values unless these are too many; and
    the result of `largest_at` for the `others`. As many executions as memory may hold run side by side with
    the first."""
    keep = len(program.operations) * program.slots <= _KEPT
    first, *rest = _at_once(program, [data, *others])
    looked = _looked_through(program, first, keep)
    values = _of_first(looked) if keep else None
    return SlotValues(looked.largest[0], values), _stacked(program, looked.largest[1:], rest)


def _of_first(looked: "_Looked") -> Values:
    """The values of the first execution, without keeping those of the others."""
    if len(looked.largest) == 1:
        return looked.values
    copies = {id(rows): rows[0].copy() for rows in looked.values.values()}  # some values are the same array
    return {value: copies[id(rows)] for value, rows in looked.values.items()}


def largest_at(program: Program, inputs: Sequence[Mapping[str, Floats]]) -> Floats:
    """The largest slot of each operation's result, without its sign, on each of these input data: (input,
    operation)."""
    return _stacked(program, np.empty((0, len(program.operations))), _at_once(program, inputs))


def _stacked(program: Program, known: Floats, groups: Iterable[Sequence[Mapping[str, Floats]]]) -> Floats:
    """The largest slots that are `known`, followed by those on each input of these groups."""
    return np.concatenate([known, *(_looked_through(program, some, keep=False).largest for some in groups)])


@lru_cache(maxsize=64)
def content(program: Program) -> Hashable:
    """The parts of a program that gains depend on. Programs that agree in them have the same gains at the
    same data, whatever else differs, such as when values are freed or which rotations are hoisted."""
    made = tuple(
        (o.action, o.out, o.args, o.level, o.plain, o.steps, o.source, o.chunk, o.internal)
        for o in program.operations
    )
    plains = tuple(map(digest, program.plains))
    packed = tuple(
        (p.name, p.length, p.values, p.tiled, p.columns) for p in (*program.inputs, *program.outputs)
    )
    return program.slots, program.levels, program.automatic, len(program.inputs), made, plains, packed


def _looked_through(program: Program, inputs: Sequence[Mapping[str, Floats]], keep: bool) -> _Looked:
    """Noiseless executions on these inputs; values are kept if `keep`. A value is a number for each slot, or
    a single one where all slots are alike. A value that was only relinearised, rescaled or dropped to a lower
    level shares the slots of its operand."""
    same, largest, known_as = alike(program), _Largest(), dict[int, int]()
    chunks = _chunks(program, inputs) if len(inputs) > 1 else {}

    def looked_at(o: Operation, operands: Sequence[Floats], slots: Floats) -> Floats:
        if chunks and o.action is _ENCRYPT:
            slots = chunks[o.source][o.chunk]
        made = slots.mean(axis=-1, keepdims=True) if o.out in same and slots.shape[-1] > 1 else slots
        if operands and made is operands[0]:
            known_as[o.out] = known_as[o.args[0]]
        else:
            known_as[o.out] = o.out
            largest.add(o.out, made)
        return made

    values, found = run(program, inputs[0], disturb=looked_at, frugal=not keep), largest.found()
    of_all = np.array([found[known_as[o.out]] for o in program.operations])
    return _Looked(of_all.reshape(len(program.operations), -1).T, values)


class _Largest:
    """The largest slot of each value, without its sign, in each execution. Many short values are read at
    once, because reading one of them costs hardly more than the call."""

    def __init__(self) -> None:
        self._found: dict[int, Floats] = {}
        self._waiting: list[tuple[int, Floats]] = []

    def add(self, value: int, slots: Floats) -> None:
        if slots.shape[-1] == 1 or slots.size > _SHORT:
            self._found[value] = _largest(slots)
            return
        self._waiting.append((value, slots))
        if len(self._waiting) * slots.size > _AT_ONCE:
            self._read()

    def _read(self) -> None:
        """Reads all values that wait. They have the same shape: a row of all slots for each execution."""
        if self._waiting:
            values, slots = zip(*self._waiting, strict=True)
            found = _largest(np.concatenate(slots).reshape(len(slots), *slots[0].shape))
            self._found.update(zip(values, found, strict=True))
            self._waiting.clear()

    def found(self) -> dict[int, Floats]:
        self._read()
        return self._found


def _chunks(program: Program, inputs: Sequence[Mapping[str, Floats]]) -> dict[str, Floats]:
    """The slots of each ciphertext of each input of the program: (chunk, input, slot)."""
    found = {}
    for p in program.inputs:
        of_each = [p.of(data, program.slots, np.float64) for data in inputs]
        found[p.name] = np.stack(of_each, axis=1)
    return found


def _unpacked(program: Program, packed: Packed, values: Values) -> Floats:
    return unpack(packed, [np.broadcast_to(values[v], program.slots) for v in packed.values])


def _largest(slots: Floats) -> Floats:
    """The largest slot, without its sign, in each execution."""
    if slots.shape[-1] == 1:
        return np.asarray(np.abs(slots[..., 0]))
    return np.asarray(np.maximum(slots.max(axis=-1), -slots.min(axis=-1)))


def _joined(
    program: Program,
    outputs: dict[str, Floats],
    largest: Floats,
    faintest: float,
    chosen: JudgedElements,
    traced: list[Traced],
    encrypted: Mapping[int, Floats],
) -> Gains:
    """The gains of a program: the columns of all values side by side."""
    sources = tuple(dict.fromkeys(s for t in traced for s in t.variances))
    levels = tuple(dict.fromkeys(k for t in traced for k in t.drifts))
    factors = tuple(dict.fromkeys(k for t in traced for k in t.factors))
    widths = [t.width for t in traced]
    return Gains(
        outputs,
        largest,
        faintest,
        chosen,
        sources,
        np.hstack([_rows(t.variances, sources, t.width) for t in traced]),
        _means([t.whole for t in traced], sources),
        _means([t.seen for t in traced], sources),
        _means([t.average for t in traced], sources),
        np.array([t.target.elements for t in traced]) / sum(t.target.elements for t in traced),
        np.repeat(np.arange(len(traced)), widths),
        np.array([t.target.reading for t in traced]),
        np.array([t.mean_square for t in traced]),
        np.repeat([t.company() for t in traced], widths),
        np.repeat(np.array([t.shared() for t in traced]).T, widths, axis=1),
        np.repeat([float(max(t.switches, 1)) for t in traced], widths),
        np.concatenate([t.mixed(fresh=True) for t in traced]),
        np.concatenate([t.mixed(fresh=False) for t in traced]),
        np.concatenate([t.met() for t in traced]),
        levels,
        np.hstack([_rows(t.drifts, levels, t.width) for t in traced]),
        factors,
        np.array([float(program.plains[plain][0]) for plain, _, _ in factors]),
        np.hstack([_rows(t.factors, factors, t.width) for t in traced]),
        encrypted,
    )


def _means(found: Sequence[Mapping[Source, float]], sources: Sequence[Source]) -> Floats:
    """The mean that each source brings to each value, as an array (source, value)."""
    return np.array([[of_value.get(s, 0.0) for of_value in found] for s in sources]).reshape(-1, len(found))


def _rows(found: Mapping[Key, Floats], keys: tuple[Key, ...], width: int) -> Floats:
    return np.array([found.get(k, np.zeros(width)) for k in keys]).reshape(len(keys), width)
