"""The error of each output element of a CKKS program: its variance, and what every encryption has alike."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fheasible.libraries.parameters import Parameters
from fheasible.noise import decryption, mixture
from fheasible.noise.block import Source
from fheasible.noise.gains import Gains
from fheasible.noise.primitive import (
    UNIFORM,
    digits,
    division,
    encryption_shares,
    fresh,
    keyed,
    rounding,
    switched,
    variant,
)
from fheasible.noise.scales import Scale, in_numbers
from fheasible.program.types import Program

Floats = NDArray[np.float64]

FIXED = ("fixedmanual", "fixedauto")  # every level keeps the nominal scale, whatever its prime is


class Errors(NamedTuple):
    """Of each judged element: what every encryption has alike, the deviation of what is new in each, the row
    in the tables of `mixture` of how that is distributed, and by how many elements it is like independent."""

    bias: Floats
    sigma: Floats
    rows: NDArray[np.int64]
    independent: Floats
    deviation: float  # root mean square over all elements, not the judged ones alone

    @property
    def spread(self) -> tuple[Floats, Floats, NDArray[np.int64]]:
        """What `mixture` asks for."""
        return self.bias, self.sigma, self.rows


def errors(program: Program, p: Parameters, gains: Gains, functions: Floats) -> Errors:
    """`functions`: the error of approximated functions, of every element of the outputs."""
    columns, elements = gains.judged.columns, gains.judged.elements
    parts = _parts(program, p, gains)
    rows = mixture.nearest(1 / _unevenness(program, p, gains, parts))
    bias = functions[elements] + drift(p, gains)[columns]
    independent = _independent(gains, parts)[columns]
    return Errors(bias, np.sqrt(parts.total)[columns], rows[columns], independent, parts.average**0.5)


def variance(program: Program, p: Parameters, gains: Gains) -> Floats:
    """Of each column, before decryption adds its own."""
    return _parts(program, p, gains).evaluated


def whole_variance(program: Program, p: Parameters, gains: Gains) -> Floats:
    """Mean over all slots, of the values that the outputs lie in, before decryption adds its own."""
    return _added(program, p, gains) @ gains.whole


def refusal_bits(program: Program, p: Parameters, gains: Gains) -> float:
    """Bits left until OpenFHE refuses to decrypt because it sees too much noise; infinite elsewhere."""
    return decryption.refusal_bits(program, p, whole_variance(program, p, gains))


class _Parts(NamedTuple):
    """Variances of each column."""

    evaluated: Floats
    decrypted: Floats  # what decryption adds
    encrypted: Floats  # of the evaluated: what encryptions brought
    switched: Floats  # key switching
    keyed: Floats  # of that: digits times key errors
    others: Floats  # all else that is times the secret
    average: float  # of the total, over all elements

    @property
    def total(self) -> Floats:
        return self.evaluated + self.decrypted

    def share(self, part: Floats) -> Floats:
        """Of the total."""
        return part / np.maximum(self.total, np.finfo(float).tiny)


def _parts(program: Program, p: Parameters, gains: Gains) -> _Parts:
    brought = _added(program, p, gains)
    kinds = np.array([_PARTS[s.kind] for s in gains.sources])
    whole = decryption.added_variance(program, p, brought @ gains.whole)

    def of(part: str) -> Floats:
        return np.asarray((brought * (kinds == part)) @ gains.variances)

    decrypted = whole * gains.reading
    average = float((brought @ gains.average + decrypted) @ gains.shares)
    return _Parts(
        brought @ gains.variances,
        decrypted[gains.value],
        of("encrypted"),
        of("switched"),
        (brought * _keyed_shares(p, gains)) @ gains.variances,
        of("others"),
        average,
    )


_PARTS = {"encrypt": "encrypted", "key_switch": "switched", "digits": "switched", "division": "switched",
          "rescale": "others", "rescale_product": "others", "encoding": "normal"}  # fmt: skip


def _unevenness(program: Program, p: Parameters, gains: Gains, parts: _Parts) -> Floats:
    """The relative variance, over keys and slots, of each column's own variance: 1 where all of it is times
    one slot of the secret, and the less the more slots have a part in it. What encryptions bring is times two
    polynomials, the secret and the one in the public key; of key switching, times an error for each digit."""
    copies = p.ring_dimension / decryption.read_coefficients(program, p)
    of_secret, of_key = encryption_shares(p)
    encrypted = parts.share(parts.encrypted) / np.sqrt(copies * gains.mixed_fresh)
    others = parts.share(parts.switched - parts.keyed + parts.others) / np.sqrt(copies * gains.mixed)
    keys = parts.share(parts.keyed) / np.sqrt(copies * gains.mixed * gains.switches * digits(p))
    uneven = (of_secret * encrypted + others) ** 2 + (of_key * encrypted) ** 2 + keys**2
    return np.asarray(np.maximum(uneven, 1e-9))


def _keyed_shares(p: Parameters, gains: Gains) -> Floats:
    """Of what each source brings, how much is digits times key errors."""
    return np.array([_keyed_share(s, p) for s in gains.sources])


def _keyed_share(s: Source, p: Parameters) -> float:
    if s.kind == "key_switch":
        return keyed(p, s.level).spread / switched(p, s.level).spread
    return 1.0 if s.kind == "digits" else 0.0


def _independent(gains: Gains, parts: _Parts) -> Floats:
    """By how many elements the noise of each column is like independent, of those in its value."""
    switched = parts.share(parts.switched)
    correlation = (1 - switched) * gains.shared[0] + switched * gains.shared[1]
    return np.asarray(gains.company / (1 + (gains.company - 1) * correlation**2))


def _added(program: Program, p: Parameters, gains: Gains) -> Floats:
    """Variance of a slot's real part of the noise that each source brings."""
    half = decryption.read_coefficients(program, p) / 2
    return np.array([_of_source(s, p) for s in gains.sources]) * half


