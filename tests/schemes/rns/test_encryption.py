"""Encryptions of zero, and what a key that is not the right one reads."""

from itertools import product

import numpy as np
import pytest

from cases import case
from fheasible.rings.rns.element import Domain
from fheasible.schemes.rns.encryption import encrypt_zero, mask_basis, phase
from fheasible.schemes.rns.variant import Mask, Variant
from schemes.rns import bounds
from schemes.rns.toy import LIMBS, SCHEMES, Toy, exact_ring, spec, toy

MASKS = [
    Variant(limbs_per_digit=2, mask=mask, mask_domain=domain, rest=rest)
    for mask in Mask
    for domain in Domain
    for rest in Domain
]


def worst(bench: Toy, level: int, t: int) -> float:
    """Of the phase: u·e + e_0 + e_1·s over what the mask exceeds the modulus by, and then the rounding."""
    ring, n = bench.scheme.ring, bench.n
    dropped = mask_basis(ring, level, bench.scheme.variant) - ring.level(level)
    direct = t * bounds.ERROR * (1 + 2 * n)
    if not dropped.limbs:
        return direct
    return direct / float(ring.product(dropped) or 1) + t * (len(dropped) + 1) * (1 + n)


@pytest.mark.parametrize("scheme", ["ckks", "bgv"])
def test_an_encryption_of_zero_is_as_small_as_its_mask_makes_it(scheme: str) -> None:
    for variant, level in product(MASKS, range(LIMBS)):
        with case(variant.mask, variant.mask_domain, variant.rest, level):
            is_as_small_as_its_mask_makes_it(toy(scheme, variant), level)


def is_as_small_as_its_mask_makes_it(bench: Toy, level: int) -> None:
    variant = bench.scheme.variant
    ring, t = bench.scheme.ring, bench.scheme.noise_factor
    zero = encrypt_zero(ring, bench.keys.public, level, bench.scheme.spec, variant, t)
    assert {(part.basis, part.domain) for part in zero} == {(ring.level(level), variant.rest)}
    error = np.asarray(ring.lift(phase(ring, zero, bench.keys.secret, variant)), dtype=object)
    assert 0 < np.max(np.abs(error)) <= worst(bench, level, t or 1)
    assert np.all(error % (t or 1) == 0)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_two_encryptions_of_one_message_differ(scheme: str) -> None:
    bench = toy(scheme, Variant())
    a = bench.values(1)
    x, y = (bench.scheme.encrypt(bench.keys, a) for _ in range(2))
    assert not np.array_equal(x.parts[1].data, y.parts[1].data)
    assert not np.array_equal(x.parts[0].data, y.parts[0].data)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_wrong_key_decrypts_to_something_else(scheme: str) -> None:
    bench = toy(scheme, Variant())
    ring = exact_ring(bench.n, bench.moduli, seed=7)
    other = type(bench.scheme)(ring, spec(scheme, bench.moduli), Variant())
    a = bench.values(1)
    x = bench.scheme.encrypt(bench.keys, a)
    wrong = other.decrypt(other.keygen(relinearize=False), x)
    assert np.mean(np.abs(wrong - a) > 0.01) > 0.9


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_sparse_secret_has_its_weight(scheme: str) -> None:
    bench = toy(scheme, Variant())
    sparse = type(bench.scheme)(
        bench.scheme.ring, type(bench.scheme.spec)(bench.scheme.spec.t, bench.scheme.spec.scales, weight=8)
    )
    keys = sparse.keygen(relinearize=False)
    secret = sparse.ring.lift(sparse.ring.to_coefficients(sparse.ring.restrict(keys.secret, sparse.ring.q)))
    assert np.count_nonzero(secret) == 8
    assert set(np.unique(secret)) <= {-1, 0, 1}
    a = bench.values(1)
    assert np.max(np.abs(sparse.decrypt(keys, sparse.encrypt(keys, a)) - a)) < 1e-6
