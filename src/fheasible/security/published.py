"""The rule of 2017 by which the authors of PAnTHErS chose a ring: it is history, and not today's security.

Limits on log2 q for n = 2^9 ... 2^12 at 80 and 128 bits are those of their published code [FerLL18,
parameterschoice.sage], after [MigBonFon17]. Beyond the last row that code takes n = 2^13 whatever q is; here
the table ends, and nothing continues it. The rule treats RLWE and NTRU alike, so it passes sets that the
fatigue point (`ntru.py`) shows to be broken. Today's judgement is `verdict.py`.
"""

from collections.abc import Mapping
from types import MappingProxyType

from fheasible.errors import InfeasibleParameters

YEAR = 2017
LIMITS: Mapping[int, tuple[int, ...]] = MappingProxyType({80: (46, 88, 174, 348), 128: (30, 58, 112, 222)})
CAP = 1 << 13  # the n that the published code takes for any larger q, without a limit of its own
_FIRST_LOG_N = 9


def smallest_ring(log_q: float, bits: int) -> int:
    """The smallest n that the rule allows for log_q at 80 or 128 bits.

    Raises InfeasibleParameters for other bits, and beyond the last row, where the published code takes `CAP`.
    """
    row = _row(bits)
    fits = (1 << log_n for log_n, limit in enumerate(row, _FIRST_LOG_N) if log_q <= limit)
    n = next(fits, None)
    if n is None:
        message = f"log2 q = {log_q:g} is beyond {row[-1]}, where the rule of {YEAR} for {bits} bits ends"
        raise InfeasibleParameters(message, f"take log2 q <= {row[-1]}, or judge by today's tables")
    return n


def allowed_log_q(n: int, bits: int) -> int | None:
    """The largest log2 q that the rule allows at n; None where it has no row (n other than 2^9 ... 2^12)."""
    row = _row(bits)
    rings = [1 << log_n for log_n in range(_FIRST_LOG_N, _FIRST_LOG_N + len(row))]
    return dict(zip(rings, row, strict=True)).get(n)


def label(bits: int) -> str:
    """A level's name in reports: "80 bits by the rule of 2017"."""
    _row(bits)
    return f"{bits} bits by the rule of {YEAR}"


def _row(bits: int) -> tuple[int, ...]:
    if bits not in LIMITS:
        known = " or ".join(str(level) for level in LIMITS)
        raise InfeasibleParameters(f"the rule of {YEAR} has no row for {bits} bits", f"choose {known}")
    return LIMITS[bits]
