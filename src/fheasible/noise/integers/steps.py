"""What a program says about the noise of its values, whatever the parameters: each different noise once.

Values that are made alike, from values that are made alike, share one step. A program with many ciphertexts,
or with one function written twice, therefore has few steps.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from fheasible.noise.integers.returning import before_squares, secrets
from fheasible.noise.integers.shared import Relation, relations, repeats
from fheasible.noise.scales import scales_of
from fheasible.program.schedule import product_depths, value_levels, value_sizes
from fheasible.program.types import Action, Operation, Program


class Raised(NamedTuple):
    """The operand that OpenFHE's automatic techniques bring to the other's level and degree, and how."""

    operand: int  # its position among the operands
    size: int  # the number of its polynomials
    how: tuple[tuple[str, int], ...]


class NoiseStep(NamedTuple):
    """An operation, as far as noise depends on it; `args` are the steps of its operands."""

    action: Action
    args: tuple[int, ...]
    level: int
    relation: Relation  # between the noise of two operands
    repeats: tuple[int, int]  # how often each operand's noise was multiplied by the other, this time included
    alike: bool  # whether both operands are the same, up to what plain operands change
    depth: int  # the most products one after another behind the operands
    scalar: int  # the plain number that it multiplies by; else 1
    raised: Raised | None
    before: tuple[int, ...]  # for the square of a factor: the steps that met the factor
    level_before: int  # of the first operand; its own level where it has none


class Steps(NamedTuple):
    """The different steps of a program, and the index of every value's step (`of`)."""

    steps: tuple[NoiseStep, ...]
    of: dict[int, int]


@lru_cache(maxsize=256)
def steps(program: Program) -> Steps:
    """The steps of a program, in order of execution."""
    known, found, of = Facts(program), dict[NoiseStep, int](), dict[int, int]()
    for o in program.operations:
        step = known.step(o, of)
        of[o.out] = found.setdefault(step, len(found))
    return Steps(tuple(found), of)


class Facts:
    """The facts about a program from which its steps are made."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.relations, self.repeats, self.secrets = relations(program), repeats(program), secrets(program)
        self.before = before_squares(program)
        self.depths, self.levels = product_depths(program), value_levels(program)
        self.sizes = value_sizes(program)
        self.scales = scales_of(program) if program.automatic else {}

    def step(self, o: Operation, of: Mapping[int, int]) -> NoiseStep:
        return NoiseStep(
            o.action,
            tuple(of[a] for a in o.args),
            o.level,
            self.relations.get(o.out, Relation.SAME),
            self.repeats.get(o.out, (1, 1)),
            len({self.secrets[a] for a in o.args}) == 1,
            max((self.depths[a] for a in o.args), default=0),
            int(self.program.plains[o.plain or 0][0]) if o.action is Action.MUL_SCALAR else 1,
            self._raised(o) if o.internal else None,
            tuple(sorted({of[v] for v in self.before.get(o.out, ())})),
            self.levels[o.args[0]] if o.args else o.level,
        )

    def _raised(self, o: Operation) -> Raised:
        """The operand of the higher level, or of the lower degree where levels are equal, and how it is
        adjusted."""
        one = max(range(len(o.args)), key=lambda i: (self.levels[o.args[i]], -self.scales[o.args[i]][1]))
        return Raised(one, self.sizes[o.args[one]], o.internal)
