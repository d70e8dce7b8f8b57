"""The paper's numbers, against values that were read in its text by hand."""

import pytest

from fheasible.studies.ckks_vs_bfv import printed
from fheasible.studies.ckks_vs_bfv.printed import PUBLISHED
from fheasible.studies.ckks_vs_bfv.sets import SCHEMES

BY_HAND = {
    "encode.ckks.1.128": (308963e-9, "308963 ns", "Table 2"),
    "decode.bfv.3.256": (16357558e-9, "16357558 ns", "Table 3"),
    "encrypt_secret.bfv.4.2048": (147942129e-9, "147942129 ns", "Table 4"),
    "encrypt.ckks.4.128": (188649729e-9, "188649729 ns", "Table 5"),
    "decrypt.bfv.1.2048": (893495e-9, "893495 ns", "Table 6"),
    "add.ckks.2.1024": (312227e-9, "312227 ns", "Table 7"),
    "mul_scalar.bfv.4.512": (2587298e-9, "2587298 ns", "Table 8"),
    "mul.ckks.3.512": (5253617e-9, "5253617 ns", "Table 9"),
    "relinearize.ckks.4.2048": (666219500e-9, "666219500 ns", "Table 10"),
    "key_switch.bfv.3.2048": (41285438e-9, "41285438 ns", "Table 11"),
    "plaintext_over_data.bfv.4.128": (2838.382, "2838.382", "Table 12"),
    "ciphertext_over_plaintext.ckks.2.2048": (20.36643, "20.36643", "Table 13"),
}

TOTALS = {  # of the 20 values of CKKS and of BFV, added up from the paper's text
    "encode": (178_372_433, 25_680_756),
    "decode": (399_678_702, 321_370_675),
    "encrypt_secret": (817_876_421, 814_505_449),
    "encrypt": (1_163_618_109, 1_065_207_106),
    "decrypt": (51_135_144, 479_608_999),
    "add": (22_760_308, 15_193_443),
    "mul_scalar": (39_491_214, 19_447_177),
    "mul": (107_041_673, 5_387_631_359),
    "relinearize": (3_601_138_434, 2_035_109_366),
    "key_switch": (3_996_786_963, 1_793_105_232),
    "plaintext_over_data": (315.741087, 7189.237639),
    "ciphertext_over_plaintext": (364.38457, 39.203893),
}


def test_every_value_of_tables_2_to_13_stands_at_its_place() -> None:
    assert len(PUBLISHED) == 12 * 40
    for key, (value, text, where) in BY_HAND.items():
        assert (PUBLISHED[key].value, PUBLISHED[key].text, PUBLISHED[key].where) == (value, text, where), key


def test_values_that_do_not_fit_their_neighbours_are_remarked() -> None:
    remarked = {key for key, number in PUBLISHED.items() if number.remark}
    odd = {f"plaintext_over_data.ckks.{number}.128" for number in (1, 2, 3, 4)}
    assert remarked == {"mul.bfv.4.1024", *odd}


def test_ratios_are_those_of_the_medians() -> None:
    assert printed.middle("add", "ckks", 1) == 37828e-9
    assert printed.ratio("add", 1) == 37828 / 35226


def test_no_digit_differs_from_the_paper_s_text() -> None:
    for name, totals in TOTALS.items():
        for scheme, total in zip(SCHEMES, totals, strict=True):
            found = sum(
                float(n.text.split()[0]) for k, n in PUBLISHED.items() if k.startswith(f"{name}.{scheme}.")
            )
            assert found == pytest.approx(total, abs=1e-6), (name, scheme)
