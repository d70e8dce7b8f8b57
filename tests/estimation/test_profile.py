"""Profiles: what they predict, and that nothing is lost on the way through JSON."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fheasible.estimation.features import Shape
from fheasible.estimation.profile import MemoryModel, Point, Profile

from .programs import profile

number = st.floats(0, 1e12)
word = st.text(min_size=1, max_size=12)
scheme = st.sampled_from(["ckks", "bgv", "bfv"])
small = st.integers(0, 60)
shapes = st.builds(Shape, st.integers(1, 17).map(lambda k: 1 << k), small, small, small, small, scheme, small)
profiles = st.builds(
    Profile,
    machine=word,
    library=word,
    version=word,
    threads=st.integers(1, 128),
    created=word,
    coefficients=st.dictionaries(word, st.lists(number, max_size=4).map(tuple), max_size=5),
    memory=st.dictionaries(scheme, st.builds(MemoryModel, number, number, number, number)),
    error_band=number,
    wall_factor=number,
    points=st.lists(st.builds(Point, scheme, word, shapes, number), max_size=4).map(tuple),
)


@given(profiles)
def test_a_profile_survives_json(before: Profile) -> None:
    after = Profile.from_json(json.loads(json.dumps(before.to_json())))
    assert after == before
    assert all(isinstance(c, tuple) for c in after.coefficients.values())
    assert all(isinstance(p.shape, Shape) for p in after.points)


def test_an_operations_time_is_its_features_by_its_coefficients() -> None:
    known = profile("ckks", coefficients={"ckks/add": (2e-9, 3e-6)})
    s = Shape(1024, limbs=3, special=1, digit_limbs=1)
    # two polynomials of three limbs: 6 * 1024 additions, and the call
    assert known.seconds("ckks", "add", s) == pytest.approx(6 * 1024 * 2e-9 + 3e-6)


def test_what_was_never_calibrated_has_no_time() -> None:
    known = profile("ckks", coefficients={"ckks/add": (2e-9, 3e-6)})
    s = Shape(1024, 3, 1, 1)
    assert known.seconds("ckks", "mul", s) is None
    assert known.seconds("bgv", "add", s) is None
    assert [known.covers(name) for name in ("ckks", "bgv")] == [True, False]
    assert not replace(known, coefficients={}).covers("ckks")


def test_coefficients_of_another_number_of_features_are_not_used_in_part() -> None:
    with pytest.raises(ValueError):
        profile("ckks", coefficients={"ckks/add": (2e-9,)}).seconds("ckks", "add", Shape(1024, 3, 1, 1))
