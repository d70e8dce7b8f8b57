"""Claims on what the libraries have, and on the parameters of the tables."""

from collections.abc import Iterable

import numpy as np

from fheasible.libraries.catalogue import CATALOGUE, library
from fheasible.studies.claim import ClaimFinding
from fheasible.studies.results import Beside, Results
from fheasible.studies.schemes_and_libraries.equations import BV, EQUATION_1, EQUATION_2
from fheasible.studies.schemes_and_libraries.experiments import CHAINS, DEPTH, KEYS
from fheasible.studies.schemes_and_libraries.printed import DEPTHS, LIBRARIES, PUBLISHED, SCHEMES, TITLES
from fheasible.units import listing

_EXACT = 1.0  # bits of log q


def has(results: Results) -> ClaimFinding:
    wrong = []
    for (lib, scheme), experiment in DEPTH.items():
        found = results.measured(experiment)
        bad = [b for b in found if b.row is not None and b.row.outcome != "measured"]
        if bad or scheme not in library(lib).schemes:
            wrong.append(f"{TITLES[lib]} {scheme.upper()}")
    others = [lib.title for lib in CATALOGUE.values() if set(SCHEMES) <= set(lib.schemes)]
    evidence = f"here all three are in {listing(others)}"
    return ClaimFinding(f"{6 - len(wrong)} of 6 run", not wrong, evidence, _wrong(wrong))


def _wrong(names: list[str]) -> str:
    return f"wrong results: {listing(names)}" if names else ""


def packs(results: Results) -> ClaimFinding:
    found = [b for e in DEPTH.values() for b in results.measured(e) if b.measured("ciphertext_bytes")]
    more = [b for b in found if b.measured("ciphertext_bytes") > 1.1 * _two_polynomials(b)]
    wrong = [b for b in found if b.row is not None and b.row.outcome != "measured"]
    holds = bool(found) and not more and not wrong
    told = "one ciphertext holds them" if holds else f"{len(more)} larger ciphertexts, {len(wrong)} wrong"
    cause = _wrong([str(b.cell) for b in wrong[:3]])
    return ClaimFinding(told, holds, f"{len(found)} runs, by the bytes of an input's ciphertext", cause)


def _two_polynomials(b: Beside) -> float:
    """The bytes of two polynomials of the set's ring and primes."""
    return float(2 * 8 * b.predicted("ring_dimension") * b.predicted("limbs"))


def _moduli(
    results: Results, library_name: str, scheme: str, less: int = 0
) -> list[tuple[int, float, float | None]]:
    """(depth, published log q, that of the library's chain for `depth - less` products) at each depth."""
    return _moduli_of(results.beside(DEPTH[library_name, scheme]), scheme, library_name, less)


def _moduli_of(
    found: Iterable[Beside], scheme: str, library_name: str, less: int
) -> list[tuple[int, float, float | None]]:
    """The same of those cells."""
    told = {b.cell.parameters["depth"]: b for b in found}
    return [
        (d, PUBLISHED.value(f"table3.log_q.{scheme}.{library_name}.{d}"), told[d - less].predicted("log_q"))
        for d in DEPTHS
    ]


def _equal(rows: Iterable[tuple[int, float, float | None]]) -> bool:
    return all(ours is not None and abs(ours - theirs) <= _EXACT for _, theirs, ours in rows)


def _listed(rows: Iterable[tuple[int, float, float | None]]) -> str:
    return ", ".join("none" if ours is None else f"{ours:.0f}" for _, _, ours in rows)


def ckks_moduli(results: Results) -> ClaimFinding:
    rows = {lib: _moduli(results, lib, "ckks") for lib in LIBRARIES}
    ours = "; ".join(f"{TITLES[lib]} {_listed(found)}" for lib, found in rows.items())
    evidence = "a first prime of 55 (OpenFHE) and 56 bits (Lattigo), then 45 bits for each product"
    return ClaimFinding(ours, all(map(_equal, rows.values())), evidence)


