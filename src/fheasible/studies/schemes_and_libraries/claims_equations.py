"""Claims on Equations 1 and 2: which of CKKS and TFHE takes less, from which length on, and Table V."""

from collections.abc import Mapping
from math import ceil

from fheasible.security.tables import GUIDELINES_2024, max_log_q
from fheasible.studies.claim import ClaimFinding, found
from fheasible.studies.results import Beside, Results
from fheasible.studies.schemes_and_libraries.claims_tfhe import STANDS
from fheasible.studies.schemes_and_libraries.crossing import (
    Seconds,
    as_written,
    fastest_ckks,
    in_tfhe,
    leads,
    one_ciphertext,
)
from fheasible.studies.schemes_and_libraries.equations import (
    BOOTSTRAP_LEVELS,
    BOOTSTRAPPED,
    FRACTIONS,
    UNREFRESHED,
)
from fheasible.studies.schemes_and_libraries.printed import LENGTHS, PUBLISHED
from fheasible.studies.schemes_and_libraries.tfhe_sets import failures
from fheasible.units import listing, seconds

FEW, MANY = 20, 40  # fewer than so many values are CKKS's, so many and more TFHE's
PAPERS_BOOTSTRAPS = (2, 3, 4, 5)  # for n = 40, 60, 80 and 100 [section4.bootstraps]
_EXACT = 1.0  # bits of log q


def said(ckks: Seconds, tfhe: Seconds) -> str:
    """For which lengths TFHE takes less than CKKS, in words."""
    found = leads(ckks, tfhe)
    return (
        f"TFHE takes less {listing([str(one) for one in found])}" if found else "CKKS takes less for every n"
    )


def _pair(ckks: Seconds, tfhe: Seconds) -> str:
    at = sorted(ckks.keys() & tfhe.keys())
    return ", ".join(f"n = {n}: CKKS {seconds(ckks[n])}, TFHE {seconds(tfhe[n])}" for n in (at[0], at[-1]))


def _as_said(ckks: Seconds, tfhe: Seconds) -> bool:
    """Whether CKKS takes less for fewer than `FEW` values and TFHE for `MANY` and more."""
    at = sorted(ckks.keys() & tfhe.keys())
    return all(ckks[n] < tfhe[n] for n in at if n < FEW) and all(tfhe[n] < ckks[n] for n in at if n >= MANY)


def long_as_in_the_paper(results: Results) -> ClaimFinding:
    ckks, tfhe = as_written(results, "openfhe"), one_ciphertext(results, 1)
    held = max((values for values, rate in failures().items() if rate <= -20), default=1)

    def cause() -> str:
        return f"{_pair(ckks, tfhe)}. A ciphertext tells {held} values apart"

    evidence = (
        f"{_pair(ckks, tfhe)}; CKKS in the rings of Table V with bootstraps, TFHE with one ciphertext "
        f"for a number, which tells {held} values apart at a failure of 2^-20, and two look-ups for a "
        f"product. Predicted where it was not run; {STANDS}"
    )
    return found(said(ckks, tfhe), _as_said(ckks, tfhe), evidence, cause)


def long_at_its_best(results: Results) -> ClaimFinding:
    ckks = fastest_ckks(results, 1)
    tfhe = {f: in_tfhe(results, 1, f) for f in FRACTIONS}
    most = FRACTIONS[-1]

    def cause() -> str:
        return (
            "two things make the paper's crossing. It multiplies one factor after another in CKKS, which "
            "takes bootstraps: paired, a hundred factors take depth 7 and none. And a number is one "
            "ciphertext of few values in TFHE: with 12 bits after the point it is a row of digits, and a "
            f"product of a hundred takes {_lookups(results, most):,} look-ups. {_pair(ckks, tfhe[most])}"
        )

    told = "; ".join(f"{f} bits after the point: {said(ckks, curve)}" for f, curve in tfhe.items())
    evidence = f"CKKS paired, without bootstraps; TFHE in fixed point, paired; {STANDS}"
    return found(told, _as_said(ckks, tfhe[most]), evidence, cause)


def _lookups(results: Results, fraction: int) -> int:
    return int(in_tfhe(results, 1, fraction, "lookups")[LENGTHS[-1]])


