"""Our rule for OpenFHE against the live library: ring dimension, primes, digits, scales and refusals."""

from dataclasses import replace

import numpy as np
import pytest

from fheasible.libraries.openfhe import bfv
from fheasible.libraries.openfhe import rules as openfhe
from fheasible.libraries.parameters import Parameters, Request, request_for
from fheasible.libraries.primes import is_prime
from fheasible.measurement.encryptions import encryptions
from fheasible.measurement.worker import Worker
from fheasible.program.types import Action, Operation, Packed, Program, Scheme
from fheasible.security.tables import LEVELS, max_log_q

from .asking_openfhe import ask, disagreements, needs_openfhe, ours, some_requests

pytestmark = [pytest.mark.worker, needs_openfhe]


@pytest.mark.parametrize("scheme", openfhe.SCHEMES)
def test_our_rule_equals_the_live_library(scheme: str) -> None:
    assert disagreements(some_requests(scheme, 25, seed=2026)) == []


@pytest.mark.parametrize("scheme", openfhe.SCHEMES)
def test_small_rings_get_the_same_special_primes(scheme: str) -> None:
    toy = request_for(scheme, 1, security=None, ring_dimension=512, key_switching="hybrid")
    if scheme == "ckks":
        toys = [
            replace(toy, scale_bits=bits, first_bits=first) for bits, first in ((40, 60), (58, 59), (56, 56))
        ]
    else:
        toys = [replace(toy, plain_modulus=t) for t in (65537, 257)]
    requests = [
        replace(x, depth=depth, digits=digits) for x in toys for depth in (1, 3, 6) for digits in (1, 2)
    ]
    assert disagreements(requests) == []


def test_the_defaults_filled_in_mean_the_same_to_the_library() -> None:
    bare = [
        request_for("ckks", 3),
        request_for("bgv", 3, plain_modulus=65537),
        request_for("bfv", 3, plain_modulus=65537),
    ]
    assert ask([openfhe.with_defaults(request) for request in bare]) == ask(bare)
    assert disagreements(bare) == []


@pytest.mark.parametrize("technique", ["fixedmanual", "fixedauto"])
def test_openfhe_takes_half_a_word_of_a_plain_modulus_for_its_fixed_primes(technique: str) -> None:
    """They are to be 1 modulo t, and are not: its results are wrong, and we refuse."""
    toy = request_for("bgv", 1, security=None, ring_dimension=1024, technique=technique)
    below, above = (replace(toy, plain_modulus=t) for t in (4294957057, 4294991873))
    rests = [
        {int(q) % (request.plain_modulus or 1) for q in answer["q"]}
        for request, answer in zip((below, above), ask([below, above]), strict=True)
    ]
    assert rests[0] == {1}
    assert 1 not in rests[1]
    assert "error" not in ours(below)
    assert "computes wrongly with t = 4294991873" in ours(above)["error"]
    assert "cannot be predicted" in ours(replace(above, technique="flexibleauto"))["error"]


def encrypted_and_decrypted(request: Request, worker: Worker) -> tuple[bool, float]:
    """Whether the library decrypts what it encrypted, by BFV's program that does no more, and the bits that
    are left of the noise budget."""
    p = parameters_of(request)
    values = np.random.default_rng(1).integers(-1000, 1000, p.ring_dimension)
    packed = Packed("x", p.ring_dimension, (0,))
    encrypt = (Operation(Action.ENCRYPT, 0, source="x"),)
    program = Program(Scheme.BFV, p.ring_dimension, 0, encrypt, (), (packed,), (packed,), two_rows=True)
    found = encryptions(worker, program, p, {"x": values}, 1, 1)
    return bool((found.results["x"] == values).all()), float(found.budgets["x"].min())


