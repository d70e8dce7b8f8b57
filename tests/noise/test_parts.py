"""Noise that is added and multiplied, against polynomials (INSECURE_ sizes)."""

from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from fheasible.noise.integers.parts import WAVE, NoisePart, Parts, sum_of_bits
from fheasible.noise.integers.shared import Relation
from fheasible.noise.integers.tail import GAUSSIAN, SquareShape

INSECURE_N = 64
PAIRS = INSECURE_N / 2
RUNS = 400

Poly = NDArray[np.float64]


def times(x: Poly, y: Poly) -> Poly:
    """Modulo X^n + 1."""
    long = np.convolve(x, y)
    return np.asarray(long[:INSECURE_N] - np.append(long[INSECURE_N:], 0))


def flat(draw: np.random.Generator) -> Poly:
    return draw.normal(size=INSECURE_N)


def wave(draw: np.random.Generator) -> Poly:
    """1 + X + X^2 + ... times the secret: the mean of a rounding."""
    return times(np.ones(INSECURE_N), flat(draw))


def traced(draw: np.random.Generator) -> Poly:
    """A sum over all rotations: one coefficient."""
    return np.append(draw.normal() * INSECURE_N, np.zeros(INSECURE_N - 1))


PARTS = Parts(INSECURE_N, 40)
LINE = SquareShape(0, (1,))


def part(variance: float, shape: SquareShape, slots: float) -> NoisePart:
    found = PARTS.part(variance, shape, slots)
    assert found
    return found


def total(x: NoisePart | None, y: NoisePart | None, relation: Relation = Relation.APART) -> NoisePart:
    found = PARTS.total(x, y, relation)
    assert found
    return found


def product(x: NoisePart, y: NoisePart, same: bool = False) -> NoisePart:
    found = PARTS.product(x, y, same)
    assert found
    return found


FLAT = part(1.0, LINE, PAIRS)
WAVES = part(float(INSECURE_N), LINE, WAVE)
TRACED = NoisePart(2 * log2(INSECURE_N), log2(INSECURE_N), PARTS.kind(LINE, PAIRS))
CASES = {
    "flat, flat": (flat, FLAT, flat, FLAT),
    "flat, wave": (flat, FLAT, wave, WAVES),
    "wave, wave": (wave, WAVES, wave, WAVES),
    "flat, traced": (flat, FLAT, traced, TRACED),
    "traced, traced": (traced, TRACED, traced, TRACED),
}


@pytest.mark.parametrize("name", CASES)
def test_the_variance_of_a_product(name: str) -> None:
    draw = np.random.default_rng(3)
    first, x, second, y = CASES[name]
    found = product(x, y)
    squares = np.mean([times(first(draw), second(draw)) ** 2 for _ in range(RUNS)], axis=0)
    assert 2**found.mean == pytest.approx(np.mean(squares), rel=0.35)
    assert 2**found.worst == pytest.approx(np.max(squares), rel=0.5)


def test_the_variance_of_a_square() -> None:
    draw = np.random.default_rng(4)
    squares = [np.mean(times(x, x) ** 2) for x in (wave(draw) for _ in range(4 * RUNS))]
    predicted = product(WAVES, WAVES, same=True).mean
    assert 2**predicted == pytest.approx(np.mean(squares), rel=0.35)


def added(relation: Relation) -> list[float]:
    """The largest variance, and that of all."""
    found = total(FLAT, FLAT, relation)
    return [2**found.worst, 2**found.mean]


def test_sums_of_what_is_apart_turned_and_the_same() -> None:
    """2, 4 in what a rotation leaves and 2 elsewhere, and 4 times the variance."""
    assert added(Relation.APART) == pytest.approx([2, 2])
    assert added(Relation.TURNED) == pytest.approx([4, 2])
    assert added(Relation.SAME) == pytest.approx([4, 4])


