"""Claims without results, with results as predicted, and with others: each can hold, and each can fail."""

from collections.abc import Mapping
from math import log
from typing import Any

import pytest

from fheasible.studies.ckks_parameters.experiments import DEVIATION, MULTIPLICATIVE, SQUARE_ROOT
from fheasible.studies.ckks_parameters.study import CKKS_PARAMETERS
from fheasible.studies.claim import JudgedClaim, judged
from fheasible.studies.experiment import Experiment, StudyCell
from fheasible.studies.results import Results

from .invented import Figures, results, same

NEED_A_RUN = (
    "no noticeable direct influence",
    "roughly doubles with the ring",
    "Amortised time",
    "about ten times as long",
    "grows logarithmically",
)


def found(there: Results) -> Mapping[str, JudgedClaim]:
    return {one.claim.claim: one for one in judged(CKKS_PARAMETERS.claims, there)}


def named(there: Mapping[str, JudgedClaim], words: str) -> JudgedClaim:
    (one,) = (j for claim, j in there.items() if words in claim)
    return one


def holds(there: Mapping[str, JudgedClaim], words: str) -> bool | None:
    return named(there, words).finding.holds


AS_PREDICTED = found(results())


def test_without_runs_only_claims_on_times_wait() -> None:
    there = found(results(seen=None))
    waiting = {claim for claim, one in there.items() if one.finding.not_run}
    assert len(waiting) == len(NEED_A_RUN)
    assert all(any(words in claim for claim in waiting) for words in NEED_A_RUN)


def test_there_are_enough_claims_and_each_has_a_place_and_a_criterion() -> None:
    assert len(CKKS_PARAMETERS.claims) >= 8
    for claim in CKKS_PARAMETERS.claims:
        assert claim.criterion
        assert "Section" in claim.published or "Table" in claim.published
        assert all(CKKS_PARAMETERS.experiment(name) for name in claim.about)


def test_jumps_of_the_ring_are_those_of_the_paper() -> None:
    assert holds(AS_PREDICTED, "first two techniques take 2^15 above ScaleModSize 31")
    assert holds(AS_PREDICTED, "FLEXIBLEAUTOEXT takes 2^15 from ScaleModSize 27 on")
    assert holds(AS_PREDICTED, "ScaleModSizes above 47 take N = 2^17")


def test_the_second_jump_at_192_bits_is_that_of_a_shorter_chain() -> None:
    one = named(AS_PREDICTED, "larger than 41")
    assert one.finding.holds is False
    assert "at depth 3" in one.finding.cause


def test_secret_and_product_keys_are_those_of_the_paper_and_public_keys_are_not() -> None:
    assert holds(AS_PREDICTED, "Secret keys")
    assert holds(AS_PREDICTED, "Multiplication keys")
    assert "over QP" in named(AS_PREDICTED, "Public keys").finding.cause


def smaller_ring(e: Experiment, c: StudyCell, told: Figures) -> Figures:
    return {**told, "ring_dimension": 2**14}


def flat_precision(e: Experiment, c: StudyCell, told: Figures) -> Figures:
    bits = {MULTIPLICATIVE.name: 30.0, DEVIATION.name: 20.0}.get(e.name)
    return told if bits is None else {**told, "precision_bits": bits}


def heavier(e: Experiment, c: StudyCell, told: Figures) -> Figures:
    grown = {n: 3 * v for n, v in told.items() if n in ("secret_key_bytes", "relinearization_key_bytes")}
    return {**told, **grown}


def larger_public_keys(e: Experiment, c: StudyCell, told: Figures) -> Figures:
    if "public_key_bytes" not in told:
        return told
    limbs, special = told.get("limbs", 1), told.get("special_limbs", 0)
    return {**told, "public_key_bytes": told["public_key_bytes"] * (limbs + special) / limbs}


def worse_series(e: Experiment, c: StudyCell, told: Figures) -> Figures:
    return {**told, "precision_bits": c.parameters["degree"] / 50} if e is SQUARE_ROOT else told


def costly_small_rings(e: Experiment, c: StudyCell, told: Figures) -> Figures:
    return {**told, "cpu_seconds": 1e9 / told["ring_dimension"]}


OTHERWISE: dict[str, tuple[Any, bool]] = {
    "128 bits of security take N = 2^14": (smaller_ring, True),
    "first two techniques take 2^15 above ScaleModSize 31": (smaller_ring, False),
    "FLEXIBLEAUTOEXT takes 2^15 from ScaleModSize 27": (smaller_ring, False),
    "256 bits of security take N = 2^15": (smaller_ring, False),
    "Multiplicative function: FLEXIBLEAUTOEXT is the most precise": (worse_series, True),
    "has a limit of about 28 bits": (worse_series, False),
    "limit is reached at a degree of about 750": (worse_series, False),
    "has an upper limit of about 30 bits": (flat_precision, True),
    "Neither the security level nor the ring": (flat_precision, True),
    "30 bits are reached at ScaleModSize 50": (flat_precision, False),
    "limit is reached at ScaleModSize 44": (flat_precision, False),
    "Secret keys": (heavier, False),
    "Multiplication keys": (heavier, False),
    "Public keys": (larger_public_keys, True),
    "choose the smallest ring on the plateau": (costly_small_rings, False),
}


@pytest.mark.parametrize("words", OTHERWISE)
def test_with_other_sets_the_verdict_is_another(words: str) -> None:
    change, expected = OTHERWISE[words]
    (claim,) = (c for c in CKKS_PARAMETERS.claims if words in c.claim)
    (one,) = judged([claim], results(told=change, seen=None))
    assert one.finding.holds is expected, one.finding
    assert one.finding.holds or one.finding.cause


def by_scale(e: Experiment, c: StudyCell, told: Figures) -> Figures:
    return {**told, "cpu_seconds": float(c.parameters.get("scale_bits", 1))}


def by_ring(e: Experiment, c: StudyCell, told: Figures) -> Figures:
    factor = 10.0 if "deviation" in e.name else 1.0
    return {**told, "cpu_seconds": factor * told["ring_dimension"]}


def by_value(e: Experiment, c: StudyCell, told: Figures) -> Figures:
    return {**told, "cpu_seconds": float(c.parameters.get("n", 65_536))}


def by_logarithm(e: Experiment, c: StudyCell, told: Figures) -> Figures:
    return {**told, "cpu_seconds": log(c.parameters.get("degree", 2))}


TIMES: dict[str, tuple[Any, Any]] = {
    "no noticeable direct influence": (by_ring, by_scale),
    "roughly doubles with the ring": (by_ring, same),
    "Amortised time": (same, by_value),
    "about ten times as long": (by_ring, by_value),
    "grows logarithmically": (by_logarithm, same),
}


@pytest.mark.parametrize("words", TIMES)
@pytest.mark.parametrize("expected", [True, False])
def test_times_decide_on_the_claims_about_times(words: str, expected: bool) -> None:
    (claim,) = (c for c in CKKS_PARAMETERS.claims if words in c.claim)
    (one,) = judged([claim], results(seen=TIMES[words][not expected]))
    assert one.finding.holds is expected, one.finding
    assert one.finding.holds or one.finding.cause


@pytest.mark.parametrize("words", sorted(AS_PREDICTED))
def test_what_is_not_reproduced_has_a_cause(words: str) -> None:
    one = AS_PREDICTED[words]
    assert one.finding.holds is not None
    assert one.finding.holds or len(one.finding.cause) > 40
