"""SEAL: its primes and limits against the live wheel seal-python 4.4.0, and our choice of its chain.

The golden primes and limits were printed by CoeffModulus.Create and CoeffModulus.MaxBitCount in the worker's
environment; the tests marked `worker` ask it again.
"""

import json
import subprocess
from dataclasses import replace
from math import log2, prod
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fheasible.errors import InfeasibleParameters, UnknownName, UsageError
from fheasible.libraries.parameters import Request, request_for
from fheasible.libraries.seal import rules as seal
from fheasible.security.tables import max_log_q

GOLDEN = {
    (2048, (54,)): (18014398509404161,),
    (4096, (36, 36, 37)): (68719230977, 68719403009, 137438822401),
    (4096, (20, 20, 20, 60)): (925697, 974849, 1032193, 1152921504606830593),
    (8192, (60, 40, 40, 60)): (1152921504606748673, 1099510890497, 1099511480321, 1152921504606830593),
    (16384, (60, 50, 50, 50, 50, 60)): (
        1152921504606683137,
        1125899903795201,
        1125899903827969,
        1125899903991809,
        1125899904679937,
        1152921504606748673,
    ),
    (65536, (30, 30, 30)): (1070727169, 1071513601, 1073479681),
}
MAX_BIT_COUNT = {
    128: (27, 54, 109, 218, 438, 881, 0, 0),
    192: (19, 37, 75, 152, 305, 611, 0, 0),
    256: (14, 29, 58, 118, 237, 476, 0, 0),
}

PYTHON = Path(__file__).resolve().parents[2] / "workers" / "seal" / ".venv" / "bin" / "python"
LIVE = Path(__file__).with_name("live_seal.py")


def ask(questions: list[dict[str, Any]]) -> list[Any]:
    if not PYTHON.exists():
        pytest.skip("SEAL is not installed")
    done = subprocess.run(
        [PYTHON, LIVE], input=json.dumps(questions), capture_output=True, text=True, timeout=120, check=True
    )
    answers: list[Any] = json.loads(done.stdout)
    return answers


@pytest.mark.parametrize("asked", GOLDEN)
def test_the_primes_of_a_chain_are_those_that_seal_creates(asked: tuple[int, tuple[int, ...]]) -> None:
    assert seal.create(*asked) == GOLDEN[asked]


def most_bits(n: int, security: int) -> int:
    """CoeffModulus::MaxBitCount, 0 where the standard has no row."""
    return int(max_log_q(seal.SECURITY_TABLE, n, "ternary", security) or 0)


@pytest.mark.parametrize("security", MAX_BIT_COUNT)
def test_the_limits_on_the_modulus_are_those_that_seal_enforces(security: int) -> None:
    counts = tuple(most_bits(1 << log_n, security) for log_n in range(10, 18))
    assert counts == MAX_BIT_COUNT[security]


@pytest.mark.parametrize(("n", "bits"), [(1024, (12,)), (1024, (13, 14)), (32768, (17, 17))])
def test_sizes_with_too_few_primes_are_infeasible(n: int, bits: tuple[int, ...]) -> None:
    with pytest.raises(InfeasibleParameters, match="failed to find enough qualifying primes"):
        seal.create(n, bits)


@given(
    log_n=st.integers(5, 16),
    bits=st.lists(st.integers(36, 60), min_size=1, max_size=12).map(tuple),
)
def test_primes_are_distinct_and_1_modulo_2n_and_of_the_bits_asked_for(
    log_n: int, bits: tuple[int, ...]
) -> None:
    primes = seal.create(1 << log_n, bits)
    assert len(set(primes)) == len(bits)
    assert tuple(q.bit_length() for q in primes) == bits
    assert all(q % (2 << log_n) == 1 and pow(3, q - 1, q) == 1 for q in primes)


@given(n=st.sampled_from([4096, 16384]), count=st.integers(1, 8))
def test_of_one_size_later_primes_are_larger_so_that_the_special_prime_is_the_largest(
    n: int, count: int
) -> None:
    primes = seal.create(n, (50,) * count)
    assert list(primes) == sorted(primes)


def test_a_plain_modulus_among_the_primes_of_its_size_is_passed_over() -> None:
    plain = seal.create(8192, (60, 60))[0]
    chain = seal.create(8192, (60, 60), plain)
    assert plain not in chain
    assert chain[1] == seal.create(8192, (60, 60))[1]


