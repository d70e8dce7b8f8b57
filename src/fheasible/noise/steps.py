"""What a program says about the noise of its values, whatever the parameters: every noise once.

Values that are made alike of values that are made alike have one step, so that a program of many ciphertexts,
or of one function written twice, has few.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from fheasible.noise.returning import before_squares, secrets
from fheasible.noise.scales import scales_of, sizes_of
from fheasible.noise.shared import Relation, relations, repeats
from fheasible.program.schedule import product_depths, value_levels
from fheasible.program.types import Action, Operation, Program


class Raised(NamedTuple):
    """The operand that OpenFHE's automatic techniques bring to the other's level and degree, and how."""

    operand: int  # which
    size: int  # its polynomials
    how: tuple[tuple[str, int], ...]


class Step(NamedTuple):
    """An operation, as far as noise minds it; `args` are the steps of its operands."""

    action: Action
    args: tuple[int, ...]
    level: int
    relation: Relation  # of two operands' noise
    repeats: tuple[int, int]  # how often by then each operand's noise was multiplied by the other
    alike: bool  # one operand twice, but for what plain operands change
    depth: int  # products one after another behind the operands
    scalar: int  # that it multiplies by
    raised: Raised | None
    before: tuple[int, ...]  # of a factor's square: the steps that met it


class Steps(NamedTuple):
    """`of`: the step of every value."""

    steps: tuple[Step, ...]
    of: dict[int, int]


@lru_cache(maxsize=256)
def steps(program: Program) -> Steps:
    """In order of execution."""
    known, found, of = Facts(program), dict[Step, int](), dict[int, int]()
    for o in program.operations:
        step = known.step(o, of)
        of[o.out] = found.setdefault(step, len(found))
    return Steps(tuple(found), of)


class Facts:
    """What holds of the operations of a program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.relations, self.repeats, self.secrets = relations(program), repeats(program), secrets(program)
        self.before = before_squares(program)
        self.depths, self.levels = product_depths(program), value_levels(program)
        self.sizes = sizes_of(program)
        self.scales = scales_of(program) if program.automatic else {}

    def step(self, o: Operation, of: Mapping[int, int]) -> Step:
        return Step(
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
        )

    def _raised(self, o: Operation) -> Raised:
        """The one of the higher level, or of the lower degree."""
        one = max(range(len(o.args)), key=lambda i: (self.levels[o.args[i]], -self.scales[o.args[i]][1]))
        return Raised(one, self.sizes[o.args[one]], o.internal)
