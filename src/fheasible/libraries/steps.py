"""A program as memory sees it: which kinds of operations it consists of, and what is alive at each."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import Any, NamedTuple

from fheasible.libraries.block import Sets
from fheasible.program.schedule import flow, value_levels, value_sizes
from fheasible.program.types import Action, Hoist, Program, Scheme


class StepKind(NamedTuple):
    """A kind of operation on `parts` polynomials of `limbs` limbs, which makes `made_parts` of `made_limbs`.

    `parts` and `limbs` are those of the largest operand, or for an encryption those of the result. `kind`
    distinguishes a rotation that shares digits from others. `depth` is the number of successive products
    before it in BFV, else 0. `terms` is how many plain numbers a library's own series has, else 0.
    """

    action: Action
    kind: str
    parts: int
    limbs: int
    made_parts: int
    made_limbs: int
    depth: int = 0
    terms: int = 0

    @property
    def result(self) -> int:
        """The limbs of all polynomials of the result together."""
        return self.made_parts * self.made_limbs


@dataclass(frozen=True, eq=False)
class Timeline:
    """A program's operations in order, and what is alive between them.

    `places[i]`: the place of operation i's kind in `steps`, which has each kind once; `values[i]`: the limbs
    of all values that are alive before operation i, with one more entry for the end; `digits[i]`: the places
    of the steps whose digits are kept then for rotations that share them; `dying[i]`: the operations that
    made the values which operation i frees.
    """

    steps: tuple[StepKind, ...]
    places: tuple[int, ...]
    values: tuple[int, ...]
    digits: tuple[tuple[int, ...], ...]
    dying: tuple[tuple[int, ...], ...]

    @cached_property
    def busiest(self) -> dict[tuple[int, tuple[int, ...]], int]:
        """The most limbs of values alive before a step, by the step's place and the digits kept then."""
        found: dict[tuple[int, tuple[int, ...]], int] = {}
        for place, digits, values in zip(self.places, self.digits, self.values, strict=False):
            if values >= found.get((place, digits), 0):
                found[place, digits] = values
        return found

    @cached_property
    def longest(self) -> dict[str, int]:
        """The limbs of the longest operand, by kind of operation."""
        found: dict[str, int] = {}
        for step in self.steps:
            found[step.kind] = max(found.get(step.kind, 0), step.limbs)
        return found

    @cached_property
    def shares_digits(self) -> bool:
        return any(self.digits)

    @cached_property
    def kept_first(self) -> tuple[int, ...]:
        """What `values` would be if the first fresh value were never freed."""
        first = next((i for i, at in enumerate(self.places) if self.steps[at].action is Action.ENCRYPT), None)
        died = next((time for time, dying in enumerate(self.dying) if first in dying), None)
        if first is None or died is None:
            return self.values
        kept = self.steps[self.places[first]].result
        return self.values[: died + 1] + tuple([values + kept for values in self.values[died + 1 :]])

    def in_limbs(self, limbs: int) -> "Timeline":
        """The timeline with `limbs` limbs for every value that has one limb here."""
        steps = tuple(
            [s._replace(limbs=limbs * s.limbs, made_limbs=limbs * s.made_limbs) for s in self.steps]
        )
        return replace(self, steps=steps, values=tuple([limbs * v for v in self.values]))


def timeline(program: Program, limbs: int) -> Timeline:
    """The timeline of a program on a chain of `limbs` limbs.

    A value at level l has l + 1 limbs, and in BFV it has all of them.
    """
    return _in_limbs(program, limbs) if program.scheme is Scheme.BFV else _timeline(program)


@lru_cache(maxsize=1024)
def _in_limbs(program: Program, limbs: int) -> Timeline:
    return _timeline(program).in_limbs(limbs)


@lru_cache(maxsize=1024)
def _timeline(program: Program) -> Timeline:
    known: dict[tuple[Any, ...], int] = {}
    places = [known.setdefault(step, len(known)) for step in _steps(program)]
    steps = tuple([StepKind(*step) for step in known])
    made = [step.result for step in steps]
    makers = {o.out: i for i, o in enumerate(program.operations)}
    dying = [tuple([makers[v] for v in o.frees]) if o.frees else () for o in program.operations]
    freed = [sum([made[places[i]] for i in dead]) if dead else 0 for dead in dying]
    grown = [made[place] - dead for place, dead in zip(places, freed, strict=True)]
    values = tuple(accumulate(grown, initial=0))
    return Timeline(steps, tuple(places), values, _kept_digits(program, places), tuple(dying))


def _steps(program: Program) -> Iterator[tuple[Any, ...]]:
    """The fields of each operation's `StepKind`."""
    bfv, known = program.scheme is Scheme.BFV, flow(program)
    columns = known.kinds, known.operand_sizes, known.operand_levels, known.operand_depths
    sizes, plains = known.sizes, program.plains
    for o, kind, parts, level, depth in zip(program.operations, *columns, strict=True):
        action = o.action
        terms = plains[o.plain].size if action is Action.EVAL_CHEBYSHEV and o.plain is not None else 0
        if bfv:
            yield action, kind, parts, 1, sizes[o.out], 1, depth, terms
        else:
            yield action, kind, parts, level + 1, sizes[o.out], o.level + 1, 0, terms


def _kept_digits(program: Program, places: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """The places of the steps whose digits are kept, before each operation and after the last."""
    kept: list[tuple[int, ...]] = [()]
    if all(o.hoist is Hoist.NONE for o in program.operations):
        return tuple(kept * (len(places) + 1))
    makers: dict[int, int] = {}  # from a value whose digits are kept to the place of the step
    for o, place in zip(program.operations, places, strict=True):
        if o.hoist is Hoist.FIRST:
            makers[o.args[0]] = place
        elif o.hoist is Hoist.LAST:
            del makers[o.args[0]]
        kept.append(tuple(sorted(makers.values())))
    return tuple(kept)


class OutputSize(NamedTuple):
    """The numbers of polynomials and limbs that a result has when it is decrypted."""

    parts: int
    limbs: int


@lru_cache(maxsize=1024)
def _outputs(program: Program) -> tuple[OutputSize, ...]:
    levels, parts = value_levels(program), value_sizes(program)
    return tuple(OutputSize(parts[v], levels[v] + 1) for packed in program.outputs for v in packed.values)


def outputs(program: Program, limbs: int) -> tuple[OutputSize, ...]:
    """Every result on a chain of `limbs` limbs, in the order in which they are decrypted."""
    found = _outputs(program)
    return tuple([o._replace(limbs=limbs) for o in found]) if program.scheme is Scheme.BFV else found


def output_limbs(program: Program, p: Sets) -> list[int]:
    """The limbs of each result's polynomials, in the order in which results are decrypted."""
    return [o.limbs for o in outputs(program, p.limbs)]


@lru_cache(maxsize=1024)
def data_bytes(program: Program) -> int:
    """The bytes of inputs and plain vectors as arrays of 8-byte numbers."""
    values = sum(len(packed.values) for packed in program.inputs) * program.slots
    return 8 * (values + sum(plain.size for plain in program.plains if plain.size > 1))
