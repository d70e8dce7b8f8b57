"""A program as memory sees it: which values each operation takes, makes and frees, with their sizes."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from fheasible.libraries.parameters import Parameters
from fheasible.program.schedule import product_depths, value_levels, value_sizes
from fheasible.program.types import Action, Operation, Program, Scheme


@dataclass(frozen=True, slots=True)
class Step:
    """An operation on `parts` polynomials of `limbs` limbs that makes `made_parts` of `made_limbs`.

    `parts` and `limbs` are its largest operand's, of an encryption its result's; `depth` counts the products
    before it, one after another; `terms` are the numbers of its plain operand.
    """

    operation: Operation
    parts: int
    limbs: int
    made_parts: int
    made_limbs: int
    depth: int = 0
    terms: int = 0

    @property
    def action(self) -> Action:
        return self.operation.action

    @property
    def frees(self) -> tuple[int, ...]:
        return self.operation.frees

    @property
    def result(self) -> int:
        """Limbs of the result, all its polynomials together."""
        return self.made_parts * self.made_limbs


def steps(program: Program, p: Parameters) -> tuple[Step, ...]:
    """Every operation in order. A value at level l has l + 1 limbs; in BFV each has all of them."""
    return _steps(program, p.limbs if program.scheme is Scheme.BFV else None)


@lru_cache(maxsize=1024)
def _steps(program: Program, all_limbs: int | None) -> tuple[Step, ...]:
    return tuple(_walk(program, all_limbs))


def _walk(program: Program, all_limbs: int | None) -> Iterator[Step]:
    levels, parts, depths = value_levels(program), value_sizes(program), product_depths(program)

    def limbs(value: int) -> int:
        return all_limbs or levels[value] + 1

    for o in program.operations:
        operands = o.args or (o.out,)
        yield Step(
            o,
            max(parts[a] for a in operands),
            max(limbs(a) for a in operands),
            parts[o.out],
            limbs(o.out),
            max((depths[a] for a in o.args), default=0),
            0 if o.plain is None else program.plains[o.plain].size,
        )


def output_limbs(program: Program, p: Parameters) -> list[int]:
    """Limbs of each output's polynomials, in the order in which they are decrypted."""
    levels = value_levels(program)
    values = (v for packed in program.outputs for v in packed.values)
    return [p.limbs if program.scheme is Scheme.BFV else levels[v] + 1 for v in values]


def data_bytes(program: Program) -> int:
    """Inputs and plain vectors as arrays of 8-byte numbers."""
    values = sum(len(packed.values) for packed in program.inputs) * program.slots
    return 8 * (values + sum(plain.size for plain in program.plains if plain.size > 1))
