"""The sentences with which the report begins, made from the data."""

from collections.abc import Sequence

from fheasible.reports.page import ClaimMark
from fheasible.studies.claim import JudgedClaim
from fheasible.studies.results import Results
from fheasible.studies.schemes_and_libraries.claims_tfhe import STANDS
from fheasible.studies.schemes_and_libraries.experiments import EXPERIMENTS


def summary(results: Results, claims: Sequence[JudgedClaim]) -> tuple[str, ...]:
    """What the paper asked, what it found, and what is found here."""
    cells = [b for e in EXPERIMENTS for b in results.beside(e)]
    run = sum(b.row is not None and b.row.done for b in cells)
    counted = {mark: sum(c.finding.verdict is mark for c in claims) for mark in ClaimMark}
    return (
        "The paper asks which of BFV, BGV, CKKS and Zama's TFHE, in OpenFHE, Lattigo and TFHEpp, takes the "
        "least time "
        "and memory for which operations, and what happens with too little memory.",
        "It finds BGV faster than BFV and BFV faster than CKKS, OpenFHE smaller than Lattigo, CKKS best "
        "for inner "
        "products, and TFHE best for products of 40 values or more.",
        f"Here {run} of {len(cells)} sets have been run. {STANDS}. Of {len(claims)} claims, "
        f"{counted[ClaimMark.REPRODUCED]} are reproduced, {counted[ClaimMark.NOT_REPRODUCED]} are not, "
        f"{counted[ClaimMark.NOT_RUN]} wait for a run, and {counted[ClaimMark.NOT_TESTABLE]} cannot be "
        "tested here.",
        "The moduli that the paper prints for BFV and BGV are those of one product less than their depth, "
        "and a product "
        "of a hundred values needs no bootstrapping once its factors are paired. TFHE takes less time for it "
        "only where a number is one ciphertext of a few values; TFHEpp's set is one of 80 bits.",
    )