def _of_source(s: Source, p: Parameters) -> float:
    """Variance of a coefficient over the scale."""
    scale = in_numbers(s.own, p)
    match s.kind:
        case "encrypt":
            return (fresh(p) + UNIFORM) / scale**2
        case "rescale":
            return rounding(p) / scale**2
        case "rescale_product":
            return rounding(p, size=3) / scale**2
        case "key_switch":
            return switched(p, s.level).spread / scale**2
        case "digits":
            return keyed(p, s.level).offset / scale**2
        case "division":
            return division(p, variant(p).mod_down, len(p.p)).offset / scale**2
        case _:
            return UNIFORM / _encoded_at(s, p) ** 2


def _encoded_at(s: Source, p: Parameters) -> float:
    """A plain factor is rounded at the scale that makes the product's of the operand's; a summand at the
    operand's, but OpenFHE's of degree 2 at that of degree 1, and is then multiplied by it (`Encode`)."""
    if p.library == "openfhe":
        return in_numbers((s.own[0], 1), p)
    return in_numbers(s.own, p) / in_numbers(s.other, p)


def drift(p: Parameters, gains: Gains) -> Floats:
    """The error of each column that every encryption has alike: of factors rounded to integers, and of
    techniques that divide by a prime and call it the scale. To first order."""
    total = _of_factors(p, gains) @ gains.factors
    if p.technique in FIXED:
        total += np.array([p.scales[0] / p.q[level + 1] - 1 for level in gains.drift_levels]) @ gains.drifts
    return total


def _of_factors(p: Parameters, gains: Gains) -> Floats:
    """A number c is multiplied in as round(c S) for the scale S that it is encoded at."""
    scaled = gains.numbers * np.array([_ratio(own, other, p) for _, own, other in gains.factor_keys])
    return np.rint(scaled) / scaled - 1 if len(scaled) else np.empty(0)


def _ratio(own: Scale, other: Scale, p: Parameters) -> float:
    return in_numbers(own, p) / in_numbers(other, p)
