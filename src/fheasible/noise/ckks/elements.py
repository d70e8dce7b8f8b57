"""The error of each output element of a CKKS program: its variance, and what every encryption has alike.

Arrays are (..., element), (..., column) or (..., source), where ... stands for the sets of a block.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from math import inf, prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fheasible.aliases import Floats
from fheasible.libraries.block import CkksSets
from fheasible.libraries.catalogue import library
from fheasible.libraries.parameters import CkksParameters
from fheasible.noise import doubles
from fheasible.noise.ckks import bootstrap, decryption, mixture
from fheasible.noise.primitive import (
    UNIFORM,
    AddedNoise,
    digits,
    division,
    encryption_shares,
    fresh,
    keyed_by_limbs,
    rounding,
    switched_limbs,
    variant,
    with_division,
)
from fheasible.noise.reach.gains import Gains
from fheasible.noise.reach.sources import OFFSETS
from fheasible.noise.scales import FIXED, all_in_numbers
from fheasible.noise.sets import Figure, along, by_first, by_ladder, by_switching, column, figure
from fheasible.noise.shape import MEAN_SHARE
from fheasible.program.schedule import product_depths
from fheasible.program.types import Action, Program

_OFFSET_TAIL = 4.9  # deviations that an offset, times a slot of the secret, exceeds once in a thousand
_MOST_DEGREE = 1e300
_HOPELESS = 60.0  # a result that is off by e^60 times its value is not told from worse ones


class ElementErrors(NamedTuple):
    """The error of each judged element. `bias`: what every encryption has alike. `sigma`: the standard
    deviation of what is new in each encryption. `rows`: the row in the tables of `mixture` that says how the
    new part is distributed. `independent`: the number of independent elements that the noise of its value
    amounts to. `alike`: the share of the variance that grows in all elements at once, with the offsets of a
    key."""

    bias: Floats
    sigma: Floats
    rows: NDArray[np.int64]
    independent: Floats
    alike: Floats
    deviation: Figure  # root mean square over all elements, not the judged ones alone
    seen: Floats  # for each value, the variance that OpenFHE sees when it decrypts

    @property
    def spread(self) -> tuple[Floats, Floats, NDArray[np.int64]]:
        """The arguments that functions of `mixture` ask for."""
        return self.bias, self.sigma, self.rows


def errors(program: Program, p: CkksSets, gains: Gains, functions: Floats) -> ElementErrors:
    """The error of each judged element. `functions`: the error of approximated functions in each of them."""
    columns = gains.judged.columns
    parts = _parts(program, p, gains)
    rows = mixture.nearest(1 / _unevenness(program, p, gains, parts))
    bias = functions + by_ladder(p, lambda sets: drift(sets, gains)[..., columns])
    independent = _independent(gains, parts)[..., columns]
    sigma = np.sqrt(parts.total)[..., columns]
    if degree(program) > 1:
        bias = bias + np.where(bias < 0, -1.0, 1.0) * _bend(program, p, gains, parts)[..., columns]
    alike = parts.share(parts.alike)[..., columns]
    return ElementErrors(
        bias, sigma, rows[..., columns], independent, alike, np.sqrt(parts.average), parts.seen
    )


class Apart(NamedTuple):
    """The variances of each judged element in one copy of it: that of noise in all copies, and that of
    offsets."""

    spread: Floats
    offset: Floats

    def bend(self, sizes: Floats, k: float, copies: float) -> Floats:
        """What products of noise with noise leave in powers k that have such values, in the mean of the
        copies."""
        parts = [_beyond_first(np.sqrt(v) / sizes, k) for v in self]
        return np.asarray(sizes * (parts[0] + parts[1] / copies))


def apart(program: Program, p: CkksParameters, gains: Gains) -> Apart:
    """The variances of each judged element in one copy of it, to first order, at the data of these gains.
    `spread` includes the square of the error `drift`, which every encryption has alike."""
    found = _apart(program, p, gains, _parts(program, p, gains))
    found = Apart(found.spread + drift(p, gains) ** 2, found.offset)
    return Apart(*(v[..., gains.judged.columns] for v in found))


@lru_cache(maxsize=1024)
def degree(program: Program) -> float:
    """An upper bound of the degree that any output has in values that carry noise."""
    if program.bootstraps:
        return _whole_degree(program)
    series = [
        len(program.plains[o.plain or 0]) for o in program.operations if o.action is Action.EVAL_CHEBYSHEV
    ]
    products = min(max(product_depths(program).values()), 1000)  # more would be beyond doubles
    return float(2.0**products * prod(map(float, series)))


def _whole_degree(program: Program) -> float:
    """The degree itself, which grows far more slowly than 2^depth in a program as deep as its bootstraps let
    it be."""
    degrees: dict[int, float] = {}
    for o in program.operations:
        own = [degrees[a] for a in o.args] or [1.0]
        found = max(own)
        if o.action is Action.MUL:
            found = sum(own)
        elif o.action is Action.SQUARE:
            found = 2 * found
        elif o.action is Action.EVAL_CHEBYSHEV:
            found *= len(program.plains[o.plain or 0])
        degrees[o.out] = min(found, _MOST_DEGREE)
    return max(degrees.values())


def variance(program: Program, p: CkksSets, gains: Gains) -> Floats:
    """The variance of each column, before decryption adds its own."""
    return _parts(program, p, gains).evaluated


def whole_variance(program: Program, p: CkksSets, gains: Gains) -> Floats:
    """The mean variance over all slots of each value that outputs lie in, before decryption adds its own."""
    return by_first(p, lambda sets: added(program, sets, gains) @ gains.whole)


def seen_variance(program: Program, p: CkksSets, gains: Gains) -> Floats:
    """The mean variance over all slots that OpenFHE sees when it decrypts, for each value that outputs lie
    in."""
    return by_first(p, lambda sets: added(program, sets, gains) @ gains.seen)


def refusal_bits(program: Program, p: CkksSets, gains: Gains) -> Figure:
    """Bits left until OpenFHE refuses to decrypt because it sees too much noise; infinite for other
    libraries."""
    if not library(p.library).floods:
        return figure(p, inf)
    return refusal_of(program, p, gains, seen_variance(program, p, gains))


def refusal_of(program: Program, p: CkksSets, gains: Gains, seen: Floats) -> Figure:
    """Bits left until OpenFHE refuses to decrypt, for a variance `seen` that is known."""
    encoded = doubles.imaginary(program, degree(program), gains.largest_result)
    return decryption.refusal_bits(program, p, seen, single=gains.reading < 1, encoded=encoded)


class _Parts(NamedTuple):
    """The variances of each column, by where they come from."""

    evaluated: Floats
    decrypted: Floats  # what decryption and decoding add
    alike: Floats  # ... of that: because decryption sees offsets
    encrypted: Floats  # the part of `evaluated` that encryptions brought
    switched: Floats  # the part that key switching brought
    offsets: Floats  # the part of `switched` from means of digits and of divisions, which lie in one copy
    keyed: Floats  # the part of `switched` from digits times key errors
    others: Floats  # the part of all else that is multiplied by the secret
    average: Figure  # the mean of the total over all elements
    seen: Floats  # `seen_variance` of each value
    whole: Floats  # `whole_variance` of each value

    @property
    def total(self) -> Floats:
        return self.evaluated + self.decrypted

    def share(self, part: Floats) -> Floats:
        """The share that a part has in the total."""
        return part / np.maximum(self.total, np.finfo(float).tiny)


def _bend(program: Program, p: CkksSets, gains: Gains, parts: _Parts) -> Floats:
    """What products of noise with noise leave in each column. It is F ((1 + r/k)^k - 1 - r) for a result F
    that is a power k of a value and is off by r F to first order in each of its copies; where r is small,
    this is at most r^2 F / 2. It has one sign in all copies of a short vector, so that the mean over these,
    or over the slots of a single number, does not remove it. Offsets lie in one copy, with all that the mean
    would make of them."""
    found = _apart(program, p, gains, parts)
    return found.bend(gains.sizes, degree(program), decryption.copies(program, p))


def _apart(program: Program, p: CkksSets, gains: Gains, parts: _Parts) -> Apart:
    """The variances of each column in one copy."""
    copies = decryption.copies(program, p)
    of_values = parts.whole[..., gains.value]
    single = gains.reading[gains.value] < 1
    spread = copies * np.where(single, of_values, parts.evaluated)
    return Apart(spread, (_OFFSET_TAIL * copies) ** 2 * parts.offsets)


def _beyond_first(r: Floats, k: float) -> Floats:
    """(1 + r/k)^k - 1 - r, which is what a power k of 1 + r/k has beyond first order."""
    return np.asarray(np.expm1(np.minimum(k * np.log1p(r / k), _HOPELESS)) - np.minimum(r, _HOPELESS))


def _parts(program: Program, p: CkksSets, gains: Gains) -> _Parts:
    found = by_switching(p, lambda part: by_first(part, lambda sets: _brought(program, sets, gains)))
    columns, values = gains.variances.shape[1], gains.seen.shape[1]
    widths = (*[columns] * 6, *[values] * 3, 1)
    evaluated, encrypted, switched, offsets, keyed, others, seen, seen_offsets, of_values, average = (
        found[..., end - width : end] for end, width in zip(accumulate(widths), widths, strict=True)
    )
    read = decryption.read_of_one_copy(program, p, offsets, evaluated - offsets)
    whole, evaluated = evaluated, evaluated - offsets + read
    decoded = doubles.decoding(program, p.library) * gains.squares
    added_noise = decryption.added_variance(program, p, seen)
    decrypted = (added_noise + decoded) * gains.reading
    because = added_noise * gains.reading * (seen_offsets / np.maximum(seen, np.finfo(float).tiny))
    return _Parts(
        evaluated,
        decrypted[..., gains.value],
        because[..., gains.value],
        encrypted,
        switched - offsets + read,
        read,
        keyed,
        others,
        average[..., 0] * _mean_share(gains, evaluated, whole) + decrypted @ gains.shares,
        seen,
        of_values,
    )


def _mean_share(gains: Gains, part: Floats, whole: Floats) -> Figure:
    """The share of the whole that a part of the columns' variances is, by the means over the judged
    elements."""
    of_part, of_whole = (v[..., gains.judged.columns] @ gains.judged.weights for v in (part, whole))
    return np.asarray(of_part / np.maximum(of_whole, np.finfo(float).tiny))


def _brought(program: Program, p: CkksSets, gains: Gains) -> Floats:
    """Everything that is linear in the variances of the sources, side by side. For each column: the variance
    of all noise, of that of encryptions, of key switching, of means, of digits times key errors, and of
    rescaling. For each value: what OpenFHE sees, what it sees of offsets, and the mean over all slots. Last
    comes the mean over all elements."""
    keys = keyed_by_limbs(p)
    brought = _added(program, p, gains, keys)

    def of(*kinds: str, gained: Floats = gains.variances) -> Floats:
        at = np.concatenate([gains.places[kind] for kind in kinds])
        return np.asarray(brought[..., at] @ gained[at])

    parts = (
        brought @ gains.variances,
        of("encrypt"),
        of("key_switch", "digits", "division"),
        of(*OFFSETS),
        (brought * _keyed_shares(p, gains, keys)) @ gains.variances,
        of("rescale", "rescale_product"),
        brought @ gains.seen,
        of(*OFFSETS, gained=gains.seen),
        brought @ gains.whole,
        brought @ (gains.average @ gains.shares)[:, None],
    )
    return np.concatenate(parts, axis=-1)


def _unevenness(program: Program, p: CkksSets, gains: Gains, parts: _Parts) -> Floats:
    """The relative variance, over keys and slots, of each column's own variance. It is 1 where all noise is
    multiplied by one slot of the secret, and less, the more slots have a part in it. The noise of encryptions
    is multiplied by two polynomials: the secret, and the error in the public key. That of key switching is
    multiplied by an error for each digit. The noise that decryption adds because it sees offsets is
    multiplied by what one key makes of these."""
    copies = decryption.copies(program, p)
    of_secret, of_key, switching_digits = _of_switching(p)
    encrypted = parts.share(parts.encrypted)
    others = parts.share(parts.switched - parts.keyed + parts.others)
    own = of_secret * encrypted
    secret = own**2 / gains.mixed_fresh + others**2 / gains.mixed + 2 * own * others * gains.met
    key = (of_key * encrypted) ** 2 / gains.mixed_fresh
    keys = parts.share(parts.keyed) ** 2 / (gains.mixed * gains.switches * switching_digits)
    uneven = (secret + key + keys) / copies + parts.share(parts.alike) ** 2 * MEAN_SHARE
    return np.asarray(np.maximum(uneven, 1e-9))


def _of_switching(p: CkksSets) -> Sequence[Floats]:
    """Three columns: the shares of the secret and of the public key in an encryption, and the number of
    digits."""

    def of(part: CkksSets) -> Floats:
        return np.stack([figure(part, of) for of in (*encryption_shares(part), digits(part))], axis=-1)

    return [found[..., None] for found in np.moveaxis(by_switching(p, of), -1, 0)]


def _keyed_shares(p: CkksSets, gains: Gains, keys: AddedNoise) -> Floats:
    """The share of what each source brings that is digits times key errors."""
    shares: Floats = (keys.spread / with_division(p, keys).spread)[..., _limbs(p, gains)]
    found = np.zeros_like(shares)
    found[..., gains.places["key_switch"]] = shares[..., gains.places["key_switch"]]
    found[..., gains.places["digits"]] = 1.0
    return found


def _limbs(p: CkksSets, gains: Gains) -> NDArray[np.int64]:
    """For each source, the place of its key switching in figures that are listed by limbs."""
    return switched_limbs(p, gains.levels) - 1


def _independent(gains: Gains, parts: _Parts) -> Floats:
    """The number of independent elements that the noise of each column's value amounts to."""
    switched = parts.share(parts.switched)
    correlation = (1 - switched) * gains.shared[0] + switched * gains.shared[1]
    return np.asarray(gains.company / (1 + (gains.company - 1) * correlation**2))


