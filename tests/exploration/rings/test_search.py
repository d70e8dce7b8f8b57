"""The choice among ring schemes: against a plain loop, and what must hold of any."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import fheasible as fh
from fheasible.estimation.ring_profile import RingProfile
from fheasible.exploration.rings import space
from fheasible.exploration.rings.reasons import explain
from fheasible.exploration.rings.search import RingExploration, explore_rings
from fheasible.exploration.rings.wish import RingWish
from fheasible.rings.weights import PANTHERS
from fheasible.schemes.catalogue import SCHEMES
from fheasible.schemes.evaluate import count_plan, noise_of
from fheasible.schemes.parameters import RingParameters
from fheasible.schemes.plan import plan
from fheasible.security.tables import GUIDELINES_2024, min_ring_dimension
from fheasible.security.verdict import verdict

from .apps import app_of, power, ten_products

KINDS = list(SCHEMES.values())
FV, SHIELD = SCHEMES["fv"], SCHEMES["shield"]


@pytest.fixture(autouse=True)
def few_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tenth of the sets in a tenth of the time."""
    monkeypatch.setattr(space, "WORDS", (1, 4, 12, 20, 28, 44, 66, 96))


@pytest.fixture
def small_grid(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(space, "WORDS", (3, 20, 45))
    monkeypatch.setattr(space, "LEAST_LOG_Q", 90)
    monkeypatch.setattr(space, "LARGEST_LOG_Q", 130)


def plain_loop(name: str, exponent: int, security: int) -> list[tuple[int, int, RingParameters]]:
    """(multiplications, words, set) of every feasible set, one by one."""
    kind, steps, found = SCHEMES[name], plan(power(exponent), True), []
    for log_q in range(90, 131):
        for log_w in (3, 20, 45):
            n = min_ring_dimension(GUIDELINES_2024, log_q, "ternary", security)
            if n is None or n > 1 << 15:
                continue
            p = RingParameters(n, log_q, 2, log_w)
            noise = kind(p.counting_ring(), p.spec).noise(RingWish().bounds(n))
            if noise_of(steps, noise) < noise.limit() and verdict(kind.problem, n, log_q).reaches(security):
                tally = count_plan(steps, kind, p)
                found.append((PANTHERS.total(tally.integers), tally.memory.max_words, p))
    return found


@pytest.mark.usefixtures("small_grid")
@pytest.mark.parametrize("security", [128, 192])
@pytest.mark.parametrize("name", ["fv", "shield", "yashe", "fntru"])
def test_the_search_finds_what_a_plain_loop_finds(name: str, security: int) -> None:
    expected = plain_loop(name, 4, security)
    kind = SCHEMES[name]
    for objective, key in (
        ("complexity", lambda e: (e[0], e[1], e[2].log_q)),
        ("memory", lambda e: (e[1], e[0], e[2].log_q)),
    ):
        found = explore_rings(power(4), RingWish(security, objective=objective), [kind])
        assert found.explored == 3 * 41
        assert found.feasible == len(expected)
        if expected:
            multiplications, words, p = min(expected, key=key)
            assert found.best is not None
            assert (found.best.multiplications, found.best.words) == (multiplications, words)
            assert found.best.parameters == p
    assert bool(expected) == (name in ("fv", "shield"))


def best_cost(found: RingExploration) -> float:
    return found.best.cost(found.wish.objective) if found.best else np.inf


@pytest.mark.long
@pytest.mark.parametrize("objective", ["complexity", "memory"])
def test_deeper_more_secure_and_tighter_never_costs_less(objective: str) -> None:
    wish = RingWish(objective=objective)
    by_depth = [best_cost(explore_rings(power(k), wish, [FV])) for k in (2, 4, 8, 16, 32)]
    assert by_depth == sorted(by_depth)
    by_security = [
        best_cost(explore_rings(power(8), replace(wish, security=s), [FV])) for s in (128, 192, 256)
    ]
    assert by_security == sorted(by_security)
    counts = [explore_rings(power(8), replace(wish, max_bytes=m), [FV]) for m in (1 << 22, 1 << 24, 1 << 30)]
    assert [c.feasible for c in counts] == sorted(c.feasible for c in counts)
    assert counts[0].feasible < counts[-1].feasible


WISHES = [
    RingWish(),
    RingWish(192, objective="memory"),
    RingWish(quantum=True, objective="compromise"),
    RingWish(noise="average"),
    RingWish(80, noise="panthers"),
    RingWish(80, quantum=True),
    RingWish(noise="panthers", as_written=True),
]


@pytest.mark.parametrize("wish", WISHES)
def test_what_todays_estimate_calls_weak_is_never_recommended(wish: RingWish) -> None:
    found = explore_rings(ten_products.trace(), wish, KINDS)
    for c in found.candidates:
        assert c.verdict.reaches(wish.security)
        assert bool(c.warnings) == (not c.verdict.reaches(128))
        assert not c.verdict.overstretched
    assert {r.kind for r in found.rejected} >= {SCHEMES["yashe"], SCHEMES["fntru"]}
    for r in found.rejected:
        if r.kind.problem == "ntru":
            assert "overstretched" in r.reason
            assert "fatigue point" in r.reason
    assert found.feasible > 0


@pytest.mark.parametrize("wish", WISHES)
def test_weak_sets_are_listed_on_demand_each_with_its_warning(wish: RingWish) -> None:
    wish = replace(wish, ignore_security=True, quantum=wish.quantum and wish.security != 80)
    found = explore_rings(ten_products.trace(), wish, KINDS)
    assert {c.scheme for c in found.candidates} == set(SCHEMES)
    for c in found.candidates:
        weak = not c.verdict.reaches(128)
        assert c.kind.problem == "rlwe" or c.verdict.overstretched
        assert bool(c.warnings) == (weak or wish.published)
        assert c.to_json()["warnings"] == list(c.warnings)


def test_who_asks_for_eighty_bits_has_eighty_by_todays_estimate_and_a_warning() -> None:
    found = explore_rings(ten_products.trace(), RingWish(80), [FV])
    best = found.candidates[0]
    assert best.verdict.bits is not None
    assert 80 <= best.verdict.bits < 128
    assert "for 128 bits" in best.warnings[-1]
    assert best.cost("complexity") < explore_rings(ten_products.trace(), RingWish(), [FV]).candidates[0].cost(
        "complexity"
    )


def test_an_overstretched_set_of_enough_bits_is_warned_of_and_not_called_too_weak() -> None:
    found = explore_rings(ten_products.trace(), RingWish(noise="average"), KINDS)
    reason = next(r.reason for r in found.rejected if "overstretched" in r.reason)
    left = int(re.findall(r"leave about (\d+) bits", reason)[0])
    assert ("no set of depth" in reason) == (left < 128)


def test_the_paper_s_set_is_feasible_by_its_own_rule_and_its_neighbour_is_not() -> None:
    wish = RingWish(80, noise="panthers", as_written=True, ignore_security=True)
    found = explore_rings(ten_products.trace(), wish, [FV])
    assert found.depths == (10, 5)
    of_28 = [c.parameters for c in found.candidates if c.parameters.log_w == 28]
    assert {(p.n, p.t) for p in of_28} == {(4096, 2)}
    assert min(p.log_q for p in of_28) == 281


def test_schemes_of_bits_drop_out_where_the_application_needs_more() -> None:
    found = explore_rings(power(2, 17), RingWish(), KINDS)
    reasons = {r.kind.name: r.reason for r in found.rejected}
    assert "bits (t = 2)" in reasons["fntru"]
    assert "needs t = 17" in reasons["shield"]
    assert found.best is not None
    assert found.best.parameters.t == 17


def squared_often(x: fh.Vector) -> fh.Vector:
    for _ in range(45):
        x = x * x
    return x


def test_nothing_feasible_has_a_reason_with_figures_for_every_scheme() -> None:
    deep = explore_rings(app_of(squared_often, 2, 1).trace(), RingWish(), KINDS)
    assert deep.feasible == 0
    assert deep.best is None
    assert {r.kind for r in deep.rejected} == set(KINDS)
    assert all("depth 45 is needed" in r.reason and "log2 q" in r.reason for r in deep.rejected)
    small = explore_rings(power(2), RingWish(max_bytes=1000), [FV])
    assert "1000 B are allowed" in small.rejected[0].reason
    assert explain(small) == []


def test_real_numbers_are_no_matter_for_ring_schemes() -> None:
    def halved(x: fh.Vector) -> fh.Vector:
        return x * 0.5

    made = fh.app(x=fh.reals(2, low=0, high=1))(halved).trace()
    found = explore_rings(made, RingWish(), KINDS)
    assert len(found.rejected) == len(KINDS)
    assert all("integers only" in r.reason for r in found.rejected)


def test_the_compromise_is_the_geometric_mean_of_both_relative_to_the_best() -> None:
    by = {
        o: explore_rings(ten_products.trace(), RingWish(objective=o), KINDS) for o in ("complexity", "memory")
    }
    bests = [by[o].best for o in by]
    assert bests[0] is not None
    assert bests[1] is not None
    least = (bests[0].multiplications, bests[1].words)
    found = explore_rings(ten_products.trace(), RingWish(objective="compromise"), KINDS)
    costs = [np.sqrt(c.multiplications / least[0] * c.words / least[1]) for c in found.candidates]
    assert costs == pytest.approx([c.compromise for c in found.candidates])
    assert costs == sorted(costs)


def test_nothing_on_the_front_is_beaten_and_all_else_is() -> None:
    found = explore_rings(ten_products.trace(), RingWish(), KINDS)
    points = [(c.complexity, c.memory) for c in found.candidates]
    for c, (x, y) in zip(found.candidates, points, strict=True):
        beaten = any(a <= x and b <= y and (a, b) != (x, y) for a, b in points)
        assert not (c.pareto and beaten)
    on_front = {p for c, p in zip(found.candidates, points, strict=True) if c.pareto}
    assert all(any(a <= x and b <= y for a, b in on_front) for x, y in points)


def profile(**prices: float) -> RingProfile:
    names = kernels_of(FV) | kernels_of(SHIELD)
    zero = dict.fromkeys(names, 0.0)
    return RingProfile("here", "1", "2026-01-01", zero | prices, 1e6, 2.0, 0.1, 1.5)


def kernels_of(kind: Any) -> set[str]:
    tally = count_plan(plan(ten_products.trace(), True), kind, RingParameters(64, 100, 2, 10))
    return set(tally.kernels)


def test_a_profile_turns_kernels_into_seconds_and_bytes_into_a_peak() -> None:
    found = explore_rings(ten_products.trace(), RingWish(), [FV], profile(butterflies=1e-9))
    assert found.best is not None
    steps = plan(ten_products.trace(), True)
    for c in found.candidates[::40]:
        tally = count_plan(steps, FV, c.parameters)
        assert c.cpu_seconds is not None
        assert sum(c.cpu_seconds[phase] for phase in ("keygen", "encrypt", "evaluate", "decrypt")) == (
            pytest.approx(1e-9 * tally.kernels["butterflies"])
        )
        assert c.cpu_seconds["total"] == pytest.approx(
            c.cpu_seconds["encrypt"] + c.cpu_seconds["evaluate"] + c.cpu_seconds["decrypt"]
        )
        assert c.stored_bytes == tally.memory.max_bytes
        assert c.peak_bytes == 1_000_000 + 2 * tally.memory.max_bytes
        estimate = c.to_json()["estimate"]
        assert estimate["calibrated"]
        assert estimate["wall_seconds"]["total"] == pytest.approx(1.5 * c.cpu_seconds["total"])
    times = [c.seconds for c in found.candidates]
    assert times == sorted(times)


def test_a_limit_of_time_holds_with_a_profile_and_is_told_not_to_without() -> None:
    priced, wish = profile(butterflies=1e-9), RingWish()
    free = explore_rings(ten_products.trace(), wish, [FV], priced)
    assert free.best is not None
    assert free.best.seconds is not None
    limit = 2 * free.best.seconds
    held = explore_rings(ten_products.trace(), replace(wish, max_seconds=limit), [FV], priced)
    assert 0 < held.feasible < free.feasible
    assert all(c.seconds is not None and c.seconds <= limit for c in held.candidates)
    none = explore_rings(ten_products.trace(), replace(wish, max_seconds=limit / 4), [FV], priced)
    assert "the least time is" in none.rejected[0].reason
    unknown = explore_rings(ten_products.trace(), replace(wish, max_seconds=limit), [FV])
    assert unknown.feasible == free.feasible
    assert "fheasible calibrate --library reference" in unknown.warnings[0]


def test_a_profile_that_lacks_a_kernel_predicts_nothing() -> None:
    stale = RingProfile("here", "1", "2026-01-01", {"butterflies": 1e-9}, 1e6, 1.0, 0.1, 1.0)
    found = explore_rings(power(2), RingWish(), [FV], stale)
    assert found.best is not None
    assert found.best.cpu_seconds is None
    assert found.best.peak_bytes is None


def test_the_reasons_compare_the_best_of_each_scheme() -> None:
    found = explore_rings(ten_products.trace(), RingWish(), KINDS)
    assert found.best is not None
    assert found.best.kind is FV
    shield = found.best_of(SHIELD)
    assert shield is not None
    said = " ".join(explain(found))
    assert f"log2 q = {found.best.parameters.log_q}" in said
    assert f"{shield.multiplications / found.best.multiplications:,.0f} times the multiplications" in said


def test_a_chain_on_the_right_lets_shield_go_beyond_its_general_depth() -> None:
    """C·D grows by |v1| + N·delta·(w - 1)·|v2|: new ciphertexts on the right add noise."""
    found = explore_rings(
        app_of(lambda x: x * x * x * x * x * x * x * x, 2, 1).trace(), RingWish(as_written=True), [SHIELD]
    )
    assert found.depth == 7
    assert found.best is not None
    assert found.best.depth < 7
    assert "for any factors" in explain(found)[0]


def test_noise_that_proves_nothing_is_named_as_such() -> None:
    wish = RingWish(80, noise="panthers", ignore_security=True)
    (said,) = explore_rings(ten_products.trace(), wish, KINDS).warnings
    assert "guarantee nothing" in said
    assert "--noise worst-case" in said
    assert explore_rings(ten_products.trace(), replace(wish, noise="worst-case"), KINDS).warnings == ()
