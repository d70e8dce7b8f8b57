"""Security bits from a table of what `estimator.py` says, so that a search reads and never estimates.

The table (`data/security.json`, made by `tabulation.py`) has one line for each problem, secret, attacker and
ring n = 2^10 ... 2^17. A line runs through many values of log2 q, from some 300 bits down. It falls with log2
q by construction, and runs below the estimator's figures, which are stairs of 0.3 bit. From 80 bits on it
lies at most half a bit below them. It seldom lies above them, by a tenth of a bit at most, and for NTRU keys
at 250 bits by a sixth. Other rings and secrets are estimated when they are asked for.

Sparse secrets have lines for some weights from 32 on, and for n / 2. Between two weights bits are linear in
the weight, which is below the estimator's figures, because each further non-zero adds less than the one
before: by a bit and a half at most. Lighter secrets are estimated.

`allowed_log_q` says which rule decides. Where the Guidelines of 2024 have a row, that row decides; elsewhere
(other rings and levels, sparse secrets, NTRU) the estimator's figure does.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from types import MappingProxyType
from typing import overload

import numpy as np
from numpy.typing import ArrayLike

from fheasible.aliases import Floats
from fheasible.errors import UnknownName
from fheasible.security.attacks.lwe import secret_named
from fheasible.security.attacks.reduction import DEFAULT, DEFAULT_QUANTUM
from fheasible.security.ntru import fatigue_log_q, key_variance
from fheasible.security.tables import GUIDELINES_2024, SIGMA, USUAL_SIGMA, max_log_q

RLWE, NTRU = "rlwe", "ntru"
PROBLEMS = (RLWE, NTRU)
RINGS = tuple(1 << log_n for log_n in range(10, 18))
FLAT = 1.0  # the most bits by which the estimator's figures fall beyond the end of a line
_PARTS, _ROUNDS = 8, 5  # a limit's span of n / 8 is cut into 8 parts five times: n / 2^18 is left
_FAR = 1 / 8  # share of n: no ring is asked for a larger log2 q, at the table's errors


@dataclass(frozen=True, slots=True)
class LookupCase:
    """The problem, the secret and the attacker that lines of the table are for."""

    problem: str
    secret: str
    quantum: bool

    @property
    def name(self) -> str:
        return f"{self.problem} {self.secret} {'quantum' if self.quantum else 'classical'}"


@dataclass(frozen=True, slots=True, eq=False)
class BitsByModulus:
    """Bits at values of log2 q in geometric progression; between them bits are linear in 1 / log2 q."""

    log_q: Floats
    bits: Floats

    @staticmethod
    def between(first: float, last: float, bits: ArrayLike) -> "BitsByModulus":
        """The line whose bits stand at values of log2 q from `first` to `last`."""
        heights = np.asarray(bits, dtype=np.float64)
        return BitsByModulus(np.geomspace(first, last, len(heights)), heights)

    def at(self, log_q: Floats) -> Floats:
        """The bits at each log2 q.

        Below the first value of the line they are those of the first value: higher figures are not told
        apart. Beyond the last value they are `FLAT` less than at the last: the estimator's figures fall no
        further.
        """
        found = np.interp(1 / log_q, 1 / self.log_q[::-1], self.bits[::-1])
        return np.where(log_q > self.log_q[-1], np.maximum(self.bits[-1] - FLAT, 0.0), found)


@overload
def security_bits(
    n: int, log_q: float, secret: str = ..., sigma: float = ..., quantum: bool = ..., problem: str = ...
) -> float: ...
@overload
def security_bits(
    n: ArrayLike, log_q: ArrayLike, secret: str = ..., sigma: ArrayLike = ..., quantum: bool = ...,
    problem: str = ...,
) -> Floats: ...  # fmt: skip
def security_bits(
    n: ArrayLike,
    log_q: ArrayLike,
    secret: str = "ternary",
    sigma: ArrayLike = SIGMA,
    quantum: bool = False,
    problem: str = RLWE,
) -> float | Floats:
    """Bits of security of RLWE or of an NTRU key, of the broadcast shape; log2 q is that of the whole QP.

    The cost model is the default one for classical or for quantum attackers. Where the secret is not as wide
    as the error, the hardness depends on q / sigma alone, so that other errors are converted to the table's.
    Raises UnknownName for another problem or secret, and InfeasibleParameters for what is not such a problem.
    """
    case = LookupCase(known_problem(problem), str(secret_named(secret)), quantum)
    rings, moduli, widths = np.broadcast_arrays(*(np.asarray(v, dtype=np.float64) for v in (n, log_q, sigma)))
    found = _tabulated(case, rings.ravel(), moduli.ravel(), widths.ravel())
    missing = np.isnan(found)
    if missing.any():
        asked = (rings.ravel()[missing], moduli.ravel()[missing], widths.ravel()[missing])
        found[missing] = estimated(case, *asked)
    return found.reshape(rings.shape) if rings.ndim else float(found[0])


def allowed_log_q(
    n: int, secret: str, level: int, quantum: bool = False, sigma: float = SIGMA, problem: str = RLWE
) -> float:
    """The largest log2 QP that may be recommended for `level` bits; 0 where no modulus has them.

    This is the limit of the Guidelines where they have one, and otherwise the log2 QP at which the
    estimator's figure reaches the level. For NTRU it is never beyond the fatigue point. Errors wider than the
    usual ones may be allowed more than the Guidelines' limit, which is for the usual width.
    """
    tabled = _tabled(n, secret, level, quantum, sigma, problem)
    if tabled is not None and sigma <= USUAL_SIGMA:
        return tabled
    case = LookupCase(known_problem(problem), str(secret_named(secret)), quantum)
    limit = max(_estimated_limit(case, n, level, sigma), tabled or 0.0)
    return min(limit, _fatigue(n, secret)) if problem == NTRU else limit


def smallest_ring(
    log_q: float, secret: str, level: int, quantum: bool = False, sigma: float = SIGMA, problem: str = RLWE
) -> int | None:
    """The least n = 2^10 ... 2^17 that is allowed log2 QP = log_q; None where no ring is."""
    rings = [n for n in RINGS if n >= (secret_named(secret).weight or 0)]
    bits = security_bits(rings, log_q, secret, sigma, quantum, problem)
    for n, found in zip(rings, bits.tolist(), strict=True):
        limit = _tabled(n, secret, level, quantum, sigma, problem)
        stretched = problem == NTRU and log_q >= _fatigue(n, secret)
        if limit is not None and log_q <= limit:
            return n
        if (limit is None or sigma > USUAL_SIGMA) and found >= level and not stretched:
            return n
    return None


def _tabled(n: int, secret: str, level: int, quantum: bool, sigma: float, problem: str) -> float | None:
    """The Guidelines' limit; None where they have no row."""
    if problem != RLWE or sigma < SIGMA:
        return None
    return max_log_q(GUIDELINES_2024, n, secret, level, quantum)


