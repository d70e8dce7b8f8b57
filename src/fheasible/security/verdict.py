"""What today's estimates say of a ring scheme's parameters, in one place.

RLWE is judged by the Guidelines of [Bossuat24], NTRU by them up to its fatigue point and by nothing beyond.
The tables' errors have the standard deviation 3.19; narrower ones are easier to attack, and have no figure.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fheasible.errors import UnknownName
from fheasible.security.ntru import fatigue_log_q, key_variance, overstretched
from fheasible.security.tables import (
    GUIDELINES_2024,
    SIGMA,
    max_log_q,
    min_ring_dimension,
    security_bits,
    standard_bits,
)
from fheasible.units import power_of_two

PROBLEMS = ("rlwe", "ntru")
STANDARD = 128  # bits below which a ring is called too small
_ROWS = tuple(1 << log_n for log_n in range(10, 18))  # the Guidelines' ring dimensions


@dataclass(frozen=True, slots=True)
class Verdict:
    """Today's estimate for one parameter set.

    `bits` is None where there is no honest figure: overstretched NTRU, a secret or errors without limits.
    Between the Guidelines' levels 128 ... 256 it is interpolated, outside them continued: a first estimate.
    For NTRU it is RLWE's, an upper bound. `standard_bits` is the highest level of the Guidelines that allows
    the set; None below 128, where they have no row, and for NTRU, which they do not treat.
    """

    bits: float | None
    standard_bits: int | None
    overstretched: bool
    warnings: tuple[str, ...]

    def reaches(self, bits: float) -> bool:
        """Whether the set may be recommended to somebody who wants so many bits."""
        return self.bits is not None and self.bits >= bits


@dataclass(frozen=True, slots=True, eq=False)
class Verdicts:
    """Verdicts of many sets, without warnings: `bits` is NaN where a Verdict has None."""

    bits: NDArray[np.float64]
    overstretched: NDArray[np.bool_]

    def reaches(self, bits: float) -> NDArray[np.bool_]:
        """Where a set may be recommended to somebody who wants so many bits."""
        return np.asarray(self.bits >= bits)  # False for NaN


@dataclass(frozen=True, slots=True)
class _Set:
    problem: str
    n: int
    log_q: float
    secret: str
    quantum: bool
    sigma: float

    def __str__(self) -> str:
        return f"n = {power_of_two(self.n)}, log2 q = {self.log_q:g}"


def verdict(
    problem: str,
    n: int,
    log_q: float,
    secret: str = "ternary",
    quantum: bool = False,
    sigma: float = SIGMA,
) -> Verdict:
    """Today's estimate for `problem` ("rlwe" or "ntru") at ring degree n >= 1, with every reason for caution.

    A warning names the figures and the remedy. UnknownName for another problem.
    """
    _check(problem)
    broken = problem == "ntru" and bool(overstretched(n, log_q, key_variance(secret)))
    wide = sigma >= SIGMA
    known = not broken and wide and _treated(secret, quantum)
    bits = security_bits(n, log_q, secret, quantum) if known else None
    standard = standard_bits(n, log_q, secret, quantum=quantum) if problem == "rlwe" and wide else None
    given = _Set(problem, n, log_q, secret, quantum, sigma)
    return Verdict(bits, standard, broken, _warnings(given, bits, broken))


def verdicts(
    problem: str,
    n: ArrayLike,
    log_q: ArrayLike,
    secret: str = "ternary",
    quantum: bool = False,
    sigma: ArrayLike = SIGMA,
) -> Verdicts:
    """What `verdict` says of each set; n, log_q and sigma broadcast against each other.

    Each distinct (n, log_q) is judged once: a sweep repeats them for every value of its other parameters.
    """
    _check(problem)
    degrees, moduli, widths = np.broadcast_arrays(
        np.asarray(n, dtype=np.int64), np.asarray(log_q, dtype=np.float64), np.asarray(sigma)
    )
    broken = np.zeros(degrees.shape, dtype=np.bool_)
    if problem == "ntru":
        broken = overstretched(degrees, moduli, key_variance(secret))
    bits = np.full(degrees.shape, np.nan)
    if _treated(secret, quantum):
        known = ~broken & (widths >= SIGMA)
        bits[known] = _bits(degrees[known], moduli[known], secret, quantum)
    return Verdicts(bits, broken)


def _bits(
    n: NDArray[np.int64], log_q: NDArray[np.float64], secret: str, quantum: bool
) -> NDArray[np.float64]:
    pairs, where = np.unique(n + 1j * log_q, return_inverse=True)  # sorts complex numbers as it does pairs
    known = [security_bits(int(pair.real), pair.imag, secret, quantum) for pair in pairs.tolist()]
    return np.array(known, dtype=np.float64)[where]


def _check(problem: str) -> None:
    if problem not in PROBLEMS:
        raise UnknownName(f"no estimate for a problem '{problem}'", f"use {' or '.join(PROBLEMS)}")


def _treated(secret: str, quantum: bool) -> bool:
    return max_log_q(GUIDELINES_2024, _ROWS[-1], secret, STANDARD, quantum) is not None


def _warnings(given: _Set, bits: float | None, broken: bool) -> tuple[str, ...]:
    if broken:
        return (_overstretched(given),)
    if given.sigma < SIGMA:
        return (f"no published limit treats errors of width {given.sigma:g} < {SIGMA}: take the usual 3.2",)
    if bits is None:
        return (f"no published limit treats a secret '{given.secret}': take a ternary or a Gaussian one",)
    found = [_upper_bound(given)] if given.problem == "ntru" else []
    if given.n not in _ROWS:
        found.append(f"the Security Guidelines 2024 have no row n = {power_of_two(given.n)}: carried over")
    if bits < STANDARD:
        found.append(_too_small(given, bits))
    return tuple(found)


def _overstretched(given: _Set) -> str:
    return (
        f"NTRU is overstretched at {given}: beyond {_fatigue(given)} attacks on its dense sublattice undercut"
        " what RLWE would give, so that no figure is honest; take a scheme on RLWE, such as FV"
    )


def _upper_bound(given: _Set) -> str:
    return f"NTRU below {_fatigue(given)} is given the figure of RLWE, an upper bound"


def _fatigue(given: _Set) -> str:
    point = fatigue_log_q(given.n, key_variance(given.secret))
    return f"the fatigue point log2 q = {point:.1f} (Ducas and van Woerden 2021)"


def _too_small(given: _Set, bits: float) -> str:
    limit = max_log_q(GUIDELINES_2024, given.n, given.secret, STANDARD, given.quantum)
    enough = min_ring_dimension(GUIDELINES_2024, given.log_q, given.secret, STANDARD, given.quantum)
    attacker = " against quantum attackers" if given.quantum else ""
    allowed = "no modulus" if limit is None else f"at most log2 q = {limit:g}"
    remedy = (
        f"take n >= {power_of_two(enough)}" if enough else f"no ring up to {power_of_two(_ROWS[-1])} suffices"
    )
    return (
        f"{given} gives about {int(bits)} bits{attacker}; for {STANDARD} bits the Security Guidelines 2024"
        f" allow {allowed} at this n: {remedy}"
    )
