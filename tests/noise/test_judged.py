"""Which elements stand for all."""

from collections.abc import Callable

import numpy as np
import pytest

import fheasible as fh
from fheasible.exploration.judging.chosen import chosen as candidate
from fheasible.exploration.judging.chosen import request_from
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Wish, bits
from fheasible.exploration.search.search import explore
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.lowering.lower import lower
from fheasible.noise.ckks.precision import precision
from fheasible.noise.reach.judged import STANDING, JudgedElements
from fheasible.program.simulate import simulate
from fheasible.program.types import Program

from .programs import CKKS, elements_of

LENGTH = 3000
SLOTS = 512


def lowered(mixed: bool) -> Program:
    @fh.app(x=fh.reals(LENGTH, low=-1, high=1), y=fh.reals(LENGTH, low=-1, high=1))
    def made(x, y):  # type: ignore[no-untyped-def]
        return {"vector": x * y + (fh.mean(x) if mixed else 0.5), "number": fh.sum(y)}

    return lower(made.trace(), CKKS, SLOTS)


def data() -> dict[str, np.ndarray]:
    draw = np.random.default_rng(2)
    values = {name: draw.uniform(-1, 1, LENGTH) for name in "xy"}
    values["x"][1234] = values["y"][1234] = 30.0  # nothing is as noisy as their product
    return values


def chosen(mixed: bool) -> tuple[JudgedElements, dict[str, np.ndarray]]:
    found = lowered(mixed)
    return elements_of(found, data()), simulate(found, data())


@pytest.mark.parametrize("mixed", [False, True], ids=["slot by slot", "mixed"])
def test_some_elements_stand_for_all_and_the_extreme_ones_for_themselves(mixed: bool) -> None:
    found, outputs = chosen(mixed)
    assert found.count == LENGTH + 1
    assert found.weights.sum() == pytest.approx(1)
    assert STANDING < len(found.elements) < 2 * STANDING
    assert 1234 in found.elements
    assert int(np.argmin(np.abs(outputs["vector"]))) in found.elements
    assert found.weights[found.elements == LENGTH] == pytest.approx(1 / found.count)  # the single number


def test_where_slots_do_not_mix_every_judged_element_has_a_column_of_its_own() -> None:
    found, _ = chosen(mixed=False)
    np.testing.assert_array_equal(found.of_columns[found.columns], found.elements)


def test_where_they_mix_few_have_the_most_disturbed_among_them_and_no_other_takes_its_column() -> None:
    found, _ = chosen(mixed=True)
    assert len(found.of_columns) < 40
    column = np.searchsorted(found.of_columns, 1234)
    assert found.of_columns[column] == 1234
    assert np.sum(found.columns == column) == 1


def test_where_they_mix_a_shorter_output_has_the_most_disturbed_among_its_columns_too() -> None:
    length = STANDING - 72
    values = {"x": np.random.default_rng(1).uniform(0, 1, length)}
    weights = np.where(np.arange(length) == 77, 30.0, 1.0)
    values["x"][77] = 0.5 / 30  # noisy, and among the others by its value

    @fh.app(x=fh.reals(length, low=0, high=1))
    def made(x):  # type: ignore[no-untyped-def]
        return x * weights + fh.mean(x)

    program = lower(made.trace(), CKKS, SLOTS)
    found = elements_of(program, values)
    assert len(found.elements) == length > len(found.of_columns)
    assert found.weights.sum() == pytest.approx(1)
    column = np.searchsorted(found.of_columns, 77)
    assert found.of_columns[column] == 77
    assert np.sum(found.columns == column) == 1