def test_the_default_chain_of_ckks_is_a_large_prime_one_per_level_and_a_special_one() -> None:
    p = seal.parameters(request_for("ckks", 3))
    assert [q.bit_length() for q in (*p.q, *p.p)] == [60, 40, 40, 40, 60]
    assert (p.ring_dimension, p.levels, p.digits) == (16384, 3, 4)  # 240 bits: above 218, below 438
    assert p.p[0] > max(p.q)


@pytest.mark.parametrize(
    ("depth", "scale_bits", "n"),
    [(3, 39, 16384), (3, 32, 8192), (2, 49, 8192), (2, 50, 16384)],  # 60 + 60 + 98 = 218 exactly, then 220
)
def test_the_ring_dimension_is_the_smallest_that_seal_takes(depth: int, scale_bits: int, n: int) -> None:
    p = seal.parameters(request_for("ckks", depth, scale_bits=scale_bits))
    assert p.ring_dimension == n
    assert prod(p.q + p.p).bit_length() <= most_bits(n, 128)


@given(
    depth=st.integers(0, 14),
    scale_bits=st.integers(30, 50),
    security=st.sampled_from([128, 192, 256]),
    quantum=st.booleans(),
)
def test_the_next_smaller_ring_dimension_would_not_do(
    depth: int, scale_bits: int, security: int, quantum: bool
) -> None:
    request = request_for("ckks", depth, security=security, quantum=quantum, scale_bits=scale_bits)
    try:
        p = seal.parameters(request)
    except InfeasibleParameters:
        assert 120 + depth * scale_bits > {128: 827, 192: 571, 256: 443}[security]
        return
    if p.ring_dimension > 1024:
        with pytest.raises(InfeasibleParameters, match="bits of security"):
            seal.parameters(replace(request, ring_dimension=p.ring_dimension // 2))


@given(depth=st.integers(0, 16), scale_bits=st.integers(30, 50))
def test_every_scale_squared_over_its_prime_is_the_scale_below(depth: int, scale_bits: int) -> None:
    p = seal.parameters(
        request_for("ckks", depth, security=None, ring_dimension=32768, scale_bits=scale_bits)
    )
    assert len(p.scales) == len(p.q) == depth + 1
    for level in range(depth, 0, -1):
        assert p.scales[level] ** 2 / p.q[level] == pytest.approx(p.scales[level - 1], rel=2**-50)
    assert max(abs(log2(s) - scale_bits) for s in p.scales) < 0.05


@pytest.mark.parametrize("scheme", ["bgv", "bfv"])
@pytest.mark.parametrize("depth", [0, 1, 3, 8])
def test_integer_schemes_batch_in_every_slot(scheme: str, depth: int) -> None:
    p = seal.parameters(request_for(scheme, depth))
    assert p.plain_modulus == 65537
    assert p.levels == (0 if scheme == "bfv" else depth)


def test_a_chain_of_ones_own_is_taken_as_it_stands() -> None:
    request = request_for("ckks", 2, prime_bits=(50, 30, 30), special_bits=(52,), ring_dimension=8192)
    p = seal.parameters(request)
    assert [q.bit_length() for q in (*p.q, *p.p)] == [50, 30, 30, 52]
    assert p.scales[0] == 2.0**30


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (request_for("ckks", 30), "no ring dimension has 128 bits"),
        (request_for("ckks", 3, ring_dimension=8192), "log2\\(QP\\) = 240.0 at ring dimension 8192"),
        (request_for("ckks", 0, ring_dimension=65536), "allow no modulus at all"),
        (request_for("ckks", 1, security=None), "neither a ring dimension nor a security level"),
        (request_for("ckks", 1, ring_dimension=3000), "not a power of two"),
        (request_for("ckks", 1, ring_dimension=1 << 18), "not a power of two"),
        (request_for("ckks", 1, first_bits=61), "a prime of 61 bits"),
        (request_for("ckks", 1, first_bits=30), "fewer than the scale's 40"),
        (request_for("ckks", 3, prime_bits=(60, 40)), "2 primes give 1 level, but"),
        (request_for("ckks", 3, prime_bits=(60,)), "1 prime gives 0 levels, but"),
        (request_for("ckks", 1, prime_bits=()), "the chain has no primes"),
        (
            request_for("ckks", 256, None, ring_dimension=32768),
            "258 primes are needed, but it supports only 256",
        ),
        (request_for("ckks", -1), "negative"),
        (request_for("ckks", 1, ring_dimension=8192, batch=8192), "exceeds the 4096 slots"),
        (request_for("bfv", 1, plain_modulus=65539), "not a prime that is 1 modulo"),
        (request_for("bfv", 1, plain_modulus=-17), "plain modulus -17 is not from 2 to"),
        (request_for("bfv", 1, plain_modulus=0), "plain modulus 0 is not from 2 to"),
        (request_for("bgv", 1, plain_modulus=10**26), "is not from 2 to"),
        (request_for("bgv", 1, plain_modulus=1 << 20), "not a prime that is 1 modulo"),
        (
            request_for("bgv", 1, plain_modulus=1152921504606830593, prime_bits=(59, 59)),
            "not smaller than the first prime",
        ),
    ],
)
def test_what_cannot_be_is_refused_with_a_remedy(request_: Request, words: str) -> None:
    with pytest.raises(InfeasibleParameters, match=words) as refused:
        seal.parameters(request_)
    assert refused.value.remedy


