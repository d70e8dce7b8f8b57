"""The search on tiny applications: constraints, order, front and reasons, each judged anew."""

from dataclasses import replace
from functools import cache
from math import log2
from typing import Any

import numpy as np
import pytest

import fheasible as fh
from estimation.profiles import invented
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.judging.rank import points
from fheasible.exploration.problem.wish import Wish, bits
from fheasible.exploration.search.search import Exploration, explore
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.program.types import Action

from .apps import problem, real, whole

Json = dict[str, Any]
LIBRARY_SCHEMES = [(name, scheme) for name, library in CATALOGUE.items() for scheme in library.schemes]
every_scheme = pytest.mark.parametrize(("library", "scheme"), LIBRARY_SCHEMES)
LEAST_BITS = 9.0

# log2(QP) at N = 2^11 ... 2^17, ternary secret, classical: Table 5.2 of the Guidelines [Bossuat24]
LIMITS = {
    128: (53, 106, 214, 430, 868, 1747, 3523),
    192: (36, 73, 147, 297, 597, 1199, 2411),
    256: (27, 56, 114, 230, 462, 929, 1866),
}


@cache
def found(library: str, scheme: str, security: int = 128, objective: str = "time") -> Exploration:
    one = replace(CATALOGUE[library], schemes=(scheme,))
    wish = Wish(security, precision=bits(LEAST_BITS), objective=objective)
    return explore(problem(real if scheme == "ckks" else whole), wish, [one], {})


@cache
def calibrated() -> Exploration:
    """All libraries on the integer application, with profiles that disagree about their speed."""
    speed = {"openfhe": 3e-9, "seal": 2e-9, "lattigo": 1e-9}
    profiles = {name: invented(name, s) for name, s in speed.items()}
    return explore(problem(whole), Wish(precision=bits(LEAST_BITS)), list(CATALOGUE.values()), profiles)


def log_qp(c: Candidate) -> float:
    return sum(log2(x) for x in (*c.parameters.q, *c.parameters.p))


@every_scheme
@pytest.mark.parametrize("security", LIMITS)
def test_every_candidate_is_secure_by_the_guidelines(library: str, scheme: str, security: int) -> None:
    e = found(library, scheme, security)
    assert e.candidates
    for c in e.candidates:
        assert c.parameters.secret == "uniform_ternary"
        limit = LIMITS[security][c.parameters.ring_dimension.bit_length() - 12]
        assert log_qp(c) <= limit
        assert c.estimate.standard_bits is not None
        assert c.estimate.standard_bits >= security
        assert c.estimate.security_bits > security - 0.6  # by the table, which errs low


@every_scheme
def test_every_candidate_is_as_precise_as_was_asked(library: str, scheme: str) -> None:
    for c in found(library, scheme).candidates:
        bits = c.estimate.precision_bits
        assert bits is None if scheme != "ckks" else bits is not None and bits >= LEAST_BITS