@pytest.mark.parametrize("length", [7, 12, 20, 40])
def test_an_output_may_be_so_short_that_nearly_all_of_it_is_loud(
    length: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A part of long vectors, for which six passes are all that can be afforded."""
    monkeypatch.setattr("fheasible.noise.reach.judged._WORK", 1)

    @fh.app(x=fh.reals(SLOTS, low=-1, high=1), y=fh.reals(SLOTS, low=-1, high=1))
    def part(x, y):  # type: ignore[no-untyped-def]
        return (fh.rotate(x, 1) * y**2 + fh.rotate(x * y, 2) + x**3)[:length]

    program, draw = lower(part.trace(), CKKS, SLOTS), np.random.default_rng(1)
    values = {name: draw.uniform(-1, 1, SLOTS) for name in "xy"}
    found = elements_of(program, values)
    assert found.weights.sum() == pytest.approx(1)
    assert len(found.of_columns) == 6 < len(found.elements) == length
    own = np.isin(found.elements, found.of_columns)
    np.testing.assert_array_equal(found.of_columns[found.columns][own], found.elements[own])


@pytest.mark.parametrize(
    "function",
    [lambda x: fh.rotate(x, 1) + fh.rotate(x, 3), lambda x: 1e6 * (1 + x / 100) ** 5],
    ids=["rotations", "products, before they are rescaled"],
)
def test_offsets_make_slot_0_one_of_the_loudest(function: Callable[[fh.Vector], fh.Vector]) -> None:
    """They have some 0.4 n times the variance there."""

    @fh.app(x=fh.reals(SLOTS, low=-1, high=1))
    def turned(x):  # type: ignore[no-untyped-def]
        return function(x)

    program, values = lower(turned.trace(), CKKS, SLOTS), {"x": np.roll(np.linspace(-1, 1, SLOTS), 100)}
    for seed in range(4):
        found = elements_of(program, values, seed=seed)
        assert 0 in found.of_columns
        assert found.weights[found.elements == 0] == pytest.approx(1 / SLOTS)  # for itself alone


def test_a_mean_is_adjusted_by_the_sizes_that_are_known_of_all() -> None:
    found, outputs = chosen(mixed=False)
    sizes = np.log2(np.abs(np.concatenate([outputs["vector"], outputs["number"]])))
    assert found.mean(3 - 2 * sizes[found.elements]) == pytest.approx(np.mean(3 - 2 * sizes))
    plain = found.weights @ (3 - 2 * sizes[found.elements])
    assert abs(plain - np.mean(3 - 2 * sizes)) > 1e-4  # which the sample alone misses


@pytest.mark.parametrize("value", [1.3, 0.1, 1.0, 0.0])
@pytest.mark.parametrize("length", [100, LENGTH])
def test_elements_that_are_all_alike_have_their_plain_mean(length: int, value: float) -> None:
    """1.3, 100 times: rounding once counted every element twice."""

    @fh.app(x=fh.reals(length, low=-2, high=2))
    def cubic(x):  # type: ignore[no-untyped-def]
        return 3 * x**3 - 2 * x**2 + x - (5 if value else 0)

    found, values = lower(cubic.trace(), CKKS, SLOTS), {"x": np.full(length, value)}
    known = elements_of(found, values)
    assert known.mean(np.full(len(known.elements), 7.0)) == pytest.approx(7.0)


def test_a_short_output_is_judged_in_full() -> None:
    @fh.app(x=fh.reals(20, low=-1, high=1))
    def short(x):  # type: ignore[no-untyped-def]
        return x * x

    found, values = lower(short.trace(), CKKS, 32), {"x": np.linspace(-1, 1, 20)}
    known = elements_of(found, values)
    np.testing.assert_array_equal(known.elements, np.arange(20))
    np.testing.assert_allclose(known.weights, 1 / 20)


def test_results_that_are_next_to_nothing_are_judged_without_a_word() -> None:
    """0.9^16384 is 2^-2490: the square of no such result is a number."""

    @fh.app(x=fh.reals(512, low=0.9, high=1))
    def made(x):  # type: ignore[no-untyped-def]
        for _ in range(14):
            x = x * x
        return x

    data = {"x": np.linspace(0.9, 1, 512)}
    own = Problem(made.trace(), data, "data")
    request = request_from("ckks", {"scale_bits": "40", "first_bits": "50"}, 128)
    with np.errstate(all="raise", under="ignore"):
        found = candidate(own, CATALOGUE["seal"], request, None)
        assert found.estimate.precision_bits is not None
        assert explore(own, Wish(precision=bits(3)), [CATALOGUE["seal"]], {}).best is not None


def test_values_whose_powers_are_hardly_numbers_are_judged_without_a_word() -> None:
    """(6e7 / 1e8)^15: the power of the sum alone is 1e116, and how far its noise reaches is squared twice."""

    @fh.app(x=fh.reals(4096, low=0, high=15000))
    def made(x):  # type: ignore[no-untyped-def]
        return fh.power(fh.sum(x) / 100000000, 15)

    own = Problem(made.trace(), {"x": np.random.default_rng(30).uniform(0, 15000, 4096)}, "data")
    with np.errstate(all="raise", under="ignore"):
        wish = Wish(precision=bits(16), shared_results=True)
        assert explore(own, wish, [CATALOGUE["openfhe"]], {}).explored


def test_a_result_that_is_hardly_a_number_has_bits() -> None:
    """The least number that a double holds, over an error of 25."""

    @fh.app(x=fh.reals(2, low=5, high=10))
    def made(x):  # type: ignore[no-untyped-def]
        return x * x

    own = Problem(made.trace(), {"x": np.array([5.0, 10.0])}, "data")
    request = request_from("ckks", {"scale_bits": "30", "first_bits": "40"}, 128)
    c = candidate(own, CATALOGUE["lattigo"], request, None)
    known, exact = own.gains(c.program), {"result": np.array([5e-324, 100.0])}
    with np.errstate(all="raise", under="ignore"):
        told = precision(c.program, c.parameters, known, exact)
        assert np.isfinite(told.assured_mean)
