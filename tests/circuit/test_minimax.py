"""Odd polynomials nearest to the sign, and compositions of them."""

from itertools import product
from math import log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.polynomial.chebyshev import chebval

from fheasible.circuit import composition
from fheasible.circuit.composition import (
    CLOSENESSES,
    RELINEARISATIONS,
    TABLE,
    Composition,
    best,
    best_for_kink,
    composed,
    composition_at,
    for_kink,
    reached_by,
    start,
)
from fheasible.circuit.minimax import odd_minimax

DEGREES = st.sampled_from(sorted(RELINEARISATIONS))
LOWS = st.floats(0.0005, 0.9)

PUBLISHED = {
    8: (7, 15, 15),
    9: (7, 7, 7, 13),
    10: (7, 7, 13, 15),
    11: (7, 15, 15, 15),
    12: (15, 15, 15, 15),
    13: (15, 15, 15, 31),
    14: (7, 7, 15, 15, 27),
    15: (7, 15, 15, 15, 27),
    16: (15, 15, 15, 15, 27),
}
"""The compositions of least depth for comparisons that are right to 2^-alpha where |x| >= 2^-alpha [LLNK22,
Table 2]: the sign is then right to 2^(1 - alpha)."""


@settings(max_examples=40)
@given(degree=DEGREES, low=LOWS)
def test_the_error_alternates_between_as_many_extrema_as_no_better_polynomial_allows(
    degree: int, low: float
) -> None:
    """Chebyshev's theorem: with one extremum more than coefficients, no odd polynomial is nearer."""
    found = odd_minimax(degree, low)
    x = np.cos(np.linspace(0, np.arccos(low), 200_000))
    error = chebval(x, found.coefficients) - 1
    assert np.abs(error).max() <= found.error * (1 + 1e-6) + 1e-13
    if found.error > 1e-9:  # else it is the polynomial of a wider interval
        reached = np.sign(error[np.abs(error) > 0.999 * found.error])
        assert 1 + np.count_nonzero(np.diff(reached)) >= (degree + 1) // 2 + 1


def test_a_polynomial_of_degree_3_is_the_one_that_is_known_by_hand() -> None:
    """a x - b x^3 with a, b from its values at low, 1 and at its maximum between, solved for low = 1/2."""
    c = odd_minimax(3, 0.5).coefficients
    b, a = -4 * c[3], c[1] - 3 * c[3]
    top = np.sqrt(a / (3 * b))
    values = [a * x - b * x**3 for x in (0.5, top, 1.0)]
    assert values[0] == pytest.approx(values[2])
    assert values[1] - 1 == pytest.approx(1 - values[0])


@settings(max_examples=30)
@given(degrees=st.lists(DEGREES, min_size=1, max_size=4).map(Composition), low=LOWS)
def test_a_composition_is_as_near_to_the_sign_as_it_says_and_bounded_in_between(
    degrees: Composition, low: float
) -> None:
    found = composed(degrees, low)
    x = np.concatenate([np.linspace(-1, -low, 3001), np.linspace(low, 1, 3001)])
    assert np.abs(composition_at(found.stages, x) - np.sign(x)).max() <= found.error * (1 + 1e-6) + 1e-11
    near = composition_at(found.stages, np.linspace(-low, low, 3001))
    assert np.abs(near).max() <= (1 + found.error) * (1 + 1e-6)


@pytest.mark.parametrize("alpha", PUBLISHED)
def test_the_least_depths_are_the_published_ones(alpha: int) -> None:
    low, wanted = 2.0**-alpha, 2.0 ** (1 - alpha)
    published = Composition(PUBLISHED[alpha])
    assert composed(published, low, 0.0).error <= wanted
    assert composed(best(published.levels, low, 0.0)[-1], low, 0.0).error <= 1.001 * wanted
    assert composed(best(published.levels - 1, low, 0.0)[-1], low, 0.0).error > wanted
    good = [c for c in best(published.levels, low, 0.0) if composed(c, low, 0.0).error <= wanted]
    assert good[0].relinearisations <= published.relinearisations


def every(levels: int) -> list[Composition]:
    """Every composition of exactly that many levels."""
    sequences = (s for count in range(1, levels // 2 + 1) for s in product(RELINEARISATIONS, repeat=count))
    return [c for c in map(Composition, sequences) if c.levels == levels]


@pytest.mark.parametrize(("levels", "low"), [(4, 0.1), (6, 0.02), (7, 0.05)])
def test_the_best_compositions_are_those_that_trying_all_finds(levels: int, low: float) -> None:
    bits = {c: -log2(composed(c, low).error) for c in every(levels)}
    found = best(levels, low)
    assert bits[found[-1]] >= max(bits.values()) - 0.01
    for c in found:
        assert (
            bits[c]
            >= max(b for other, b in bits.items() if other.relinearisations <= c.relinearisations) - 0.01
        )
    assert [c.relinearisations for c in found] == sorted(c.relinearisations for c in found)


@pytest.mark.parametrize("levels", [3, 6, 8])
def test_a_kink_is_approximated_as_well_as_by_any_other_composition(levels: int) -> None:
    x = np.linspace(0, 1, 4001)

    def error(c: Composition) -> float:
        return float(np.abs(x * composition_at(for_kink(c).stages, x) - x).max())

    least = min(error(c) for c in every(levels)) if levels < 8 else error(Composition((15, 15)))
    assert error(best_for_kink(levels)[-1]) <= 1.02 * least


def test_a_kink_begins_where_its_error_on_both_sides_is_the_same() -> None:
    found = for_kink(Composition((7, 15)))
    near, far = np.linspace(0, found.low, 10_001), np.linspace(found.low, 1, 10_001)
    errors = [np.abs(x * composition_at(found.stages, x) - x).max() for x in (near, far)]
    assert errors[0] == pytest.approx(errors[1], rel=0.1)


def test_the_shipped_table_is_what_its_program_computes() -> None:
    table = dict(zip(RELINEARISATIONS, np.load(TABLE), strict=True))
    for degree in (3, 15, 31):
        for k in range(40, len(CLOSENESSES), 60):
            bits = reached_by(degree, start(CLOSENESSES[k]))
            # sums of doubles near 1 differ between processors by some 2^-53, or 2^(bits - 53) of what is left
            assert table[degree][k] == pytest.approx(bits, abs=max(1e-4, 32 * 2.0 ** (bits - 53)))


def test_between_the_points_of_the_table_a_composition_is_judged_well_enough() -> None:
    for degree, at in product(RELINEARISATIONS, np.linspace(-8.03, 3.97, 7)):
        reached = reached_by(degree, start(at))
        if reached < 30:  # else doubles cannot tell more
            assert composition._after(degree, at) == pytest.approx(reached, abs=0.05)
