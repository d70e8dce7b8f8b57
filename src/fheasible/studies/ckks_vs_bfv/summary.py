"""The sentences with which the page begins."""

from collections.abc import Callable, Sequence
from statistics import median

from fheasible.reports.page import ClaimMark
from fheasible.studies.ckks_vs_bfv import redundancy, times
from fheasible.studies.ckks_vs_bfv.printed import FUNCTIONS, RATIOS, title
from fheasible.studies.ckks_vs_bfv.sets import SCHEMES
from fheasible.studies.claim import JudgedClaim
from fheasible.studies.experiment import NotRun
from fheasible.studies.results import Results
from fheasible.units import listing

NEAR = 0.15  # times that differ by less are alike


def summary(results: Results, claims: Sequence[JudgedClaim]) -> tuple[str, ...]:
    """Five sentences: the paper's question, what it found, and what is found here."""
    ckks, bfv = (_titles(times.published, scheme) for scheme in SCHEMES)
    return (
        "The paper asks which of CKKS and BFV is faster, function by function, at four parameter sets "
        "of Lattigo and for vectors of 128 to 2048 numbers.",
        f"By its tables, CKKS is faster at all four sets in {ckks}, and BFV in {bfv}; it concludes that "
        "neither is best for everything.",
        _here(results),
        'Its two tables of "SNR" hold sizes: the significant bits of a plaintext over those of the data, and '
        "of a ciphertext over those of a plaintext. This gives all 80 values to within "
        f"{100 * _worst():.2g} %, but the rows of CKKS mix plaintexts and ciphertexts of different sets.",
        _verdicts(claims),
    )


def _titles(ratios: Callable[[str], Sequence[float]], scheme: str) -> str:
    """The functions in which the scheme is faster at every set."""
    found = [f for f in FUNCTIONS if times.faster(ratios(f)) == scheme]
    return listing([title(f).lower() for f in found]) or "no function"


def _here(results: Results) -> str:
    try:
        ckks, bfv = (_titles(lambda f: times.ratios(results, f), scheme) for scheme in SCHEMES)
    except NotRun:
        return "Nothing has been run here yet, so that this page compares the paper with predictions alone."
    return (
        f"Here, with today's Lattigo, CKKS is faster at all four sets in {ckks}, and BFV in {bfv}; in "
        f"the primes of BFV's sets CKKS is within {100 * NEAR:.0f} % of BFV in {_alike(results)} of the "
        f"{len(FUNCTIONS)} functions."
    )


def _alike(results: Results) -> str:
    """In how many functions CKKS takes about as long as BFV where both have the same primes."""
    try:
        middles = [median(times.same_chain(results, function)) for function in FUNCTIONS]
    except NotRun:
        return "an unknown number (not run yet)"
    return str(sum(abs(m - 1) <= NEAR for m in middles))


def _worst() -> float:
    return max(redundancy.largest_difference(s, name) for s in SCHEMES for name in RATIOS)


def _verdicts(claims: Sequence[JudgedClaim]) -> str:
    counts = {mark: sum(c.finding.verdict is mark for c in claims) for mark in ClaimMark}
    told = listing([f"{count} {mark.value}" for mark, count in counts.items() if count])
    return f"Of its {len(claims)} claims, {told}."