def _fatigue(n: int, secret: str) -> float:
    return float(fatigue_log_q(n, key_variance(secret, n)))


def estimated(case: LookupCase, n: Floats, log_q: Floats, sigma: ArrayLike = SIGMA) -> Floats:
    """The figures that the table is made of, from the estimator itself."""
    from fheasible.security.attacks.ntru import estimate_key  # here, since most calls need only the table
    from fheasible.security.estimator import estimate

    model = DEFAULT_QUANTUM if case.quantum else DEFAULT
    ask = estimate_key if case.problem == NTRU else estimate
    return ask(n, log_q, case.secret, sigma, model).bits


def _tabulated(case: LookupCase, n: Floats, log_q: Floats, sigma: Floats) -> Floats:
    """The table's bits for each set; NaN where the table does not cover the set."""
    found = np.full(n.shape, np.nan)
    for ring in sorted(set(n.tolist())):
        read = _reader(case, ring)
        if read is not None:
            here = np.flatnonzero((n == ring) & (log_q > 0) & (sigma > 0))
            carried, fits = _carried(case, log_q[here], sigma[here])
            here = here[fits]
            found[here] = read(carried[fits])
    return found


def _reader(case: LookupCase, ring: float) -> Callable[[Floats], Floats] | None:
    """The table's bits of a case in a ring, as a function of log2 q; None where the table has none."""
    weight = secret_named(case.secret).weight
    if weight is not None:
        return _weighted(case, ring, weight)
    line = _lines(case).get(ring)
    return None if line is None else line.at


