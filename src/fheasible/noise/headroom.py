"""Whether every value fits its modulus: a CKKS value that outgrows it decrypts to garbage."""

from math import log2

import numpy as np

from fheasible.libraries.parameters import Parameters
from fheasible.noise.ckks import value_scales
from fheasible.noise.gains import Gains
from fheasible.program.types import Program


def headroom_bits(program: Program, p: Parameters, gains: Gains) -> float:
    """Bits left, at the tightest operation, between scale * value and half its modulus."""
    scales = value_scales(program, p)
    log_q = np.cumsum([log2(q) for q in p.q])
    return min(
        float(log_q[min(o.level, p.limbs - 1)]) - 1 - log2(scales[o.out]) - log2(max(m, 2.0**-60))
        for o, m in zip(program.operations, gains.largest, strict=True)
    )
