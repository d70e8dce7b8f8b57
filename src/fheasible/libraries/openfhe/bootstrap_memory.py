"""The memory of OpenFHE's bootstrap, in limbs of 8n bytes: the matrices that it keeps, and what it works in.

Both follow the wheel 1.6.1 (`refresh`). They were compared with its resident set for rings of 2^12 to 2^14,
with full and few slots.
"""

from collections.abc import Iterator
from math import ceil, log2

from fheasible.libraries.openfhe.refresh import method
from fheasible.libraries.refreshing import Refreshing
from fheasible.schemes.rns.bootstrap.factors import Factor, decoding, encoding
from fheasible.schemes.rns.bootstrap.tables import levels, plain_limbs

_EPHEMERAL_LIMBS = 2 * 3  # of the key to the sparse secret
_LINEAR = 9  # polynomials over QP beside the baby steps: three digits, a sum, a product and a result
_KEPT = 5  # polynomials over Q: the value, a copy of it and a first part of the result
_SERIES = 10  # polynomials of one product in a series, beside its powers and digits


def plaintexts(of: Refreshing) -> float:
    """The limbs of the matrices: each diagonal over QP, and as complex numbers of both halves of a vector."""
    own, how = of.procedure, method(of.procedure)
    numbers = sum(factor.diagonals * 2 * factor.length for factor, _ in _factors(of)) / of.n
    return plain_limbs(own, of.n, how, of.limbs - 1, of.special) + numbers


def peak(of: Refreshing) -> int:
    """The most limbs alive during a bootstrap, beside the value that is bootstrapped."""
    kept = (2 + 2 * (of.procedure.iterations > 1)) * of.limbs
    linear = max(
        (2 * len(factor.babies) + _LINEAR) * (limbs + of.special) + _KEPT * limbs
        for factor, limbs in _factors(of)
    )
    return kept + max(linear, _series(of))


def shorter(of: Refreshing) -> int:
    """By how many limbs the key to the sparse secret is shorter than other keys; 0 where there is none."""
    if of.procedure.ephemeral is None:
        return 0
    return 2 * of.digits * (of.limbs + of.special) - _EPHEMERAL_LIMBS


def _series(of: Refreshing) -> int:
    """The limbs of a series' powers and of its largest product; with all slots there is a second value."""
    limbs = 1 + levels(of.procedure, method(of.procedure), of.limbs - 1).reduce
    powers = ceil(2 * log2(of.procedure.reduction.degree))
    others = 2 * limbs * (of.procedure.slots == of.n // 2)
    return (2 * powers + _SERIES) * limbs + of.digits * (limbs + of.special) + others


def _factors(of: Refreshing) -> Iterator[tuple[Factor, int]]:
    """Each factor of both transforms, with the limbs that it works on."""
    own, how = of.procedure, method(of.procedure)
    at = levels(own, how, of.limbs - 1)
    for first, made in ((at.encode, encoding(own, of.n, how)), (at.decode, decoding(own, of.n, how))):
        for number, factor in enumerate(made):
            yield factor, first + 1 - number
