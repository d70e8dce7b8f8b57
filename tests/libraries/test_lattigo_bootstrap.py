"""Lattigo's bootstrap: primes, factors, keys and memory against the live 6.1.1, and programs that it runs."""

import json
from dataclasses import replace
from math import ceil, log2
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fheasible.errors import InfeasibleParameters
from fheasible.libraries import work
from fheasible.libraries.bootstrapping import BootstrapRequest
from fheasible.libraries.forms import parameters_form, parameters_of
from fheasible.libraries.lattigo import bootstrap, resident, rules, sizes
from fheasible.libraries.layout import Task
from fheasible.libraries.parameters import CkksParameters, CkksRequest
from fheasible.schemes.rns.bootstrap.factors import rotations
from fheasible.schemes.rns.bootstrap.procedure import Wave
from fheasible.schemes.rns.bootstrap.tables import reduction_depth

from .asking_lattigo import ask, dropped, literally, parameters, precision_bits, refreshed, request, run
from .lattigo_sets import ARCSINE, DOCUMENTED, SETS

INSECURE_CHAIN = (10, (60, *(40,) * 4), (61, 61), 40)
INSECURE_DEEP = (10, (60, *(45,) * 4), (61, 61), 45)
WIDE = {"message_bits": 12}  # few slots have small coefficients


def made(asked: CkksRequest) -> CkksParameters:
    found = rules.parameters(asked)
    assert isinstance(found, CkksParameters)
    return found


def random_request(draw: Random) -> CkksRequest:
    """Settings that Lattigo takes, at N = 2^9 to 2^13."""
    log_n, scale = draw.randint(9, 13), draw.randint(30, 45)
    log_slots = draw.randint(1, log_n - 1)
    wave = draw.choice(list(Wave))
    own: dict[str, Any] = {
        "slots": draw.choice((None, 1 << log_slots)), "wave": wave, "degree": draw.randint(30, 90),
        "doublings": 0 if wave is Wave.SINE else draw.choice((None, 1, 2)),
        "inverse_degree": draw.choice((None, 3, 7)), "reduction_bits": draw.choice((None, 55, 58)),
        "ephemeral": draw.choice((None, 0, 16)), "iterations": draw.choice((None, 2, 3)),
        "iteration_bits": draw.choice((None, 14)), "message_bits": draw.randint(2, 10),
        "special_bits": draw.choice((None, (58, 61), (60,) * 5)),
    }  # fmt: skip
    stages = log_slots if own["slots"] else log_n - 1
    for name in ("encode", "decode"):
        factors = draw.randint(1, min(5, stages))
        own[f"{name}_levels"] = draw.randint(1, factors)
        own[f"{name}_bits"] = tuple(draw.randint(22, 29) for _ in range(factors))
        while (
            max(map(len, getattr(bootstrap, f"{name[:2]}coding")(BootstrapRequest(**own), 1 << stages).bits))
            > 2
        ):
            own[f"{name}_levels"] += 1
    chain = (60, *(draw.randint(30, 50) for _ in range(draw.randint(0, 4))))
    return request(log_n, chain, (61,) * draw.randint(1, 3), scale, **own)


REQUESTS = {**SETS, **{f"random {seed}": random_request(Random(seed)) for seed in range(40)}}


# -- primes, factors and keys


@pytest.mark.worker
def test_primes_levels_and_galois_elements_are_those_of_the_live_library() -> None:
    sets = {name: made(asked) for name, asked in REQUESTS.items()}
    for (name, p), live in zip(sets.items(), ask([*map(literally, REQUESTS.values())]), strict=True):
        own, told, n = p.bootstrap, live["bootstrap"], p.ring_dimension
        assert own is not None
        assert ([*map(int, live["q"])], [*map(int, live["p"])]) == ([*p.q], [*p.p]), name
        assert ([*map(int, told["q"])], [*map(int, told["p"])]) == ([*own.q], [*own.p]), name
        assert told["digits"] == own.digits, name
        procedure = own.procedure
        shared = [procedure.decode_shared or (1,) * len(procedure.decode),
                  procedure.encode_shared or (1,) * len(procedure.encode)]  # fmt: skip
        assert [tuple(told["decode_shared"]), tuple(told["encode_shared"])] == shared, name
        reducing = reduction_depth(procedure.reduction, bootstrap.METHOD)
        assert told["depths"] == [len(shared[0]), reducing, len(shared[1])], name
        assert (told["slots"], told["iterations"]) == (procedure.slots, procedure.iterations), name
        assert told["ephemeral"] == (procedure.ephemeral or 0), name
        turned = {pow(5, step, 2 * n) for step in rotations(procedure, n, bootstrap.METHOD)} | {2 * n - 1}
        assert {*told["galois_elements"]} == turned, name


