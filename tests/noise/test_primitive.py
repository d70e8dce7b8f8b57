"""The variances of primitives, against ciphertexts that are really made (INSECURE_ ring sizes)."""

from collections.abc import Callable
from itertools import islice

import numpy as np
import pytest

from fheasible.libraries.parameters import CkksParameters, Parameters
from fheasible.libraries.primes import descending
from fheasible.noise.primitive import (
    fresh,
    key_sigma,
    key_switch,
    rounding,
    secret_norm,
    switched,
    variant,
)
from fheasible.rings.rns.exact import ExactRnsRing
from fheasible.schemes.rns.ciphertext import RnsSpec
from fheasible.schemes.rns.key_switch import key_switch as through_key
from fheasible.schemes.rns.keys import secret, switch_key

from .toy import InsecureRing, Poly, centred, divided, moduli, variance

INSECURE_N = 256


def parameters(
    library: str, q: tuple[int, ...], p: tuple[int, ...] = (), digits: int = 1, kind: str = "hybrid"
) -> Parameters:
    return CkksParameters(library, "ckks", INSECURE_N, q, p, digits=digits, key_switching=kind)


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


def test_dividing_a_product_that_is_not_relinearised() -> None:
    q, last = moduli(60, 40)

    def noise(ring: InsecureRing) -> Poly:
        c = tuple(ring.uniform(q * last) for _ in range(3))
        whole = ring.phase(c, q * last)
        smaller = ring.phase(tuple(divided(part, last) for part in c), q)
        return centred(smaller * last - whole, q * last) / last

    assert rounding(parameters("openfhe", (q, last)), size=3) == pytest.approx(measured(noise, 60), rel=0.2)


PRIMES = tuple(islice(descending(30, 2 * INSECURE_N), 9))
KEYS = 60
LOWEST = 16  # pairs of embeddings nearest to 1, in which nearly all of an offset lies


def slots_of(x: Poly) -> np.ndarray:
    """The embeddings, that at exp(i pi / n) first."""
    twisted = x.astype(float) * np.exp(1j * np.pi * np.arange(len(x)) / len(x))
    return len(x) * np.fft.ifft(twisted)


def key_switches(p: Parameters, level: int) -> list[Poly]:
    """The noise of switching random polynomials from a square of the secret, each with a key of its own."""
    choices, spec, noise = variant(p), RnsSpec(key_sigma=key_sigma(p)), []
    for seed in range(KEYS):
        ring = ExactRnsRing(INSECURE_N, p.q, p.p, (), seed)
        s = secret(ring, spec, choices)
        square = ring.multiply(s, s)
        key = switch_key(ring, square, s, spec, choices, None)
        c = ring.uniform(ring.level(level))
        k0, k1 = through_key(ring, c, key, choices)
        s, square = (ring.restrict(x, c.basis) for x in (s, square))
        left = ring.subtract(ring.add(k0, ring.multiply(k1, s)), ring.multiply(c, square))
        noise.append(np.array([int(x) for x in ring.lift(ring.to_coefficients(left))], dtype=object))
    return noise


CASES = {  # library, limbs, special limbs, digits, level
    "openfhe, a digit for each limb": ("openfhe", 3, 1, 3, 2),
    "openfhe, two limbs in a digit": ("openfhe", 4, 2, 2, 3),
    "openfhe, a last digit that is shorter": ("openfhe", 3, 2, 2, 2),
    "openfhe, one digit": ("openfhe", 2, 3, 1, 1),
    "openfhe, a lower level": ("openfhe", 4, 2, 2, 1),
    "seal": ("seal", 3, 1, 3, 2),
    "seal, a lower level": ("seal", 3, 1, 3, 0),
    "lattigo": ("lattigo", 3, 1, 3, 2),
    "lattigo, two limbs in a digit": ("lattigo", 3, 2, 2, 2),
    "lattigo, the rounding alone": ("lattigo", 1, 3, 1, 0),
}


@pytest.mark.parametrize("case", CASES)
def test_key_switching_as_the_library_does_it(case: str) -> None:
    """Altogether, and apart from the few embeddings in which means lie."""
    library, limbs, special, digits, level = CASES[case]
    p = parameters(library, PRIMES[:limbs], PRIMES[-special:], digits)
    noise = key_switches(p, level)
    assert key_switch(p, level) == pytest.approx(variance(noise), rel=0.3)
    rest = np.mean([np.abs(slots_of(x)[LOWEST:-LOWEST]) ** 2 for x in noise]) / INSECURE_N
    spread, offset = switched(p, level)
    others = np.abs(slots_of(np.ones(INSECURE_N)))[LOWEST:-LOWEST] ** 2 / INSECURE_N
    assert spread + offset * np.mean(others) == pytest.approx(rest, rel=0.07)


def test_key_switching_without_special_primes() -> None:
    p = parameters("openfhe", PRIMES[:2], kind="bv")
    assert key_switch(p, 1) == pytest.approx(variance(key_switches(p, 1)), rel=0.1)
    assert switched(p, 1).offset == 0
