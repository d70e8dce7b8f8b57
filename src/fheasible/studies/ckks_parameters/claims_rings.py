"""The paper's claims about which ring a scale takes: they need no run [GKS25, Sec. 4]."""

from fheasible.security.tables import OPENFHE, max_log_q
from fheasible.studies.ckks_parameters.experiments import (
    DEVIATION,
    MULTIPLICATIVE,
    OTHER_DEPTHS,
    TECHNIQUES,
)
from fheasible.studies.ckks_parameters.printed import said, value
from fheasible.studies.ckks_parameters.reading import jumps, largest_in, ring, scale, sets
from fheasible.studies.claim import Claim, ClaimFinding
from fheasible.studies.results import Beside, Results
from fheasible.units import power_of_two

FIRST_TWO = TECHNIQUES[:2]
_SPECIAL_BITS = 2 * 60  # two special primes: what the paper's rings leave room for


def claims() -> tuple[Claim, ...]:
    about = (MULTIPLICATIVE.name,)
    return (
        Claim(
            "Multiplicative function: 128 bits of security take N = 2^14 at every ScaleModSize",
            said("multiplicative.ring.128"),
            "every set of 128 bits has N = 2^14",
            lambda results: _one_ring(results, 128),
            about,
        ),
        Claim(
            "Multiplicative function: at 192 bits, the first two techniques take 2^15 above ScaleModSize 31",
            said("multiplicative.jump.192"),
            "the largest ScaleModSize in 2^14 is the same with both techniques",
            lambda results: _last_in_small_ring(results, FIRST_TWO, "multiplicative.jump.192", 0),
            about,
        ),
        Claim(
            "Multiplicative function: at 192 bits, FLEXIBLEAUTOEXT takes 2^15 from ScaleModSize 27 on",
            said("multiplicative.jump.192.ext"),
            "the largest ScaleModSize in 2^14 is one less",
            lambda results: _last_in_small_ring(results, TECHNIQUES[2:], "multiplicative.jump.192.ext", 1),
            about,
        ),
        Claim(
            "Multiplicative function: at 192 bits, the ring grows at ScaleModSizes larger than 41",
            said("multiplicative.jump.192.again"),
            "the largest ScaleModSize in 2^14 is 41 with the first two techniques",
            _contradicted,
            (MULTIPLICATIVE.name, OTHER_DEPTHS.name),
        ),
        Claim(
            "Multiplicative function: 256 bits of security take N = 2^15 at every ScaleModSize",
            said("multiplicative.ring.256"),
            "every set of 256 bits has N = 2^15",
            lambda results: _one_ring(results, 256),
            about,
        ),
        Claim(
            "Standard deviation: at 256 bits, ScaleModSizes above 47 take N = 2^17",
            said("deviation.jump.256"),
            "the largest ScaleModSize in 2^16 is 47 with the first two techniques",
            _deep_jump,
            (DEVIATION.name,),
        ),
    )


def _one_ring(results: Results, security: int) -> ClaimFinding:
    """Whether all sets of that level have the paper's ring."""
    expected = int(value(f"multiplicative.ring.{security}"))
    found = sets(results, MULTIPLICATIVE, security=security)
    other = [b for b in found if ring(b) != expected]
    inside = len(found) - len(other)
    ours = f"{power_of_two(expected)} in {inside} of {len(found)} sets"
    evidence = "; ".join(_grows(results, t, security) for t in TECHNIQUES)
    return ClaimFinding(ours, not other, evidence, _reserved(other, expected, security) if other else "")


def _grows(results: Results, technique: str, security: int) -> str:
    found = jumps(sets(results, MULTIPLICATIVE, security=security, technique=technique))
    told = ", ".join(f"{power_of_two(n)} from {bits} bits on" for bits, n in found)
    return f"{technique}: {told or 'one ring'}"


def _reserved(other: list[Beside], n: int, security: int) -> str:
    """The cause: how much P the library reserves; tested by what the table allows with two primes."""
    larger = [b for b in other if ring(b) > n]
    if len(larger) < len(other):
        return f"the library's table allows a smaller ring in {len(other) - len(larger)} sets"
    most = max_log_q(OPENFHE, n, "ternary", security) or 0
    fit = [b for b in larger if b.predicted("log_q") + _SPECIAL_BITS <= most]
    least = min(scale(b) for b in larger)
    return (
        f"OpenFHE 1.6.1 reserves a third special prime of 60 bits from ScaleModSize {least} on: it adds a "
        f"margin to the digit of two primes before it chooses the ring. Calculated: with two special primes, "
        f"log2 QP of {len(fit)} of these {len(larger)} sets would be within the {most:.0f} bits that its "
        f"table allows at {power_of_two(n)}; without the margin they would have the paper's ring"
    )


def _last_in_small_ring(results: Results, techniques: tuple[str, ...], key: str, less: int) -> ClaimFinding:
    last = {
        t: largest_in(sets(results, MULTIPLICATIVE, security=192, technique=t), 2**14) for t in techniques
    }
    expected = int(value(key)) - less
    evidence = "; ".join(_grows(results, t, 192) for t in techniques)
    holds = all(found == expected for found in last.values())
    cause = "" if holds else f"the chain is another: {_chain(results, techniques[0])}"
    return ClaimFinding(", ".join(f"{t}: up to {bits}" for t, bits in last.items()), holds, evidence, cause)


def _chain(results: Results, technique: str) -> str:
    b = sets(results, MULTIPLICATIVE, security=192, technique=technique)[-1]
    return f"{b.predicted('limbs')} + {b.predicted('special_limbs')} primes at {scale(b)} bits"


def _contradicted(results: Results) -> ClaimFinding:
    """The paper's second jump at 192 bits is that of a chain with one level less."""
    expected = int(value("multiplicative.jump.192.again"))
    last = [largest_in(sets(results, MULTIPLICATIVE, security=192, technique=t), 2**14) for t in FIRST_TWO]
    by_spare = {
        spare: largest_in(sets(results, OTHER_DEPTHS, spare_levels=spare), 2**14) for spare in range(7)
    }
    shorter = [2 + spare for spare, bits in by_spare.items() if bits == expected]
    told = ", ".join(f"depth {2 + spare}: {bits or 'none'}" for spare, bits in by_spare.items())
    ours = f"up to {last[0]}"
    cause = (
        f"the paper contradicts itself: the same section has {int(value('multiplicative.jump.192'))}, which "
        f"is the jump of depth 4. Tested at other depths: {expected} is the largest ScaleModSize in 2^14 at "
        f"depth {' and '.join(map(str, shorter)) if shorter else 'none of 2 to 8'}"
    )
    evidence = f"largest ScaleModSize in 2^14 at 192 bits: {told}"
    return ClaimFinding(ours, all(bits == expected for bits in last), evidence, cause)


def _deep_jump(results: Results) -> ClaimFinding:
    expected = int(value("deviation.jump.256"))
    last = {t: largest_in(sets(results, DEVIATION, security=256, technique=t), 2**16) for t in TECHNIQUES}
    ours = ", ".join(f"{t}: up to {bits}" for t, bits in last.items())
    holds = all(last[t] == expected for t in FIRST_TWO)
    b = sets(results, DEVIATION, security=256)[-1]
    chain = f"chains of {b.predicted('limbs')} primes with the last technique"
    return ClaimFinding(ours, holds, chain, "" if holds else f"the chain is another: {chain}")
