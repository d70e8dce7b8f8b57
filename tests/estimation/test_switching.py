"""Comparisons by scheme switching: how their time is made of signs, ways back and ways there."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimation.profiles import invented
from fheasible.calibration.switching import RUNS, SwitchedTime, fitted, insecure_job
from fheasible.estimation.profile import Profile
from fheasible.estimation.switching import COMPARE, EXTREMES, LEAVE, Steps, SwitchingModel
from fheasible.estimation.switching_units import units
from fheasible.libraries.catalogue import library

FACTORS = st.floats(1e-3, 1e3)
MODELS = st.builds(SwitchingModel, FACTORS, FACTORS, FACTORS, st.integers(0, 2**40))
POWERS = st.integers(1, 11).map(lambda k: 1 << k)
OPENFHE = library("openfhe")


@given(slots=POWERS)
def test_the_rounds_of_an_extreme_take_a_sign_for_each_slot_that_leaves(slots: int) -> None:
    """Half of the slots leave in each round, until one is left."""
    left, signs, rounds = slots, 0, 0
    while left > 1:
        left, signs, rounds = left // 2, signs + left // 2, rounds + 1
    assert {Steps.of(name, slots) for name in EXTREMES} == {Steps(signs, rounds, rounds)}


@given(MODELS, POWERS, FACTORS, FACTORS)
def test_more_slots_take_longer_and_a_comparison_longer_than_leaving(
    model: SwitchingModel, slots: int, back: float, rotation: float
) -> None:
    for name in (COMPARE, LEAVE, *EXTREMES):
        assert model.seconds(name, slots, back, rotation) < model.seconds(name, 2 * slots, back, rotation)
    assert model.seconds(LEAVE, slots, back, rotation) < model.seconds(COMPARE, slots, back, rotation)


@given(MODELS)
def test_a_fit_finds_the_factors_that_made_the_times(model: SwitchingModel) -> None:
    made = []
    for name in (COMPARE, LEAVE, EXTREMES[0]):
        for back, slots in ((1.0, 4), (1.0, 16), (2.5, 4)):
            known = SwitchedTime(name, slots, back, back / 10, 0.0)
            made.append(replace(known, seconds=model.seconds(name, slots, back, back / 10)))
    found = fitted(made, model.key_bytes)
    assert found.leaving == pytest.approx(model.leaving, rel=1e-6)
    for t in made:
        told = found.seconds(t.operation, t.slots, t.way_back, t.rotation)
        assert told == pytest.approx(t.seconds, rel=1e-3)


def test_a_way_back_is_the_relinearisations_of_its_levels() -> None:
    profile = invented("openfhe")
    (deep, less), slots = (insecure_job(OPENFHE, 1 << 12, depth, 4) for depth in (20, 14)), 4
    assert units(deep.parameters, slots, profile)[0] > units(less.parameters, slots, profile)[0]
    dearer = invented("openfhe", relinearize=2e-9)
    twice = units(deep.parameters, slots, dearer)
    assert twice == pytest.approx([2 * units(deep.parameters, slots, profile)[0], twice[1]])


def test_the_model_stays_with_a_stored_profile_and_older_ones_have_none() -> None:
    model = {"none": SwitchingModel(0.1, 5.0, 1.0, 7)}
    stored = replace(invented("openfhe"), switching=model).to_json()
    found = Profile.from_json(stored)
    assert found is not None
    assert found.switching == model
    old = Profile.from_json({k: v for k, v in stored.items() if k != "switching"})
    assert old is not None
    assert old.switching == {}


def test_calibration_has_rings_slots_and_depths_that_differ() -> None:
    assert all(len(set(column)) > 1 for column in zip(*RUNS, strict=True))
