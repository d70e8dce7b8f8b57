"""Sentences with computed figures that tell a user who is not a cryptographer how secure a parameter set is.

Each set has two verdicts: that of the Guidelines of 2024, and that of the table which a library enforces.
Where the two differ, both are named, and the difference is given in bits.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from math import floor, log2
from types import MappingProxyType

import numpy as np

from fheasible.security.asked import AskedSecurity
from fheasible.security.attacks.reduction import model_named
from fheasible.security.lookup import RINGS, security_bits
from fheasible.security.tables import ENFORCED, LEVELS, max_log_q
from fheasible.security.verdict import floored
from fheasible.units import listing, power_of_two

WHOLE_MODULUS = "log2 q always means the whole modulus QP, including the special primes of key switching"
ATTACKS: Mapping[str, str] = MappingProxyType(
    {
        "usvp": "lattice reduction until the secret appears (uSVP)",
        "bdd": "lattice reduction followed by one search for the nearest lattice point (BDD)",
        "dual_hybrid": "distinguishing samples from random ones by short dual vectors and a guessed part"
        " of the secret (dual hybrid; whether this works so well is disputed, so that the figure may be"
        " too low)",
        "bdd_hybrid": "guessing a part of the secret before lattice reduction (hybrid)",
        "bdd_mitm_hybrid": "lattice reduction followed by guessing with meet-in-the-middle (hybrid)",
        "dual_enumeration_hybrid": "finding short dual vectors and guessing part of the secret (dual hybrid)",
        "dual_mitm_hybrid": "finding short dual vectors and guessing with meet-in-the-middle (dual hybrid)",
        "dual_hybrid_wide": "distinguishing samples from random ones by short dual vectors (dual hybrid)",
        "exhaustive": "trying every secret",
        "dsd": "lattice reduction until it finds the dense sublattice of the key's rotations",
    }
)
_OPERATIONS = 1e18  # per second, of the computer for which years are computed
_YEAR = 365.25 * 86400
_MIXED = {
    "openfhe": "a table that mixes two standards (that of 2018 up to n = 2^15, values of 2024 above)",
    "seal": "the standard of 2018",
}
_TITLES = {"openfhe": "OpenFHE", "seal": "SEAL"}


def plain_words(
    asked: AskedSecurity, bits: float, attack: str, block_size: int, dimension: int, model: str
) -> list[str]:
    """Sentences that say what the figure means, which rule is the stricter, and what to take instead."""
    return [
        _work(bits, attack),
        *_block(block_size, dimension, model),
        *_rules(asked),
        *_remedies(asked),
        *(said for library in ENFORCED for said in _laxer(library, asked, bits)),
    ]


def enforced(library: str, judged: int | None, own: int | None, bits: float, quantum: bool = False) -> str:
    """The table that the library itself goes by and its verdict (`own`), beside the Guidelines' (`judged`).

    Where the two verdicts differ, the figure of the default estimate is added.
    """
    title = _TITLES.get(library, library.capitalize())
    if library not in ENFORCED:
        told = f"{title} enforces no table of its own"
        return f"{told}; the Security Guidelines of 2024 call this {_level(judged)}."
    if quantum and not any(attackers for _, attackers, _ in ENFORCED[library].limits):
        told = f"{title} itself enforces {_MIXED[library]}, against classical attackers only"
        return f"{told}; the Guidelines of 2024 call this {_level(judged)} against quantum attackers."
    said = f"{overstated(library, quantum)} It calls this {_level(own)}"
    if own is None and judged is None:
        return (
            f"{overstated(library, quantum)} Neither that table nor the Guidelines of 2024 call it 128-bit"
            f" secure; today's default estimate gives {floor(bits)} bits."
        )
    if own == judged:
        return f"{said}, as do the stricter Guidelines of 2024, by which fheasible explore chooses."
    return (
        f"{said}; the stricter Guidelines of 2024 call it {_level(judged)}, and today's default estimate"
        f" gives {floor(bits)} bits."
    )


def overstated(library: str, quantum: bool = False) -> str:
    """Which table a library enforces, and by how many bits at most its limits fall short of its levels."""
    gaps = {level: _gap(library, level, quantum) for level in LEVELS}
    short = {level: gap for level, gap in gaps.items() if gap >= 0.5}
    told = f"{_TITLES[library]} itself enforces {_MIXED[library]}"
    if not short:
        return f"{told}, and its limits hold by today's default estimate."
    bits, levels = (listing([f"{value:.0f}" for value in part]) for part in (short.values(), short))
    few = f"up to {bits} bits less than {levels}"
    return f"{told}; by today's default estimate, parameters at its limits have {few}."


@cache
def _gap(library: str, level: int, quantum: bool) -> float:
    """The most bits by which a limit of the library's table falls short of `level`; 0 without limits."""
    limits = [
        (n, secret, max_log_q(ENFORCED[library], n, secret, level, quantum))
        for n in RINGS
        for secret in ("ternary", "gaussian")
    ]
    return max(
        (
            level - security_bits(n, limit, secret, quantum=quantum)
            for n, secret, limit in limits
            if limit is not None
        ),
        default=0.0,
    )


