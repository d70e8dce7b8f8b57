"""Why a claim is not reproduced, tested in three ways: by the paper's own table, by the library of its time
on a machine of today, and by CKKS in the primes of BFV's sets.
"""

from fheasible.studies.ckks_vs_bfv import printed, times
from fheasible.studies.ckks_vs_bfv.library_2020 import VERSION, measured_on
from fheasible.studies.ckks_vs_bfv.library_2020 import middle as middle_of_2020
from fheasible.studies.ckks_vs_bfv.sets import CHAINS, NUMBERS
from fheasible.studies.results import Results

NEAR = 1.15  # times that differ by less count as equal


def table(function: str) -> str:
    """The paper's own figures: 'Table 7 itself has CKKS over BFV at 1.1, 1.9, 1.6, 1.7'."""
    told = times.said(times.published(function))
    return f"{printed.place(function)} itself has CKKS over BFV at {told} (sets 1 to 4)"


def library(function: str) -> str:
    """What the library of 2020 does today."""
    told = times.said(times.of_2020(function))
    return f"Lattigo {VERSION}, the library of the paper's time, has {told} ({measured_on()})"


def chain(results: Results, function: str) -> str:
    """What is left of the difference where both schemes have the same primes."""
    return (
        f"CKKS's default sets have {_limbs('ckks')} primes in Q, BFV's {_limbs('bfv')}: with BFV's "
        f"primes CKKS takes {times.said(times.same_chain(results, function))} of BFV's time"
    )


def _limbs(scheme: str) -> str:
    return ", ".join(str(len(CHAINS[scheme, number].q)) for number in NUMBERS)


def joined(*parts: str) -> str:
    return "; ".join(part for part in parts if part) + "."


VERSION_SAID = f"Lattigo {VERSION} on a machine of today"


def growth_of_2020(scheme: str, function: str) -> float:
    """The time of the library of 2020 at set 4 over that at set 1."""
    return middle_of_2020(function, scheme, NUMBERS[-1]) / middle_of_2020(function, scheme, NUMBERS[0])


def of_growth(results: Results, function: str) -> str:
    """Why the growth from set 1 to set 4 is not as the paper has it."""
    theirs = [growth_of_2020(scheme, function) for scheme in ("ckks", "bfv")]
    sizes = [len(CHAINS[s, 4].q) / len(CHAINS[s, 1].q) for s in ("ckks", "bfv")]
    shared = times.same_chain(results, function)
    return (
        f"{VERSION_SAID} grows {theirs[0]:.0f} and {theirs[1]:.0f} times; Q grows from 2 primes by "
        f"{sizes[0]:g} times in CKKS and by {sizes[1]:g} in BFV, and with BFV's primes CKKS takes "
        f"{times.said(shared)} of BFV's time at sets 1 to 4."
    )
