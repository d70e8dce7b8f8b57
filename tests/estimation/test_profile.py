"""Profiles: what they predict, and that nothing is lost on the way through JSON."""

import json
from dataclasses import asdict, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fheasible.estimation.features import NAMES, Caches, Shape, features
from fheasible.estimation.memory import MemoryModel
from fheasible.estimation.profile import Profile, TimedShape, named
from fheasible.estimation.threads import Serial, ThreadModel
from fheasible.libraries.layout import Layout, Task
from fheasible.libraries.parameters import Parameters
from fheasible.libraries.work import layout_of
from libraries.chains import SCHEMES, chain

from .profiles import invented, priced, telling

N = 1024
ADD = Shape(N, layout_of(chain("seal", "ckks", 3)), Task("add", 2))

number = st.floats(0, 1e12)
word = st.text(max_size=12)
small = st.integers(0, 60)
bytes_ = st.floats(0, 1e12)
layouts = st.builds(
    Layout,
    library=word,
    scheme=st.sampled_from(SCHEMES),
    limbs=small,
    special=small,
    digits=small,
    key_switching=word,
    ring_dimension=small,
    plain_modulus=st.none() | st.integers(2, 1 << 60),
    prime_bits=small,
    secret=word,
)
shapes = st.builds(
    Shape,
    st.integers(1, 17).map(lambda k: 1 << k),
    layouts,
    st.builds(Task, word, small, small, small, small),
)
prices = st.lists(number, min_size=len(NAMES), max_size=len(NAMES)).map(tuple)
serial = st.dictionaries(word, st.builds(Serial, number, number), max_size=2)
profiles = st.builds(
    Profile,
    machine=word,
    library=word,
    version=word,
    threads=st.integers(1, 128),
    created=word,
    caches=st.builds(Caches, bytes_, bytes_),
    prices=prices,
    coefficients=st.dictionaries(word, prices, max_size=2),
    memory=st.dictionaries(st.sampled_from(SCHEMES), st.builds(MemoryModel, *[number] * 5)),
    error_band=number,
    wall_factor=number,
    composition=number,
    build=word,
    points=st.lists(st.builds(TimedShape, shapes, number), max_size=2).map(tuple),
    parallel=st.none() | st.builds(ThreadModel, word, word, word, st.just((1, 2)), serial, number),
    origin=word,
)


def through_json(p: Profile) -> Any:
    return json.loads(json.dumps(p.to_json()))


@given(profiles)
@settings(deadline=None, max_examples=40)
def test_a_profile_survives_json(before: Profile) -> None:
    after = Profile.from_json(through_json(before))
    assert after == before
    assert all(isinstance(c, tuple) for c in after.coefficients.values())
    assert all(isinstance(p.shape.layout, Layout) for p in after.points)
    assert hash(after.points) == hash(before.points)  # shapes are keys
    assert hash(after) == hash(before)


@given(profiles)
@settings(deadline=None, max_examples=40)
def test_a_profile_is_read_that_has_each_point_by_itself(before: Profile) -> None:
    """As they were stored before layouts and tasks were kept once."""
    body = through_json(before) | {"points": [asdict(point) for point in before.points]}
    assert Profile.from_json(json.loads(json.dumps(body))) == before


def test_a_layout_and_a_task_of_many_points_are_kept_once() -> None:
    shapes = [replace(ADD, n=n) for n in (1 << 12, 1 << 13, 1 << 14)]
    kept = telling("seal", points=tuple(TimedShape(s, 1.0) for s in shapes)).to_json()["points"]
    assert len(kept["layouts"]) == len(kept["tasks"]) == 1
    assert [row[0] for row in kept["measured"]] == [1 << 12, 1 << 13, 1 << 14]


def test_what_it_predicts_survives_json_too() -> None:
    known = telling("seal", points=(TimedShape(ADD, 2.0),))
    after = Profile.from_json(through_json(known))
    assert after is not None
    assert after.seconds(ADD) == known.seconds(ADD) > 0


@pytest.mark.parametrize(
    "other",
    [
        {"model": None},
        {"model": 1},
        {"model": 3},
        {"names": [*NAMES[1:], NAMES[0]]},
        {"names": NAMES[:-1]},
        {"names": [*NAMES, "bootstraps"]},
    ],
    ids=str,
)
def test_a_profile_of_another_cost_model_is_none(other: dict[str, Any]) -> None:
    body = through_json(invented("seal"))
    assert Profile.from_json(body) is not None
    assert Profile.from_json(body | other) is None
    without = {k: v for k, v in body.items() if k not in other}
    assert "model" not in other or Profile.from_json(without) is None


def test_a_profile_from_before_there_were_models_is_none() -> None:
    old = {"machine": "m", "library": "seal", "coefficients": {"ckks/add": [1e-9, 2e-6]}, "points": []}
    assert Profile.from_json(old) is None


# -- seconds


def test_the_time_of_an_operation_is_its_features_by_its_prices() -> None:
    known = replace(invented("seal"), coefficients={"ckks/add": priced(additions=2e-9, calls=3e-6)})
    # two polynomials of three limbs: 6 * 1024 additions; SEAL is called once, by one call of the worker
    assert known.seconds(ADD) == pytest.approx(6 * N * 2e-9 + 2 * 3e-6)


