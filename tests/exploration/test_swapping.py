"""Sets that may swap: which are in the answer, in which order, and what is said of them."""

from functools import cache

import pytest

import fheasible as fh
from estimation.profiles import invented
from fheasible.estimation.estimate import swapped, unswapped
from fheasible.estimation.swapping import SwapSpace, SwapSpeed
from fheasible.exploration.problem.wish import Wish
from fheasible.exploration.reasons.explain import explain
from fheasible.exploration.reasons.swapped import swapped as swapped_reasons
from fheasible.exploration.search.search import Exploration, explore
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.units import MIB

from .apps import problem, whole

# the library that needs more memory is faster
PROFILES = {"seal": invented("seal", 1e-9), "lattigo": invented("lattigo", 1.3e-9)}
LIBRARIES = [CATALOGUE[name] for name in PROFILES]
QUICK, SLOW = SwapSpeed(1e-15, 1e-15, created="2026-01-02"), SwapSpeed(1e-6, 1e-6, created="2026-01-02")


@fh.app(x=fh.reals(4096, low=0, high=1))
def kurtosis(x: fh.Vector) -> fh.Vector:
    """Rotations at the highest level, where they read whole keys."""
    y = fh.square(x - fh.mean(x))
    return fh.mean(y * y)


@cache
def found(speed: SwapSpeed | None, limit: int | None = None, scheme: str = "ckks") -> Exploration:
    """The answer where `limit` bytes are in memory; without a speed, the limit is one on all memory."""
    space = None if speed is None or limit is None else SwapSpace(limit, None, speed)
    wish = Wish(max_bytes=limit if speed is None else None, swap=space)
    return explore(problem(kurtosis if scheme == "ckks" else whole), wish, LIBRARIES, PROFILES)


def limit_of_best() -> int:
    """Less than the best set needs without a limit, and enough for the set that needs least."""
    best = found(None).best
    assert best is not None
    least = min(c.estimate.peak_bytes for c in found(None).candidates)
    assert least < best.estimate.peak_bytes - 4 * MIB
    return least + MIB


def test_where_swap_costs_nothing_the_best_set_stays_the_best() -> None:
    free, swapping = found(None).best, found(QUICK, limit_of_best()).best
    assert free is not None
    assert swapping is not None
    assert swapping.parameters == free.parameters
    assert swapping.estimate.swap is not None
    assert found(QUICK, limit_of_best()).feasible == found(None).feasible


def test_where_swap_is_slow_a_set_that_does_not_wait_is_better() -> None:
    e = found(SLOW, limit_of_best())
    assert e.best is not None
    assert e.best.cost("time") <= min(c.cost("time") for c in e.candidates)
    waits = [c for c in e.candidates if c.estimate.swap and c.estimate.swap.repeated_seconds > 1]
    assert waits
    swap = e.best.estimate.swap
    assert swap is None or swap.repeated_seconds < 1


@pytest.mark.parametrize("scheme", ["ckks", "bgv"])
def test_the_walk_ranks_by_the_time_that_a_set_by_itself_has(scheme: str) -> None:
    e = found(SLOW, limit_of_best(), scheme)
    for c, score in zip(e.candidates, e.kept["score"], strict=False):
        assert c.estimate.run_seconds == pytest.approx(score)
        assert c.figures["swap_seconds"] == (c.estimate.swap.repeated_seconds if c.estimate.swap else 0)


def test_a_set_that_fits_is_as_it_was_and_others_take_longer_on_the_wall() -> None:
    limit = limit_of_best()
    for c in found(SLOW, limit).candidates:
        e, plain = c.estimate, unswapped(c.estimate)
        assert (e.swap is None) == (e.peak_bytes <= limit)
        assert plain.swap is None
        assert ("swap" in e.to_json()) == (e.swap is not None)
        if e.swap is not None:
            assert e.wall_seconds is not None
            assert plain.wall_seconds is not None
            added = e.wall_seconds["total"] - plain.wall_seconds["total"]
            assert added == pytest.approx(e.swap.repeated_seconds, abs=1e-6)
            space = SwapSpace(limit, None, SLOW)
            again = swapped(plain, c.program, c.parameters, PROFILES[c.library], space)
            assert again.swap == e.swap


def test_with_so_much_swap_alone_larger_sets_are_left_out() -> None:
    limit = limit_of_best()
    space = SwapSpace(limit, MIB, QUICK)
    e = explore(problem(kurtosis), Wish(max_bytes=space.most_bytes, swap=space), LIBRARIES, PROFILES)
    assert e.candidates
    assert all(c.estimate.peak_bytes <= limit + MIB for c in e.candidates)


def test_the_reasons_say_what_swaps_and_how_fast() -> None:
    limit = limit_of_best()
    swaps = " ".join(explain(found(QUICK, limit), PROFILES))
    assert "but the limit is" in swaps
    assert "measured on this machine on 2026-01-02" in swaps
    e = found(SLOW, limit)
    slowest = max(e.candidates, key=lambda c: (c.estimate.cpu_seconds or {})["total"])
    assert any("it would swap, and take" in sentence for sentence in swapped_reasons(e, slowest))
    assert "swap" not in " ".join(explain(found(None), PROFILES))