@every_scheme
def test_candidates_are_of_that_library_and_of_one_ring(library: str, scheme: str) -> None:
    e = found(library, scheme)
    assert {(c.library, c.scheme) for c in e.candidates} == {(library, scheme)}
    assert len(e.candidates) <= len(e.kept) <= e.feasible <= e.explored
    for c in e.candidates:
        n = c.parameters.ring_dimension
        assert c.program.slots <= (n // 2 if scheme == "ckks" else n)
        if scheme != "ckks":
            t = c.parameters.plain_modulus
            assert t is not None
            assert t % (2 * n) == 1
            assert t > 2 * 72  # a sum of 8 products up to 9


def kind(c: Candidate) -> tuple[object, ...]:
    return (c.library, c.scheme, c.parameters.technique, c.parameters.ring_dimension)


def kinds_first(e: Exploration) -> list[Candidate]:
    """The best of each kind: they stand before all others."""
    kinds = {kind(c) for c in e.candidates}
    leading = list(e.candidates[: len(kinds)])
    assert {kind(c) for c in leading} == kinds
    return leading


@every_scheme
@pytest.mark.parametrize("objective", ["time", "memory", "size", "amortised", "time:0.5,memory:0.5"])
def test_the_best_of_each_kind_are_sorted_by_what_is_to_be_small(
    library: str, scheme: str, objective: str
) -> None:
    e = found(library, scheme, objective=objective)
    leading = kinds_first(e)
    costs = [c.cost(objective) for c in leading]
    assert costs == sorted(costs)
    assert e.best is e.candidates[0]
    for c in e.candidates:
        first = next(k for k in leading if kind(k) == kind(c))
        assert first.cost(objective) <= c.cost(objective) * (1 + 1e-9)
        assert c.figures["score"] == pytest.approx(c.cost(objective))


@every_scheme
def test_without_a_profile_no_times_are_made_up(library: str, scheme: str) -> None:
    e = found(library, scheme)
    assert e.uncalibrated == (library,)
    for shown in e.to_json()["candidates"]:
        estimate = shown["estimate"]
        assert estimate["calibrated"] is False
        assert set(estimate["cpu_seconds"].values()) == set(estimate["wall_seconds"].values()) == {None}
        assert estimate["error_band"] is None
        assert estimate["peak_bytes"] > estimate["evaluation_key_bytes"]  # which is counted all the same


@every_scheme
def test_more_security_never_takes_a_smaller_ring_or_more_sets_of_parameters(
    library: str, scheme: str
) -> None:
    explorations = [found(library, scheme, security) for security in (128, 192, 256)]
    least = [min(c.parameters.ring_dimension for c in e.candidates) for e in explorations]
    assert least == sorted(least)
    best = [e.best.parameters.ring_dimension for e in explorations if e.best]
    assert best == sorted(best)


def figures(c: Candidate) -> tuple[float, ...]:
    """The score, time, memory, what is sent, lost security and precision, from what is shown of it."""
    shown = c.to_json(pareto=False)
    e, used = shown["estimate"], shown["figures"]
    bits, security = e["precision_bits"], round(e["security_bits"], 1)
    return (
        used["score"],
        c.work if e["cpu_seconds"]["total"] is None else e["cpu_seconds"]["total"],
        e["peak_bytes"],
        used["upload_bytes"] + used["download_bytes"] + e["public_key_bytes"] + e["evaluation_key_bytes"],
        -security,
        -53.0 if bits is None else -round(bits, 2),
    )


def beats(x: tuple[float, ...], y: tuple[float, ...], slack: float = 1e-6) -> bool:
    """By more than what the batch rounds otherwise."""
    better = [a < b - slack * abs(b) - slack for a, b in zip(x, y, strict=True)]
    worse = [a > b + slack * abs(b) + slack for a, b in zip(x, y, strict=True)]
    return any(better) and not any(worse)


@every_scheme
def test_nothing_that_is_shown_beats_what_is_on_the_front(library: str, scheme: str) -> None:
    e = found(library, scheme)
    points = {c: figures(c) for c in e.candidates}
    assert e.front
    for c in e.front:
        assert not any(beats(other, points[c]) for other in points.values())


@pytest.mark.long
def test_what_is_not_on_the_front_is_beaten_by_a_row_that_is() -> None:
    e = calibrated()
    front = points(e.kept.take(e.kept["pareto"]))
    for c in e.candidates:
        if c not in e.front:
            assert (front <= np.array(figures(c)) * (1 + 1e-6 * np.sign(figures(c)))).all(axis=1).any()
    marked = [c for c in e.to_json()["candidates"] if c["pareto"]]
    assert len(marked) == len(e.front) > 0


def test_with_profiles_the_order_is_that_of_predicted_time() -> None:
    e = calibrated()
    shown = e.to_json()["candidates"]
    first, *others = kinds_first(e)
    seconds = [c.cost("time") for c in others]
    assert seconds == sorted(seconds)
    assert first.cost("time") == min(c.cost("time") for c in e.candidates if not c.rounded)
    assert all(c["estimate"]["calibrated"] for c in shown)
    assert {c["library"] for c in shown} == set(CATALOGUE)
    assert (e.uncalibrated, e.rejected) == ((), ())


def test_a_profile_that_makes_one_library_slow_moves_it_to_the_end() -> None:
    for slow, fast in (("seal", "lattigo"), ("lattigo", "seal")):
        pair = [replace(CATALOGUE[name], schemes=("bfv",)) for name in (slow, fast)]
        profiles = {slow: invented(slow, 1.0), fast: invented(fast, 1e-12)}
        e = explore(problem(whole), Wish(), pair, profiles)
        assert e.best is not None
        leading = kinds_first(e)
        assert (e.best.library, leading[-1].library) == (fast, slow)


def test_times_of_another_machine_put_candidates_in_order_but_are_not_calibrated() -> None:
    one = [replace(CATALOGUE[name], schemes=("bfv",)) for name in ("seal", "lattigo")]
    profiles = {
        "seal": replace(invented("seal"), origin="Some CPU", error_band=0.5),
        "lattigo": invented("lattigo"),
    }
    e = explore(problem(whole), Wish(), one, profiles)
    assert e.uncalibrated == ("seal",)
    shown = e.to_json()["candidates"]
    seconds = [c.cost("time") for c in kinds_first(e)]
    assert seconds == sorted(seconds)
    told = {(c["library"], c["estimate"]["calibrated"], c["estimate"]["profile_of"]) for c in shown}
    assert told == {("seal", False, "Some CPU"), ("lattigo", True, None)}
    assert {c["estimate"]["error_band"] for c in shown if c["library"] == "seal"} == {0.5}


def test_a_limit_of_memory_holds_without_a_profile() -> None:
    one = [replace(CATALOGUE["seal"], schemes=("bgv",))]
    free = explore(problem(whole), Wish(), one, {})
    peaks = sorted(c.estimate.peak_bytes for c in free.candidates)
    assert peaks[0] < peaks[-1]
    assert min(free.kept["peak_bytes"]) == peaks[0]
    tight = explore(problem(whole), Wish(max_bytes=peaks[0]), one, {})
    assert {c.estimate.peak_bytes for c in tight.candidates} == {peaks[0]}


def test_what_costs_too_much_is_rejected_with_what_it_costs() -> None:
    one = [replace(CATALOGUE["seal"], schemes=("bgv",))]
    profiles = {"seal": invented("seal")}
    free = explore(problem(whole), Wish(), one, profiles)
    cheapest = free.candidates[0].cost("time")
    tight = explore(problem(whole), Wish(max_seconds=2 * cheapest), one, profiles)
    assert max(c.cost("time") for c in free.candidates) > 2 * cheapest
    assert tight.candidates
    assert all(c.cost("time") <= 2 * cheapest for c in tight.candidates)
    for wish, words in (
        (Wish(max_seconds=cheapest / 1e3), f"{cheapest / 1e3:g} s are allowed"),
        (Wish(max_bytes=2**20), "1 MiB are allowed"),
    ):
        nothing = explore(problem(whole), wish, one, profiles)
        assert (nothing.best, nothing.front) == (None, frozenset())
        (rejected,) = nothing.rejected
        assert words in rejected.reason
    nearly = float(f"{0.99999 * cheapest:.6g}")
    (rejected,) = explore(problem(whole), Wish(max_seconds=nearly), one, profiles).rejected
    took, allowed = rejected.reason.removesuffix(" s are allowed").split(" s, but only ")
    assert float(allowed) == nearly < float(took)


def test_what_cannot_be_has_a_reason_per_library_and_scheme() -> None:
    e = explore(problem(real), Wish(precision=bits(50)), list(CATALOGUE.values()), {})
    reasons = {(r.library, r.scheme): r.reason for r in e.rejected}
    assert {key for key in reasons if key[1] != "ckks"} == {k for k in LIBRARY_SCHEMES if k[1] != "ckks"}
    assert all("real numbers" in reasons[key] for key in reasons if key[1] != "ckks")
    assert all("50" in reasons[key] for key in reasons if key[1] == "ckks")
    assert set(reasons) == set(LIBRARY_SCHEMES) - {(c.library, c.scheme) for c in e.candidates}
    shown = e.to_json()
    assert shown["feasible"] == e.feasible >= len(e.candidates)
    assert all(r["reason"] for r in shown["rejected"])


@pytest.mark.long
def test_a_computation_too_deep_for_any_ring_is_rejected_by_every_scheme() -> None:
    @fh.app(x=fh.integers(4, modulo=65537))
    def deep(x: fh.Vector) -> fh.Vector:
        for _ in range(45):
            x = x * x + 1
        return x

    e = explore(problem(deep), Wish(), list(CATALOGUE.values()), {})
    assert e.candidates == ()
    assert {(r.library, r.scheme) for r in e.rejected} == set(LIBRARY_SCHEMES)
    assert all(r.reason for r in e.rejected)


def test_integers_that_wrap_around_are_not_for_real_numbers() -> None:
    @fh.app(x=fh.integers(4, modulo=65537))
    def plus_one(x: fh.Vector) -> fh.Vector:
        return x + 1

    e = explore(problem(plus_one), Wish(), list(CATALOGUE.values()), {})
    assert {c.scheme for c in e.candidates} == {"bgv", "bfv"}
    assert {(r.library, r.scheme) for r in e.rejected} == {(name, "ckks") for name in CATALOGUE}
    assert all("wraps around modulo 65537" in r.reason for r in e.rejected)


def test_the_document_has_the_shape_that_others_build_on() -> None:
    shown = found("openfhe", "ckks").to_json()
    assert {"app", "explored", "feasible", "seconds", "candidates", "rejected"} <= set(shown)
    (first, *_) = shown["candidates"]
    assert {"library", "scheme", "request", "parameters", "estimate", "pareto"} <= set(first)
    assert {"ring_dimension", "log_q", "log_p"} <= set(first["parameters"])
    best = found("openfhe", "ckks").candidates[0]
    assert tuple(int(x) for x in first["parameters"]["primes"]) == best.parameters.q
    assert first["parameters"]["log_q"] == pytest.approx(sum(log2(x) for x in best.parameters.q))
    assert None not in first["request"].values()


@every_scheme
def test_what_is_sent_is_every_input_and_result_and_all_keys_but_the_secret_one(
    library: str, scheme: str
) -> None:
    best = found(library, scheme).best
    assert best is not None
    sizes = best.estimate.sizes
    keys = sizes.public_key_bytes + sizes.evaluation_key_bytes
    sent = sum(o.action is Action.ENCRYPT for o in best.program.operations)
    assert sent == 2  # x and y, of eight elements each
    results = best.figures["download_bytes"]
    made = sum(len(packed.values) for packed in best.program.outputs)
    assert 0 < results <= made * sizes.ciphertext_bytes * 1.01
    assert best.cost("size") == sent * sizes.ciphertext_bytes + results + keys
    assert best.cost("communication") == best.cost("size")
