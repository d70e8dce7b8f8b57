"""Security over log2 q, a curve for each ring, with the levels of the standards and the tables' limits."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from fheasible.reports.figures import Figure, FigureStyle, Series
from fheasible.security.asked import AskedSecurity
from fheasible.security.assessment import Assessed, AssessedSets, Attackers, assess
from fheasible.security.lookup import NTRU, allowed_log_q
from fheasible.security.tables import (
    ENFORCED,
    GUIDELINES_2024,
    LEVELS,
    SIGMA,
    SecurityTable,
    max_log_q,
)
from fheasible.units import power_of_two

POINTS = 48  # points of a curve
_BELOW, _ABOVE = 0.9, 1.6  # a curve's ends, as multiples of its limits for 256 and for 128 bits
_TABLES: Mapping[str, tuple[SecurityTable, ...]] = {
    "Guidelines 2024": (GUIDELINES_2024,),
    "libraries' own tables": tuple(ENFORCED.values()),
}
_PROBLEMS = {"rlwe": "RLWE", "ntru": "NTRU keys"}


def sweep(
    attackers: Attackers, rings: Sequence[int], secret: str, sigma: float, ends: Sequence[float] = ()
) -> Assessed:
    """The security of each ring at `POINTS` values of log2 q, between `ends` or, without them, about the
    ring's limits."""
    spans = [np.geomspace(*(_span(attackers, n, secret, sigma, ends)), POINTS) for n in rings]
    return assess(
        AssessedSets.alike(np.repeat(rings, POINTS), np.concatenate(spans), secret, sigma), attackers
    )


def figure(found: Assessed) -> Figure:
    """A figure of what `sweep` found. Marks show the largest log2 q that a table allows for a level."""
    rings = list(dict.fromkeys(int(n) for n in found.sets.n))
    asked = found.asked(0)
    curves = [_curve(found, n) for n in rings]
    x = (float(found.sets.log_q.min()), float(found.sets.log_q.max()))
    levels = [
        Series(f"{level} bits", x, (float(level),) * 2, FigureStyle.DASHED, "levels") for level in LEVELS
    ]
    marks = [m for m in _all_marks(found, rings, x) if m.x]
    attacker = "quantum" if asked.quantum else "classical"
    note = f"Cheapest known attack, cost model {found.attackers.model} ({attacker})"
    return Figure(
        f"Security of {_PROBLEMS[asked.problem]} over log2 q, {asked.secret} secret",
        "log2 q of the whole modulus QP",
        "security (bits)",
        (*curves, *levels, *marks),
        log_x=True,
        note=f"{note}{_told(asked, bool(marks))}.",
    )


def _told(asked: AskedSecurity, marked: bool) -> str:
    if asked.problem == NTRU:
        return "; beyond the fatigue point, a key is overstretched"
    marks = ". Marks: the largest log2 q that a table allows for 128, 192 and 256 bits" if marked else ""
    return f", errors of width {asked.sigma:g}{marks}"


def _all_marks(found: Assessed, rings: Sequence[int], span: tuple[float, float]) -> list[Series]:
    asked = found.asked(0)
    if asked.problem == NTRU:
        return [_fatigue(found, rings)]
    if asked.sigma < SIGMA:
        return []
    return [_marks(name, tables, rings, span, asked) for name, tables in _TABLES.items()]


def _fatigue(found: Assessed, rings: Sequence[int]) -> Series:
    """The fatigue point on the curve of each ring whose curve reaches it."""
    places = []
    for n in rings:
        here = found.sets.n == n
        log_q, point = found.sets.log_q[here], replace(found.asked(0), n=n).fatigue
        if log_q[0] <= point <= log_q[-1]:
            places.append((point, float(np.interp(point, log_q, found.bits[here]))))
    return Series(
        "fatigue point", tuple(x for x, _ in places), tuple(y for _, y in places), FigureStyle.POINTS
    )


def _span(
    attackers: Attackers, n: int, secret: str, sigma: float, ends: Sequence[float]
) -> tuple[float, float]:
    if len(ends) > 1:
        return min(ends), max(ends)
    least, most = (
        allowed_log_q(n, secret, level, attackers.quantum, sigma, attackers.problem)
        for level in (LEVELS[-1], LEVELS[0])
    )
    return max(_BELOW * least, 1.0), max(_ABOVE * most, 2.0)


def _curve(found: Assessed, n: int) -> Series:
    here = found.sets.n == n
    return Series(
        f"n = {power_of_two(n)}",
        tuple(found.sets.log_q[here].tolist()),
        tuple(found.bits[here].tolist()),
    )


def _marks(
    name: str,
    tables: Sequence[SecurityTable],
    rings: Sequence[int],
    span: tuple[float, float],
    asked: AskedSecurity,
) -> Series:
    limits = {
        (limit, float(level))
        for table in tables
        for n in rings
        for level in LEVELS
        if (limit := max_log_q(table, n, asked.secret, level, asked.quantum)) is not None
        and span[0] <= limit <= span[1]
    }
    ordered = sorted(limits)
    return Series(name, tuple(x for x, _ in ordered), tuple(y for _, y in ordered), FigureStyle.POINTS)