def test_a_refused_plain_modulus_is_answered_with_candidates_that_work() -> None:
    with pytest.raises(InfeasibleParameters) as refused:
        seal.parameters(request_for("bfv", 1, plain_modulus=100_000, ring_dimension=8192))
    first = int(refused.value.remedy.split()[-1])
    assert (
        seal.parameters(request_for("bfv", 1, plain_modulus=first, ring_dimension=8192)).plain_modulus
        == first
    )


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"secret": "gaussian"}, UnknownName),
        ({"security": 100}, UsageError),
        ({"technique": "fixedauto"}, UsageError),
        ({"key_switching": "bv"}, UsageError),
        ({"digits": 2}, UsageError),
        ({"special_bits": (60, 60)}, UsageError),
    ],
)
def test_what_seal_does_not_have_cannot_be_asked_for(changes: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        seal.parameters(replace(request_for("ckks", 1), **changes))


@pytest.mark.parametrize("scheme", ["bgv", "bfv"])
def test_integers_have_no_scale(scheme: str) -> None:
    with pytest.raises(UsageError, match="no choice of scale_bits, but 30 was given"):
        seal.parameters(request_for(scheme, 1, scale_bits=30))


def test_a_batch_may_ask_for_a_larger_ring() -> None:
    assert seal.parameters(request_for("ckks", 0, batch=16384)).ring_dimension == 32768


def test_the_worker_gets_decimal_strings() -> None:
    p = seal.parameters(request_for("bgv", 1, security=192))
    sent = seal.worker_parameters(p)
    assert [int(x) for x in sent["q"] + sent["p"]] == [*p.q, *p.p]
    assert sent["security"] == 192
    assert json.loads(json.dumps(sent)) == sent


@pytest.mark.worker
def test_the_live_seal_creates_the_same_primes() -> None:
    sample = [
        *GOLDEN,
        (32768, (60, *(45,) * 12, 60)),
        (8192, (30, 31, 30, 31, 30)),
        (1024, (14,)),
        (64, (20,) * 9),
    ]
    answers = ask([{"n": n, "bits": bits} for n, bits in sample])
    assert [tuple(primes) for primes in answers] == [seal.create(n, bits) for n, bits in sample]


@pytest.mark.worker
def test_the_live_seal_enforces_the_same_limits() -> None:
    asked = [(1 << log_n, security) for security in MAX_BIT_COUNT for log_n in range(10, 18)]
    answers = ask([{"n": n, "security": security} for n, security in asked])
    assert answers == [most_bits(*one) for one in asked]


@pytest.mark.worker
def test_the_live_seal_takes_what_we_choose_and_refuses_a_ring_half_as_large() -> None:
    requests = [
        request_for(s, d, security=b) for s in seal.SCHEMES for d in (0, 2, 7) for b in (128, 192, 256)
    ]
    chosen = [seal.parameters(request) for request in requests]
    answers = ask([{"parameters": seal.worker_parameters(p)} for p in chosen])
    assert answers == ["valid"] * len(chosen)
    ckks = [seal.worker_parameters(p) for p in chosen if p.scheme == "ckks"]
    halves = ask([{"parameters": p | {"ring_dimension": p["ring_dimension"] // 2}} for p in ckks])
    assert set(halves) == {"parameters are not compliant with HomomorphicEncryption.org security standard"}
