"""The reasons: every number in them is the candidate's own."""

import re
from dataclasses import replace
from functools import cache

import pytest

import fheasible as fh
from estimation.profiles import invented
from fheasible.exploration.judging.rank import ties
from fheasible.exploration.problem.wish import Wish, bits
from fheasible.exploration.reasons.explain import explain
from fheasible.exploration.search.search import Exploration, explore
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.units import seconds, size
from having import having

from .apps import problem, real, whole

NARROW = {2**11: 51, 2**12: 104, 2**13: 212, 2**14: 428}  # the same for errors of 1, by the estimator
LIMITS = {2**11: 53, 2**12: 106, 2**13: 214, 2**14: 430, 2**15: 868}  # 128 bits, ternary, classical
LIBRARY_SCHEMES = [(name, scheme) for name, library in CATALOGUE.items() for scheme in library.schemes]


@cache
def found(library: str, scheme: str) -> Exploration:
    one = replace(CATALOGUE[library], schemes=(scheme,))
    return explore(problem(real if scheme == "ckks" else whole), Wish(precision=bits(9)), [one], {})


def numbers(sentence: str) -> list[float]:
    return [float(x) for x in re.findall(r"(?<![\w.])\d+(?:\.\d+)?", sentence)]


@pytest.mark.parametrize(("library", "scheme"), LIBRARY_SCHEMES)
def test_the_ring_follows_from_its_modulus_and_the_limits_of_both_sizes(library: str, scheme: str) -> None:
    e = found(library, scheme)
    assert e.best is not None
    p = e.best.parameters
    sentence = explain(e)[0]
    power = p.ring_dimension.bit_length() - 1
    assert sentence.startswith(f"N = 2^{power}:")
    assert f"log2 QP = {p.log_qp:.0f}." in sentence
    limits = NARROW if library == "openfhe" else LIMITS
    here, below = limits[p.ring_dimension], limits[p.ring_dimension // 2]
    assert f"N = 2^{power} allows up to {here}; N = 2^{power - 1} only {below}." in sentence
    assert ("Half that ring would also be secure" in sentence) == (p.log_qp <= below)
    assert p.log_qp <= here
    if scheme != "bfv":
        assert f" {e.best.program.levels} level" in sentence


@pytest.mark.parametrize("library", having("ckks"))
def test_precision_is_that_of_the_estimate(library: str) -> None:
    e = found(library, "ckks")
    assert e.best is not None
    (sentence,) = [s for s in explain(e) if s.startswith("Precision")]
    assert numbers(sentence)[:2] == [
        pytest.approx(e.best.estimate.precision_bits, abs=0.051), e.best.request.scale_bits
    ]  # fmt: skip


@pytest.mark.parametrize(("library", "scheme"), [x for x in LIBRARY_SCHEMES if x[1] != "ckks"])
def test_integers_are_exact_and_their_modulus_is_named(library: str, scheme: str) -> None:
    e = found(library, scheme)
    assert e.best is not None
    assert any(f"t = {e.best.parameters.plain_modulus} " in s for s in explain(e))


@pytest.mark.parametrize("library", CATALOGUE)
def test_without_a_profile_the_remedy_is_named(library: str) -> None:
    last = explain(found(library, "bfv"))[-1]
    assert library in last.lower()
    assert "fheasible calibrate" in last


def test_times_of_another_machine_are_told_with_their_band_and_the_remedy() -> None:
    pair = [replace(CATALOGUE[name], schemes=("bfv",)) for name in ("seal", "lattigo")]
    shipped = replace(invented("seal"), origin="Some CPU @ 3 GHz", error_band=0.5)
    own = invented("lattigo")
    profiles = {"seal": shipped, "lattigo": own}
    last = explain(explore(problem(whole), Wish(), pair, profiles), profiles)[-1]
    assert "Times of SEAL come from another machine (Some CPU @ 3 GHz)" in last
    assert "50%" in last
    assert "fheasible calibrate" in last
    here = {"seal": invented("seal"), "lattigo": own}
    both = explain(explore(problem(whole), Wish(), pair, here), here)
    assert not any("fheasible calibrate" in sentence for sentence in both)


def test_what_has_times_of_another_machine_and_what_has_none_are_told_apart() -> None:
    pair = [replace(CATALOGUE[name], schemes=("bfv",)) for name in ("seal", "lattigo")]
    shipped = replace(invented("seal"), origin="Some CPU @ 3 GHz", error_band=0.5)
    *_, another, unknown = explain(
        explore(problem(whole), Wish(), pair, {"seal": shipped}), {"seal": shipped}
    )
    assert "Times of SEAL" in another
    assert unknown.startswith("There is no profile of Lattigo on this machine, so that times are unknown.")


def test_sets_of_one_name_that_tie_are_counted_and_not_named_alone() -> None:
    """Three ties, two of them of the recommended set's own name."""
    e = found("lattigo", "bfv")
    assert e.best is not None
    same = [replace(e.best) for _ in range(2)]
    other = replace(e.best, parameters=replace(e.best.parameters, ring_dimension=1 << 16))
    tied = replace(e, candidates=(e.best, *same, other), ties=frozenset((*same, other)))
    (said,) = [s for s in explain(tied) if "within the error" in s]
    own = f"Lattigo BFV (N = 2^{e.best.parameters.ring_dimension.bit_length() - 1})"
    assert said.startswith(f"Lattigo BFV (N = 2^16) and 2 other sets of {own} tie with it ")


@pytest.mark.long
def test_a_ratio_is_of_the_objective_in_words() -> None:
    pair = [replace(CATALOGUE[name], schemes=("bfv",)) for name in ("seal", "lattigo")]
    profiles = {"seal": invented("seal", 1e-9), "lattigo": invented("lattigo", 1e-6)}
    said = {"amortised": "time per request", "memory": "memory", "time:1,memory:1": "mean of the mix"}
    for objective, words in said.items():
        e = explore(problem(whole), Wish(objective=objective), pair, profiles)
        said_of = [s for s in explain(e) if s.startswith("Next, ") or "within the error of prediction" in s]
        assert said_of
        assert all(re.search(rf"\d\.\d\d times the {words}[;.]", s) for s in said_of)


def test_the_shares_of_time_add_up_and_follow_the_profile() -> None:
    one = [replace(CATALOGUE["seal"], schemes=("bfv",))]
    dear = {"seal": invented("seal", 1e-12, rotate=1e-6)}
    e = explore(problem(whole), Wish(), one, dear)
    assert e.best is not None
    assert e.best.estimate.cpu_seconds is not None
    (sentence,) = [s for s in explain(e, dear) if s.startswith("Evaluation")]
    assert "rotate 100%" in sentence
    assert numbers(sentence)[0] == pytest.approx(e.best.estimate.cpu_seconds["evaluate"], rel=0.06)
    even = {"seal": invented("seal", 1e-9)}
    shares = [s for s in explain(explore(problem(whole), Wish(), one, even), even) if "Evaluation" in s]
    assert 50 < sum(int(x) for x in re.findall(r"(\d+)%", shares[0])) <= 101
    assert len(re.findall(r"\d+%", shares[0])) == 3


def runner_up(seal: float, lattigo: float) -> tuple[Exploration, str]:
    pair = [replace(CATALOGUE[name], schemes=("bfv",)) for name in ("seal", "lattigo")]
    profiles = {"seal": invented("seal", seal), "lattigo": invented("lattigo", lattigo)}
    e = explore(problem(whole), Wish(), pair, profiles)
    return e, explain(e)[-1]


def test_the_next_best_of_another_library_is_named_with_its_ratio() -> None:
    e, sentence = runner_up(seal=1e-9, lattigo=1e-6)
    best = e.candidates[0].cost("time")
    second = min(c.cost("time") for c in e.candidates if c.library == "lattigo")
    assert f"{second / best:.2f} times the time" in sentence
    assert sentence.startswith("Next, ")
    assert re.search(rf"Lattigo BFV \(N = 2\^\d+\) at {second / best:.2f} times", sentence)


def test_what_is_within_the_error_of_prediction_is_a_tie() -> None:
    e, _ = runner_up(seal=1e-9, lattigo=1e-6)
    first, second = e.candidates[0], next(c for c in e.candidates if c.library == "lattigo")
    seconds = first.estimate.cpu_seconds
    assert seconds is not None
    for factor, tie in ((1.09, True), (1.11, False)):  # each band is 5 %
        cpu = {k: factor * s for k, s in seconds.items()}
        close = replace(second, estimate=replace(second.estimate, cpu_seconds=cpu))
        both = (first, replace(close, figures=close.used(e.wish)))
        said = explain(replace(e, candidates=both, front=frozenset(both), ties=ties(both, e.wish.goal)))
        (last,) = [s for s in said if f"{factor:.2f} times the time" in s and "Lattigo" in s]
        assert ("ties with it within the error of prediction" in last) == tie
        assert last.startswith("Next, ") != tie


def test_without_profiles_of_both_no_times_are_compared() -> None:
    pair = [replace(CATALOGUE[name], schemes=("bfv",)) for name in ("seal", "lattigo")]
    e = explore(problem(whole), Wish(), pair, {})
    (sentence,) = [s for s in explain(e) if s.startswith("Next")]
    assert "their times cannot be compared" in sentence


def test_the_rule_that_chose_is_named_beside_the_table_that_the_library_enforces() -> None:
    e = found("openfhe", "ckks")
    assert e.best is not None
    for own, judged, differ in ((192, 128, True), (128, 128, False)):
        other = replace(e.best.estimate, library_bits=own, standard_bits=judged)
        sentences = explain(replace(e, candidates=(replace(e.best, estimate=other),)))
        (said,) = [s for s in sentences if "OpenFHE itself enforces a table that mixes two standards" in s]
        assert f"calls this {own}-bit secure" in said
        assert ("Guidelines of 2024 call it 128-bit secure" in said) == differ
    lattigo = explain(found("lattigo", "ckks"))
    assert any("Lattigo enforces no table" in s for s in lattigo)


def test_where_nothing_fits_there_is_nothing_to_explain() -> None:
    assert explain(replace(found("seal", "bgv"), candidates=())) == []


AGE, PAY = fh.integers(low=0, high=120), fh.reals(low=0, high=9)


@fh.app(people=fh.table(9000, age=AGE, pay=PAY), k=fh.reals(1, low=0, high=1))
def mean_of_table(people: fh.Table, k: fh.Vector) -> dict[str, fh.Vector]:
    return {"mean": fh.mean(people.age * people.pay), "scaled": people.pay * k}


def test_the_layout_and_the_share_of_the_client_are_told() -> None:
    one = replace(CATALOGUE["seal"], schemes=("ckks",))
    profile = invented("seal")
    e = explore(problem(mean_of_table), Wish(precision=bits(9)), [one], {"seal": profile})
    assert e.best is not None
    assert e.best.estimate.cpu_seconds is not None
    layout, share = (s for s in explain(e) if s.startswith(("Inputs lie", "The client encrypts")))
    slots = e.best.program.slots
    each = -(-9000 // slots)
    assert layout.startswith(f"Inputs lie in ciphertexts of {slots:,} slots: ")
    assert re.search(rf"people\.(age and people\.pay|pay and people\.age) in {each} each", layout)
    assert "k in 1" in layout
    sizes, cpu = e.best.estimate.sizes, e.best.estimate.cpu_seconds
    assert f"encrypts {2 * each + 1} ciphertexts ({size(sizes.upload_bytes)})" in share
    assert f"decrypts {each + 1} ciphertexts ({size(sizes.download_bytes)})" in share
    assert f"in {seconds(cpu['encrypt'] + cpu['decrypt'])} of the {seconds(cpu['total'])}" in share
    assert f"keys of {size(sizes.public_key_bytes + sizes.evaluation_key_bytes)}" in share
