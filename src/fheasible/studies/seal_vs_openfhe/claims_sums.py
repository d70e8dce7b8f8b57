"""The paper's claims on sums: Figures 2 to 5."""

from collections.abc import Mapping
from functools import partial

from fheasible.studies.claim import Claim, ClaimFinding
from fheasible.studies.experiment import NotRun
from fheasible.studies.results import Beside, Results
from fheasible.studies.seal_vs_openfhe.chains import LARGEST as CHAINS
from fheasible.studies.seal_vs_openfhe.chains import sized
from fheasible.studies.seal_vs_openfhe.experiments import COMPARED, LARGEST, SCHEMES, SUMS, sums_name
from fheasible.studies.seal_vs_openfhe.printed import COUNTS, RINGS, said, value
from fheasible.studies.seal_vs_openfhe.readings import (
    MEGABYTE,
    MEMORY,
    TIME,
    Key,
    Pair,
    paired_sums,
    primes_of,
    sums,
    titles,
)
from fheasible.units import power_of_two, seconds

ADDING = "evaluate_seconds"
ALIKE = 3.0  # factor within which another processor's times count as the same
ALIKE_MEMORY = 1.5
_FEW, _MOST = COUNTS[0], COUNTS[-1]


def claims() -> tuple[Claim, ...]:
    return (
        _steady(),
        *(_faster(s) for s in SCHEMES),
        _seconds(),
        *(_smaller(s) for s in SCHEMES),
        _megabytes(),
    )


def _about(*schemes: str) -> tuple[str, ...]:
    return tuple(sums_name(name, s) for s in schemes for name in COMPARED)


def _steady() -> Claim:
    def judge(results: Results) -> ClaimFinding:
        growths = [g for s in SCHEMES for name in COMPARED for g in _growths(sums(results, name, s))]
        least, most = min(growths), max(growths)
        ideal = _MOST / _FEW
        said_ = f"{least:.2f} to {most:.2f} times from {_FEW} to {_MOST} additions, over {len(growths)} rings"
        holds = ideal / 1.25 <= least and most <= 1.25 * ideal
        alone = [g for s in SCHEMES for name in COMPARED for g in _growths(sums(results, name, s), ADDING)]
        grown = f"the additions alone grow {min(alone):.2f} to {max(alone):.2f} times"
        cause = "" if holds else f"{grown}; {ideal:.0f} is in proportion"
        return ClaimFinding(said_, holds, f"CPU time with encryption; {titles()}, BGV and CKKS", cause)

    return Claim(
        "the time rises gradually with the number of additions",
        "Figures 2 and 3 (Section 5.1)",
        f"for {titles()}, in every ring, {_MOST} additions take 6 times as long as {_FEW}, within 25 %",
        judge,
        _about(*SCHEMES),
    )


def _growths(found: Mapping[Key, Beside], figure: str = TIME) -> list[float]:
    rings = sorted({key[1] for key in found if (_FEW, key[1]) in found and (_MOST, key[1]) in found})
    return [float(found[_MOST, n].measured(figure)) / float(found[_FEW, n].measured(figure)) for n in rings]


def _faster(scheme: str) -> Claim:
    published = (
        said("figure3.openfhe.linux.300", "figure3.seal.linux.300")
        if scheme == "ckks"
        else "OpenFHE consistently faster (Section 5.1, Figure 2)"
    )
    return Claim(
        f"{_MOST} additions in {scheme.upper()} take OpenFHE less time than SEAL",
        published,
        f"{_MOST} additions with the encryption of their inputs take OpenFHE less CPU time in every ring "
        "that both have, at 128 bits and one spare level",
        partial(_less, scheme, TIME),
        (*_about(scheme), LARGEST[scheme].name),
    )


def _smaller(scheme: str) -> Claim:
    published = (
        said("figure4.seal.linux.300", "figure4.openfhe.300")
        if scheme == "bgv"
        else "OpenFHE remained memory efficient (Section 5.1, Figure 5)"
    )
    return Claim(
        f"{_MOST} additions in {scheme.upper()} take OpenFHE less memory than SEAL",
        published,
        "the peak memory of OpenFHE is less in every ring that both have, at 128 bits and one spare level",
        partial(_less, scheme, MEMORY),
        (*_about(scheme), LARGEST[scheme].name),
    )


def _less(scheme: str, figure: str, results: Results) -> ClaimFinding:
    pairs = paired_sums(results, scheme)
    if not pairs:
        raise NotRun(
            f"no sums of {titles()} in the same ring are stored", "fheasible study run seal-vs-openfhe"
        )
    holds = all(p.ratio(figure) < 1 for p in pairs)
    told = ", ".join(f"{p.ratio(figure):.2f} in {power_of_two(p.key[1])}" for p in pairs)
    evidence = f"OpenFHE relative to SEAL at {_MOST} additions: {told}"
    return ClaimFinding(
        f"{told} times SEAL's", holds, evidence, "" if holds else _chains(results, scheme, figure, pairs)
    )