@given(st.floats(1e-9, 1e9), st.floats(1e-9, 1e9))
def test_variances_add_and_so_do_standard_deviations_in_step(a: float, b: float) -> None:
    x, y = part(a, LINE, PAIRS), part(b, LINE, PAIRS)
    assert 2 ** total(x, y).worst == pytest.approx(a + b)
    assert 2 ** total(x, y, Relation.SAME).worst == pytest.approx((a**0.5 + b**0.5) ** 2)


def test_a_sum_with_nothing_is_what_it_was() -> None:
    assert PARTS.part(0.0, LINE, PAIRS) is None
    assert total(FLAT, None) == FLAT
    assert total(None, FLAT, Relation.SAME) == FLAT
    assert PARTS.total(None, None, Relation.APART) is PARTS.product(FLAT, None) is None


def test_the_heavier_shape_prevails_unless_its_tail_does_not_matter() -> None:
    deep, light = SquareShape(6, (1,) * 6), SquareShape(1, (1,))

    def shape_with(share: float) -> SquareShape:
        found = total(part(1.0, light, PAIRS), part(share, deep, PAIRS)).kind.shape
        assert isinstance(found, SquareShape)
        return found

    assert shape_with(1.0) == deep
    assert shape_with(1e-3) == deep  # its tail is far longer
    assert shape_with(1e-30) == light


def test_turned_waves_lie_in_more_embeddings() -> None:
    assert total(WAVES, WAVES, Relation.TURNED).kind.slots == 2 * WAVE
    assert total(FLAT, FLAT, Relation.TURNED).kind.slots == PAIRS


def test_the_largest_coefficient_of_what_is_flat_a_wave_or_one_coefficient() -> None:
    """On the average of logarithms, within half a bit."""
    draw = np.random.default_rng(5)
    for make, x in ((flat, part(1.0, GAUSSIAN, PAIRS)), (wave, WAVES), (traced, TRACED)):
        seen = np.mean([np.log2(np.max(np.abs(make(draw)))) for _ in range(RUNS)])
        assert -0.1 < PARTS.usual_bits(x) - seen < 0.5


def test_variances_beyond_a_double() -> None:
    large, small = FLAT.scaled(3000.0), FLAT.scaled(-3000.0)
    assert (large.worst, large.mean, small.worst) == (3000, 3000, -3000)
    assert total(large, large).worst == pytest.approx(3001)
    assert total(large, small).worst == 3000
    assert product(large, small).mean == pytest.approx(product(FLAT, FLAT).mean)
    assert sum_of_bits([3000.0, 3000.0, -1e4]) == pytest.approx(3001)


def test_the_few_slots_of_a_negligible_part_do_not_count() -> None:
    rounding, message = part(1.0, SquareShape(1, (1,)), PAIRS), part(1e-9, LINE, 1.0)
    both = total(rounding, message)
    assert both.kind is rounding.kind
    assert total(rounding, message.scaled(log2(10**9))).kind.slots == 1


def test_nor_do_they_where_both_have_one_shape() -> None:
    few = part(1e-9, LINE, 1.0)
    assert total(few, FLAT).kind.slots == PAIRS
    assert total(few.scaled(log2(10**9)), FLAT).kind.slots == 1


def test_what_all_coefficients_have_alike_they_have_after_scaling() -> None:
    assert PARTS.coefficients(FLAT.scaled(0.1)) == INSECURE_N
    assert PARTS.coefficients(TRACED.scaled(0.1)) == 1


def test_what_lay_in_one_coefficient_is_as_far_above_the_mean_again() -> None:
    algebra = Parts(INSECURE_N, 40.0)
    flat = algebra.part(2.0**10, GAUSSIAN, PAIRS)
    assert flat
    one, some = (flat._replace(worst=flat.worst + above) for above in (6.0, 3.0))
    assert algebra.heaped(flat, [flat, None]) is flat
    assert algebra.heaped(flat.scaled(5.0), [some, one, some]) == flat.scaled(5.0)._replace(worst=21.0)
    assert algebra.heaped(one, [some]) is one
    assert algebra.heaped(None, [one]) is None