def parameters_of(request: Request) -> Parameters:
    """Ours, as if there were no limit for what OpenFHE decrypts wrongly."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bfv, "_check_plain", lambda request, t, q: None)
        return openfhe.parameters(request)


def test_openfhe_decrypts_bfv_with_doubles() -> None:
    """Sums of two numbers below t for every limb stay below 2^53, or are rounded wrongly; we refuse."""
    toy = request_for("bfv", 1, security=None, ring_dimension=1024)
    right = [replace(toy, plain_modulus=t) for t in (1125899906826241, 562949953392641)]
    too_large = ((2251799813773313, 1), (1125899906856961, 6))
    wrong = [replace(toy, plain_modulus=t, depth=depth) for t, depth in too_large]
    with Worker("openfhe") as worker:
        found = [encrypted_and_decrypted(r, worker) for r in (*right, *wrong)]
    assert [came for came, _ in found] == [True, True, False, False]
    assert min(budget for _, budget in found) > 20  # bits: what is wrong is not the noise
    assert not any("error" in ours(r) for r in right)
    assert all("rounds in doubles" in ours(r)["error"] for r in wrong)


def test_openfhe_decrypts_nothing_of_bfv_where_a_prime_is_below_twice_the_plain_modulus() -> None:
    """A t = 1 modulo 2N below half of its primes, and one above it, which we refuse."""
    toy = request_for("bfv", 3, security=None, ring_dimension=1024)
    sides = [(scale_bits, below) for scale_bits in (30, 40) for below in (True, False)]
    requests = [
        replace(toy, scale_bits=bits, plain_modulus=next_to(1 << (bits - 1), below)) for bits, below in sides
    ]
    with Worker("openfhe") as worker:
        found = [encrypted_and_decrypted(r, worker) for r in requests]
    assert [came for came, _ in found] == [below for _, below in sides]
    assert min(budget for came, budget in found if came) > 20  # a bit less would be left of twice the t
    refused = ["more than half of its prime" in ours(r).get("error", "") for r in requests]
    assert refused == [not below for _, below in sides]


def next_to(bound: int, below: bool) -> int:
    """A prime = 1 modulo 2048 on that side of a power of two, some way off: just above, few coefficients are
    so large that they go wrong."""
    candidates = (
        range(bound // 2 + 1, bound * 7 // 8, 2048) if below else range(bound * 3 // 2 + 1, 2 * bound, 2048)
    )
    return next(t for t in (reversed(candidates) if below else candidates) if is_prime(t))


def test_openfhe_s_bfv_refuses_a_plain_modulus_among_its_primes() -> None:
    """And one that is larger than they are."""
    toy = request_for("bfv", 1, security=None, ring_dimension=1024, plain_modulus=65537)
    prime = int(ask([toy])[0]["q"][0])
    assert "is one of its primes" in ours(replace(toy, plain_modulus=prime))["error"]
    assert "error" in ask([replace(toy, plain_modulus=prime)])[0]
    assert "exceeds its first prime" in ours(replace(toy, plain_modulus=prime, scale_bits=45))["error"]


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
    return request_for(
        "ckks", depth, security, scale_bits=scale, first_bits=log_q - 1 - depth * scale, key_switching="bv",
        technique="fixedmanual", ring_dimension=n,
    )  # fmt: skip


COUNTS = ((None, None), (20, 10), (1000, 100))  # (eval_add_count, key_switch_count)
DEPTHS = range(1, 21)


def bgv_grid(technique: str, key_switching: str) -> list[Request]:
    return [
        request_for(
            "bgv", depth, security, technique=technique, key_switching=key_switching, plain_modulus=65537,
            eval_add_count=additions, key_switch_count=switches,
        )
        for depth in DEPTHS
        for security in LEVELS
        for additions, switches in COUNTS
    ]  # fmt: skip


def bfv_grid(key_switching: str) -> list[Request]:
    """All depths; counts, of which OpenFHE takes one, and beside no depth; and those that it refuses."""
    one = [(0, n, None) for n in (0, 1, 2, 10, 100, 1000, 100_000)] + [
        (0, None, n) for n in (1, 10, 100, 1000)
    ]
    refused = [(1, 1, None), (2, None, 1), (0, 3, 4), (5, 20, 10)]
    wanted = [(depth, None, None) for depth in DEPTHS] + one + refused
    return [
        request_for(
            "bfv", depth, security, key_switching=key_switching, plain_modulus=65537,
            eval_add_count=additions, key_switch_count=switches,
        )
        for depth, additions, switches in wanted
        for security in LEVELS
    ]  # fmt: skip


def ckks_grid(technique: str, security: int) -> list[Request]:
    return [
        request_for("ckks", depth, security, scale_bits=scale, technique=technique)
        for scale in range(20, 60)
        for depth in (4, 12)
    ]


def flooded_grid(technique: str) -> list[Request]:
    """With estimates on both sides of what is refused, and sizes that are overruled or refused."""
    return [
        request_for(
            "ckks", depth, technique=technique, noise_estimate=noise, scale_bits=scale, first_bits=first
        )
        for depth in (0, 1, 4, 9)
        for noise in (-5.0, 0.0, 12.3, 39.2, 39.25)
        for scale, first in ((None, None), (40, 45), (45, 40))
    ]


@pytest.mark.parametrize("key_switching", openfhe.KEY_SWITCHINGS)
def test_our_rule_equals_the_live_library_on_a_sample_of_the_grids(key_switching: str) -> None:
    grids = [bgv_grid(technique, key_switching) for technique in openfhe.TECHNIQUES] + [
        bfv_grid(key_switching)
    ]
    sample = [request for grid in grids for request in grid[7::83] if request.depth < 10]
    assert disagreements(sample) == []


@pytest.mark.parametrize("technique", openfhe.TECHNIQUES)
def test_flooding_has_the_live_librarys_parameters_and_refusals(technique: str) -> None:
    assert disagreements(flooded_grid(technique)[::7]) == []


@pytest.mark.slow
@pytest.mark.parametrize("technique", ["fixedauto", "flexibleauto", "flexibleautoext"])
@pytest.mark.parametrize("security", LEVELS)
def test_our_rule_equals_the_live_library_over_the_whole_grid_of_ckks(technique: str, security: int) -> None:
    assert disagreements(ckks_grid(technique, security)) == []


@pytest.mark.slow
@pytest.mark.parametrize("technique", openfhe.TECHNIQUES)
@pytest.mark.parametrize("key_switching", openfhe.KEY_SWITCHINGS)
def test_our_rule_equals_the_live_library_over_the_whole_grid_of_bgv(
    technique: str, key_switching: str
) -> None:
    assert disagreements(bgv_grid(technique, key_switching)) == []


@pytest.mark.slow
@pytest.mark.parametrize("key_switching", openfhe.KEY_SWITCHINGS)
def test_our_rule_equals_the_live_library_over_the_whole_grid_of_bfv(key_switching: str) -> None:
    assert disagreements(bfv_grid(key_switching)) == []


@pytest.mark.slow
@pytest.mark.parametrize("technique", openfhe.TECHNIQUES)
def test_flooding_has_the_live_librarys_parameters_over_a_whole_grid(technique: str) -> None:
    assert disagreements(flooded_grid(technique)) == []


def test_the_grids_hold_refusals_and_parameters_with_special_primes() -> None:
    """Else agreement would say little: what is predicted as an error must occur, and what is compared."""
    grids = {
        "ckks": ckks_grid("flexibleauto", 128),
        "bgv": [r for k in openfhe.KEY_SWITCHINGS for r in bgv_grid("flexibleautoext", k)],
        "bfv": bfv_grid("hybrid"),
        "flooded": flooded_grid("fixedmanual"),
    }
    for name, grid in grids.items():
        answers = [ours(request) for request in grid]
        assert any("error" in answer for answer in answers), name
        assert any(answer.get("p") for answer in answers), name
