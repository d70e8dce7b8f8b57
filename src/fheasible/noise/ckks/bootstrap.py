"""The noise that a bootstrap adds, stage by stage, and what its modular reduction makes of a message.

A coefficient modulo q_0, divided by q_0, is x = I + m: an integer and the small message. The slots hold x
while they are transformed, and the message afterwards. Linear stages change noise as they change values,
because both lie in all slots alike. So the mean square of the values is followed beside the variance of the
noise, and beside the integer that stands for 1 in the ciphertext. What the modular reduction makes of noise
is seen on a sample.

The terms are those of [BMTH21] and [BTH22]: key switches, divisions by primes, and plain vectors that are
rounded. A plain vector that repeats has few coefficients that are not 0, and only these are rounded.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from math import exp2, log2
from typing import Final, NamedTuple

import numpy as np

from fheasible.aliases import Floats
from fheasible.libraries.bootstrapping import Bootstrapping
from fheasible.libraries.catalogue import library
from fheasible.libraries.parameters import CkksParameters
from fheasible.noise.ckks.late import Chain, late_wave
from fheasible.noise.ckks.reduction import Numbers, integers, wave, white
from fheasible.noise.primitive import SPARSE, UNIFORM, keyed, secret_norm, switched, variant
from fheasible.schemes.rns.bootstrap.factors import Factor, decoding, encoding
from fheasible.schemes.rns.bootstrap.method import Alignment, Method
from fheasible.schemes.rns.bootstrap.procedure import Procedure
from fheasible.schemes.rns.bootstrap.scaling import last_iteration
from fheasible.schemes.rns.bootstrap.tables import named_scale, reduction_depth
from fheasible.security.tables import SIGMA

SAMPLE: Final = 2048  # values of x on which the modular reduction is tried
MEAN_SQUARE: Final = 1 / 3  # of the message in a slot: that of numbers uniform between -1 and 1
SEED: Final = 17


class Added(NamedTuple):
    """The variance of the error in the real part of a slot, by what it comes from."""

    adjusting: float  # the division that brings the operand to the scale from which it is bootstrapped
    raising: float  # switching to the sparse secret, and the first divisions
    encoding: float  # coefficients to slots
    reduction: float
    decoding: float  # slots to coefficients
    settling: float  # the division after the last product of several iterations

    @property
    def total(self) -> float:
        return sum(self)


@lru_cache(maxsize=1024)
def added(p: CkksParameters, level: int = 0) -> Added:
    """What a bootstrap at these parameters adds to a message of which no slot exceeds 1.

    `level`: that of the operand. Where a method takes operands of level 0, one of a higher level is brought
    to the scale of level 0 before, which adds noise.
    """
    return Stages(p).added(level)


@lru_cache(maxsize=1024)
def at_least_added(p: CkksParameters) -> float:
    """What a bootstrap of such a message adds but for its modular reduction, as a variance."""
    return Stages(p).linear(0).total


def variance(p: CkksParameters, level: int) -> float:
    """The same as the variance of each coefficient that a slot is made of, in units of the ciphertext."""
    assert p.bootstrap is not None
    return added(p, level).total * p.scales[p.levels] ** 2 / p.bootstrap.procedure.slots


def secret_weight(p: CkksParameters) -> float:
    """The squared norm of the secret under which the modulus is raised."""
    assert p.bootstrap is not None
    return p.bootstrap.procedure.ephemeral or secret_norm(p)


def once_more(procedure: Procedure) -> float:
    """By how much iterations after the first make the error smaller [BCCKY22]."""
    return exp2(procedure.iteration_bits * (procedure.iterations - 1))


@dataclass(frozen=True, slots=True)
class _Slots:
    """Values with noise: means of the squares of complex numbers, and the integer that stands for 1."""

    square: float
    noise: float
    one: float


class Stages:
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

    def added(self, level: int) -> Added:
        of_x, _, conjugated, reached = encoded = self.encoded()
        reduction = self._reduced(of_x, conjugated, reached)
        return self._linear(level, encoded)._replace(reduction=max(reduction - of_x, 0.0) * self._whole)

    def linear(self, level: int) -> Added:
        """What all stages add but the modular reduction, which takes longer to tell."""
        return self._linear(level, self.encoded())

    def _linear(self, level: int, encoded: tuple[float, float, float, int]) -> Added:
        procedure, adjusting = self.procedure, self._adjusting(level)
        of_x, raised, _, reached = encoded
        reached -= reduction_depth(procedure.reduction, self.method)
        own = self._decoded(_Slots(MEAN_SQUARE / procedure.slots, 0.0, self._message_one()), reached)
        return Added(
            adjusting * procedure.slots,
            raised * self._whole,
            (of_x - raised) * self._whole,
            0.0,
            own.noise / 2 * self.left,
            self._settling() * procedure.slots,
        )

    @property
    def _whole(self) -> float:
        """The variance in a slot of the message, of which no slot exceeds 1, for one of x."""
        return self.left * exp2(2 * self.procedure.message_bits) * self.procedure.slots

    # -- one after another

    def encoded(self) -> tuple[float, float, float, int]:
        """(variance of the coefficients of x in the slots, that from raising the modulus alone, that of the
        imaginary part, which should be 0; the level)."""
        count = self.procedure.slots
        raised, level, one = self._raised()
        x, level = self._transformed(_Slots(2 * count * self.square, 2 * count * raised, one), level)
        conjugated = self._conjugated(x, level)
        return x.noise / 2 / count**2 + conjugated, raised, conjugated, level

    def decoding(self, square: float, level: int) -> float:
        """The variance that slots to coefficients adds to each coefficient, of slots at this level that have
        the named scale and such a mean square."""
        own = self._decoded(_Slots(square, 0.0, self.after.nominal), level)
        return own.noise / 2 / self.procedure.slots

    def _adjusting(self, level: int) -> float:
        """The variance of a coefficient of the message, where the operand is divided to get its scale.

        Iterations begin from the scale of the result, which every other level is brought to.
        """
        iterates = self.procedure.iterations > 1
        if self.method.normalised_apart or level == (self.after.levels if iterates else 0):
            return 0.0
        return self.divided / self.after.scales[self.after.levels if iterates else 0] ** 2

    def _settling(self) -> float:
        """The variance of a coefficient of the message from the division after the product with
        2^-iteration_bits, which no iteration corrects."""
        if self.procedure.iterations == 1:
            return 0.0
        return self.divided / self.after.scales[self.after.levels] ** 2

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
        one = q0 / self.n
        return found + self.divided / one**2 + self.skew**2 * self.square, top - 1, one

    def _transformed(self, x: _Slots, level: int) -> tuple[_Slots, int]:
        """The slots after coefficients to slots, and the level."""
        procedure = self.procedure
        repeats = self.n // 2 // procedure.slots
        if repeats > 1:
            noise = x.noise + self.n * self.switched(level) / repeats / x.one**2
            x = _Slots(x.square, noise, x.one * (1 if self.method.exact_trace else repeats))
        factors = encoding(procedure, self.n, self.method)
        if self.method.normalised_apart:
            by = [*[1.0] * (len(factors) - 1), 1 / procedure.reduction.bound]
        else:
            whole = exp2(self._reduction_bits) / x.one / (2 * procedure.slots * procedure.reduction.bound)
            by = [whole ** (1 / len(factors))] * len(factors)
        return self._factors(x, factors, by, level, procedure.encode_shared)

    def _conjugated(self, x: _Slots, level: int) -> float:
        """The variance that the conjugation which tells real and imaginary parts apart adds to each of them,
        in x's units."""
        return self.n / 2 * self.switched(level) / (2 * x.one) ** 2 / self.procedure.slots**2

    def _reduced(self, noise: float, imaginary: float, level: int) -> float:
        """The variance of the message, in units of x, after the modular reduction of x with such noise."""
        return _after_reduction(self.waves, secret_weight(self.after), noise, imaginary, level)

    @property
    def waves(self) -> "_Waves":
        if self.method.normalised_apart:
            return _Waves(self.procedure, self.n, chain=self.chain)
        deviation = np.sqrt(self.n / 2 * self.divided) / exp2(self._reduction_bits)
        return _Waves(self.procedure, self.n, deviation=float(deviation))

    @property
    def chain(self) -> Chain:
        """The primes of the bootstrap, and the scales of all its levels."""
        scales = list(self.after.scales)
        for prime in self.own.q[len(scales) :]:
            corrected = self.method.alignment is Alignment.CORRECTED
            scales.append(float(np.sqrt(scales[-1] * float(prime))) if corrected else self.after.nominal)
        q = tuple(map(float, self.own.q))
        return Chain(q, tuple(scales), self.method.alignment, variant(self.p), self.divided)

    def _decoded(self, x: _Slots, level: int) -> _Slots:
        """The slots after slots to coefficients, in units of the message."""
        factors = decoding(self.procedure, self.n, self.method)
        whole = 1.0 if self.method.normalised_apart else self.after.scales[self.after.levels] / x.one
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
        return round(log2(self.own.q[self.decode_level + 1]))

    @property
    def skew(self) -> float:
        """The relative error of x before coefficients to slots, where it is normalised there.

        x is divided by a multiple of N by way of an integer, and its scale is not quite what it is said to
        be. Where all levels are said to have one scale, each division adds to this.
        """
        q, last = self.own.q, len(self.own.q) - 1
        corrected = self.method.alignment is Alignment.CORRECTED
        named = named_scale(float(q[0]), float(q[-1]), self.after.nominal, corrected)
        scaled = q[-1] / self.n / exp2(round(log2(q[0] / self.after.nominal)))
        found = q[0] / named - 1 + (round(scaled) / scaled - 1)
        if corrected:
            return found
        return found + sum(self._drift(level) for level in range(last - len(self.procedure.encode), last + 1))

    def _drift(self, level: int) -> float:
        """The relative error of dividing by the prime of a level, where it is taken for the scale."""
        return self.after.nominal / float(self.own.q[level]) - 1

    def gain(self, level: int) -> float:
        """The relative error of the message where all levels are said to have one scale.

        It is divided by a prime before the modulus is raised, unless a table is looked up, and by those from
        `level` down after its reduction. The first prime is taken for a power of two times the scale.
        """
        if self.method.alignment is Alignment.CORRECTED:
            return 0.0
        named = named_scale(float(self.own.q[0]), float(self.own.q[-1]), self.after.nominal, False)
        down = range(level - len(self.procedure.decode) + 1, level + 1)
        before = 0.0 if self.procedure.table else self._drift(1)
        return named / self.own.q[0] - 1 + before + sum(map(self._drift, down))

    @property
    def settled(self) -> float:
        """The relative error of the result of several iterations, where the last step multiplies it by
        2^-iteration_bits: this number is rounded to an integer, and a prime may be taken for the scale."""
        procedure, level = self.procedure, self.after.levels + 1
        if procedure.iterations == 1 or not self.method.normalised_apart:
            return 0.0
        scaled = self.chain.scales[level] * exp2(-procedure.iteration_bits * (procedure.iterations - 1))
        off = variant(self.p).whole(scaled) / scaled - 1
        return off if self.method.alignment is Alignment.CORRECTED else off + self._drift(level)

    @property
    def uncorrected(self) -> float:
        """The fraction of the error before the last iteration that this one leaves, because it multiplies by
        integers."""
        procedure = self.procedure
        if procedure.iterations == 1 or self.method.normalised_apart:
            return 0.0
        reserved = float(self.own.q[self.after.levels + 1])
        whole, more = last_iteration(reserved, round(once_more(procedure)))
        return 1 - whole * more / reserved

    @property
    def left(self) -> float:
        """The variance that all iterations leave over that of one alone."""
        return 1 / once_more(self.procedure) ** 2 + self.uncorrected**2

    @property
    def decode_level(self) -> int:
        """The level at which slots to coefficients begins."""
        procedure = self.procedure
        down = len(procedure.decode_shared or procedure.decode) + int(procedure.iterations > 1)
        return self.after.levels + down

    def _message_one(self) -> float:
        """The integer that stands for a message of 1 after the modular reduction."""
        lower = exp2(-self.procedure.message_bits)
        if not self.method.normalised_apart:
            return exp2(self._reduction_bits) * lower
        return self.after.nominal * exp2(round(log2(self.own.q[0] / self.after.nominal))) * lower


