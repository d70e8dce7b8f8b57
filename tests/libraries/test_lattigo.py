"""Lattigo: its primes and limits against the live 6.1.1, and our choice of its chain.

The golden primes were printed by the worker, asked to `describe` parameters with LogQ and LogP alone, so that
Lattigo's own GenModuli found them; the tests marked `worker` ask it again.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice, pairwise
from math import ceil, log2
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fheasible.errors import InfeasibleParameters, UnknownName, UsageError
from fheasible.libraries.lattigo import rules as lattigo
from fheasible.libraries.lattigo.moduli import gen_moduli
from fheasible.libraries.parameters import Request, request_for
from fheasible.libraries.primes import is_prime

from .asking_lattigo import ask

Bits = tuple[int, ...]

GOLDEN: dict[tuple[int, Bits, Bits], tuple[Bits, Bits]] = {
    (1024, (16, 16, 16, 16), ()): ((65537, 61441, 59393, 79873), ()),
    (2048, (30, 20, 20, 20), (30,)): ((1073750017, 1032193, 1073153, 1093633), (1073754113,)),
    (8192, (60, 40, 40, 40, 40), (60,)): (
        (1152921504606830593, 1099511480321, 1099511922689, 1099512004609, 1099512266753),
        (1152921504606748673,),
    ),
    (16384, (55, 45, 45, 45), (61, 61)): (
        (36028797019389953, 35184372121601, 35184372744193, 35184373006337),
        (2305843009211662337, 2305843009211596801),
    ),
    (65536, (60, 40, 40, 40, 40, 40, 40), (60, 60)): (
        (
            1152921504606584833,
            1099512938497,
            1099510054913,
            1099507695617,
            1099515691009,
            1099516870657,
            1099506515969,
        ),
        (1152921504614055937, 1152921504598720513),
    ),
}


def sizes(n: int, q: Bits, p: Bits) -> dict[str, Any]:
    return {"scheme": "ckks", "ring_dimension": n, "log_q": q, "log_p": p}


@pytest.mark.parametrize("asked", GOLDEN)
def test_the_primes_of_a_chain_are_those_that_lattigo_generates(asked: tuple[int, Bits, Bits]) -> None:
    assert gen_moduli(*asked) == GOLDEN[asked]


@pytest.mark.parametrize(("n", "bits"), [(1024, (16,) * 11), (1024, (10,)), (2048, (11,))])
def test_sizes_with_too_few_primes_are_infeasible(n: int, bits: Bits) -> None:
    with pytest.raises(InfeasibleParameters, match="failed to generate"):
        gen_moduli(n, bits, ())


@given(
    log_n=st.integers(5, 16),
    q=st.lists(st.integers(36, 60), min_size=1, max_size=12).map(tuple),
    p=st.lists(st.integers(36, 61), max_size=4).map(tuple),
)
def test_primes_are_distinct_and_1_modulo_2n_and_within_half_a_bit_of_the_size(
    log_n: int, q: Bits, p: Bits
) -> None:
    found_q, found_p = gen_moduli(1 << log_n, q, p)
    found = found_q + found_p
    assert len(set(found)) == len(q + p) == len(found)
    assert all(abs(log2(prime) - bits) < 0.5 for prime, bits in zip(found, q + p, strict=True))
    assert all(prime % (2 << log_n) == 1 and pow(3, prime - 1, prime) == 1 for prime in found)


def alternating(bits: int, m: int) -> Iterator[int]:
    """NextAlternatingPrime as written: a candidate above, then one below; after a prime it begins anew."""
    above, below = 2**bits + 1, 2**bits + 1 - m
    while near(above, bits) or near(below, bits):
        if near(above, bits):
            above += m
            if is_prime(above - m):
                yield above - m
                continue
        if near(below, bits):
            below -= m
            if is_prime(below + m):
                yield below + m


def near(candidate: int, bits: int) -> bool:
    return candidate > 1 and abs(log2(candidate) - bits) < 0.5


@given(bits=st.integers(14, 60), log_n=st.integers(4, 13))
def test_primes_are_met_in_the_order_of_the_walk(bits: int, log_n: int) -> None:
    wanted = list(islice(alternating(bits, 2 << log_n), 12)) if 2**bits % (2 << log_n) == 0 else []
    n = 1 << log_n
    assert not wanted or gen_moduli(n, (bits,) * len(wanted), ()) == (tuple(wanted), ())
    if 0 < len(wanted) < 12:
        with pytest.raises(InfeasibleParameters, match=f"there are only {len(wanted)}"):
            gen_moduli(n, (bits,) * 12, ())


@given(count=st.integers(2, 8))
def test_special_primes_of_61_bits_descend(count: int) -> None:
    _, p = gen_moduli(8192, (60,), (61,) * count)
    assert all(before > after for before, after in pairwise(p))
    assert p[0] < 2**61


def test_a_plain_modulus_among_the_primes_of_its_size_is_passed_over() -> None:
    (plain, second), _ = gen_moduli(8192, (60, 60), ())
    assert gen_moduli(8192, (60,), (), plain) == ((second,), ())


@pytest.mark.parametrize(("depth", "special"), [(0, 1), (2, 1), (3, 2), (5, 2), (6, 3), (9, 4)])
def test_the_special_primes_leave_three_digits_at_most(depth: int, special: int) -> None:
    p = lattigo.parameters(request_for("ckks", depth))
    assert len(p.p) == special
    assert p.digits == ceil((depth + 1) / special) <= 3
    assert all(abs(log2(x) - 60) < 0.001 for x in p.p)


def test_fewer_digits_take_more_special_primes() -> None:
    p = lattigo.parameters(request_for("ckks", 7, digits=1))
    assert len(p.p) == 8
    assert p.digits == 1


@given(depth=st.integers(0, 20), special=st.integers(1, 8), level=st.integers(0, 20))
def test_digits_shrink_with_the_level(depth: int, special: int, level: int) -> None:
    bits = (60, *(40,) * depth)
    request = request_for(
        "ckks", depth, None, prime_bits=bits, special_bits=(60,) * special, ring_dimension=16384
    )
    p = lattigo.parameters(request)
    assert lattigo.digits_at(p, depth) == p.digits
    assert special * lattigo.digits_at(p, level) in range(level + 1, level + 1 + special)


@pytest.mark.parametrize(
    ("depth", "n"),
    [(0, 8192), (2, 8192), (3, 16384), (6, 32768)],  # 120, 200 | 300 | 480 bits against 214, 430, 868
)
def test_the_ring_dimension_follows_the_guidelines_of_2024(depth: int, n: int) -> None:
    assert lattigo.parameters(request_for("ckks", depth)).ring_dimension == n


@given(depth=st.integers(0, 20), scale_bits=st.integers(30, 50), quantum=st.booleans())
def test_the_next_smaller_ring_dimension_would_not_do(depth: int, scale_bits: int, quantum: bool) -> None:
    request = request_for("ckks", depth, quantum=quantum, scale_bits=scale_bits)
    p = lattigo.parameters(request)
    with pytest.raises(InfeasibleParameters, match="128 bits of security"):
        lattigo.parameters(replace(request, ring_dimension=p.ring_dimension // 2))


@given(depth=st.integers(0, 30), scale_bits=st.integers(30, 55))
def test_every_scale_squared_over_its_prime_is_the_scale_below(depth: int, scale_bits: int) -> None:
    p = lattigo.parameters(
        request_for("ckks", depth, security=None, ring_dimension=32768, scale_bits=scale_bits)
    )
    for level in range(depth, 0, -1):
        assert p.scales[level] ** 2 / p.q[level] == pytest.approx(p.scales[level - 1], rel=2**-50)
    assert max(abs(log2(s) - scale_bits) for s in p.scales) < 0.05


def test_a_ring_too_large_for_the_usual_plain_modulus_gets_another() -> None:
    p = lattigo.parameters(request_for("bgv", 15))
    assert p.ring_dimension == 65536
    assert p.plain_modulus is not None
    assert p.plain_modulus % (2 * p.ring_dimension) == 1


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (request_for("ckks", 80), "no ring dimension has 128 bits"),
        (request_for("ckks", 3, ring_dimension=8192), "log2\\(QP\\) = 300.0 at ring dimension 8192"),
        (request_for("ckks", 1, None, ring_dimension=8), "not a power of two"),
        (request_for("ckks", 1, None, ring_dimension=1 << 21), "not a power of two"),
        (request_for("ckks", 1, first_bits=61), "a prime of 61 bits"),
        (request_for("ckks", 1, special_bits=(62,)), "a prime of 62 bits"),
        (request_for("bfv", 1, plain_modulus=65536), "not a prime that is 1 modulo"),
        (
            request_for("bfv", 1, plain_modulus=1152921504606830593, prime_bits=(59,)),
            "not smaller than the first prime",
        ),
    ],
)
def test_what_cannot_be_is_refused_with_a_remedy(request_: Request, words: str) -> None:
    with pytest.raises(InfeasibleParameters, match=words) as refused:
        lattigo.parameters(request_)
    assert refused.value.remedy


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"secret": "sparse_ternary"}, UnknownName),
        ({"security": 100}, UsageError),
        ({"technique": "fixedauto"}, UsageError),
        ({"digits": 0}, UsageError),
        ({"digits": 2, "special_bits": (60,)}, UsageError),
    ],
)
def test_what_lattigo_does_not_have_cannot_be_asked_for(
    changes: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        lattigo.parameters(replace(request_for("ckks", 1), **changes))


@pytest.mark.worker
def test_the_live_lattigo_generates_the_same_primes() -> None:
    sample: list[tuple[int, Bits, Bits]] = [
        *GOLDEN,
        (32768, (60, *(45,) * 12), (60,) * 5),
        (4096, (50, 30, 31, 30, 31), (50,)),
        (16, (20,) * 9, (61,) * 3),
    ]
    for asked, answer in zip(sample, ask([sizes(*one) for one in sample]), strict=True):
        q, p = gen_moduli(*asked)
        assert (answer["q"], answer["p"]) == ([str(x) for x in q], [str(x) for x in p])


@pytest.mark.worker
def test_the_live_lattigo_takes_what_we_choose_and_makes_as_many_digits() -> None:
    chosen = [lattigo.parameters(request_for(s, d)) for s in lattigo.SCHEMES for d in (0, 3, 6, 9)]
    for p, answer in zip(chosen, ask([lattigo.worker_parameters(p) for p in chosen]), strict=True):
        assert answer["type"] == "described", answer
        assert (answer["digits"], answer["ring_dimension"]) == (p.digits, p.ring_dimension)


@pytest.mark.worker
def test_the_live_lattigo_refuses_the_same_sizes() -> None:
    refused = [(1024, (16,) * 11, ()), (1024, (10,), ()), (2048, (61,), ()), (2048, (60,), (62,))]
    assert [answer["type"] for answer in ask([sizes(*one) for one in refused])] == ["refused"] * len(refused)
