"""The five sentences with which the page begins, made from the data [GKS25]."""

from collections.abc import Sequence

from fheasible.reports.page import ClaimMark
from fheasible.studies.accuracy import accuracy, together
from fheasible.studies.ckks_parameters.experiments import DEVIATION, EXPERIMENTS, MULTIPLICATIVE
from fheasible.studies.ckks_parameters.printed import value
from fheasible.studies.ckks_parameters.reading import largest_in, precision, sets
from fheasible.studies.claim import JudgedClaim
from fheasible.studies.results import Results
from fheasible.units import percent


def summary(results: Results, claims: Sequence[JudgedClaim]) -> list[str]:
    """What the paper asked, what it found, and what is found here."""
    return [_asked(), _found(), _rings(results), _precise(results), _verdicts(results, claims)]


def _asked() -> str:
    return (
        "The paper asks which parameters of CKKS decide on time, memory and precision, and sweeps the scale, "
        f"technique and security of OpenFHE for two functions of {int(value('values')):,} values."
    )


def _found() -> str:
    return (
        "It finds that the ring and the depth decide on time and memory, and the scale on precision, which "
        f"stops rising at {value('multiplicative.limit'):g} and {value('deviation.limit'):g} bits, so that "
        "one should take the smallest ring on that plateau."
    )


def _rings(results: Results) -> str:
    at = {
        (192, 14): (MULTIPLICATIVE, "multiplicative.jump.192"),
        (256, 16): (DEVIATION, "deviation.jump.256"),
    }
    told = []
    for (security, power), (experiment, key) in at.items():
        last = largest_in(sets(results, experiment, security=security, technique="flexibleauto"), 1 << power)
        told.append(f"at {security} bits the last scale in 2^{power} is {last} (the paper: {value(key):g})")
    return f"Here {', and '.join(told)}."


def _precise(results: Results) -> str:
    product, deviation = (precision(sets(results, e)) for e in (MULTIPLICATIVE, DEVIATION))
    return (
        f"Precision goes up to {product:.1f} bits for the multiplicative function, where the paper sees a "
        f"limit that is not the scheme's, and to {deviation:.1f} bits for the standard deviation."
    )


def _verdicts(results: Results, claims: Sequence[JudgedClaim]) -> str:
    counts = {mark: sum(c.finding.verdict is mark for c in claims) for mark in ClaimMark}
    told = ", ".join(f"{count} {mark}" for mark, count in counts.items() if count)
    whole = together([accuracy(results, e) for e in EXPERIMENTS])
    if whole.mean_time is None:
        return f"Of {len(claims)} claims: {told}; nothing has been run on this machine yet."
    return (
        f"Of {len(claims)} claims: {told}; over {whole.cells} measured sets, predicted CPU times are off by "
        f"{percent(whole.mean_time)} on average, and {len(whole.unequal)} sizes differ."
    )