def _level(bits: int | None) -> str:
    return f"less than {LEVELS[0]}-bit secure" if bits is None else f"{bits}-bit secure"


def _work(bits: float, attack: str) -> str:
    said = ATTACKS.get(attack, attack)
    years = bits - log2(_OPERATIONS * _YEAR)
    time = f"2^{years:.0f} years" if years >= 1 else "less than two years"
    return (
        f"The cheapest known attack is {said}. It takes about 2^{floored(bits):g} operations; each "
        f"further bit doubles them. A computer with 10^18 operations per second needs {time}."
    )


def _block(block_size: int, dimension: int, model: str) -> Iterator[str]:
    if block_size:  # 0 where the attack reduces no lattice
        sizes = [block_size, block_size + 10]
        ten = float(np.diff(model_named(model).reduction(sizes, sizes))[0])
        yield (
            f"It reduces a lattice of dimension {dimension:,} with block size {block_size:,}. A set that "
            "needs a larger block size is harder to break; a block size larger by ten costs the attacker "
            f"{ten:.1f} more bits."
        )


def _rules(asked: AskedSecurity) -> Iterator[str]:
    level, ours = LEVELS[0], asked.limit(LEVELS[0])
    if ours is None:
        yield "The Guidelines of 2024 have no row for this set, so that the estimate decides."
        return
    limits = {_TITLES[library]: asked.limit(level, table) for library, table in ENFORCED.items()}
    told = ", ".join(
        f"{title}'s own table allows {limit:g}" for title, limit in limits.items() if limit is not None
    )
    laxer = any(limit is not None and limit > ours for limit in limits.values())
    stricter = "; the Guidelines are stricter, and decide" if laxer else ""
    beside = f" ({told}{stricter})" if told else ""
    allowed = f"For {level} bits, the Guidelines of 2024 allow log2 q <= {ours:g} at this n{beside}"
    yield f"{allowed}; {WHOLE_MODULUS}."


def _remedies(asked: AskedSecurity) -> Iterator[str]:
    for level in LEVELS:
        if asked.log_q > asked.allowed(level):
            yield f"For {level} bits, take {_instead(asked, level)}."
            return


def _instead(asked: AskedSecurity, level: int) -> str:
    ring, limit = asked.ring(level), asked.allowed(level)
    smaller = f"log2 q <= {floored(limit):g} at this n" if limit >= 1 else ""
    larger = "" if ring is None else f"n >= {power_of_two(ring)} for this log2 q"
    return (
        " or ".join(filter(None, (larger, smaller)))
        or f"a smaller log2 q, because no ring up to {power_of_two(RINGS[-1])} is large enough"
    )


def _laxer(library: str, asked: AskedSecurity, bits: float) -> Iterator[str]:
    """A sentence where a library calls the set more secure than the estimate does; nothing elsewhere."""
    own = asked.standard_bits(ENFORCED[library])
    if own is not None and bits < own:
        yield (
            f"{_TITLES[library]} calls this {own}-bit secure by {_MIXED[library]}, but by this estimate "
            f"it has {own - bits:.1f} bits less."
        )
