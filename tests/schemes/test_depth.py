"""Depths against the published ones, and against hand calculation."""

from itertools import pairwise
from math import log2, sqrt
from typing import Any

import numpy as np
import pytest

from fheasible.errors import InfeasibleParameters
from fheasible.rings.counting import CountingRing
from fheasible.schemes.catalogue import SCHEMES, scheme
from fheasible.schemes.magnitude import Magnitude
from fheasible.schemes.noise import PANTHERS, WORST_CASE, Bounds, Noise, panthers_bounds, worst_case
from fheasible.schemes.parameters import RingParameters

SIZES = ((46, 512), (88, 1024), (174, 2048), (348, 4096), (1200, 8192))  # 80 bits, by the published code


def noise(kind: str, p: RingParameters, bounds: Bounds) -> Noise:
    return scheme(kind)(p.counting_ring(), p.spec).noise(bounds)


def paper_depth(kind: str, log_q: int, log_w: int, n: int = 4096) -> Any:
    return noise(kind, RingParameters(n, log_q, 2, log_w), panthers_bounds(n)).depth()


def published_depth(kind: str, log_q: int, log_w: int, t: int = 2) -> Any:
    """As the files of depths have it: errors from n1, yet rings and expansion factors of 2·n1."""
    n1 = next(n for most, n in SIZES if log_q <= most)
    bounds = Bounds(1, 9.2 * 2 * sqrt(n1), 2 * n1, PANTHERS)
    return noise(kind, RingParameters(2 * n1, log_q, t, log_w), bounds).depth()


def test_fv_first_has_depth_10_where_the_paper_says() -> None:
    """w = 2^28, t = 2, n = 4096: 281 bits [FerLL18, Sec. IV]."""
    assert paper_depth("fv", 281, 28) == 10
    assert paper_depth("fv", 280, 28) == 9


def test_fv_keeps_depth_10_up_to_the_largest_words_of_the_paper() -> None:
    """log2 q = 300: "depth stays at 10 until log2 w = 44" [FerLL18, Sec. IV]."""
    assert all(paper_depth("fv", 300, log_w) == 10 for log_w in range(2, 45, 2))


def test_yashe_loses_depth_10_three_bits_later_than_the_paper_says() -> None:
    """log2 q = 300: the paper has it at log2 w > 22; the formula of its own code at 26."""
    depths = [paper_depth("yashe", 300, log_w) for log_w in range(2, 46)]
    assert depths[: 25 - 1] == [10] * 24
    assert set(depths[25 - 1 :]) == {9}


PUBLISHED = [  # kind, log2 w, the first log2 q of depth 1, 6, 10, 12 in the published files, t = 2
    ("fntru", 2, (18, 61, 102, 121)),
    ("fntru", 3, (18, 65, 110, 132)),
    ("fntru", 4, (18, 70, 119, 143)),
    ("fv", 2, (43, 189, 297, 376)),
    ("fv", 15, (43, 189, 297, 376)),
    ("yashe", 2, (45, 196, 308, 389)),
    ("yashe", 11, (46, 196, 309, 390)),
    ("yashe", 15, (52, 199, 311, 392)),
]


@pytest.mark.parametrize(("kind", "log_w", "first"), PUBLISHED)
def test_the_published_files_of_depths_are_ours(kind: str, log_w: int, first: tuple[int, ...]) -> None:
    for depth, log_q in zip((1, 6, 10, 12), first, strict=True):
        assert published_depth(kind, log_q, log_w) == depth
        assert published_depth(kind, log_q - 1, log_w) < depth


def test_fv_by_hand() -> None:
    """n = 1024, q = 2^60 - 1, t = 2, w = 2^10, sigma = 3.2: errors below 30, six digits."""
    it = noise("fv", RingParameters(1024, 60, 2, 10), worst_case(1024, 3.2))
    fresh = 30 * (1 + 2 * 1024) + 1
    product = 1024 * 2 * (4 + 1024) * fresh + 1024**2 * 5 + 1024 * 6 * 1024 * 30
    assert two_to(it.fresh()) == pytest.approx(fresh)
    assert two_to(it.product(it.fresh(), 1)) == pytest.approx(product)
    assert two_to(it.limit()) == pytest.approx(2.0**58, rel=1e-9)


