"""Each algorithm alone: what it keeps, and what it adds, against what the definitions give by hand."""

from dataclasses import replace

import numpy as np
import pytest

from fheasible.rings.torus.element import Domain
from fheasible.schemes.tfhe import ggsw, glwe
from fheasible.schemes.tfhe.parameters import Gadget, Gaussian, ModulusSwitch, TUniform
from schemes.tfhe.errors import bootstrapped, fresh, key_switched, modulus_switched, packed, signed
from schemes.tfhe.running import INSECURE_TOY, VARIANTS, Run

CENTERED = replace(INSECURE_TOY, modulus_switch=ModulusSwitch.CENTERED)


@pytest.mark.parametrize("errors", [TUniform(40), Gaussian(2.0**-20)])
def test_fresh_ciphertexts_have_the_errors_that_were_asked_for(errors: TUniform | Gaussian) -> None:
    found = fresh(Run.of(replace(INSECURE_TOY, lwe_errors=errors), 1), 20_000)
    assert found.std() == pytest.approx(errors.std, rel=0.03)
    assert abs(found.mean()) < 4 * errors.std / len(found) ** 0.5


def test_ciphertexts_between_look_ups_have_the_errors_of_their_key() -> None:
    """Under the large key those of GLWE ciphertexts, under the small one those of LWE ciphertexts."""
    run = Run.of(INSECURE_TOY, 1)
    found = run.errors(run.encrypted(np.arange(2000) % 4), np.arange(2000) % 4)
    assert found.std() == pytest.approx(INSECURE_TOY.glwe_errors.std, rel=0.1)


def test_rounding_counts_where_a_bit_of_the_key_is_one() -> None:
    """(h + 1)/12 steps squared for h bits that are 1."""
    run = Run.of(INSECURE_TOY, 2)
    found, ones = modulus_switched(run, 20_000), int(run.secrets.small.data.sum())
    assert found.var() == pytest.approx((ones + 1) / 12, rel=0.05)
    assert abs(found.mean()) < 0.05


def test_compensation_leaves_a_quarter_of_each_number_and_half_a_step() -> None:
    """Each number's error of 1/12 counts half, whatever its bit: n/48; and the body's own, 1/12."""
    found = modulus_switched(Run.of(CENTERED, 2), 20_000)
    assert found.var() == pytest.approx(CENTERED.lwe_dimension / 48 + 1 / 12, rel=0.05)
    assert found.mean() == pytest.approx(-0.5, abs=0.05)


@pytest.mark.long
def test_a_key_switch_adds_the_errors_of_its_rows_and_what_its_digits_drop() -> None:
    p = INSECURE_TOY
    found = np.concatenate([key_switched(Run.of(p, seed), 400) for seed in range(3)])
    rows = p.large_dimension * p.ks.level * (4**p.ks.base_log + 2) / 12 * p.lwe_errors.variance
    dropped = p.large_dimension / 2 * 4.0**-p.ks.bits / 12
    assert np.mean(found**2) == pytest.approx(rows + dropped, rel=0.1)


@pytest.mark.long
def test_a_packing_key_switch_adds_that_for_every_ciphertext() -> None:
    """The rows are polynomials: each coefficient has the errors of all ciphertexts that are packed, and what
    its own digits drop."""
    p, gadget = INSECURE_TOY, Gadget(4, 5)
    found = packed(Run.of(p, 3), 2, gadget)
    rows = p.polynomial_size * p.lwe_dimension * 5 * (4**4 + 2) / 12 * p.glwe_errors.variance
    dropped = p.lwe_dimension / 2 * 4.0**-20 / 12
    assert np.mean(found**2) == pytest.approx(rows + dropped, rel=0.15)


@pytest.mark.long
@pytest.mark.parametrize("grouping", [1, 2, 3])
def test_a_bootstrap_adds_as_much_for_each_step(grouping: int) -> None:
    """Exact products: the errors of 2^g keys' rows, and what digits drop. A group replaces its argument and
    drops all of it, a bit chooses and drops half."""
    p = replace(INSECURE_TOY, grouping=grouping)
    found = np.concatenate([bootstrapped(Run.of(p, seed), 128, seed) for seed in range(4)])
    keys, taken = (1, 0.5) if grouping == 1 else (2**grouping, 1.0)
    rows = keys * 2 * p.pbs.level * p.polynomial_size * (4**p.pbs.base_log + 2) / 12
    dropped = taken * (1 + p.polynomial_size / 2) * 4.0**-p.pbs.bits / 12
    steps = p.lwe_dimension // grouping
    assert np.mean(found**2) == pytest.approx(steps * (rows * p.glwe_errors.variance + dropped), rel=0.2)


def test_a_cmux_chooses() -> None:
    run = Run.of(INSECURE_TOY, 5)
    ring, p = run.scheme.ring, INSECURE_TOY
    zero, one = (
        glwe.trivial(ring, ring.given((p.polynomial_size,), Domain.WORDS, [word] * p.polynomial_size), 1)
        for word in (1 << 61, 1 << 62)
    )
    for bit, expected in ((0, 0.125), (1, 0.25)):
        digits = ring.given((), Domain.DIGITS, bit)
        key = ring.transform(ggsw.encrypt(ring, run.secrets.large, digits, p.pbs, p.glwe_errors))
        chosen = glwe.phase(ring, run.secrets.large, ggsw.cmux(ring, key, zero, one, p.pbs))
        assert np.abs(signed(chosen.data[0]) - expected).max() < 2.0**-12


def test_the_extracted_ciphertext_has_the_constant_coefficient() -> None:
    run = Run.of(replace(INSECURE_TOY, glwe_dimension=2, polynomial_size=128), 6)
    ring, p = run.scheme.ring, run.scheme.parameters
    words = np.arange(p.polynomial_size, dtype=np.uint64) + 11 << np.uint64(56)
    c = glwe.encrypt(ring, run.secrets.large, ring.given((128,), Domain.WORDS, words), p.glwe_errors)
    extracted = glwe.sample_extract(ring, c)
    assert abs(run.scheme.phase(run.secrets, extracted).data[0] / 2.0**56 - 11) < 0.01


def test_numbers_of_32_bits_stay_the_highest_of_a_word() -> None:
    """Through keys, a key switch, products of polynomials and an extraction."""
    run = Run.of(VARIANTS["32 bits"], 7)
    result = run.scheme.lookup(run.keys, run.encrypted(np.arange(4)), run.scheme.table(range(4)))
    assert not (result.data & np.uint64((1 << 32) - 1)).any()
    assert (result.data >> np.uint64(32)).all()