def _chains(results: Results, scheme: str, figure: str, pairs: list[Pair]) -> str:
    """How the number of primes of a ciphertext decides who needs less, tested with SEAL's largest chain."""
    own = pairs[-1]
    begin = (
        f"A ciphertext of OpenFHE has {primes_of(own.other)} primes here (its technique FLEXIBLEAUTOEXT "
        f"adds one), one of SEAL {primes_of(own.one)}: SEAL's user chooses the chain. "
    )
    ring = RINGS[1]
    try:
        whole = {b.cell.parameters["n"]: b for b in results.measured(LARGEST[scheme])
                 if b.cell.parameters["ring_dimension"] == ring}[_MOST]  # fmt: skip
        other = sums(results, "openfhe", scheme)[_MOST, ring]
    except (NotRun, KeyError):
        return begin + f"Not yet tested by running: fheasible study run --only {LARGEST[scheme].name}."
    ratio = float(other.measured(figure)) / float(whole.measured(figure))
    agrees = "then the claim holds" if ratio < 1 else "the claim fails even then"
    return begin + (
        f"With all the modulus that SEAL's default gives in {power_of_two(ring)} ({sized(CHAINS[ring])}), "
        f"OpenFHE takes {ratio:.2f} times SEAL's figure: {agrees}."
    )


def _seconds() -> Claim:
    return Claim(
        f"{_MOST} additions in CKKS take about 4 s (OpenFHE) and 7 s (SEAL) on Linux",
        said("figure3.openfhe.linux.300", "figure3.seal.linux.300"),
        f"in some ring, the additions alone take that long, within a factor of {ALIKE:g} for the processor",
        _timed,
        _about("ckks"),
    )


def _timed(results: Results) -> ClaimFinding:
    published = {name: value(f"figure3.{name}.linux.300") for name in COMPARED}
    found = {
        name: {k[1]: b for k, b in sums(results, name, "ckks").items() if k[0] == _MOST} for name in COMPARED
    }
    alone = {
        name: max(float(b.measured(ADDING)) for b in by_ring.values()) for name, by_ring in found.items()
    }
    whole = {name: max(float(b.measured(TIME)) for b in by_ring.values()) for name, by_ring in found.items()}
    holds = all(published[name] / ALIKE <= alone[name] <= ALIKE * published[name] for name in COMPARED)
    ours = ", ".join(f"{titles((name,))} {seconds(alone[name])}" for name in COMPARED)
    encrypted = ", ".join(f"{titles((name,))} {seconds(whole[name])}" for name in COMPARED)
    near = all(published[name] / ALIKE <= whole[name] <= ALIKE * published[name] for name in COMPARED)
    cause = (
        f"The additions are not what takes the time. With the encryption of {_MOST + 1} inputs they take "
        f"{encrypted}, which is {'' if near else 'not '}within a factor of {ALIKE:g} of the paper's: its "
        "figures of addition are figures of encryption."
    )
    return ClaimFinding(
        ours, holds, "CPU time of the additions alone in the largest ring", "" if holds else cause
    )


def _megabytes() -> Claim:
    return Claim(
        f"{_MOST} additions in BGV take 690 MB (SEAL) and 240 MB (OpenFHE) on Linux",
        said("figure4.seal.linux.300", "figure4.openfhe.300"),
        f"in one ring, the peak memory of both is within a factor of {ALIKE_MEMORY:g} of this, SEAL with "
        "the chain of its default and OpenFHE with its default depth of 1",
        _held,
        (LARGEST["bgv"].name, sums_name("openfhe", "bgv")),
    )


def _held(results: Results) -> ClaimFinding:
    ring = RINGS[1]
    published = [value("figure4.seal.linux.300"), value("figure4.openfhe.300")]
    cells = [
        {(b.cell.parameters["n"], b.cell.parameters["ring_dimension"]): b for b in results.measured(e)}
        for e in (LARGEST["bgv"], SUMS["openfhe", "bgv"])
    ]
    found = [of[_MOST, ring].measured(MEMORY) / MEGABYTE for of in cells]
    holds = all(p / ALIKE_MEMORY <= m <= ALIKE_MEMORY * p for p, m in zip(published, found, strict=True))
    each = [primes_of(of[_MOST, ring]) * 16 * ring * (_MOST + 1) / MEGABYTE for of in cells]
    evidence = (
        f"{_MOST + 1} ciphertexts in {power_of_two(ring)} alone are {each[0]:.0f} MB with SEAL's "
        f"{CHAINS[ring][0]} to {CHAINS[ring][-1]} bit primes and {each[1]:.0f} MB with OpenFHE's three: "
        "the paper held all inputs"
    )
    cause = "" if holds else f"{evidence}; what is beyond it differs"
    return ClaimFinding(
        f"{found[0]:.0f} MB and {found[1]:.0f} MB in {power_of_two(ring)}", holds, evidence, cause
    )
