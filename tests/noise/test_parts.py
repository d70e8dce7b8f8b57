"""Noise that is added and multiplied, against polynomials (INSECURE_ sizes)."""

from decimal import Decimal

import numpy as np
import pytest
from numpy.typing import NDArray

from fheasible.noise.parts import WAVE, Part, log2_of, none, part, product, total
from fheasible.noise.shared import Relation
from fheasible.noise.tail import GAUSSIAN, Shape

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


FLAT = part(1.0, Shape(0, (1,)), PAIRS)
WAVES = part(float(INSECURE_N), Shape(0, (1,)), WAVE)
TRACED = Part(Decimal(INSECURE_N**2), Decimal(INSECURE_N), Shape(0, (1,)), PAIRS)
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
    found = product(x, y, INSECURE_N)
    squares = np.mean([times(first(draw), second(draw)) ** 2 for _ in range(RUNS)], axis=0)
    assert float(found.mean) == pytest.approx(np.mean(squares), rel=0.35)
    assert float(found.worst) == pytest.approx(np.max(squares), rel=0.5)


def test_the_variance_of_a_square() -> None:
    draw = np.random.default_rng(4)
    squares = [np.mean(times(x, x) ** 2) for x in (wave(draw) for _ in range(4 * RUNS))]
    predicted = float(product(WAVES, WAVES, INSECURE_N, same=True).mean)
    assert predicted == pytest.approx(np.mean(squares), rel=0.35)


def added(relation: Relation) -> Part:
    return total(FLAT, FLAT, relation, PAIRS, 40)


def test_sums_of_what_is_apart_turned_and_the_same() -> None:
    """2, 4 in what a rotation leaves and 2 elsewhere, and 4 times the variance."""
    assert (added(Relation.APART).worst, added(Relation.APART).mean) == (2, 2)
    assert (added(Relation.TURNED).worst, added(Relation.TURNED).mean) == (4, 2)
    assert (added(Relation.SAME).worst, added(Relation.SAME).mean) == (4, 4)


def test_a_sum_with_nothing_is_what_it_was() -> None:
    assert total(FLAT, none(WAVE), Relation.APART, PAIRS, 40) == FLAT
    assert total(none(WAVE), FLAT, Relation.SAME, PAIRS, 40) == FLAT


def test_the_heavier_shape_prevails_unless_its_tail_does_not_matter() -> None:
    deep, light = Shape(6, (1,) * 6), Shape(1, (1,))

    def shape_with(share: float) -> Shape:
        return total(part(1.0, light, PAIRS), part(share, deep, PAIRS), Relation.APART, PAIRS, 40).shape

    assert shape_with(1.0) == deep
    assert shape_with(1e-3) == deep  # its tail is far longer
    assert shape_with(1e-30) == light


def test_turned_waves_lie_in_more_embeddings() -> None:
    assert total(WAVES, WAVES, Relation.TURNED, PAIRS, 40).slots == 2 * WAVE
    assert total(FLAT, FLAT, Relation.TURNED, PAIRS, 40).slots == PAIRS


def test_the_largest_coefficient_of_what_is_flat_a_wave_or_one_coefficient() -> None:
    """On the average of logarithms, within half a bit."""
    draw = np.random.default_rng(5)
    for make, x in ((flat, part(1.0, GAUSSIAN, PAIRS)), (wave, WAVES), (traced, TRACED)):
        seen = np.mean([np.log2(np.max(np.abs(make(draw)))) for _ in range(RUNS)])
        assert -0.1 < log2_of(x.usual_largest(INSECURE_N)) - seen < 0.5


def test_logarithms_beyond_a_double() -> None:
    assert log2_of(Decimal(2) ** 3000) == pytest.approx(3000)
    assert log2_of(Decimal(2) ** -3000) == pytest.approx(-3000)
    assert log2_of(Decimal(3)) == pytest.approx(np.log2(3))


def test_the_few_slots_of_a_negligible_part_do_not_count() -> None:
    rounding, message = part(1.0, Shape(1, (1,)), PAIRS), part(1e-9, Shape(0, (1,)), 1.0)
    both = total(rounding, message, Relation.APART, PAIRS, 40)
    assert (both.shape, both.slots) == (rounding.shape, PAIRS)
    assert total(rounding, message.scaled(Decimal(10**9)), Relation.APART, PAIRS, 40).slots == 1


def test_nor_do_they_where_both_have_one_shape() -> None:
    few = FLAT.scaled(Decimal("1e-9"))._replace(slots=1.0)
    assert total(few, FLAT, Relation.APART, PAIRS, 40).slots == PAIRS
    assert total(few.scaled(Decimal(10**9)), FLAT, Relation.APART, PAIRS, 40).slots == 1