def test_yashe_by_hand() -> None:
    """The same, t = 5: F = 6; 2^60 is 1 modulo 5, so q is not 2^60 - 1 but 2^60 - 3, which is 3 modulo 5."""
    it = noise("yashe", RingParameters(1024, 60, 5, 10), worst_case(1024, 3.2))
    fresh = 1024 * 30 * (6 + 5) + 3 * (1024 * 5 + 1)
    growth = 1024 * 5 * (4 + 1024 * 6)
    product = growth * fresh + 1024**2 * 36 / 2 + 3 * growth / 2 + 6 * 1024 * 1024**2 * 30 * 11
    assert two_to(it.fresh()) == pytest.approx(fresh)
    assert two_to(it.product(it.fresh(), 1)) == pytest.approx(product)
    assert two_to(it.limit()) == pytest.approx(2.0**60 / 10, rel=1e-9)


def test_f_ntru_by_hand() -> None:
    """Of two factors, the left one's noise is added, the right one's multiplied: 6·1024·1023 times."""
    it = noise("fntru", RingParameters(1024, 60, 2, 10), worst_case(1024, 3.2))
    fresh = 2 * 1024 * 30 * (1 + 3)
    assert two_to(it.fresh()) == pytest.approx(fresh)
    assert two_to(it.product_of(Magnitude.of(7), Magnitude.of(5), 1)) == pytest.approx(
        7 + 6 * 1024 * 1023 * 5
    )
    assert two_to(it.limit()) == pytest.approx(2.0**59)


def test_shield_by_hand() -> None:
    it = noise("shield", RingParameters(1024, 60, 2, 10), worst_case(1024, 3.2))
    assert two_to(it.fresh()) == pytest.approx(30 * (1 + 2 * 1024))
    assert two_to(it.product_of(Magnitude.of(7), Magnitude.of(5), 1)) == pytest.approx(
        7 + 12 * 1024 * 1023 * 5
    )
    assert two_to(it.limit()) == pytest.approx(2.0**58 / (6 * 1023), rel=1e-9)


def two_to(x: Magnitude) -> float:
    return float(2.0**x.log2)


@pytest.mark.parametrize("kind", SCHEMES)
def test_depth_grows_with_q_and_not_with_the_ring(kind: str) -> None:
    log_q = np.arange(30, 1200, 10)
    p = RingParameters(np.full_like(log_q, 4096), log_q, 2, 2)
    depths = noise(kind, p, worst_case(4096, 3.2)).depth()
    assert all(a <= b for a, b in pairwise(depths))
    wider = noise(kind, p, worst_case(8192, 3.2)).depth()
    assert (wider <= depths).all()
    assert depths[-1] > 10


@pytest.mark.parametrize("kind", SCHEMES)
@pytest.mark.parametrize("published", [False, True])
def test_depths_of_many_sets_at_once_are_those_of_each(kind: str, published: bool) -> None:
    log_q, log_w = np.array([60, 200, 300, 420]), np.array([2, 28, 30, 60])
    bounds = panthers_bounds(4096) if published else worst_case(4096, 3.2)
    together = noise(kind, RingParameters(4096, log_q, 2, log_w), bounds).depth()
    each = [
        noise(kind, RingParameters(4096, int(a), 2, int(b)), bounds).depth()
        for a, b in zip(log_q, log_w, strict=True)
    ]
    assert together.tolist() == each


@pytest.mark.parametrize("kind", ["fntru", "shield"])
def test_larger_plaintexts_leave_less_depth(kind: str) -> None:
    p = RingParameters(1024, 100, 2, 4)
    small, large = (noise(kind, p, Bounds(1, 30, 1024, WORST_CASE, message=m)) for m in (1, 1 << 50))
    assert log2(2.0 ** float(large.limit().log2)) <= float(small.limit().log2)
    assert large.depth() < small.depth()


def test_schemes_of_bits_have_t_2() -> None:
    assert [k for k, s in SCHEMES.items() if s.bits] == ["fntru", "shield"]
    RingParameters(1024, 60, 2).checked(bits=True)
    RingParameters(1024, 60, 3).checked()
    with pytest.raises(InfeasibleParameters, match="bits"):
        RingParameters(1024, 60, np.array([2, 3])).checked(bits=True)


def test_names_are_found_with_a_hyphen_and_without() -> None:
    assert scheme("F-NTRU") is scheme("fntru")
    assert isinstance(RingParameters(1024, 60).counting_ring(), CountingRing)
