"""What today's estimates say of a ring scheme's parameters, in one place.

RLWE is judged by the Guidelines of [Bossuat24] where they have a row, and by the estimator's figure
elsewhere. NTRU is judged by the attacks on its keys (`attacks/ntru.py`), on either side of its fatigue point.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fheasible.errors import UnknownName
from fheasible.security.asked import AskedSecurity
from fheasible.security.attacks.lwe import secret_named
from fheasible.security.lookup import NTRU, RINGS, RLWE, known_problem, security_bits
from fheasible.security.ntru import key_variance, overstretched
from fheasible.security.tables import GUIDELINES_2024, LEVELS, SIGMA, STANDARD, USUAL_SIGMA, max_log_q
from fheasible.units import power_of_two

NARROWEST = 1.0  # narrower errors are open to algebraic attacks, which no figure here prices


@dataclass(frozen=True, slots=True)
class Verdict:
    """Today's estimate for one parameter set.

    `bits` is the default estimate's figure; it is None for a secret or errors that nobody estimates.
    `standard_bits` is the highest level of the Guidelines that allows the set; it is None below 128, where
    they have no row, and for NTRU, which they do not treat. `levels` are those for which they have a row.
    """

    bits: float | None
    standard_bits: int | None
    levels: tuple[int, ...]
    overstretched: bool
    warnings: tuple[str, ...]

    def reaches(self, bits: float) -> bool:
        """Whether the set may be recommended for so many bits, which overstretched NTRU never may."""
        if bits in self.levels:
            return (self.standard_bits or 0) >= bits
        return self.bits is not None and self.bits >= bits and not self.overstretched


@dataclass(frozen=True, slots=True, eq=False)
class VerdictColumns:
    """The verdicts on many sets, without warnings: `bits` is NaN where a Verdict has None.

    `standard_bits` is 0 where a Verdict has None. `levels` has a row for each set and a column for each of
    LEVELS, with True where the Guidelines have a row.
    """

    bits: NDArray[np.float64]
    standard_bits: NDArray[np.int64]
    levels: NDArray[np.bool_]
    overstretched: NDArray[np.bool_]

    def reaches(self, bits: float) -> NDArray[np.bool_]:
        """Where a set may be recommended for so many bits, which overstretched NTRU never may."""
        enough = (self.bits >= bits) & ~self.overstretched  # False for NaN
        if bits not in LEVELS:
            return np.asarray(enough)
        tabled = self.levels[..., LEVELS.index(int(bits))]
        return np.where(tabled, self.standard_bits >= bits, enough)


def verdict(
    problem: str,
    n: int,
    log_q: float,
    secret: str = "ternary",
    quantum: bool = False,
    sigma: float = SIGMA,
    bits: float | None = None,
) -> Verdict:
    """Today's estimate for `problem` ("rlwe" or "ntru") at ring degree n >= 1, with every reason for caution.

    A warning names the figures and the remedy. `bits` is another estimate's figure, to be judged in place of
    the default one. Raises UnknownName for another problem.
    """
    many = verdicts(problem, n, log_q, secret, quantum, sigma)
    if np.isnan(many.bits):
        bits = None  # nobody estimates it
    elif bits is None:
        bits = float(many.bits)
    levels = tuple(level for level, tabled in zip(LEVELS, many.levels.tolist(), strict=True) if tabled)
    standard = int(many.standard_bits) or None
    found = Verdict(bits, standard, levels, bool(many.overstretched), ())
    given = AskedSecurity(problem, n, log_q, secret, sigma, quantum)
    return replace(found, warnings=_warnings(given, found))


def verdicts(
    problem: str,
    n: ArrayLike,
    log_q: ArrayLike,
    secret: str = "ternary",
    quantum: bool = False,
    sigma: ArrayLike = SIGMA,
) -> VerdictColumns:
    """The verdicts on many sets; n, log_q and sigma broadcast against each other.

    Each distinct set is judged once, because a sweep repeats it for every value of its other parameters.
    """
    known_problem(problem)
    given = np.broadcast_arrays(*(np.asarray(v, dtype=np.float64) for v in (n, log_q, sigma)))
    sets, where = np.unique(np.stack([v.ravel() for v in given]), axis=1, return_inverse=True)
    shape, where = given[0].shape, where.ravel()
    rings, moduli, widths = sets
    bits = _bits(problem, rings, moduli, widths, secret, quantum)
    standard, levels = _levels(problem, rings, moduli, widths, secret, quantum)
    broken = np.zeros(shape, dtype=np.bool_)
    if problem == NTRU:
        broken = overstretched(given[0], given[1], key_variance(secret, given[0]))
    return VerdictColumns(
        bits[where].reshape(shape),
        standard[where].reshape(shape),
        levels[where].reshape(*shape, len(LEVELS)),
        broken,
    )


def _bits(
    problem: str,
    n: NDArray[np.float64],
    log_q: NDArray[np.float64],
    sigma: NDArray[np.float64],
    secret: str,
    quantum: bool,
) -> NDArray[np.float64]:
    bits, known = np.full(n.shape, np.nan), sigma >= NARROWEST
    if _estimated(secret) and known.any():
        bits[known] = security_bits(n[known], log_q[known], secret, sigma[known], quantum, problem)
    return bits


def _levels(
    problem: str,
    n: NDArray[np.float64],
    log_q: NDArray[np.float64],
    sigma: NDArray[np.float64],
    secret: str,
    quantum: bool,
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """(the Guidelines' highest level that allows each set, 0 below; for which levels they have a row).

    A limit for errors of the usual width also holds for wider errors. Where a set with wider errors exceeds
    it, it says nothing about that set, which then counts as having no row.
    """
    standard = np.zeros(n.shape, dtype=np.int64)
    tabled = np.zeros((*n.shape, len(LEVELS)), dtype=np.bool_)
    if problem != RLWE:
        return standard, tabled
    for ring in np.unique(n):
        here = (n == ring) & (sigma >= SIGMA)
        for i, level in enumerate(LEVELS):
            limit = max_log_q(GUIDELINES_2024, int(ring), secret, level, quantum)
            if limit is not None:
                tabled[here, i] = (log_q <= limit)[here] | (sigma <= USUAL_SIGMA)[here]
                standard[here & (log_q <= limit)] = level
    return standard, tabled


def _estimated(secret: str) -> bool:
    try:
        secret_named(secret)
    except UnknownName:
        return False
    return True


def _warnings(given: AskedSecurity, found: Verdict) -> tuple[str, ...]:
    if found.bits is None:
        return (_unknown(given),)
    if found.overstretched:
        return (_overstretched(given, found.bits),)
    said = [] if found.levels else [_untabled(given)]
    if not found.reaches(STANDARD):
        said.append(_too_small(given, found.bits, STANDARD))
    return tuple(said)


def shortfall(given: AskedSecurity, level: int) -> str:
    """Why the set has less than `level` bits, or less than `STANDARD`; empty where it reaches both."""
    least = max(level, STANDARD)
    if given.log_q <= given.allowed(least):
        return ""
    found = verdict(given.problem, given.n, given.log_q, given.secret, given.quantum, given.sigma)
    return _unknown(given) if found.bits is None else _too_small(given, found.bits, least)


def _unknown(given: AskedSecurity) -> str:
    if given.sigma < NARROWEST:
        return (
            f"errors of width {given.sigma:g} < {NARROWEST:g} allow algebraic attacks, which are not "
            "estimated here: take the usual 3.2"
        )
    return f"there is no estimate for a secret '{given.secret}': take a ternary or a Gaussian one"


def _untabled(given: AskedSecurity) -> str:
    """Why the Guidelines do not judge the set."""
    if given.problem == NTRU:
        what = f"NTRU (here below {_fatigue(given)})"
    elif given.sigma < SIGMA:
        what = f"errors of width {given.sigma:g} < {SIGMA}"
    elif given.n not in RINGS:
        what = f"n = {power_of_two(given.n)}"
    elif given.sigma > USUAL_SIGMA and max_log_q(
        GUIDELINES_2024, given.n, given.secret, STANDARD, given.quantum
    ):
        what = f"errors of width {given.sigma:g} with so large a modulus"
    else:
        what = f"a secret '{given.secret}'"
    return f"the Security Guidelines 2024 have no row for {what}, so that only the estimate counts"


def _overstretched(given: AskedSecurity, bits: float) -> str:
    return (
        f"NTRU is overstretched at {given}: beyond {_fatigue(given)}, attacks on its dense sublattice are "
        f"cheaper than those on RLWE and leave about {int(bits)} bits; take a scheme based on RLWE, such "
        "as FV"
    )


def _fatigue(given: AskedSecurity) -> str:
    return f"the fatigue point log2 q = {given.fatigue:.1f} (Ducas and van Woerden 2021)"


def _too_small(given: AskedSecurity, bits: float, level: int) -> str:
    attacker = " against quantum attackers" if given.quantum else ""
    rule = "the estimate allows" if given.limit(level) is None else "the Security Guidelines 2024 allow"
    limit = floored(given.allowed(level))
    allowed = f"at most log2 q = {limit:g}" if limit >= 1 else "no modulus"
    return (
        f"{given} gives about {int(bits)} bits{attacker}; for {level} bits, {rule} {allowed} at this n:"
        f" {_remedy(given, level)}"
    )


def floored(bits: float) -> float:
    """The number rounded down to a tenth."""
    return float(np.floor(bits * 10) / 10)


def _remedy(given: AskedSecurity, level: int) -> str:
    ring = given.ring(level)
    if ring is None:
        return f"no ring up to {power_of_two(RINGS[-1])} is large enough"
    return f"take n >= {power_of_two(ring)}"
