"""The resident set of OpenFHE 1.6.1 in limbs of 8n bytes, exact except for a few rounded tables.

Each limb is an allocation of its own from the C library. All have one size, so that freed memory is used
again, and the peak is that of the limbs alive. Tables, keys and key generation were counted in the wheel, by
the kernel's figure of the resident set before, during and after each phase, for many numbers of limbs,
special limbs and digits. What an operation holds is in `copies`.
"""

from collections.abc import Callable
from functools import lru_cache, partial
from math import log2
from typing import Final, NamedTuple

from fheasible.libraries.block import Sets
from fheasible.libraries.openfhe import bootstrap_memory
from fheasible.libraries.openfhe.copies import CopiedSizes, decrypted, limbs
from fheasible.libraries.openfhe.operations import TURNS, kept_limbs
from fheasible.libraries.openfhe.rns import digit_limbs
from fheasible.libraries.parameters import Parameters
from fheasible.libraries.refreshing import Refreshing, refreshed, refreshing
from fheasible.libraries.steps import StepKind, Timeline, outputs, timeline
from fheasible.libraries.working import Working, WorkingMemory
from fheasible.program.types import Action, Program

Most = Callable[[StepKind], float]  # the most limbs alive during an operation, its result included
_PRODUCTS: Final = (Action.MUL, Action.SQUARE)


class ContextShape(NamedTuple):
    """The parts of the parameters that the memory of operations depends on.

    `products` and `turns` are the numbers of limbs that BFV multiplies and rotates in, indexed by the number
    of products before.
    """

    scheme: str
    chain: int
    special: int
    digit: int
    products: tuple[int, ...] = ()
    turns: tuple[int, ...] = ()
    bootstrap: Refreshing | None = None

    @staticmethod
    def of(p: Sets, depth: int) -> "ContextShape":
        """The shape for programs with up to `depth` successive products before an operation."""
        special = 0 if p.key_switching == "bv" else len(p.p)
        shape = ContextShape(p.scheme, p.limbs, special, digit_limbs(p))
        if p.scheme != "bfv":
            return shape._replace(bootstrap=refreshing(p))
        assert isinstance(p, Parameters)
        products, turns = (
            tuple(kept_limbs(p, d, switching) for d in range(depth + 1)) for switching in (False, True)
        )
        return shape._replace(products=products, turns=turns)

    def sizes(self, kind: str, step: StepKind) -> CopiedSizes:
        """The sizes of a step. BFV multiplies and rotates in fewer limbs once noise hides the rest."""
        by_depth = self.turns if kind in TURNS else self.products if kind in _PRODUCTS else ()
        kept = by_depth[step.depth] if by_depth else step.limbs
        return CopiedSizes(
            self.scheme, step.limbs, self.chain, self.special, self.digit, step.made_parts, kept
        )


def context(program: Program, p: Sets) -> float:
    """The limbs of the context: four tables of roots for each prime, and the tables of the slots.

    The primes of BFV's second base are those of P, as far as P has enough. Integer slots have tables of their
    own. A program that bootstraps has the matrices of both transforms.
    """
    second = p.limbs if p.scheme == "bfv" else 0
    matrices = bootstrap_memory.plaintexts(refreshed(p)) if program.bootstraps else 0.0
    return 4 * (p.limbs + max(len(p.p), second)) + (2.7 if p.scheme == "ckks" else 7.7) + matrices


def keys(program: Program, p: Sets, switching_keys: int) -> float:
    """The limbs of the keys: the pair over Q; two polynomials over QP for each digit of a switching key."""
    digits = p.limbs if p.key_switching == "bv" else p.digits
    less = 0
    if program.bootstraps:
        switching_keys += not program.relinearizes  # the bootstrap multiplies, too
        less = bootstrap_memory.shorter(refreshed(p))
    return 3 * p.limbs + switching_keys * 2 * digits * (p.limbs + len(p.p)) - less


