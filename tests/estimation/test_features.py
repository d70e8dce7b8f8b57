"""What operations ask of the machine, against counts made by hand or by a loop over limbs."""

from dataclasses import replace
from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fheasible.estimation.features import Shape, features, shape
from fheasible.libraries import lattigo, openfhe, seal
from fheasible.program.types import Action

from .programs import CASES, made

N = 1024  # its logarithm is 10: a transform counts 10 N
KEY_SWITCHES = (Action.RELINEARIZE, Action.ROTATE, Action.SWAP_ROWS)
DIGITS_AT = {"openfhe": openfhe.digits_at, "seal": seal.digits_at, "lattigo": lattigo.digits_at}
every_action = pytest.mark.parametrize("action", [*Action, "decrypt", "keygen"])
shapes = st.builds(
    Shape,
    n=st.integers(4, 17).map(lambda k: 1 << k),
    limbs=st.integers(1, 30),
    special=st.integers(0, 6),
    digit_limbs=st.integers(1, 8),
    polys=st.integers(2, 3),
    scheme=st.sampled_from(["ckks", "bgv", "bfv"]),
    dropped=st.integers(0, 5),
)


@pytest.mark.parametrize("action", KEY_SWITCHES)
def test_key_switching_by_hand_with_a_last_digit_that_is_shorter(action: Action) -> None:
    # 5 limbs in digits of 2, 2 and 1; two special primes. Each digit is brought to the others' moduli:
    # 2*(7-2) + 2*(7-2) + 1*(7-1); twice the two special limbs are brought back to 5: 2*2*5; and each
    # digit is multiplied by two polynomials of 7 limbs: 2*3*7.
    transforms, products, calls = features(action, Shape(N, limbs=5, special=2, digit_limbs=2))
    assert transforms == (3 + 2) * (5 + 2) * 10 * N
    assert products == (26 + 20 + 42) * N
    assert calls == 1


@pytest.mark.parametrize("limbs", [1, 2, 9])
def test_seal_is_the_case_of_one_prime_per_digit_and_one_special_prime(limbs: int) -> None:
    transforms, products, _ = features(Action.ROTATE, Shape(N, limbs, special=1, digit_limbs=1))
    assert transforms == (limbs + 1) * (limbs + 2) * 10 * N
    # every prime goes to all others and the special one; back go two; the key has two rows of each
    assert products == (limbs * limbs + 2 * limbs + 2 * limbs * (limbs + 1)) * N


@given(limbs=st.integers(1, 40), special=st.integers(1, 9), digit_limbs=st.integers(1, 12))
def test_key_switching_equals_a_loop_over_digits_and_limbs(
    limbs: int, special: int, digit_limbs: int
) -> None:
    transforms = products = 0
    chain = list(range(limbs))
    for start in range(0, limbs, digit_limbs):
        digit = chain[start : start + digit_limbs]
        others = limbs + special - len(digit)
        transforms += len(digit) + others  # back to coefficients, and forth in every other modulus
        products += len(digit) * others + 2 * (limbs + special)
    for _ in range(2):  # both polynomials are divided by P
        transforms += special + limbs
        products += special * limbs
    found = features(Action.RELINEARIZE, Shape(N, limbs, special, digit_limbs))
    assert found == (transforms * 10 * N, products * N, 1)


def test_rescaling_transforms_every_limb_of_every_polynomial() -> None:
    # 2 l transforms: l for each of two polynomials
    assert features(Action.RESCALE, Shape(N, limbs=7, special=1, digit_limbs=1))[0] == 2 * 7 * 10 * N
    assert features(Action.RESCALE, Shape(N, limbs=7, special=1, digit_limbs=1, polys=3))[0] == 3 * 7 * 10 * N


def test_a_bgv_drop_is_one_modulus_switching_per_limb_and_another_schemes_forgets_limbs() -> None:
    at = {"limbs": 4, "special": 1, "digit_limbs": 1, "dropped": 3}
    # from 7 limbs down to 4, each switching over the limbs that it works on: 7 + 6 + 5
    assert features(Action.DROP, Shape(N, scheme="bgv", **at))[0] == 2 * (7 + 6 + 5) * 10 * N
    assert features(Action.DROP, Shape(N, scheme="ckks", **at))[0] == 2 * 4 * N


def test_additions_are_linear_in_polynomials_limbs_and_coefficients() -> None:
    assert features(Action.ADD, Shape(N, limbs=6, special=2, digit_limbs=2, polys=3)) == (3 * 6 * N, 1)


def test_key_generation_counts_the_pair_and_each_switching_key() -> None:
    # 6 limbs in 3 digits, 2 special primes: 8 limbs transformed for the pair, 3 * 8 for each of 5 keys
    pair, keys = features("keygen", Shape(N, limbs=6, special=2, digit_limbs=2, polys=5))
    assert (pair, keys) == (8 * 10 * N, 5 * 24 * 10 * N)


@every_action
@given(data=st.data(), scheme=st.sampled_from(["ckks", "bgv", "bfv"]))
def test_an_action_has_as_many_features_in_every_shape(action: str, data: st.DataObject, scheme: str) -> None:
    same = shapes.filter(lambda s: s.scheme == scheme)
    first, second = features(action, data.draw(same)), features(action, data.draw(same))
    assert len(first) == len(second) > 0
    assert min(first + second) >= 0


@every_action
@given(s=shapes)
def test_no_feature_falls_with_another_limb_or_a_larger_ring(action: str, s: Shape) -> None:
    base = features(action, s)
    for larger in (replace(s, limbs=s.limbs + 1), replace(s, n=2 * s.n)):
        assert all(a <= b for a, b in zip(base, features(action, larger), strict=True))


@pytest.mark.parametrize(("library", "scheme", "technique"), CASES)
def test_the_digits_at_every_level_are_the_librarys_own(
    library: str, scheme: str, technique: str | None
) -> None:
    _, p = made(library, scheme, technique)
    for level in range(p.limbs):
        s = shape(p, level)
        limbs = p.limbs if scheme == "bfv" else level + 1
        assert (s.n, s.limbs, s.special, s.scheme) == (p.ring_dimension, limbs, len(p.p), scheme)
        digits = DIGITS_AT[library](p, level) if scheme != "bfv" else DIGITS_AT[library](p, p.limbs - 1)
        transforms = features(Action.ROTATE, s)[0] / (s.n * log2(s.n))
        expected = (digits + 2) * (limbs + len(p.p)) if p.p else digits * limbs  # BV divides nothing
        assert transforms == pytest.approx(expected)