@pytest.mark.worker
def test_the_worker_finds_the_same_primes_from_the_procedure_alone() -> None:
    sets = [made(asked) for name, asked in REQUESTS.items() if name not in SETS]
    for p, live in zip(sets, ask([rules.worker_parameters(p) for p in sets]), strict=True):
        assert p.bootstrap is not None
        assert live["type"] == "described", live
        assert [*map(int, live["bootstrap"]["q"])] == [*p.bootstrap.q]


@pytest.mark.worker
def test_other_primes_than_the_librarys_are_refused() -> None:
    p = parameters(*INSECURE_CHAIN)
    own = p.bootstrap
    assert own is not None
    swapped = (*own.q[:-2], own.q[-1], own.q[-2])
    (answer,) = ask([rules.worker_parameters(replace(p, bootstrap=replace(own, q=swapped)))])
    assert answer["kind"] == "InfeasibleParameters"


@given(
    log_n=st.integers(9, 13),
    bits=st.lists(st.integers(32, 61), min_size=1, max_size=20).map(tuple),
    taken=st.integers(0, 6),
)
def test_new_primes_are_distinct_and_not_in_the_chain(log_n: int, bits: tuple[int, ...], taken: int) -> None:
    n = 1 << log_n
    chain = bootstrap.new_primes(n, (), bits[:taken])
    found = bootstrap.new_primes(n, chain, bits)
    assert len({*chain, *found}) == len(chain) + len(bits)
    assert all(p % (2 * n) == 1 and abs(log2(p) - b) < 0.5 for p, b in zip(found, bits, strict=True))


def test_sizes_with_too_few_new_primes_are_infeasible() -> None:
    (only,) = bootstrap.new_primes(1 << 14, (), (16,))
    with pytest.raises(InfeasibleParameters, match="1 new primes of 16 bits"):
        bootstrap.new_primes(1 << 14, (only,), (16,))