def integer_moduli(results: Results) -> ClaimFinding:
    schemes = ("bfv", "bgv")
    rows = {s: _moduli(results, "openfhe", s) for s in schemes}
    one_less = {s: _moduli(results, "openfhe", s, less=1) for s in schemes}
    holds = all(map(_equal, rows.values()))
    ours = "; ".join(f"{s.upper()} {_listed(found)}" for s, found in rows.items())
    explained = all(map(_equal, one_less.values()))
    bv = [(d, q, ours) for d, q, ours in _moduli_of(results.beside(KEYS), "bfv", "openfhe", 1)]
    cause = (
        "the paper's chains are those of one product less: for depth - 1 products OpenFHE makes "
        + "; ".join(f"{s.upper()} {_listed(found)}" for s, found in one_less.items())
        + (", which is equal in every cell" if explained else ", which is not equal in every cell either")
        + f". BFV's are those of hybrid key switching; with BV, they are {_listed(bv)}"
    )
    return ClaimFinding(ours, holds, "primes of 59 bits, t = 65537", "" if holds else cause)


def lattigo_chains(results: Results) -> ClaimFinding:
    carried, wrong = [], []
    for scheme, experiment in CHAINS.items():
        for b in results.beside(experiment):
            primes = str(b.cell.parameters["prime_bits"]).count("+") + 1
            depth = b.cell.parameters["depth"] + 1
            carries = primes - 1 if scheme == "bgv" else depth - 1
            carried.append((scheme, depth, carries))
            if b.row is not None and b.row.outcome != "measured":
                wrong.append(f"{scheme.upper()} at depth {depth}")
    run = [b for e in CHAINS.values() for b in results.measured(e)]
    bgv_short = [d for s, d, carries in carried if s == "bgv" and carries < d]
    cause = (
        "a level of BGV is a prime: with d primes at depth d, as at depths "
        f"{listing([str(d) for d in bgv_short])}, "
        f"d - 1 products remain; {len(run)} such runs were made here with d - 1 products, "
        f"{len(run) - len(wrong)} of them right. {_wrong(wrong)}"
    )
    return ClaimFinding(
        f"BGV carries {', '.join(str(c) for s, _, c in carried if s == 'bgv')} products at depths 2 to 10",
        not bgv_short and not wrong,
        "for 410 bits (depth 8), 470 are taken: a digit is probably damaged",
        "" if not bgv_short and not wrong else cause.strip(),
    )


def secure(results: Results) -> ClaimFinding:
    (first, *_) = results.beside(EQUATION_2["openfhe"])
    log_qp, bits = first.predicted("log_qp"), first.predicted("security_bits")
    refused = [b.prediction.refused for b in results.beside(BV)]
    holds = bool(bits >= 128)
    cause = (
        f"OpenFHE's default key switching adds a modulus P of {first.predicted('log_p'):.0f} bits, and "
        f"security is that of QP: {bits:.0f} bits by today's estimate"
    )
    if all(refused):
        cause += (
            f". Keys without P (BV) would be secure, but of {len(refused)} such sets none decrypts "
            f"({refused[0]})"
        )
    return ClaimFinding(
        f"log QP = {log_qp:.0f}", holds, f"{bits:.0f} bits of security", "" if holds else cause
    )


def inner(results: Results) -> ClaimFinding:
    ratios, deep = [], []
    for experiment in EQUATION_2.values():
        times = {b.cell.parameters["n"]: b.measured("evaluate_seconds") for b in results.measured(experiment)}
        short = min(n for n in times if n > 2)
        ratios.append(times[max(times)] / times[short])
        deep += [b.predicted("limbs") - 1 for b in results.beside(experiment)]
    holds = max(ratios) <= 3 and set(deep) == {1}
    told = f"depth {max(deep)}; the longest takes {max(ratios):.1f} times as long as the one of 20 or more"
    cause = "" if holds else "the sum of n elements takes log2 n rotations, which are most of the time"
    return ClaimFinding(told, holds, "one product, then rotations and sums", cause)


def long(results: Results) -> ClaimFinding:
    rows: list[Beside] = [b for e in EQUATION_1.values() for b in results.beside(e) if not b.has(n=2)]
    fit = [b for b in rows if not b.prediction.refused]
    largest = max(fit, key=lambda b: b.cell.parameters["n"], default=None)
    holds = not fit
    if holds or largest is None:
        return ClaimFinding("no set", True, "larger rings have no sets either")
    n, ring = largest.cell.parameters["n"], largest.predicted("ring_dimension")
    return ClaimFinding(
        f"{len(fit)} of {len(rows)} sets fit without",
        False,
        f"n = {n}: N = {ring:,}, log QP = {largest.predicted('log_qp'):.0f}",
        "the paper multiplies one factor after another, which takes depth n - 1; paired, the product of "
        f"{n} takes "
        f"depth {int(np.ceil(np.log2(n)))}, and no bootstrapping. The sets were counted by the library's "
        "own rules",
    )
