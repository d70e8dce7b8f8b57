from dataclasses import replace

from fheasible.store.store import Store
from fheasible.studies.claim import Claim, ClaimFinding, judged
from fheasible.studies.results import Results
from studies import toy


def test_what_is_not_run_is_said_to_be_so_with_the_command_that_runs_it(store: Store) -> None:
    (one,) = judged([toy.CLAIM], toy.stored(store))
    document = one.to_json()
    assert document["verdict"] == "not run yet"
    assert "has not been run yet" in document["evidence"]
    assert "fheasible study run toy --quick --only products" in document["evidence"]


def test_what_is_run_is_judged_by_what_is_stored(store: Store) -> None:
    toy.run(store, quick=True)
    (one,) = judged([toy.CLAIM], toy.stored(store))
    document = one.to_json()
    assert document["verdict"] == "reproduced"
    assert document["evidence"] == "3 sets"
    assert set(document) >= {"claim", "published", "ours", "verdict", "evidence"}


def test_a_claim_that_fails_is_said_to_fail(store: Store) -> None:
    claim = Claim(
        "two is three", "Section 0", "ours is", lambda results: ClaimFinding("2", False, "arithmetic")
    )
    (one,) = judged([claim], toy.stored(store))
    assert one.to_json()["verdict"] == "not reproduced"


def test_what_was_chosen_with_results_in_view_weakens_the_verdict_in_every_reading(store: Store) -> None:
    def judge(results: Results) -> ClaimFinding:
        return ClaimFinding("2", True, "arithmetic")

    plain = Claim("two is two", "Section 0", "ours is", judge)
    fitted = replace(plain, chosen="the unit was chosen because it gives 2")
    told = [one.to_json()["caution"] for one in judged([plain, fitted], toy.stored(store))]
    assert told == ["", "no independent confirmation: the unit was chosen because it gives 2"]
