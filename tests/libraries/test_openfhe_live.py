"""Our rule for OpenFHE against the live library: ring dimension, primes, digits, scales and refusals."""

from dataclasses import replace

import pytest

from fheasible.libraries.openfhe import library as openfhe
from fheasible.libraries.parameters import Request
from fheasible.security.tables import LEVELS, max_log_q

from .asking_openfhe import ask, disagreements, needs_openfhe, some_requests

pytestmark = [pytest.mark.worker, needs_openfhe]


@pytest.mark.parametrize("scheme", openfhe.SCHEMES)
def test_our_rule_equals_the_live_library(scheme: str) -> None:
    assert disagreements(some_requests(scheme, 25, seed=2026)) == []


@pytest.mark.parametrize("scheme", openfhe.SCHEMES)
def test_small_rings_get_the_same_special_primes(scheme: str) -> None:
    toy = Request(scheme, 1, security=None, ring_dimension=512, key_switching="hybrid")
    if scheme == "ckks":
        toys = [
            replace(toy, scale_bits=bits, first_bits=first) for bits, first in ((40, 60), (58, 59), (56, 56))
        ]
    else:
        toys = [replace(toy, plain_modulus=t) for t in (65537, 257)]
    requests = [
        replace(x, depth=depth, digits=digits) for x in toys for depth in (1, 3, 6) for digits in (1, 2)
    ]
    assert disagreements(requests, special=True) == []


def test_the_defaults_filled_in_mean_the_same_to_the_library() -> None:
    bare = [
        Request("ckks", 3),
        Request("bgv", 3, plain_modulus=65537),
        Request("bfv", 3, plain_modulus=65537),
    ]
    assert ask([openfhe.with_defaults(request) for request in bare]) == ask(bare)
    assert disagreements(bare) == []


def test_the_live_library_enforces_our_copy_of_its_security_table() -> None:
    # CKKS with BV key switching: log2(Q) is one more than the sum of the sizes that it judges by.
    requests, limits = [], []
    for n in (1 << k for k in range(12, 18)):
        for level in LEVELS:
            limit = int(max_log_q(openfhe.SECURITY_TABLE, n, "uniform_ternary", level) or 0)
            for log_q in (limit, limit + 1):
                requests.append(_request_of(n, level, log_q))
                limits.append(log_q <= limit)
    refused = ["does not comply" in answer.get("error", "") for answer in ask(requests)]
    assert refused == [not fits for fits in limits]


def _request_of(n: int, security: int, log_q: int) -> Request:
    """A request whose foreseen log2(Q) is `log_q`, on the wished ring dimension."""
    depth = (log_q - 1) // 55
    scale = (log_q - 1) // (depth + 1)
    return Request(
        "ckks", depth, security, scale_bits=scale, first_bits=log_q - 1 - depth * scale, key_switching="bv",
        technique="fixedmanual", ring_dimension=n,
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("technique", ["fixedauto", "flexibleauto", "flexibleautoext"])
@pytest.mark.parametrize("security", LEVELS)
def test_our_rule_equals_the_live_library_over_a_whole_grid(technique: str, security: int) -> None:
    grid = [
        Request("ckks", depth, security, scale_bits=scale, technique=technique)
        for scale in range(20, 60)
        for depth in (4, 12)
    ]
    assert disagreements(grid) == []
