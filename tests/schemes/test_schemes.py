"""What every ring scheme keeps to, on the schoolbook ring and on the exact one, at toy sizes."""

from math import gcd
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fheasible.rings.exact import ExactRing
from fheasible.schemes.catalogue import SCHEMES, VARIANTS
from fheasible.schemes.fntru import FNTRU
from fheasible.schemes.fv import FV
from fheasible.schemes.scheme import RingScheme
from fheasible.schemes.shield import SHIELD
from fheasible.schemes.yashe import YASHE
from rings.oracle import OracleRing
from schemes.measuring import Bench, Step, decrypted, integers, made, noise_of, squarings

INSECURE_N = 16
INSECURE_BITS = {"fv": 90, "yashe": 100, "fntru": 60, "shield": 56}
KINDS = [FV, YASHE, FNTRU, SHIELD]
POLYNOMIAL = [FV, YASHE]
BITS = [FNTRU, SHIELD]
RINGS = [OracleRing, ExactRing]

plaintexts = st.lists(st.lists(st.integers(0, 30), min_size=1, max_size=INSECURE_N), min_size=2, max_size=3)
bits = st.lists(st.lists(st.integers(0, 1), min_size=1, max_size=1), min_size=2, max_size=3)
operations = st.sampled_from(["add", "multiply", "multiply", "negate", "times", "plus_one"])
scheme_names = pytest.mark.parametrize("kind", KINDS, ids=lambda k: k.name)
rings = pytest.mark.parametrize("ring", RINGS)
on_both = pytest.mark.parametrize("ring", [pytest.param(OracleRing, marks=pytest.mark.long), ExactRing])


@st.composite
def circuits(draw: Any, inputs: int) -> list[Step]:
    """Up to six steps, each on whatever came before it."""
    steps: list[Step] = []
    for k in range(draw(st.integers(1, 6))):
        before = st.integers(0, inputs + k - 1)
        op = draw(operations)
        steps.append((op, draw(before), draw(st.integers(1, 5) if op == "times" else before)))
    return steps


def bench(
    kind: type[RingScheme], ring: Any, t: int = 2, log_w: int = 8, seed: int = 1, **ring_size: int
) -> Bench:
    q = ring_size.get("q", (1 << INSECURE_BITS[kind.name]) - 1)
    return Bench(made(kind, ring(ring_size.get("n", INSECURE_N), q, seed), t, log_w))


@on_both
@pytest.mark.parametrize("kind", VARIANTS.values(), ids=lambda k: k.name)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_random_circuits_of_yashes_variants_do_too(kind: Any, ring: Any, data: Any) -> None:
    t = data.draw(st.sampled_from([2, 3, 7]))
    q = data.draw(st.integers(1 << 89, 1 << 100))
    assume(gcd(q, t) == 1)
    n, log_w = 8, data.draw(st.sampled_from([30, 45]))
    b = Bench(made(kind, ring(n, q, data.draw(st.integers(0, 99))), t, log_w))
    messages = [[v % t for v in m[:n]] for m in data.draw(plaintexts)]
    for x in b.run(messages, data.draw(circuits(len(messages)))):
        b.check(x)


def test_the_catalogue_has_the_four_schemes() -> None:
    assert list(SCHEMES.values()) == KINDS


@on_both
@pytest.mark.parametrize("kind", POLYNOMIAL, ids=lambda k: k.name)
@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_random_circuits_decrypt_and_stay_below_the_predicted_noise(kind: Any, ring: Any, data: Any) -> None:
    t = data.draw(st.sampled_from([2, 3, 7, 16, 31]))
    q = data.draw(st.integers(1 << 89, 1 << 100))
    assume(kind is FV or gcd(q, t) == 1)
    b = bench(kind, ring, t, data.draw(st.sampled_from([2, 8, 30])), data.draw(st.integers(0, 99)), q=q)
    messages = [[v % t for v in m] for m in data.draw(plaintexts)]
    for x in b.run(messages, data.draw(circuits(len(messages)))):
        b.check(x)


@on_both
@pytest.mark.parametrize("kind", BITS, ids=lambda k: k.name)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_random_circuits_of_bits_do_too(kind: Any, ring: Any, data: Any) -> None:
    q = data.draw(st.integers(1 << 49, 1 << 60)) | 1
    b = bench(kind, ring, 2, data.draw(st.sampled_from([6, 10])), data.draw(st.integers(0, 99)), q=q)
    messages = data.draw(bits)
    for x in b.run(messages, data.draw(circuits(len(messages)))):
        b.check(x)


