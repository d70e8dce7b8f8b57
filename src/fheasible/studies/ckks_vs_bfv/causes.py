"""Why a claim is not reproduced, tested in three ways: by the paper's own table, by the library of its time
on a machine of today, and by CKKS in the primes of BFV's sets.
"""

from collections.abc import Callable, Sequence

from fheasible.studies.ckks_vs_bfv import printed, times
from fheasible.studies.ckks_vs_bfv.library_2020 import VERSION
from fheasible.studies.ckks_vs_bfv.library_2020 import middle as middle_of_2020
from fheasible.studies.ckks_vs_bfv.sets import CHAINS, NUMBERS
from fheasible.studies.results import Results

Holds = Callable[[Sequence[float]], bool]  # whether CKKS's times over BFV's are as a claim says

VERSION_SAID = f"Lattigo {VERSION} on a machine of today"
SPARSE = (
    "today's Lattigo transforms the plaintext of a short vector in a smaller ring (core/rlwe/utils.go, "
    "NTTSparseAndMontgomery), which the library of the paper's time did not"
)


def of_ratio(results: Results, function: str, holds: Holds) -> str:
    """Why CKKS's times over BFV's are not as a claim says: the first of the tests that tells."""
    alike = times.same_chain(results, function)
    if not holds(times.published(function)):
        return f"the paper's words are not what its own numbers say: {table(function)}; {chain(alike)}."
    if holds(times.of_2020(function)):
        return (
            f"the library has changed: {library(function)}, as the paper says; {_changed(function, alike)}."
        )
    if holds(alike):
        return f"the default sets make the difference: {chain(alike)}; {library(function)}."
    return (
        f"the version of the library is not the reason, for {library(function)}: what is left is the machine "
        f"and how the paper measured; {chain(alike)}."
    )


def table(function: str) -> str:
    """The paper's own figures: 'Table 7 has CKKS over BFV at 1.1, 1.9, 1.6, 1.7'."""
    return f"{printed.place(function)} has CKKS over BFV at {times.said(times.published(function))}"


def library(function: str) -> str:
    """What the library of 2020 does today."""
    return f"Lattigo {VERSION}, run here, has {times.said(times.of_2020(function))}"


def chain(alike: tuple[float, ...]) -> str:
    """What is left of the difference where both schemes have the same primes."""
    return (
        f"CKKS's default sets have {_limbs('ckks')} primes in Q, BFV's {_limbs('bfv')}, and with BFV's "
        f"primes CKKS takes {times.said(alike)} of BFV's time"
    )


def _limbs(scheme: str) -> str:
    return ", ".join(str(len(CHAINS[scheme, number].q)) for number in NUMBERS)


def _changed(function: str, alike: tuple[float, ...]) -> str:
    """What is known of the change in that function."""
    told = {
        "encode": f"{SPARSE}, and BFV's plaintexts are now transformed for every prime",
        "decrypt": "BFV's ciphertexts now stay transformed, so that decryption needs no transform",
    }
    return "; ".join(filter(None, (told.get(function, ""), chain(alike))))


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
