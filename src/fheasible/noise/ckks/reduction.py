"""The approximate modular reduction of a bootstrap on plain numbers, with noise where a value is rescaled.

It takes the steps that a library takes, so that noise is amplified as there: `reduced_late` itself where
operands are aligned on the way, and halving as in `schemes/rns/bootstrap/halving.py` where scales are chosen
beforehand.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fheasible.aliases import Floats
from fheasible.schemes.rns.bootstrap import series
from fheasible.schemes.rns.bootstrap.aligned import Value
from fheasible.schemes.rns.bootstrap.halving import best_split, divided, split_degree
from fheasible.schemes.rns.bootstrap.method import Method
from fheasible.schemes.rns.bootstrap.procedure import Procedure, Reduction, Wave
from fheasible.schemes.rns.bootstrap.reduction import reduced_late

Noisy = Callable[[Floats], Floats]  # what a value becomes when it is rescaled
_UNIFORM = 1 / 12  # variance of a number uniform over one unit


def integers(draw: np.random.Generator, r: Reduction, weight: float, count: int) -> Floats:
    """Integers I as modular raising makes them, within the bound."""
    drawn = np.rint(draw.normal(0, np.sqrt(_UNIFORM * (1 + weight)), count))
    return np.asarray(np.clip(drawn, 1 - r.bound, r.bound - 1))


def exact(values: Floats) -> Floats:
    return values


def wave(procedure: Procedure, method: Method, x: Floats, noisy: Noisy) -> Floats:
    """x less its integer, approximated; what is rescaled passes through `noisy`."""
    unit = x / procedure.reduction.bound
    if method.normalised_apart:
        return np.asarray(reduced_late(_Late(noisy), Value(unit), procedure).x)  # type: ignore[arg-type]
    return _even(procedure, unit, noisy)


def _even(procedure: Procedure, unit: Floats, noisy: Noisy) -> Floats:
    r = procedure.reduction
    shifted, amplitude = r.wave is not Wave.SINE, series.amplitude(r)
    unit = unit - series.QUARTER / r.bound if shifted else unit
    made = _polynomial(amplitude * series.wave(r, shifted, procedure.message_bits), unit, noisy, True)
    for _ in range(r.doublings):
        amplitude = amplitude**2
        made = noisy(2 * made**2 - amplitude)
    return _polynomial(series.inverse(r.inverse_degree), made, noisy, False) if r.inverse_degree else made


def _polynomial(c: Floats, x: Floats, noisy: Noisy, chebyshev: bool) -> Floats:
    """A polynomial of x by halving, as `halving` has it."""
    powers = {1: x}

    def power(k: int) -> Floats:
        if k not in powers:
            a, b = split_degree(k)
            made = power(a) * power(b)
            if chebyshev:
                made = 2 * made - (1.0 if a == b else power(abs(a - b)))
            powers[k] = noisy(made)
        return powers[k]

    split = best_split((len(c) - 1).bit_length())

    def run(c: Floats) -> Floats:
        if len(c) <= 1 << split:
            terms = (c[i] * power(i) for i in range(1, len(c)) if c[i])
            return noisy(np.asarray(sum(terms, np.full_like(x, c[0]))))
        at = 1 << split
        while at < ((len(c) - 1) >> 1) + 1:
            at <<= 1
        quotient, rest = divided(c, at, chebyshev)
        return noisy(run(quotient) * power(at)) + run(rest)

    return run(np.asarray(c, dtype=np.float64))


@dataclass(frozen=True, slots=True)
class _Late:
    """The operations of `Aligned` on plain numbers, with noise where a value is rescaled."""

    noisy: Noisy

    def settled(self, a: Value) -> Value:
        return _value(self.noisy(_of(a))) if a.degree == 2 else a

    def reduced(self, a: Value) -> Value:
        return a

    def mul(self, a: Value, b: Value) -> Value:
        return _value(_of(self.settled(a)) * _of(self.settled(b)), 2)

    def square(self, a: Value) -> Value:
        return _value(_of(self.settled(a)) ** 2, 2)

    def add(self, a: Value, b: Value) -> Value:
        return _value(_of(a) + _of(b), max(a.degree, b.degree))

    def sub(self, a: Value, b: Value) -> Value:
        return _value(_of(a) - _of(b), max(a.degree, b.degree))

    def double(self, a: Value) -> Value:
        return _value(2 * _of(a), a.degree)

    def add_number(self, a: Value, number: float) -> Value:
        return _value(_of(a) + number, a.degree)

    def mul_number(self, a: Value, number: float) -> Value:
        return _value(number * _of(self.settled(a)), 2)

    def adjusted(self, a: Value, b: Value) -> Value:
        return a


def _of(a: Value) -> Floats:
    return np.asarray(a.x)


def _value(x: Floats, degree: int = 1) -> Value:
    return Value(x, degree)  # type: ignore[arg-type]