def _weighted(case: LookupCase, ring: float, weight: int) -> Callable[[Floats], Floats] | None:
    """The same for a sparse secret, from the lines of the tabulated weights around its own.

    The lines of heavier secrets are an upper bound, so that bits rise with the weight.
    """
    lines = _by_weight(case.quantum, ring) if case.problem == RLWE else {}
    weights = [known for known in lines if known <= weight][-1:] + [
        known for known in lines if known > weight
    ]
    if not weights or not min(lines) <= weight <= max(lines):
        return None
    share = 0.0 if weights[0] == weight else (weight - weights[0]) / (weights[1] - weights[0])

    def read(log_q: Floats) -> Floats:
        heights = np.minimum.accumulate([lines[known].at(log_q) for known in reversed(weights)])[::-1]
        return np.asarray(heights[0] + share * (heights[1] - heights[0]) if share else heights[0])

    return read


@cache
def _by_weight(quantum: bool, ring: float) -> Mapping[int, BitsByModulus]:
    """The lines of a ring for secrets of fixed weight, the lightest first.

    The last one is that of uniform ternary secrets, which are as hard as a fixed weight of two thirds.
    """
    found = {}
    for name, rows in _table().items():
        problem, secret, attacker = name.split()
        weight, row = secret_named(secret).weight, rows.get(str(int(ring)))
        if problem == RLWE and (attacker == "quantum") == quantum and weight is not None and row:
            found[weight] = BitsByModulus.between(*row)
    if found:
        found[round(2 * ring / 3)] = _lines(LookupCase(RLWE, "ternary", quantum))[ring]
    return MappingProxyType(dict(sorted(found.items())))


def _carried(case: LookupCase, log_q: Floats, sigma: Floats) -> tuple[Floats, "np.ndarray"]:
    """(log2 q of an equally hard set with the table's sigma; where there is such a set).

    A Gaussian secret narrows with the error. Below the table's sigma, its set is therefore easier than the
    converted one, and is left to the estimator.
    """
    if case.problem == NTRU:  # keys are narrower than errors: sigma does not matter
        return log_q, sigma >= SIGMA if case.secret == "gaussian" else sigma >= 1
    carried = log_q - np.log2(sigma / SIGMA)
    fits = carried > 0
    return np.maximum(carried, 1e-9), fits & (sigma >= SIGMA) if case.secret == "gaussian" else fits


@lru_cache(maxsize=4096)
def _estimated_limit(case: LookupCase, n: int, level: int, sigma: float) -> float:
    """The log2 q beyond which `security_bits` falls below the level."""
    low, high = 0.0, _FAR * n + max(np.log2(sigma / SIGMA), 0.0)
    for _ in range(_ROUNDS):
        tried = np.linspace(low, high, _PARTS + 1)
        bits = security_bits(n, tried[1:], case.secret, sigma, case.quantum, case.problem)
        last = int(np.argmin(np.append(bits >= level, False)))  # `tried[last]` still has enough
        low, high = float(tried[last]), float(tried[min(last + 1, _PARTS)])
    return low


@cache
def _lines(case: LookupCase) -> Mapping[float, BitsByModulus]:
    """The lines of a case by ring dimension; empty where the table does not cover the case."""
    rows = _table().get(case.name, {})
    return MappingProxyType({float(n): BitsByModulus.between(*row) for n, row in rows.items()})


@cache
def _table() -> Mapping[str, Mapping[str, tuple[float, float, list[float]]]]:
    """The lines by case and ring: both ends of the values of log2 q, and the bits at the values."""
    text = (files("fheasible.security") / "data" / "security.json").read_text(encoding="utf-8")
    lines: Mapping[str, Mapping[str, tuple[float, float, list[float]]]] = json.loads(text)["lines"]
    return lines


def known_problem(problem: str) -> str:
    if problem not in PROBLEMS:
        raise UnknownName(f"there is no estimate for a problem '{problem}'", f"use {' or '.join(PROBLEMS)}")
    return problem
