"""The approximate modular reduction of a bootstrap on plain numbers, with noise where a value is rescaled.

It takes the steps that a library takes, so that noise is amplified as there: `reduced_late` itself where
operands are aligned on the way (`late.py` has the scheme that it runs on), and halving as in
`schemes/rns/bootstrap/halving.py` where scales are chosen beforehand.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fheasible.aliases import Floats
from fheasible.schemes.rns.bootstrap import series
from fheasible.schemes.rns.bootstrap.halving import best_split, divided, split_degree
from fheasible.schemes.rns.bootstrap.procedure import Procedure, Reduction, Wave

Numbers = NDArray[Any]  # real or complex
Noisy = Callable[[Numbers], Numbers]  # what a value becomes when it is rescaled
_UNIFORM = 1 / 12  # variance of a number uniform over one unit


def integers(draw: np.random.Generator, r: Reduction, weight: float, count: int) -> Floats:
    """Integers I as modular raising makes them, within the bound."""
    drawn = np.rint(draw.normal(0, np.sqrt(_UNIFORM * (1 + weight)), count))
    return np.asarray(np.clip(drawn, 1 - r.bound, r.bound - 1))


def white(draw: np.random.Generator, count: int) -> NDArray[np.complex128]:
    """Complex numbers whose real and imaginary parts are normal and have the variance 1."""
    return draw.standard_normal((count, 2)).view(np.complex128)[:, 0]


def exact(values: Numbers) -> Numbers:
    return values


def wave(procedure: Procedure, x: Numbers, noisy: Noisy = exact) -> Numbers:
    """x less its integer, approximated; what is rescaled passes through `noisy`."""
    r = procedure.reduction
    unit = x / r.bound
    shifted, amplitude = r.wave is not Wave.SINE, series.amplitude(r)
    unit = unit - series.QUARTER / r.bound if shifted else unit
    made = _polynomial(amplitude * series.wave(r, shifted, procedure.message_bits), unit, noisy, True)
    for _ in range(r.doublings):
        amplitude = amplitude**2
        made = noisy(2 * made**2 - amplitude)
    return _polynomial(series.inverse(r.inverse_degree), made, noisy, False) if r.inverse_degree else made


def _polynomial(c: Floats, x: Numbers, noisy: Noisy, chebyshev: bool) -> Numbers:
    """A polynomial of x by halving, as `halving` has it."""
    powers: dict[int, Numbers] = {1: x}

    def power(k: int) -> Numbers:
        if k not in powers:
            a, b = split_degree(k)
            made = power(a) * power(b)
            if chebyshev:
                made = 2 * made - (1.0 if a == b else power(abs(a - b)))
            powers[k] = noisy(made)
        return powers[k]

    split = best_split((len(c) - 1).bit_length())

    def run(c: Floats) -> Numbers:
        if len(c) <= 1 << split:
            terms = (c[i] * power(i) for i in range(1, len(c)) if c[i])
            return noisy(np.asarray(sum(terms, np.full_like(x, c[0]))))
        at = 1 << split
        while at < ((len(c) - 1) >> 1) + 1:
            at <<= 1
        quotient, rest = divided(c, at, chebyshev)
        return noisy(run(quotient) * power(at)) + run(rest)

    return run(np.asarray(c, dtype=np.float64))