@pytest.mark.parametrize("kind", BITS, ids=lambda k: k.name)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_and_so_do_polynomials_while_their_integers_stay_small(kind: Any, data: Any) -> None:
    b = bench(kind, ExactRing, seed=data.draw(st.integers(0, 99)))
    messages = [[v % 2 for v in m] for m in data.draw(plaintexts)]
    for x in b.run(messages, data.draw(circuits(len(messages)))):
        b.check(x)


@rings
@scheme_names
def test_one_key_serves_many_ciphertexts(kind: Any, ring: Any) -> None:
    b = bench(kind, ring)
    for k in range(4):
        m = [k & 1, k >> 1]
        c = b.scheme.encrypt(b.keys, b.scheme.message(m))
        assert decrypted(b.scheme, b.keys, c)[:2] == m


@scheme_names
def test_two_encryptions_of_one_message_differ(kind: Any) -> None:
    b = bench(kind, ExactRing)
    c, d = (b.scheme.encrypt(b.keys, b.scheme.message([1])) for _ in range(2))
    assert (c.data != d.data).any()


@scheme_names
def test_another_key_does_not_decrypt(kind: Any) -> None:
    b = bench(kind, ExactRing)
    m = [1, 0, 1, 1] * (INSECURE_N // 4)
    assert decrypted(b.scheme, b.scheme.keygen(), b.scheme.encrypt(b.keys, b.scheme.message(m))) != m


@scheme_names
def test_a_constant_has_no_more_noise_than_is_said(kind: Any) -> None:
    b = bench(kind, OracleRing, q=(1 << 80) + 13)
    m = [1, 0, 1]
    c = b.scheme.constant(b.scheme.message(m))
    assert decrypted(b.scheme, b.keys, c)[:3] == m
    most = 0 if kind in BITS else 2 * INSECURE_N + 1  # r·(δ·t·B_key + 1) of YASHE, with r = 1
    assert noise_of(b.scheme, b.keys, c, integers(b.scheme, m)) <= most


@scheme_names
def test_squaring_works_to_the_predicted_depth_and_fails_beyond_the_true_one(kind: Any) -> None:
    for seed in range(3):
        b = bench(kind, ExactRing, seed=seed)
        predicted, true = squarings(b, [1] if b.scheme.bits else [1, 0, 1, 1, 0, 1], 60)
        assert 2 <= predicted <= true < 60


def test_the_sum_of_the_published_f_ntru_keeps_a_bit_a_bit() -> None:
    b = bench(FNTRU, OracleRing)
    scheme: Any = b.scheme
    for x in (0, 1):
        for y in (0, 1):
            c, d = (scheme.encrypt(b.keys, scheme.message([v])) for v in (x, y))
            e = scheme.xor(b.keys, c, d)
            assert decrypted(scheme, b.keys, e)[0] == x ^ y
            assert noise_of(scheme, b.keys, e, integers(scheme, [x ^ y])) < 1 << 40


def test_a_product_of_yashe_needs_its_key_switch() -> None:
    b = bench(YASHE, OracleRing)
    scheme: Any = b.scheme
    m = [1, 1, 0, 1]
    c = scheme.encrypt(b.keys, scheme.message(m))
    squared = scheme.product(c, c)
    twice = scheme.ring.multiply(b.keys.secret, squared)
    assert decrypted(scheme, b.keys, twice)[:7] == [1, 0, 1, 0, 0, 0, 1]  # (1 + x + x^3)^2 modulo 2
    assert decrypted(scheme, b.keys, squared)[:7] != [1, 0, 1, 0, 0, 0, 1]


def test_a_chain_of_new_factors_on_the_right_is_what_shield_is_good_at() -> None:
    """Its noise grows by a sum: five products cost no more than a few bits beyond the first."""
    b = bench(SHIELD, ExactRing)
    one = integers(b.scheme, [1])
    c, grown = b.scheme.encrypt(b.keys, b.scheme.message([1])), []
    for _ in range(5):
        c = b.scheme.multiply(b.keys, c, b.scheme.encrypt(b.keys, b.scheme.message([1])))
        grown.append(noise_of(b.scheme, b.keys, c, one))
    assert grown[-1] < 8 * grown[0]
