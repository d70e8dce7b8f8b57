"""Whether every value fits its modulus, and every plain number its scale.

A CKKS value that outgrows its modulus decrypts to garbage; a number that rounds to zero makes SEAL refuse.
"""

from functools import lru_cache
from itertools import accumulate
from math import inf, log2

from fheasible.libraries.parameters import Parameters
from fheasible.noise.gains import Gains
from fheasible.noise.scales import Scale, in_numbers, scales_of
from fheasible.program.types import Action, Program

_SMALLEST = 2.0**-60  # a zero vector fits everywhere


def headroom_bits(program: Program, p: Parameters, gains: Gains) -> float:
    """Bits left, at the tightest operation, between scale * value and half its modulus."""
    return tightest(program, p, gains)[0]


def tightest(program: Program, p: Parameters, gains: Gains) -> tuple[float, float]:
    """(bits left, the largest value) where the fewest bits are left."""
    return min(
        (room_bits(p, level, scale) - log2(largest), largest)
        for (level, scale), largest in _largest(program, gains).items()
    )


def room_bits(p: Parameters, level: int, scale: Scale) -> float:
    """log2 of the largest value that half of a level's modulus holds at that scale."""
    log_q = _log_q(p.q)
    return log_q[min(level, p.limbs - 1)] - 1 - log2(in_numbers(scale, p))


@lru_cache(maxsize=1024)
def _log_q(q: tuple[int, ...]) -> tuple[float, ...]:
    """Of each level."""
    return tuple(accumulate(log2(prime) for prime in q))


@lru_cache(maxsize=256)
def _largest(program: Program, gains: Gains) -> dict[tuple[int, Scale], float]:
    """The largest slot among the values of a level and scale."""
    found: dict[tuple[int, Scale], float] = {}
    for o, value in zip(program.operations, gains.largest, strict=True):
        key = (o.level, scales_of(program)[o.out])
        found[key] = max(found.get(key, _SMALLEST), float(value))
    return found


def smallest_number_bits(program: Program, p: Parameters) -> float:
    """log2 of the least plain number at the scale it is multiplied in with; below -1 it rounds to zero."""
    return min(
        (
            log2(number) + log2(in_numbers(own, p)) - log2(in_numbers(other, p))
            for (own, other), number in _smallest_numbers(program).items()
        ),
        default=inf,
    )


@lru_cache(maxsize=256)
def _smallest_numbers(program: Program) -> dict[tuple[Scale, Scale], float]:
    """Among those between an operand and a product of the same scales."""
    scales = scales_of(program)
    found: dict[tuple[Scale, Scale], float] = {}
    for o in program.operations:
        if o.action is Action.MUL_SCALAR and o.plain is not None:
            key = (scales[o.out], scales[o.args[0]])
            found[key] = min(found.get(key, inf), abs(float(program.plains[o.plain][0])))
    return {key: number for key, number in found.items() if number}
