"""Which sets are tried, and which decrypt: against the plain formulas, one set at a time."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fheasible as fh
from fheasible.errors import InfeasibleParameters, UsageError
from fheasible.exploration.rings.space import (
    bears,
    grid,
    plain_modulus,
    smallest_log_q,
    with_depths,
)
from fheasible.exploration.rings.wish import RingWish
from fheasible.schemes.catalogue import SCHEMES
from fheasible.schemes.evaluate import noise_of
from fheasible.schemes.fv import FV
from fheasible.schemes.noise import panthers_bounds, worst_case
from fheasible.schemes.parameters import RingParameters
from fheasible.schemes.plan import plan
from fheasible.security.lookup import security_bits
from fheasible.security.tables import GUIDELINES_2024, max_log_q

from .apps import power, ten_products

EVERY = 16  # sets, of which one is judged by itself


def depth(p: RingParameters) -> int:
    return int(FV(p.counting_ring(), p.spec).noise(panthers_bounds(p.n)).depth())


def test_the_smallest_q_of_the_paper_for_depth_ten_has_281_bits() -> None:
    """[FerLL18, Sec. IV]: FV, t = 2, w = 2^28, n = 2^12."""
    found = smallest_log_q(FV, 10, 2, 28, 4096, panthers_bounds)
    assert (found.n, found.log_q) == (4096, 281)
    assert depth(replace(found, log_q=281)) == 10
    assert depth(replace(found, log_q=280)) == 9
    by_rule = smallest_log_q(
        FV, 10, 2, 28, RingWish(80, ignore_security=True).smallest_rings, panthers_bounds
    )
    assert (by_rule.n, by_rule.log_q) == (4096, 281)


def test_the_smallest_q_grows_with_depth_and_with_w() -> None:
    def bits(deep: int, log_w: int) -> int:
        return int(smallest_log_q(FV, deep, 2, log_w, 4096, lambda n: worst_case(n, 3.2)).log_q)

    by_depth = [bits(deep, 20) for deep in range(1, 12)]
    assert by_depth == sorted(by_depth)
    by_words = [bits(6, log_w) for log_w in (20, 40, 60, 80, 100)]
    assert by_words == sorted(by_words)


def test_a_depth_that_no_q_bears_is_refused_with_the_deepest() -> None:
    with pytest.raises(InfeasibleParameters, match=r"the deepest set allows \d+"):
        smallest_log_q(FV, 60, 2, 28, 4096, panthers_bounds)
    with pytest.raises(InfeasibleParameters, match="the rule allows no ring"):
        smallest_log_q(FV, 1, 2, 700, RingWish(80, ignore_security=True).smallest_rings, panthers_bounds)


@pytest.mark.parametrize("security", [128, 192, 256])
def test_rings_are_the_smallest_that_the_guidelines_allow(security: int) -> None:
    log_q = np.arange(8, 1201)
    for bits, n in zip(log_q, RingWish(security).smallest_rings(log_q), strict=True):
        allowed = [max_log_q(GUIDELINES_2024, 1 << k, "ternary", security) or 0 for k in range(10, 16)]
        fits = [1 << k for k, limit in zip(range(10, 16), allowed, strict=True) if bits <= limit]
        assert n == (fits[0] if fits else 0)


@pytest.mark.parametrize("quantum", [False, True])
def test_rings_of_eighty_bits_are_the_smallest_that_the_estimate_allows(quantum: bool) -> None:
    wish = RingWish(80, quantum)
    for bits in (30, 100, 200, 400, 800):
        (n,) = wish.smallest_rings(np.array([bits])).tolist()
        assert security_bits(n, float(bits), "ternary", quantum=quantum) >= 80
        assert security_bits(n // 2, float(bits), "ternary", quantum=quantum) < 80 or n == 1024


def test_the_rule_of_2017_is_the_published_table() -> None:
    log_q = np.array([46, 47, 88, 89, 174, 175, 281, 348, 349])
    rings = [512, 1024, 1024, 2048, 2048, 4096, 4096, 4096, 0]
    assert RingWish(80, ignore_security=True).smallest_rings(log_q).tolist() == rings


def test_no_word_is_longer_than_q_and_there_are_hundreds_of_thousands_of_sets() -> None:
    sets = grid(RingWish())
    assert (sets.log_w <= sets.log_q).all()
    assert len(set(zip(sets.log_q.tolist(), sets.log_w.tolist(), strict=True))) == len(sets)
    assert len(sets) * len(SCHEMES) > 200_000


@pytest.mark.parametrize(
    ("noise", "minimised"),
    [("worst-case", True), ("worst-case", False), ("average", True), ("panthers", True)],
)
@pytest.mark.parametrize("name", sorted(SCHEMES))
@given(first=st.integers(0, EVERY - 1))
@settings(max_examples=2)
def test_what_bears_the_application_is_what_the_formulas_say_set_by_set(
    name: str, noise: str, minimised: bool, first: int
) -> None:
    wish, steps, kind = RingWish(128, noise=noise), plan(ten_products.trace(), minimised), SCHEMES[name]
    every = grid(wish)
    some = every.where((every.n > 0) & (every.log_w == 10))
    sets = with_depths(kind, some, 2, wish, steps)
    found = bears(kind, sets, 2, wish, steps)
    assert 0 < found.sum() < len(found)
    for i in range(first, len(sets), EVERY):
        p = sets.at(i, 2)
        bounds = replace(wish.bounds(p.n), message=1 if noise == "panthers" else 240)
        alone = kind(p.counting_ring(), p.spec).noise(bounds)
        assert sets.depth[i] == alone.depth()
        deep = alone.depth() >= 5 if noise == "panthers" else noise_of(steps, alone) < alone.limit()
        assert found[i] == deep


def test_sums_of_bits_grow_as_integers() -> None:
    """T <= 2, S <= 4, S + c3 <= 5, S + c2 + c3 <= 6: 2 * 4 * 5 * 6 = 240."""
    for minimised in (True, False):
        assert plan(ten_products.trace(), minimised).largest == 240

    def sums(x: fh.Vector) -> fh.Vector:
        return fh.sum(x) * 5 - x

    made = fh.app(x=fh.integers(3, modulo=2))(sums).trace()
    assert plan(made).largest in (4, 16)  # 3 * 5 + 1, or with 5 as 1 modulo 2


def test_the_plaintext_modulus_is_the_applications_own_or_tells_its_outputs_apart() -> None:
    assert plain_modulus(plan(power(3, 17))) == 17

    def shifted(x: fh.Vector) -> fh.Vector:
        return x * x - 2

    made = fh.app(x=fh.integers(2, low=0, high=5))(shifted).trace()
    assert plain_modulus(plan(made)) == 26  # from -2 to 23


def test_what_is_not_offered_is_refused_with_the_choices() -> None:
    for wrong in ({"security": 100}, {"objective": "time"}, {"noise": "none"}):
        with pytest.raises(UsageError, match="ring schemes have no"):
            RingWish(**wrong)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="does not cover quantum attackers"):
        RingWish(80, quantum=True, ignore_security=True)