@given(log_slots=st.integers(1, 15), factors=st.integers(1, 15), encode=st.booleans())
def test_factors_share_out_all_stages_evenly(log_slots: int, factors: int, encode: bool) -> None:
    factors = min(factors, log_slots)
    found = bootstrap.stages(1 << log_slots, factors, encode=encode)
    assert (sum(found), len(found)) == (log_slots, factors)
    assert {*found} <= {log_slots // factors, ceil(log_slots / factors)}
    assert list(found) == sorted(found, reverse=encode)


@pytest.mark.parametrize(
    ("own", "words"),
    [
        ({"slots": 3}, "power of two"),
        ({"slots": 1}, "power of two"),
        ({"slots": 4, "encode_levels": 3}, "only 2 stages"),
        ({"encode_bits": (40, 40), "encode_levels": 3}, "for 2 factors"),
        ({"decode_levels": -1}, "decode_levels is -1"),
        ({"message_bits": -1}, "not negative"),
        ({"wave": Wave.SINE, "doublings": 2}, "no double angles"),
        ({"degree": 20}, "needs a degree of"),
        ({"weight": 2000}, "does not fit 1024"),
        ({"message_bits": 21}, "fewer than the scale's 40"),
        ({"decode_bits": (62,)}, "primes have 2 to 61"),
        ({"iterations": 5, "iteration_bits": 20}, "primes of"),
        ({"iterations": 0, "iteration_bits": 20}, "at least 1"),
    ],
)
def test_what_lattigo_cannot_bootstrap_is_refused_with_a_remedy(own: dict[str, Any], words: str) -> None:
    with pytest.raises(InfeasibleParameters) as refused:
        parameters(*INSECURE_CHAIN, **own)
    assert words in str(refused.value) + refused.value.remedy


@pytest.mark.parametrize("iterations", [2, 3])
@pytest.mark.parametrize("gained", range(8, 31))
def test_the_reserved_prime_has_the_bits_that_iterations_gain(gained: int, iterations: int) -> None:
    p = parameters(*INSECURE_CHAIN, iterations=iterations, iteration_bits=gained // (iterations - 1))
    assert p.bootstrap is not None
    reserved = p.bootstrap.q[p.levels + 1]
    assert reserved > 2 ** (gained // (iterations - 1) * (iterations - 1))


def test_the_smallest_secure_ring_holds_the_bootstraps_modulus() -> None:
    p = made(CkksRequest("ckks", 3, bootstrap=BootstrapRequest()))
    assert p.ring_dimension == 1 << 16
    assert p.bootstrap is not None
    wide = sum(map(log2, p.bootstrap.q + p.bootstrap.p))
    assert p.log_q + p.log_p < 881 < wide <= 1747  # as 2^15 and 2^16 allow
    assert p.log_qp == pytest.approx(wide)
    with pytest.raises(InfeasibleParameters, match="no ring dimension"):
        made(CkksRequest("ckks", 200, bootstrap=BootstrapRequest()))


def test_a_modulus_that_only_the_bootstrap_makes_too_large_is_refused() -> None:
    with pytest.raises(InfeasibleParameters, match="log2"):
        made(replace(request(15, (60, 40), (61,), 40), security=128))


def test_parameters_survive_their_form() -> None:
    for asked in (SETS["N15QP768H192H32"], request(*INSECURE_CHAIN, wave=Wave.SINE, degree=63)):
        p = made(asked)
        again = parameters_of(json.loads(json.dumps(parameters_form(p))))
        assert again == p
        assert again.request is not None
        assert isinstance(again, CkksParameters)
        assert again.request is not None
        assert made(again.request).bootstrap == p.bootstrap


# -- programs


CASES: dict[str, tuple[tuple[Any, ...], dict[str, Any], int, float]] = {
    "full": (INSECURE_CHAIN, WIDE, 4, 24),
    "from level 2": (INSECURE_CHAIN, WIDE, 2, 24),
    "sparse": (INSECURE_CHAIN, {**WIDE, "slots": 64}, 4, 24),
    "two slots": (INSECURE_CHAIN, {**WIDE, "slots": 2}, 4, 22),
    "main secret": (
        INSECURE_CHAIN,
        {**WIDE, "ephemeral": 0, "weight": 16, "bound": 25, "degree": 63, "wave": Wave.SERIES}, 4, 24,
    ),
    "uniform ternary": (INSECURE_CHAIN, {**WIDE, "weight": 0}, 4, 24),
    "arcsine": (INSECURE_DEEP, ARCSINE, 4, 30),
    "sine": (INSECURE_CHAIN, {**WIDE, "wave": Wave.SINE, "degree": 127, "bound": 12}, 4, 20),
    "shared prime": (INSECURE_CHAIN, {**WIDE, "decode_bits": (30, 30), "decode_levels": 1}, 4, 20),
    "iterations": (INSECURE_DEEP, {**WIDE, "iterations": 2, "iteration_bits": 15}, 2, 35),
    "iterations of many bits": (INSECURE_DEEP, {**WIDE, "iterations": 2, "iteration_bits": 25}, 2, 35),
}  # fmt: skip


@pytest.mark.worker
@pytest.mark.parametrize("case", CASES)
def test_a_bootstrapped_value_is_what_it_was_and_can_be_squared(case: str, tmp_path: Path) -> None:
    chain, own, squares, bits = CASES[case]
    p = parameters(*chain, **own)
    refresh = p.bootstrap
    assert refresh is not None
    x = np.random.default_rng(1).uniform(-1, 1, refresh.procedure.slots)
    answer, found = run(p, refreshed(p.levels, len(x), squares), x, tmp_path)
    assert answer["type"] == "measured", answer
    assert precision_bits(found["fresh"], x ** (2**squares)) > bits
    assert precision_bits(found["square"], x ** (2 ** (squares + 1))) > bits - 1
    told = answer["sizes"]
    assert told["bootstrap_keys"] == sizes.bootstrap_keys(p, frozenset(), True)
    assert told["rotation_keys"] == told["bootstrap_keys"]
    assert told["rotation_key_count"] == sizes.bootstrap_key_count(p, frozenset())


@pytest.mark.worker
def test_two_threads_bootstrap_as_one_does(tmp_path: Path) -> None:
    p, x = parameters(*INSECURE_CHAIN, **WIDE), np.linspace(-1, 1, 512)
    _, found = run(p, refreshed(4, 512, 4), x, tmp_path, threads=2)
    assert precision_bits(found["square"], x**32) > 23


@pytest.mark.worker
@pytest.mark.parametrize(("level", "kind"), [(0, "refused"), (1, "measured")])
def test_a_value_dropped_to_level_0_keeps_a_scale_that_cannot_be_matched(
    level: int, kind: str, tmp_path: Path
) -> None:
    p = parameters(*INSECURE_CHAIN, **WIDE)
    some = dropped(p.levels, 512, level)
    answer, found = run(p, some, np.linspace(-1, 1, 512), tmp_path)
    assert answer["type"] == kind
    if kind == "refused":
        assert "bootstrap it at level 1 or above" in answer["message"]
    else:
        assert precision_bits(found["fresh"], np.linspace(-1, 1, 512)) > 24


@pytest.mark.worker
@pytest.mark.parametrize("own", [{}, {"slots": 64}], ids=["full", "sparse"])
def test_the_peak_of_memory_is_within_a_tenth(own: dict[str, Any], tmp_path: Path) -> None:
    p = parameters(11, (60, 40, 40), (61,), 40, **own)
    refresh = p.bootstrap
    assert refresh is not None
    some = refreshed(2, refresh.procedure.slots, 0)
    answer, _ = run(p, some, np.zeros(refresh.procedure.slots), tmp_path)
    count = sizes.bootstrap_key_count(p, frozenset()) + 1
    held = (resident.context(some, p), resident.keys(some, p, count), resident.evaluation(some, p, count))
    memory, limb = answer["memory"], 8 * p.ring_dimension
    peak = memory["peak_bytes"] - memory["baseline_bytes"]
    assert sum(held) * limb == pytest.approx(peak, rel=0.1)
    keys = memory["keys_bytes"] - memory["context_bytes"]
    assert held[1] * limb == pytest.approx(keys, rel=0.1)


@pytest.mark.worker
@pytest.mark.slow
@pytest.mark.parametrize("name", DOCUMENTED)
def test_default_sets_have_the_precision_that_is_documented(name: str, tmp_path: Path) -> None:
    p = made(SETS[name])
    scale = 2.0 ** (SETS[name].scale_bits or 0)
    at_default = replace(p, scales=(*p.scales[:-1], scale))
    x = np.random.default_rng(2).uniform(-1, 1, p.ring_dimension // 2)
    some = refreshed(p.levels, len(x), 0, level=0)
    bare = replace(some, operations=some.operations[:2], outputs=some.outputs[:1])
    answer, found = run(at_default, bare, x, tmp_path, timeout=1200)
    assert answer["type"] == "measured", answer
    assert precision_bits(found["fresh"], x) == pytest.approx(DOCUMENTED[name], abs=1)


# -- counts


def test_a_wider_or_deeper_bootstrap_is_more_work() -> None:
    plain, sparse, deep = (
        work.counts(work.layout_of(parameters(*INSECURE_CHAIN, **own)), Task("bootstrap", 4))
        for own in ({}, {"slots": 64}, {"inverse_degree": 7})
    )
    assert sparse["forward"] < plain["forward"] < deep["forward"]
    assert sparse["peak_limbs"] < plain["peak_limbs"] < deep["peak_limbs"]