def added(program: Program, p: CkksSets, gains: Gains) -> Floats:
    """The variance, in a slot's real part, of the noise that each source brings, as it is read: in the mean
    of all copies."""
    return _added(program, p, gains, keyed_by_limbs(p))


def _added(program: Program, p: CkksSets, gains: Gains, keys: AddedNoise) -> Floats:
    half = decryption.read_coefficients(program) / 2
    found = _coefficients(p, gains, keys) * by_ladder(p, lambda sets: half / _scales(sets, gains) ** 2)
    found[..., gains.places["doubles"]] = doubles.encoding(program, p.library)
    return found


def _coefficients(p: CkksSets, gains: Gains, keys: AddedNoise) -> Floats:
    """The variance, in a coefficient, of the noise that each source brings."""
    limbs, places = _limbs(p, gains), gains.places
    found: Floats = with_division(p, keys).spread[..., limbs]
    found[..., places["digits"]] = keys.offset[..., limbs[places["digits"]]]
    others = {
        "encrypt": column(fresh(p) + UNIFORM),
        "rescale": rounding(p),
        "rescale_product": rounding(p, size=3),
        "division": division(p, variant(p).mod_down, len(p.p)).offset,
        "encoding": UNIFORM,
        "bootstrap": _refreshing(p, gains.other[places["bootstrap"], 0]),
    }
    for kind, amount in others.items():
        found[..., places[kind]] = amount
    return found