@dataclass(frozen=True, slots=True)
class _Waves:
    """The approximate modular reduction on plain numbers: along a `chain` where operands are aligned on the
    way, else with noise of that `deviation` wherever a value is rescaled."""

    procedure: Procedure
    n: int
    deviation: float = 0.0
    chain: Chain | None = None

    @property
    def without_noise(self) -> "_Waves":
        """All that the reduction without noise depends on."""
        return replace(self, deviation=0.0, chain=self.chain and self.chain.ideal)

    def ideal(self, x: Floats) -> Floats:
        """What the modular reduction makes of x without noise."""
        if self.chain is None:
            return np.asarray(wave(self.procedure, x).real)
        ideal = self.chain.ideal
        draw = np.random.default_rng(SEED)
        return np.asarray(late_wave(self.procedure, x, ideal, len(ideal.q) - 1, self.n, draw).real)

    def noisy(self, x: Numbers, level: int, draw: np.random.Generator) -> Numbers:
        if self.chain is not None:
            return late_wave(self.procedure, x, self.chain, level, self.n, draw)
        return wave(self.procedure, x, lambda v: np.asarray(v + self.deviation * white(draw, len(v))))


@lru_cache(maxsize=1024)  # sets that differ outside the bootstrap have the same
def _after_reduction(waves: _Waves, weight: float, noise: float, imaginary: float, level: int) -> float:
    """The variance of the message, in units of x, after the modular reduction of x with such noise.

    The noise that its steps add is complex. What of it is imaginary in one half of the coefficients is real
    in the other half, once both are brought together.
    """
    draw = np.random.default_rng(SEED)
    x = _sample(waves.procedure, weight, draw)
    found = white(draw, SAMPLE)
    moved = x + np.sqrt(noise) * found.real + 1j * np.sqrt(imaginary) * found.imag
    return float(np.var(waves.noisy(moved, level, draw) - _reduced_sample(waves.without_noise, weight)))


@lru_cache(maxsize=256)
def _reduced_sample(waves: _Waves, weight: float) -> Floats:
    """What the modular reduction makes of the sample without noise."""
    return waves.ideal(_sample(waves.procedure, weight, np.random.default_rng(SEED)))


def _sample(procedure: Procedure, weight: float, draw: np.random.Generator) -> Floats:
    """Values of x on which the modular reduction is tried."""
    small = exp2(-procedure.message_bits) * draw.normal(0, 1, SAMPLE)
    whole = integers(draw, procedure.reduction, weight, SAMPLE)
    return np.asarray(whole + small / np.sqrt(2 * procedure.slots))


def _method(p: CkksParameters) -> Method:
    assert p.bootstrap is not None
    return library(p.library).bootstrap_method_for(p.bootstrap.procedure, p.technique)


def _secret(p: CkksParameters) -> str:
    """The name of the main secret, with its weight."""
    assert p.bootstrap is not None
    return p.secret if p.bootstrap.weight is None else f"{SPARSE}{p.bootstrap.weight}"