def test_what_was_never_measured_costs_by_the_shared_prices() -> None:
    own = {"ckks/add": priced(additions=7.0)}
    known = replace(invented("seal"), prices=priced(additions=2e-9, permutations=5e-9), coefficients=own)
    assert known.seconds(replace(ADD, task=Task("sub", 2))) == pytest.approx(6 * N * 2e-9)
    other = replace(ADD, layout=layout_of(chain("seal", "bgv", 3)))
    assert named(other) == "bgv/add"
    assert known.seconds(other) == pytest.approx(6 * N * 2e-9)
    assert known.seconds(ADD) == pytest.approx(6 * N * 7.0)
    assert [known.covers(name) for name in ("ckks", "bgv")] == [True, False]
    assert not replace(known, coefficients={}).covers("ckks")


def test_the_profile_s_own_caches_count() -> None:
    """36 limbs of 8n bytes are read and written, of which 18 are worked on."""
    told = priced(l2_missed_bytes=1e-9)
    known = replace(invented("seal"), coefficients={"ckks/add": told}, caches=Caches(9 * 8 * N, 0.0))
    assert known.seconds(ADD) == pytest.approx(36 * 8 * N / 2 * 1e-9)
    assert replace(known, caches=Caches(18 * 8 * N, 0.0)).seconds(ADD) == 0


def test_prices_of_another_number_of_features_are_not_used_in_part() -> None:
    with pytest.raises(ValueError):
        replace(invented("seal"), coefficients={"ckks/add": (2e-9,)}).seconds(ADD)


def test_a_point_is_named_by_scheme_and_action() -> None:
    assert TimedShape(ADD, 1.0).name == "ckks/add"


def test_what_was_needed_to_explain_the_times_is_shown_in_nanoseconds() -> None:
    known = replace(invented("seal"), prices=priced(forward=1.5e-9, calls=2e-6))
    assert known.nanoseconds == pytest.approx({"forward": 1.5, "calls": 2000.0})


# -- threads


def with_threads(threads: int, serial: dict[str, Serial]) -> Profile:
    parallel = ThreadModel("openfhe", "1.6.1", "m", (1, 2), serial)
    return replace(invented("openfhe"), threads=threads, parallel=parallel)


def shape(p: Parameters, action: str) -> Shape:
    return Shape(N, layout_of(p), Task(action, p.limbs - 1))


def test_two_threads_leave_the_larger_half_of_the_limbs() -> None:
    p = chain("openfhe", "ckks", 5, 2)
    known = with_threads(2, {name: Serial(0.0, 0.0) for name in ("ckks/add", "ckks/relinearize")})
    alone = replace(known, parallel=None)
    for action, share in (
        ("add", 3 / 5),  # ceil(5 / 2) of 5
        ("relinearize", 4 / 7),  # those of P too
        ("neg", 1.0),  # never measured with threads
    ):
        s = shape(p, action)
        assert known.seconds(s) == pytest.approx(share * alone.seconds(s))


def test_one_thread_takes_what_it_takes_whatever_more_would_gain() -> None:
    known = with_threads(1, {"ckks/add": Serial(0.0, 0.0)})
    s = shape(chain("openfhe", "ckks", 5), "add")
    assert known.seconds(s) == replace(known, parallel=None).seconds(s)


def test_of_an_operation_s_time_the_serial_part_stays() -> None:
    # as much as 5 limbs are no loop, of 10 in all; of 5 limbs 3 are left of 2 threads
    known = with_threads(2, {"ckks/add": Serial(5.0, 0.0)})
    s = shape(chain("openfhe", "ckks", 5), "add")
    assert known.seconds(s) == pytest.approx((0.5 + 0.5 * 3 / 5) * replace(known, threads=1).seconds(s))


def test_a_part_in_hoisting_costs_as_the_rotation_where_it_was_never_measured() -> None:
    """By its own kernels; and by its own prices where it was."""
    p = chain("lattigo", "ckks", 3)
    of_rotation, own, shared = ((x,) * len(NAMES) for x in (2.0, 3.0, 1.0))
    profile = replace(invented("lattigo"), prices=shared, coefficients={"ckks/rotate": of_rotation})
    shape = {
        a: Shape(N, layout_of(p), Task(a, 2)) for a in ("rotate", "rotate_hoist", "rotate_hoisted", "add")
    }
    work = {a: sum(features(s, profile.caches)) for a, s in shape.items()}
    for action in ("rotate", "rotate_hoist", "rotate_hoisted"):
        assert profile.seconds(shape[action]) == pytest.approx(2 * work[action])
    assert work["rotate_hoisted"] < 0.8 * work["rotate"]
    assert profile.seconds(shape["add"]) == pytest.approx(work["add"])
    measured = replace(profile, coefficients={**profile.coefficients, "ckks/rotate_hoisted": own})
    assert measured.seconds(shape["rotate_hoisted"]) == pytest.approx(3 * work["rotate_hoisted"])
    assert measured.seconds(shape["rotate"]) == profile.seconds(shape["rotate"])