def _refreshing(p: CkksSets, levels: NDArray[np.int64]) -> Floats:
    """The variance that a bootstrap of an operand of each level adds to a coefficient; 0 for sets that have
    none."""
    if not isinstance(p, CkksParameters) or not p.bootstrap:
        return np.zeros(len(levels))
    return np.array([bootstrap.variance(p, int(level)) for level in levels])


def _scales(p: CkksSets, gains: Gains) -> Floats:
    """The scale that a coefficient is compared with: that of the result, or that of what is encoded."""
    encoded, found = gains.places["encoding"], all_in_numbers(gains.own, p)
    found[..., encoded] = scale_encoded(p, gains.own[encoded], gains.other[encoded])
    return found


def scale_encoded(p: CkksSets, own: NDArray[np.int64], other: NDArray[np.int64]) -> Floats:
    """The scale at which plain vectors are encoded. They multiply operands of the scales `other` to results
    of the scales `own`; where `other` is (0, 0), they are added to such results. A factor is rounded at the
    scale that takes the operand's scale to the product's. A summand is rounded at the operand's scale;
    OpenFHE rounds one of degree 2 at the scale of degree 1 and then multiplies it by this scale
    (`Encode`)."""
    if library(p.library).encodes_at_degree_one:
        return all_in_numbers(np.stack([own[:, 0], np.ones_like(own[:, 1])], axis=1), p)
    return all_in_numbers(own, p) / all_in_numbers(other, p)


