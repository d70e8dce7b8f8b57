"""Whether every value fits its modulus: a CKKS value that outgrows it decrypts to garbage."""

from functools import lru_cache
from itertools import accumulate
from math import log2

from fheasible.libraries.parameters import Parameters
from fheasible.noise.gains import Gains
from fheasible.noise.scales import Scale, in_numbers, scales_of
from fheasible.program.types import Program

_SMALLEST = 2.0**-60  # a zero vector fits everywhere


def headroom_bits(program: Program, p: Parameters, gains: Gains) -> float:
    """Bits left, at the tightest operation, between scale * value and half its modulus."""
    log_q = list(accumulate(log2(q) for q in p.q))
    return min(
        log_q[min(level, p.limbs - 1)] - 1 - log2(in_numbers(scale, p)) - log2(largest)
        for (level, scale), largest in _largest(program, gains).items()
    )


@lru_cache(maxsize=256)
def _largest(program: Program, gains: Gains) -> dict[tuple[int, Scale], float]:
    """The largest slot among the values of a level and scale."""
    found: dict[tuple[int, Scale], float] = {}
    for o, value in zip(program.operations, gains.largest, strict=True):
        key = (o.level, scales_of(program)[o.out])
        found[key] = max(found.get(key, _SMALLEST), float(value))
    return found
