"""The two tables of "SNR" are sizes: our reading gives all of their values."""

import pytest

from fheasible.studies.ckks_vs_bfv import library_2020, redundancy
from fheasible.studies.ckks_vs_bfv.printed import RATIOS
from fheasible.studies.ckks_vs_bfv.sets import LENGTHS, NUMBERS, SCHEMES


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("name", RATIOS)
def test_our_reading_gives_every_value_of_the_paper(scheme: str, name: str) -> None:
    assert redundancy.largest_difference(scheme, name) < 0.005


def test_a_plaintext_of_set_1_has_what_its_two_primes_hold() -> None:
    assert redundancy.plaintext("ckks", 1) == 4096 * (36 + 31)  # residues of primes of 37 and 32 bits
    assert redundancy.over_data("ckks", 1, 2048) == 4096 * 67 / (2048 * 128)
    assert redundancy.paper_over_data("bfv", 1, 128) == 4096 * 78 / (128 * 63)


def test_the_library_of_2020_has_the_bits_that_the_primes_say() -> None:
    for scheme in SCHEMES:
        for number in NUMBERS:
            for length in LENGTHS:
                found = library_2020.found(scheme, number, length)
                told = redundancy.plaintext(scheme, number)
                assert found.plaintext_bits == pytest.approx(told, rel=0.005)
                assert found.ciphertext_bits == pytest.approx(2 * told, rel=0.005)
