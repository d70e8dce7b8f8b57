"""The approximate modular reduction: from t = I + y in the slots, for integers I, to y [CHKKS18], [HanKi19].

The operand is t/K. A cosine of t/2^r is evaluated as a polynomial; r double angles make it sin(2πt)/2π, which
is y up to y³·(2π)²/6; and an arcsine makes it y.
"""

from dataclasses import replace
from math import sqrt

from fheasible.schemes.rns.bootstrap import halving, monic
from fheasible.schemes.rns.bootstrap.aligned import Aligned, Value
from fheasible.schemes.rns.bootstrap.procedure import Procedure, Wave
from fheasible.schemes.rns.bootstrap.scaling import doubled, offset, prime, relinearized
from fheasible.schemes.rns.bootstrap.series import QUARTER, amplitude, inverse, wave
from fheasible.schemes.rns.ciphertext import Ciphertext, RnsKeys
from fheasible.schemes.rns.ckks import CKKS


def reduced(scheme: CKKS, keys: RnsKeys, x: Ciphertext, p: Procedure) -> Ciphertext:
    """y at x's own scale, by a polynomial whose scales are all chosen to this end."""
    r, scale = p.reduction, x.scale
    factor = amplitude(r)
    if r.wave is not Wave.SINE:
        x = offset(scheme, x, -QUARTER / r.bound)
    level = x.level - halving.depth(r.degree) - r.doublings
    target = scale
    for i in range(r.doublings):
        target = sqrt(target * prime(scheme, level + 1 + i))
    coefficients = factor * wave(r, True, p.message_bits)
    x = halving.evaluated(scheme, keys, x, coefficients, target)
    for _ in range(r.doublings):
        factor *= factor
        x = _double_angle(scheme, keys, x, factor)
    if r.inverse_degree:
        x = halving.evaluated(scheme, keys, x, inverse(r.inverse_degree), scale, chebyshev=False)
    return x


def _double_angle(scheme: CKKS, keys: RnsKeys, x: Ciphertext, factor: float) -> Ciphertext:
    """factor·cos(2α), from the square root of the factor times cos(α)."""
    square = relinearized(scheme, keys, scheme.square(x))
    square = replace(square, scale=x.scale * x.scale)
    return scheme.rescale(offset(scheme, doubled(scheme, square), -factor))


def reduced_late(on: Aligned, x: Value, p: Procedure) -> Value:
    """y, of degree 2 where there are double angles, by operations that align their operands themselves."""
    r = p.reduction
    factor = amplitude(r)
    x = on.settled(monic.evaluated(on, x, factor * wave(r, False, p.message_bits)))
    for _ in range(r.doublings):
        factor *= factor
        x = on.square(x)
        x = on.reduced(on.add(x, on.add_number(x, -factor)))
    return x
