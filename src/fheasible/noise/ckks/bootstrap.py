"""The noise that a bootstrap adds, stage by stage, and what its modular reduction makes of a message.

A coefficient modulo q_0, divided by q_0, is x = I + m: an integer and the small message. The slots hold x while
they are transformed, and the message afterwards. Linear stages change noise as they change values, because both
lie in all slots alike. So the mean square of the values is followed beside the variance of the noise, and beside
the integer that stands for 1 in the ciphertext. What the modular reduction makes of noise is seen on a sample.

The terms are those of [BMTH21] and [BTH22]: key switches, divisions by primes, and plain vectors that are rounded.
A plain vector that repeats has few coefficients that are not 0, and only these are rounded.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from math import exp2, log2
from typing import Final, NamedTuple

import numpy as np

from fheasible.aliases import Floats
from fheasible.libraries.bootstrapping import Bootstrapping
from fheasible.libraries.catalogue import library
from fheasible.libraries.parameters import CkksParameters
from fheasible.noise.encoding import coefficients, slots
from fheasible.noise.primitive import SPARSE, UNIFORM, keyed, secret_norm, switched
from fheasible.schemes.rns.bootstrap import series
from fheasible.schemes.rns.bootstrap.factors import Factor, decoding, encoding
from fheasible.schemes.rns.bootstrap.halving import best_split, divided
from fheasible.schemes.rns.bootstrap.method import Method
from fheasible.schemes.rns.bootstrap.procedure import Procedure, Reduction, Wave
from fheasible.security.tables import SIGMA

SAMPLE: Final = 4096  # values of x on which the modular reduction is tried
MEAN_SQUARE: Final = 1 / 3  # of the message in a slot: that of numbers uniform between -1 and 1
_SEED: Final = 17
_Noisy = Callable[[Floats], Floats]


class Added(NamedTuple):
    """The variance of the error in the real part of a slot, by what it comes from."""

    raising: float  # switching to the sparse secret, and the first divisions
    encoding: float  # coefficients to slots
    reduction: float
    decoding: float  # slots to coefficients

    @property
    def total(self) -> float:
        return sum(self)


@lru_cache(maxsize=1024)
def added(p: CkksParameters) -> Added:
    """What a bootstrap at these parameters adds to a message of which no slot exceeds 1."""
    return _Stages(p).added()


def variance(p: CkksParameters) -> float:
    """The same as the variance of a coefficient, in units of the ciphertext at the level after a bootstrap."""
    return added(p).total * p.scales[-1] ** 2 * 2 / p.ring_dimension


def secret_weight(p: CkksParameters) -> float:
    """The squared norm of the secret under which the modulus is raised."""
    assert p.bootstrap is not None
    return p.bootstrap.procedure.ephemeral or secret_norm(p)


def reduced(p: CkksParameters, values: Floats) -> Floats:
    """The real slots that the approximate modular reduction alone makes of these.

    I is drawn for each coefficient, from the same seed for equal parameters.
    """
    assert p.bootstrap is not None
    procedure = p.bootstrap.procedure
    small = coefficients(values) * exp2(-procedure.message_bits)
    draw = np.random.default_rng(_SEED)
    integers = _integers(draw, procedure.reduction, secret_weight(p), len(small))
    found = _wave(procedure, _method(p), integers + small, _exact)
    return np.asarray(slots(found * exp2(procedure.message_bits)).real)


@dataclass(frozen=True, slots=True)
class _Slots:
    """Values with noise: means of the squares of complex numbers, and the integer that stands for 1."""

    square: float
    noise: float
    one: float


class _Stages:
    """The stages of a bootstrap, at the parameters that it computes with."""

    def __init__(self, p: CkksParameters) -> None:
        own = p.bootstrap
        assert own is not None
        self.own: Bootstrapping = own
        self.procedure, self.method = own.procedure, _method(p)
        self.p = replace(p, q=own.q, p=own.p, digits=own.digits, bootstrap=None, secret=_secret(p))
        self.n, self.after = p.ring_dimension, p
        self.divided = UNIFORM * (1 + secret_norm(self.p))
        self.square = UNIFORM * (1 + secret_weight(p))  # of x
        self.switched = cache(lambda level: float(switched(self.p, level).spread))
        self.keyed = cache(lambda level: float(keyed(self.p, level).spread))

    def added(self) -> Added:
        procedure = self.procedure
        raised, level, one = self._raised()
        transformed, level = self._transformed(
            _Slots(2 * procedure.slots * self.square, 2 * procedure.slots * raised, one), level
        )
        of_x = self._of_coefficients(transformed, level)
        reduction = self._reduced(of_x, level)
        level -= _depth(procedure.reduction, self.method)
        whole = exp2(2 * procedure.message_bits) * procedure.slots
        own = self._decoded(_Slots(2 * MEAN_SQUARE / 2 / procedure.slots, 0.0, self._message_one()), level)
        return Added(
            raised * whole, (of_x - raised) * whole, (reduction - of_x) * whole, own.noise / 2
        )

    # -- one after another

    def _raised(self) -> tuple[float, int, float]:
        """(variance of x before coefficients to slots, level, the integer that stands for x = 1)."""
        q0, top, e = float(self.own.q[0]), len(self.own.q) - 1, self.procedure.ephemeral
        found = 0.0
        if e:
            special = float(np.prod([float(x) for x in self.own.ephemeral_p or self.own.p[:1]]))
            keyed = self.n * SIGMA**2 * UNIFORM * (q0 / special) ** 2
            found += (UNIFORM * (1 + e) + keyed) / q0**2
        if not self.method.normalised_apart:
            one = max(exp2(self._reduction_bits), q0)
            return found + (self.switched(top) if e else 0.0) / one**2, top, one
        found += (self.divided + (self.switched(top) if e else 0.0)) / q0**2
        one = q0 / self.n / self._spent_early
        return found + self.divided / one**2, top - 1, one

    def _transformed(self, x: _Slots, level: int) -> tuple[_Slots, int]:
        """The slots after coefficients to slots, and the level."""
        procedure = self.procedure
        repeats = self.n // 2 // procedure.slots
        if repeats > 1:
            noise = x.noise + self.n * self.switched(level) / repeats / x.one**2
            x = _Slots(x.square, noise, x.one * (1 if self.method.exact_trace else repeats))
        factors = encoding(procedure, self.n, self.method)
        if self.method.normalised_apart:
            last = self._spent_early / procedure.reduction.bound
            by = [*[1.0] * (len(factors) - 1), last]
        else:
            whole = exp2(self._reduction_bits) / x.one / (2 * procedure.slots * procedure.reduction.bound)
            by = [whole ** (1 / len(factors))] * len(factors)
        return self._factors(x, factors, by, level, procedure.encode_shared)

    def _of_coefficients(self, x: _Slots, level: int) -> float:
        """The variance of x once real and imaginary parts are told apart by a conjugation."""
        conjugated = self.n / 2 * self.switched(level) / (2 * x.one) ** 2
        return (x.noise / 2 + conjugated) / self.procedure.slots**2

    def _reduced(self, noise: float, level: int) -> float:
        """The variance of the message, in units of x, after the modular reduction of x with such noise."""
        r = self.procedure.reduction
        draw = np.random.default_rng(_SEED)
        each = self.n / 2 * self.divided / exp2(2 * self._reduction_bits)
        small = exp2(-self.procedure.message_bits) * draw.normal(0, 1, SAMPLE)
        x = _integers(draw, r, secret_weight(self.after), SAMPLE) + small / np.sqrt(2 * self.procedure.slots)
        deviation = float(np.sqrt(each))

        def noisy(values: Floats) -> Floats:
            return np.asarray(values + deviation * draw.standard_normal(values.shape))

        still = _wave(self.procedure, self.method, x, _exact)
        moved = x + np.sqrt(noise) * draw.standard_normal(SAMPLE)
        return float(np.var(_wave(self.procedure, self.method, moved, noisy) - still))

    def _decoded(self, x: _Slots, level: int) -> _Slots:
        """The slots after slots to coefficients, in units of the message."""
        factors = decoding(self.procedure, self.n, self.method)
        whole = 1.0 if self.method.normalised_apart else self.after.scales[-1] / x.one
        by = [whole ** (1 / len(factors))] * len(factors)
        return self._factors(x, factors, by, level, self.procedure.decode_shared)[0]

    # -- parts of them

    def _factors(
        self, x: _Slots, factors: Sequence[Factor], by: Sequence[float], level: int, shared: Sequence[int]
    ) -> tuple[_Slots, int]:
        """The slots after these factors, and the level; `shared` is how many of them share each prime."""
        left = list(zip(factors, by, strict=True))
        for count in shared or (1,) * len(factors):
            scale = self.after.nominal if self.method.normalised_apart else float(self.own.q[level])
            for factor, constant in left[:count]:
                x = self._factor(x, factor, constant, level, scale ** (1 / count))
            left, level = left[count:], level - 1
        return x, level

    def _factor(self, x: _Slots, factor: Factor, by: float, level: int, scale: float) -> _Slots:
        """The slots after one factor, whose plain vectors are multiplied by `by` and encoded at `scale`."""
        gain = 2.0 ** len(factor.stages) if factor.stages else float(self.procedure.slots)
        period = 2 << max(factor.stages) if factor.stages else self.procedure.slots
        rounded = min(self.n, 2 * period * (1 + factor.doubled))
        turned = x.noise + self.n * self.keyed(level) / x.one**2
        encoded = factor.diagonals * x.square * rounded * UNIFORM / (scale * by) ** 2
        one = x.one * by
        return _Slots(gain * x.square, gain * turned + encoded + self.n * self.divided / one**2, one)

    @property
    def _reduction_bits(self) -> float:
        """log2 of the scale of the modular reduction."""
        if self.method.normalised_apart:
            return log2(self.after.nominal)
        below = self.after.limbs + len(self.procedure.decode_shared or self.procedure.decode)
        return round(log2(self.own.q[below + (self.procedure.iterations > 1)]))

    @property
    def _spent_early(self) -> float:
        """The part of 1/K that is multiplied in before coefficients to slots: all of it for a dense secret."""
        return float(self.procedure.reduction.bound) if self.own.weight is None else 1.0

    def _message_one(self) -> float:
        """The integer that stands for a message of 1 after the modular reduction."""
        lower = exp2(-self.procedure.message_bits)
        if not self.method.normalised_apart:
            return exp2(self._reduction_bits) * lower
        return self.after.nominal * exp2(round(log2(self.own.q[0] / self.after.nominal))) * lower


def _method(p: CkksParameters) -> Method:
    method = library(p.library).bootstrap_method
    assert method is not None
    return method


def _secret(p: CkksParameters) -> str:
    """The name of the main secret, with its weight."""
    assert p.bootstrap is not None
    return p.secret if p.bootstrap.weight is None else f"{SPARSE}{p.bootstrap.weight}"


def _depth(r: Reduction, method: Method) -> int:
    """The levels that the modular reduction takes."""
    return r.degree.bit_length() + r.doublings + r.inverse_degree.bit_length()


def _integers(draw: np.random.Generator, r: Reduction, weight: float, count: int) -> Floats:
    """Integers I as modular raising makes them, within the bound."""
    drawn = np.rint(draw.normal(0, np.sqrt(UNIFORM * (1 + weight)), count))
    return np.asarray(np.clip(drawn, 1 - r.bound, r.bound - 1))


def _exact(values: Floats) -> Floats:
    return values


def _wave(procedure: Procedure, method: Method, x: Floats, noisy: _Noisy) -> Floats:
    """x less its integer, approximated; every product passes through `noisy`."""
    r = procedure.reduction
    shifted = method.shifted and r.wave is not Wave.SINE
    unit, amplitude = x / r.bound, series.amplitude(r)
    if shifted:
        unit = unit - series.QUARTER / r.bound
    made = _polynomial(amplitude * series.wave(r, shifted, procedure.message_bits), unit, noisy, True)
    for _ in range(r.doublings):
        amplitude = amplitude**2
        made = noisy(2 * made**2 - amplitude)
    return _polynomial(series.inverse(r.inverse_degree), made, noisy, False) if r.inverse_degree else made


def _polynomial(c: Floats, x: Floats, noisy: _Noisy, chebyshev: bool) -> Floats:
    """A polynomial of x by halving, as `halving` has it."""
    powers = {1: x}

    def power(k: int) -> Floats:
        if k not in powers:
            a, b = (k + 1) // 2, k // 2
            made = power(a) * power(b)
            if chebyshev:
                made = 2 * made - (1.0 if a == b else power(a - b))
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
