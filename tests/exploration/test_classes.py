"""Classes by the largest score: what error keeps them, by hand."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fheasible as fh
from fheasible.errors import UsageError
from fheasible.exploration.judging.classes import KEPT, kept, resolved, right, scores
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Asked, Measure, Wish
from fheasible.exploration.search.declared_ranges import explore_everywhere
from fheasible.exploration.search.search import explore
from fheasible.libraries.catalogue import CATALOGUE

CLASS, OF_THREE = Asked.parse("class"), Asked.parse("class:3")


def test_the_error_is_half_of_the_distance_between_the_two_largest_scores() -> None:
    one_sample = {"scores": np.array([0.2, 0.9, 0.5, -3.0])}
    found = resolved(CLASS, one_sample)
    assert found == Asked(Measure.ABSOLUTE, (0.9 - 0.5) / 2, classes=0)
    by_class = {"cat": np.array([1.0, 2.0]), "dog": np.array([0.0, 2.5])}
    assert resolved(CLASS, by_class) == Asked(Measure.ABSOLUTE, 0.25, classes=0)
    rows = {"scores": np.array([1.0, 2.0, 4.0, 9.0, 8.0, 0.0])}
    assert resolved(OF_THREE, rows) == Asked(Measure.ABSOLUTE, 0.5, classes=3)


def test_one_sample_in_a_hundred_may_lose_its_class() -> None:
    near = np.stack([np.zeros(200), np.full(200, 1.0)])
    near[1, :2] = 1e-9  # two of two hundred have hardly a largest score
    found = resolved(CLASS, {"a": near[0], "b": near[1]})
    assert found is not None
    assert found.value == 0.5
    near[1, 2] = 1e-9
    tighter = resolved(CLASS, {"a": near[0], "b": near[1]})
    assert tighter is not None
    assert tighter.value == pytest.approx(5e-10)


@given(st.integers(0, 2**32 - 1), st.integers(2, 6), st.integers(1, 300))
def test_errors_no_larger_than_that_keep_the_classes(seed: int, classes: int, samples: int) -> None:
    draw = np.random.default_rng(seed)
    truth = {"scores": draw.normal(size=classes * samples)}
    found = resolved(Asked(Measure.CLASS, classes), truth)
    assert found is not None
    off = {"scores": truth["scores"] + draw.choice([-0.999, 0.999], classes * samples) * found.value}
    assert kept(off, truth, classes) >= KEPT
    assert right(found, off, truth)
    swapped = {"scores": -truth["scores"]}
    assert not right(found, swapped, truth)
    assert right(Asked(Measure.ABSOLUTE, 1.0), off, truth) is None


def test_other_wishes_stay_as_they_are() -> None:
    assert resolved(None, {}) is None
    assert resolved(Asked.parse("15"), {}) == Asked.parse("15")


@pytest.mark.parametrize(
    ("asked", "truth"),
    [
        (CLASS, {"a": np.ones(3), "b": np.ones(4)}),
        (CLASS, {"a": np.ones(1)}),
        (OF_THREE, {"a": np.arange(7.0)}),
        (CLASS, {"a": np.ones(5)}),  # all alike: nothing is the largest
    ],
)
def test_what_has_no_classes_is_refused_with_the_remedy(asked: Asked, truth: dict[str, np.ndarray]) -> None:
    with pytest.raises(UsageError) as caught:
        resolved(asked, truth)
    assert caught.value.remedy


def test_scores_of_several_outputs_and_of_rows_are_the_same() -> None:
    table = np.arange(12.0).reshape(4, 3)
    columns = {str(k): table[:, k] for k in range(3)}
    assert np.array_equal(scores(columns), table)
    assert np.array_equal(scores({"all": table.ravel()}, 3), table)


def test_a_set_that_keeps_the_classes_is_found_and_said() -> None:
    @fh.app(x=fh.reals(8, low=-1, high=1))
    def scored(x: fh.Vector) -> fh.Vector:
        return np.array([[1.0] * 8, [-1.0] * 8, [0.5, -0.5] * 4]) @ x

    circuit = scored.trace()
    problem = Problem(circuit, {"x": np.linspace(0.1, 0.9, 8)}, "by hand")
    seal = [replace(CATALOGUE["seal"], schemes=("ckks",))]
    e = explore_everywhere(problem, Wish(precision=CLASS), lambda of, wish: explore(of, wish, seal, {}))
    assert e.best is not None
    assert e.wish.least.classes == 0
    margin = np.diff(np.sort(problem.truth["result"]))[-1]
    assert e.best.estimate.absolute_error is not None
    assert e.best.estimate.absolute_error <= margin / 2
    assert "same class" in str(e.wish.least)
    with pytest.raises(UsageError):
        explore_everywhere(problem, Wish(precision=CLASS, worst_case=True), lambda of, wish: e)