def drift(p: CkksSets, gains: Gains) -> Floats:
    """The error of each column that every encryption has alike, to first order: from factors that are rounded
    to integers, and from techniques that divide by a prime and call it the scale."""
    total = _of_factors(p, gains) @ gains.factors
    if p.technique in FIXED:
        total = total + drift_to(p, np.array(gains.drift_levels, dtype=np.int64)) @ gains.drifts
    return np.asarray(total)


def drift_to(p: CkksSets, levels: NDArray[np.int64]) -> Floats:
    """The relative error of dividing by a prime and calling it the scale, for a division down to each of
    these levels."""
    return np.asarray(column(p.scales[0]) / along(p.q)[..., levels + 1] - 1)


def _of_factors(p: CkksSets, gains: Gains) -> Floats:
    scaled = gains.numbers * (all_in_numbers(gains.products, p) / all_in_numbers(gains.operands, p))
    return np.asarray(whole_number(p, scaled) / scaled - 1)


def whole_number(p: CkksSets, scaled: Floats) -> Floats:
    """The integer round(c S) that a number c is multiplied in as, where S is the scale that it is encoded at
    and `scaled` is c S. It is rounded in the library's way (`Variant.whole`)."""
    return np.trunc(scaled + 0.5) if variant(p).truncated_numbers else np.rint(scaled)
