"""Claims are judged by results, and each claim about times can go both ways."""

from collections.abc import Mapping

import pytest

from fheasible.reports.page import ClaimMark
from fheasible.studies.ckks_vs_bfv import printed
from fheasible.studies.ckks_vs_bfv.claims import CLAIMS
from fheasible.studies.ckks_vs_bfv.claims_times import claims as of_times
from fheasible.studies.ckks_vs_bfv.experiments import EXPERIMENTS
from fheasible.studies.ckks_vs_bfv.sets import LENGTHS
from fheasible.studies.ckks_vs_bfv.study import CKKS_VS_BFV
from fheasible.studies.claim import ClaimFinding, judged
from fheasible.studies.results import Results
from studies.ckks_vs_bfv import invented

NOTHING = Results("ckks-vs-bfv", "none", {})


def as_printed(scheme: str, name: str, number: int, length: int) -> float:
    return printed.value(name, scheme, number, length) if name in printed.FUNCTIONS else 1.0


def turned(scheme: str, name: str, number: int, length: int) -> float:
    """The schemes, the order of the sets and that of the lengths exchanged."""
    other = {"ckks": "bfv", "bfv": "ckks"}[scheme]
    return as_printed(other, name, 5 - number, LENGTHS[-1 - LENGTHS.index(length)])


def uniform(share: float) -> invented.Seconds:
    """The same time everywhere; CKKS takes `share` of BFV's."""
    return lambda scheme, *_: share if scheme == "ckks" else 1.0


def findings(results: Results) -> Mapping[str, ClaimFinding]:
    return {one.claim.claim: one.finding for one in judged(CLAIMS, results)}


@pytest.fixture(scope="module")
def printed_times() -> Mapping[str, ClaimFinding]:
    return findings(invented.results(as_printed))


def test_there_are_eight_claims_or_more_each_on_experiments_of_the_study() -> None:
    assert len(CLAIMS) >= 8
    names = {e.name for e in EXPERIMENTS}
    assert all(set(claim.about) <= names for claim in CLAIMS)


def test_the_medians_of_the_paper_s_own_times_contradict_its_words_in_four_places(
    printed_times: Mapping[str, ClaimFinding],
) -> None:
    wrong = [c.claim for c in of_times() if printed_times[c.claim].holds is False]
    assert wrong == [
        "With the secret key, BFV is slower at set 4",
        "With the public key, CKKS is slower at set 4",
        "Addition is faster in CKKS",
        "Key switching is faster in CKKS",
    ]
    for claim in wrong:
        assert "not what its own numbers say" in printed_times[claim].cause, claim


def test_every_claim_about_times_can_go_the_other_way(printed_times: Mapping[str, ClaimFinding]) -> None:
    """With both schemes exchanged, with times in proportion to the length, with equal times, and with CKKS
    twice as slow or as fast."""
    times = (turned, lambda *at: float(at[-1]), *(uniform(share) for share in (0.5, 1.0, 2.0)))
    others = [findings(invented.results(seconds)) for seconds in times]
    for claim in of_times():
        name = claim.claim
        assert {f[name].holds for f in (printed_times, *others)} == {True, False}, name


def test_what_is_not_reproduced_has_a_cause(printed_times: Mapping[str, ClaimFinding]) -> None:
    for results in (invented.results(turned), invented.results(uniform(1.0), alike=3.0)):
        for name, finding in findings(results).items():
            assert finding.holds is not False or finding.cause, name
    for name, finding in printed_times.items():
        assert finding.holds is not False or finding.cause, name


def test_causes_say_which_test_told() -> None:
    told = findings(invented.results(turned))
    assert "the library has changed" in told["Decryption takes much less time in CKKS"].cause
    equal = findings(invented.results(uniform(2.0)))
    assert (
        "default sets" in equal["With the secret key, both schemes encrypt equally fast at sets 1 to 3"].cause
    )


def test_claims_about_times_wait_for_a_run_and_say_how() -> None:
    found = findings(NOTHING)
    for claim in of_times():
        assert found[claim.claim].verdict is ClaimMark.NOT_RUN
        assert "fheasible study run ckks-vs-bfv" in found[claim.claim].evidence


def test_sizes_and_security_need_no_run() -> None:
    found = {name: f for name, f in findings(NOTHING).items() if not f.not_run}
    assert len(found) == 5
    ratio = found["Encryption adds much more redundancy (the paper says noise) in CKKS than in BFV"]
    assert ratio.holds is False
    assert ratio.ours == "CKKS 2, 2, 2, 2, BFV 2, 2, 2, 2"
    secure = found["All sets meet the public standard of security"]
    assert secure.ours == "2018: yes, 2024: no"


def test_a_part_of_the_run_leaves_claims_waiting() -> None:
    whole = invented.results(as_printed)
    part = Results("ckks-vs-bfv", "invented", {"ckks-lattigo": whole.rows["ckks-lattigo"]})
    assert all(findings(part)[claim.claim].not_run for claim in of_times())


def test_the_study_is_in_the_list() -> None:
    assert CKKS_VS_BFV.reference == "BabGS20"
