"""What a blind rotation of FHEW consists of, beside a walk over random ciphertexts."""

import numpy as np
import pytest

from fheasible.libraries.openfhe.binfhe_sets import bin_set
from fheasible.schemes.fhew.rotation import automorphisms, products, turns


def walked(n: int, ring: int, window: int, generator: np.random.Generator) -> int:
    """LMKCDEY as [OpenFHE, rgsw-acc-lmkcdey.cpp] has it: through both halves of the powers of 5."""
    there = set(generator.integers(0, ring, n).tolist())
    found, skipped = 1, 0  # one changes the sign
    for half in range(2):
        for power in range(ring // 2 - 1, 0, -1):
            if half * ring // 2 + power in there:
                found += skipped != 0
                skipped = 0
            skipped += 1
            if skipped == window or power == 1:
                found += 1
                skipped = 0
    return found


@pytest.mark.parametrize(("n", "ring", "window"), [(64, 512, 9), (554, 1024, 40), (300, 1024, 3), (8, 64, 1)])
def test_automorphisms_are_as_many_as_in_a_walk(n: int, ring: int, window: int) -> None:
    generator = np.random.default_rng(1)
    mean = np.mean([walked(n, ring, window, generator) for _ in range(400)])
    assert automorphisms(n, ring, window) == pytest.approx(mean, rel=0.01)


def test_ap_takes_a_product_for_each_digit_that_is_not_zero() -> None:
    of = bin_set("TOY", "ap")
    assert list(products(of, "ginx")) == [(512, 64.0)]
    two_digits = 64 * 2 * 22 / 23  # of numbers modulo 512, to the base 23
    assert list(products(of, "ap")) == [(512, pytest.approx(two_digits))]
    assert turns(of, "ap") == 0
