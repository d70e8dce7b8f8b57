"""The paper's claims about sizes: Tables 1 and 2 [GKS25]. They need no run: predicted sizes are exact."""

from statistics import fmean

from fheasible.libraries.openfhe.sizes import WORD
from fheasible.studies.ckks_parameters.experiments import (
    DEVIATION_SIZES,
    MULTIPLICATIVE_SIZES,
)
from fheasible.studies.ckks_parameters.printed import said, value
from fheasible.studies.ckks_parameters.reading import ring, sets
from fheasible.studies.claim import Claim, ClaimFinding
from fheasible.studies.operations import OperationExperiment
from fheasible.studies.results import Beside, Results
from fheasible.units import MIB, percent

TABLES: dict[str, tuple[OperationExperiment, tuple[int, ...]]] = {
    "table1": (MULTIPLICATIVE_SIZES, (14, 15)),
    "table2": (DEVIATION_SIZES, (15, 16, 17)),
}
OURS = {
    "ciphertext": "ciphertext_bytes",
    "public_key": "public_key_bytes",
    "product_key": "relinearization_key_bytes",
    "secret_key": "secret_key_bytes",
}
_SHARE = 0.05


def claims() -> tuple[Claim, ...]:
    about = (MULTIPLICATIVE_SIZES.name, DEVIATION_SIZES.name)
    return (
        Claim(
            "Sizes roughly double with the ring",
            "Section 4.1 and Table 1",
            "all four sizes grow by 1.9 to 2.2 times from 2^14 to 2^15",
            _double,
            about[:1],
        ),
        Claim(
            "Secret keys have the sizes of Tables 1 and 2",
            said(
                "table1.14.secret_key",
                "table1.15.secret_key",
                *(f"table2.{n}.secret_key" for n in (15, 16, 17)),
            ),
            f"each mean over all sets of a ring is within {percent(_SHARE)} of the paper's",
            lambda results: _equal(results, "secret_key"),
            about,
        ),
        Claim(
            "Public keys have the sizes of Tables 1 and 2",
            said(
                "table1.14.public_key",
                "table1.15.public_key",
                *(f"table2.{n}.public_key" for n in (15, 16, 17)),
            ),
            f"each mean over all sets of a ring is within {percent(_SHARE)} of the paper's",
            lambda results: _equal(results, "public_key"),
            about,
        ),
        Claim(
            "Multiplication keys have the sizes of Tables 1 and 2",
            said(
                "table1.14.product_key",
                "table1.15.product_key",
                *(f"table2.{n}.product_key" for n in (15, 16, 17)),
            ),
            f"each mean over all sets of a ring is within {percent(_SHARE)} of the paper's",
            lambda results: _equal(results, "product_key"),
            about,
        ),
        Claim(
            "The deviation's largest ring takes more than ten times the memory of the product's largest ring",
            said("deviation.memory"),
            "the mean ciphertext of 2^17 in Table 2 against that of 2^15 in Table 1, both fresh: ten times",
            _ten_times,
            about,
        ),
    )


def _printed(what: str) -> str:
    return said(*(f"{table}.{power}.{what}" for table, (_, powers) in TABLES.items() for power in powers))


def mean_mib(results: Results, table: str, power: int, what: str) -> float:
    """The mean size over all sets of that ring, in MiB; 0 where there is none."""
    found = _of_ring(results, table, power)
    return fmean(b.predicted(OURS[what]) for b in found) / MIB if found else 0.0


def _of_ring(results: Results, table: str, power: int) -> list[Beside]:
    return [b for b in sets(results, TABLES[table][0]) if ring(b) == 1 << power]


def ratios(results: Results, what: str) -> dict[str, float]:
    """Our mean size over the paper's, by table and ring."""
    return {
        f"{table} 2^{power}": mean_mib(results, table, power, what) / value(f"{table}.{power}.{what}")
        for table, (_, powers) in TABLES.items()
        for power in powers
    }


def _double(results: Results) -> ClaimFinding:
    grown = {
        what: mean_mib(results, "table1", 15, what) / mean_mib(results, "table1", 14, what) for what in OURS
    }
    told = ", ".join(f"{what.replace('_', ' ')} {ratio:.2f}" for what, ratio in grown.items())
    holds = all(1.9 <= ratio <= 2.2 for ratio in grown.values())
    limbs = [fmean(b.predicted("limbs") for b in _of_ring(results, "table1", power)) for power in (14, 15)]
    cause = f"the mean number of primes differs: {limbs[0]:.2f} and {limbs[1]:.2f}"
    return ClaimFinding(told, holds, "mean over all sets of a ring", "" if holds else cause)


def _equal(results: Results, what: str) -> ClaimFinding:
    found = ratios(results, what)
    holds = all(abs(ratio - 1) <= _SHARE for ratio in found.values())
    told = ", ".join(f"{where}: {ratio:.2f}" for where, ratio in found.items())
    return ClaimFinding(
        f"{min(found.values()):.2f} to {max(found.values()):.2f} times the paper's", holds, told,
        "" if holds else _moduli(results, what),
    )  # fmt: skip


def _moduli(results: Results, what: str) -> str:
    """The cause, by counting the limbs that the paper's size has, and those that ours has."""
    told, switching = [], what in ("public_key", "product_key")
    for table, (_, powers) in TABLES.items():
        for power in powers:
            found = _of_ring(results, table, power)
            limb = WORD * (1 << power) / MIB
            polys = {"public_key": 2, "secret_key": 1, "product_key": 2 * 3, "ciphertext": 2}[what]
            theirs = value(f"{table}.{power}.{what}") / limb / polys
            q, p = (fmean(b.predicted(name) for b in found) for name in ("limbs", "special_limbs"))
            own = f"Q has {q:.2f}, P {p:.2f}" if switching else f"Q has {q:.2f}"
            told.append(f"2^{power}: {theirs:.2f} ({own})")
    reason = (
        "the paper's public keys are over QP, whereas OpenFHE 1.6.1 writes them over Q"
        if what == "public_key"
        else "the mean is over other sets: rings differ where this version reserves more for P, and small "
        "scales that this version refuses are missing"
    )
    return f"{reason}. Limbs of each polynomial, counted from the paper's sizes: {'; '.join(told)}"


def _ten_times(results: Results) -> ClaimFinding:
    ours = mean_mib(results, "table2", 17, "ciphertext") / mean_mib(results, "table1", 15, "ciphertext")
    theirs = value("table2.17.ciphertext") / value("table1.15.ciphertext")
    limbs = [
        fmean(b.predicted("limbs") for b in _of_ring(results, t, n))
        for t, n in (("table1", 15), ("table2", 17))
    ]
    cause = (
        f"the paper compares different ciphertexts. Its {value('table1.15.ciphertext')} MiB are 4 limbs, "
        f"those of a result; a fresh ciphertext has {limbs[0]:.2f} there and {limbs[1]:.2f} in 2^17, which "
        f"makes 4 x {limbs[1] / limbs[0]:.2f} = {4 * limbs[1] / limbs[0]:.1f}"
    )
    return ClaimFinding(
        f"{ours:.2f} times", ours > 10, f"the paper's own: {theirs:.1f}", "" if ours > 10 else cause
    )