def inner(results: Results) -> ClaimFinding:
    ckks = fastest_ckks(results, 2)
    curves: Mapping[str, Seconds] = {
        "one ciphertext for a number": one_ciphertext(results, 2),
        **{f"{f} bits after the point": in_tfhe(results, 2, f) for f in FRACTIONS},
    }
    holds = all(ckks[n] < tfhe[n] for tfhe in curves.values() for n in ckks.keys() & tfhe.keys())
    told = "; ".join(f"{name}, {_pair(ckks, tfhe)}" for name, tfhe in list(curves.items())[:2])

    def cause() -> str:
        return "TFHE takes less for some n"

    return found("CKKS takes less for every n" if holds else "not for every n", holds, told, cause)


def moduli(results: Results) -> ClaimFinding:
    """Table V's log q beside that of OpenFHE's rules for its depth."""
    rows = []
    for n in LENGTHS:
        experiment = UNREFRESHED if n in (2, 20) else BOOTSTRAPPED
        depth = int(PUBLISHED.value(f"table5.eq1.{n}.depth"))
        ours = next(
            (
                b.predicted("log_q")
                for b in results.beside(experiment["openfhe"])
                if b.predicted("limbs") == depth + 1
            ),
            None,
        )
        rows.append((PUBLISHED.value(f"table5.eq1.{n}.log_q"), ours))
    holds = all(ours is not None and abs(ours - theirs) <= _EXACT for theirs, ours in rows)
    told = ", ".join("none" if ours is None else f"{ours:.0f}" for _, ours in rows)

    def cause() -> str:
        apart = [ours - theirs for theirs, ours in rows[2:] if ours is not None]
        return (
            f"of the four rows with bootstraps ours are {_span(apart)} bits longer: 55 "
            "bits for each level explain them, with a first prime of 45 bits, which OpenFHE refuses beside a "
            "scale of 55. n = 20 is 55 + 20 times 45; no scale that OpenFHE offers gives 183 bits at depth 2"
        )

    return found(told, holds, "OpenFHE's rules, for as many levels as the depth that is printed", cause)


def bootstraps(results: Results) -> ClaimFinding:
    """How many bootstraps the products of Table V need: fresh factors have all of its depth, and a bootstrap
    leaves what it does not take itself."""
    depths = {n: int(PUBLISHED.value(f"table5.eq1.{n}.depth")) for n in LENGTHS[2:]}
    needed = {n: ceil((n - 1 - depth) / (depth - BOOTSTRAP_LEVELS)) for n, depth in depths.items()}
    ours = {b.cell.parameters["n"]: b for b in results.beside(BOOTSTRAPPED["openfhe"])}
    placed = [_bootstraps(b) for b in ours.values()]
    told = listing([f"{count} for n = {n}" for n, count in needed.items()])

    def cause() -> str:
        return (
            f"with {BOOTSTRAP_LEVELS} levels for a bootstrap, the depth is two products short for n = 100. "
            f"Our programs take {listing(placed)}, since their inputs enter at the level that a bootstrap "
            "leaves, and not at the top of the chain"
        )

    return found(
        told, list(needed.values()) == list(PAPERS_BOOTSTRAPS), "counted from Table V's depths", cause
    )


def _bootstraps(b: Beside) -> str:
    c = BOOTSTRAPPED["openfhe"].candidate(b.cell)
    return "-" if c is None else str(c.program.bootstrap_count)


def _span(values: list[float]) -> str:
    low, high = f"{min(values):.0f}", f"{max(values):.0f}"
    return low if low == high else f"{low} to {high}"


def secure(results: Results) -> ClaimFinding:
    """Security of the rings of Table V with bootstraps, with the modulus P of the key switch."""
    rows = [(b.cell.parameters["n"], b.predicted("log_qp"), b.predicted("security_bits")) for b in
            results.beside(BOOTSTRAPPED["openfhe"])]  # fmt: skip
    holds = all(bits >= 128 for _, _, bits in rows)
    told = ", ".join(f"n = {n}: {bits:.0f} bits" for n, _, bits in rows)

    def cause() -> str:
        n, log_qp, _ = rows[-1]
        limit = max_log_q(GUIDELINES_2024, 1 << 16, "ternary", 128)
        return (
            f"security is that of QP: with the modulus P of hybrid key switching it has {log_qp:.0f} bits "
            f"for n = {n}, and at N = 2^16 128 bits of security allow {limit or 0:.0f}"
        )

    return found(told, holds, "by our estimator, OpenFHE's own digits", cause)