def key_generation(p: Sets) -> float:
    """The limbs alive beside the keys while the last of them is made."""
    return 4.0 * p.limbs if p.key_switching == "bv" else 3 * p.limbs + 2 * len(p.p) + 3.4


def evaluation(
    program: Program, p: Sets, switching_keys: int, threads: int | None = 1, most: Most | None = None
) -> float:
    """The most limbs alive beside context and keys, from the first encryption to the last decryption."""
    shape = _shape(program, p)
    return _evaluation(program, shape) if most is None else _most(program, shape, most)


def over_time(program: Program, p: Parameters, switching_keys: int, threads: int | None = 1) -> list[float]:
    """The most limbs alive during each operation, and while results are decrypted."""
    return _during(program, _shape(program, p))


def working(program: Program, p: Parameters, switching_keys: int) -> WorkingMemory:
    """The limbs of each operation, each an allocation of its own. All primes have one table of roots."""
    shape, roots = _shape(program, p), {"roots": 4 * (p.limbs + len(p.p))}
    followed = timeline(program, shape.chain)
    each = [_worked(step.result, operation(shape, step), roots) for step in followed.steps]
    ends = [_worked(0, decrypted(shape.scheme, o.limbs).peak, roots) for o in outputs(program, shape.chain)]
    return WorkingMemory(tuple([each[place] for place in followed.places]), tuple(ends))


def _worked(result: int, most: float, roots: dict[str, int]) -> Working:
    return Working((1,) * result, (1,) * max(round(most) - result, 0), read=roots)


def _shape(program: Program, p: Sets) -> ContextShape:
    return ContextShape.of(p, max((step.depth for step in timeline(program, p.limbs).steps), default=0))


@lru_cache(maxsize=4096)
def _evaluation(program: Program, shape: ContextShape) -> float:
    return _most(program, shape, partial(operation, shape))


def _most(program: Program, shape: ContextShape, during: Most) -> float:
    followed = timeline(program, shape.chain)
    needed = [during(step) for step in followed.steps]
    at_once = (
        values + needed[place] + _shared(followed, shape, digits)
        for (place, digits), values in followed.busiest.items()
    )
    return max((*at_once, _at_the_end(program, shape)))


def _during(program: Program, shape: ContextShape) -> list[float]:
    followed = timeline(program, shape.chain)
    needed = [operation(shape, step) for step in followed.steps]
    found = [
        values + needed[place] + _shared(followed, shape, digits)
        for place, digits, values in zip(followed.places, followed.digits, followed.values, strict=False)
    ]
    return [*found, _at_the_end(program, shape)]


def _at_the_end(program: Program, shape: ContextShape) -> float:
    """The most limbs alive while the largest result is decrypted."""
    most = max((decrypted(shape.scheme, o.limbs).peak for o in outputs(program, shape.chain)), default=0)
    return timeline(program, shape.chain).values[-1] + most


def _shared(followed: Timeline, shape: ContextShape, digits: tuple[int, ...]) -> int:
    """The limbs of the digits that rotations share."""
    makers = (followed.steps[place] for place in digits)
    return sum([shape.sizes(step.kind, step).digit_limbs for step in makers]) if digits else 0


@lru_cache(maxsize=1 << 14)
def operation(shape: ContextShape, step: StepKind) -> float:
    """The most limbs alive during one operation beside its operands, its result included."""
    k = step.limbs
    match step.action:
        case Action.BOOTSTRAP:
            assert shape.bootstrap is not None
            return bootstrap_memory.peak(shape.bootstrap)
        case Action.EVAL_SUM:  # four values at once; measured like the next figure
            return _peak(Action.ROTATE, shape, step) + 6.3 * k
        case Action.EVAL_CHEBYSHEV:
            return _peak(Action.RELINEARIZE, shape, step) + k * (7 + 2 * log2(step.terms))
    return _peak(step.kind, shape, step)


def _peak(kind: str, shape: ContextShape, step: StepKind) -> float:
    return limbs(kind, shape.sizes(kind, step)).peak
