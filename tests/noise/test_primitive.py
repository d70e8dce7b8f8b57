"""The variances of primitives, against ciphertexts that are really made (INSECURE_ ring sizes)."""

from collections.abc import Callable
from math import prod

import numpy as np
import pytest

from fheasible.libraries.parameters import Parameters
from fheasible.noise.primitive import fresh, key_switch, rounding, secret_norm

from .toy import InsecureRing, Poly, centred, divided, moduli, variance

INSECURE_N = 256


def parameters(
    library: str, q: tuple[int, ...], p: tuple[int, ...] = (), digits: int = 1, kind: str = "hybrid"
) -> Parameters:
    return Parameters(library, "ckks", INSECURE_N, q, p, digits=digits, key_switching=kind)


def measured(experiment: Callable[[InsecureRing], Poly], times: int = 30) -> float:
    """Over as many secrets."""
    return variance([experiment(InsecureRing(INSECURE_N, seed)) for seed in range(times)])


def test_the_norm_of_the_secret() -> None:
    p = parameters("openfhe", (97,))
    assert secret_norm(p) == pytest.approx(
        np.mean([np.sum(InsecureRing(INSECURE_N, seed).secret ** 2) for seed in range(50)]), rel=0.05
    )


def test_a_fresh_encryption_without_special_primes() -> None:
    (q,) = moduli(60)

    def noise(ring: InsecureRing) -> Poly:
        return ring.phase(ring.encrypt(np.zeros(INSECURE_N, dtype=object), q), q)

    assert fresh(parameters("openfhe", (q,))) == pytest.approx(measured(noise), rel=0.15)


@pytest.mark.parametrize("library", ["seal", "lattigo"])
@pytest.mark.parametrize("bits", [2, 40])
def test_a_fresh_encryption_that_is_divided_by_the_special_primes(library: str, bits: int) -> None:
    q, p = moduli(60, bits)

    def noise(ring: InsecureRing) -> Poly:
        return ring.phase(ring.encrypt(np.zeros(INSECURE_N, dtype=object), q, p=p), q)

    assert fresh(parameters(library, (q,), (p,))) == pytest.approx(measured(noise), rel=0.2)


def test_dividing_a_ciphertext_by_a_prime() -> None:
    q, last = moduli(60, 40)

    def noise(ring: InsecureRing) -> Poly:
        c = ring.uniform(q * last), ring.uniform(q * last)
        whole = ring.phase(c, q * last)
        smaller = ring.phase((divided(c[0], last), divided(c[1], last)), q)
        return centred(smaller * last - whole, q * last) / last

    assert rounding(parameters("openfhe", (q, last))) == pytest.approx(measured(noise), rel=0.15)


def switched(ring: InsecureRing, q: tuple[int, ...], p: int, per_digit: int, centre: bool) -> Poly:
    """The noise of switching a random polynomial from another secret, digit by digit."""
    whole, x, other = prod(q), ring.uniform(prod(q)), ring.ternary()
    total = [np.zeros(ring.n, dtype=object)] * 2
    for i in range(0, len(q), per_digit):
        own = prod(q[i : i + per_digit])
        rest = whole // own
        factor = p * rest * pow(rest, -1, own)
        digit = centred(x, own) if centre else x % own
        b, a = ring.public_key(whole * p)
        key = centred(b + factor * other, whole * p), a
        total = [t + ring.mul(digit, k) for t, k in zip(total, key, strict=True)]
    c = [divided(centred(t, whole * p), p) if p > 1 else t for t in total]
    return centred(ring.phase((c[0], c[1]), whole) - ring.mul(x, other), whole)


HYBRID = {
    "the key's noise prevails": (moduli(30, 29, 30), (28,), 3),
    "the rounding prevails": (moduli(30, 29, 30), (60,), 3),
    "two limbs in a digit": (moduli(30, 29, 30, 29), (30, 28), 2),
    "a last digit that is shorter": (moduli(30, 29, 30), (30, 28), 2),
    "one digit": (moduli(30, 29), (56,), 1),
}


@pytest.mark.parametrize("case", HYBRID)
@pytest.mark.parametrize("library", ["openfhe", "seal"])
def test_hybrid_key_switching(case: str, library: str) -> None:
    q, bits, digits = HYBRID[case]
    special = moduli(*bits)
    p = parameters(library, q, special, digits)

    def noise(ring: InsecureRing) -> Poly:
        return switched(ring, q, prod(special), p.limbs_per_digit, centre=library != "seal")

    assert key_switch(p, len(q) - 1) == pytest.approx(measured(noise), rel=0.3)


def test_key_switching_at_a_lower_level_has_fewer_digits() -> None:
    q, special = moduli(30, 29, 30), moduli(28)
    p = parameters("openfhe", q, special, 3)

    def noise(ring: InsecureRing) -> Poly:
        return switched(ring, q[:2], special[0], 1, centre=True)

    assert key_switch(p, 1) == pytest.approx(measured(noise), rel=0.3)
    assert key_switch(p, 0) < key_switch(p, 1) < key_switch(p, 2)


def test_key_switching_without_special_primes() -> None:
    q = moduli(30, 31)
    p = parameters("openfhe", q, kind="bv")

    def noise(ring: InsecureRing) -> Poly:
        return switched(ring, q, 1, 1, centre=True)

    assert key_switch(p, 1) == pytest.approx(measured(noise), rel=0.3)
