"""The paper's numbers, against values read by hand from its text, and against each other."""

import pytest

from fheasible.studies.ckks_parameters.printed import PUBLISHED, said, value

# Read from the paper, apart from published.toml.
BY_HAND = {
    "table1.14.ciphertext": 1.002, "table1.14.product_key": 5.490, "table1.15.secret_key": 1.338,
    "table2.15.public_key": 8.224, "table2.16.product_key": 52.683, "table2.17.ciphertext": 26.740,
    "multiplicative.jump.192": 31, "multiplicative.jump.192.ext": 27, "deviation.jump.256": 47,
    "root.degree.chosen": 247, "root.limit.degree": 750, "deviation.limit": 20,
}  # fmt: skip


@pytest.mark.parametrize(("key", "read"), BY_HAND.items())
def test_numbers_are_those_of_the_paper(key: str, read: float) -> None:
    assert value(key) == read


@pytest.mark.parametrize("table", ["table1.14", "table1.15", "table2.16", "table2.17"])
def test_a_multiplication_key_has_three_digits_of_a_public_key_s_size(table: str) -> None:
    assert value(f"{table}.product_key") / value(f"{table}.public_key") == pytest.approx(3, abs=0.01)


@pytest.mark.parametrize("ring", [14, 15])
def test_table_1_counts_mebibytes_of_four_limbs(ring: int) -> None:
    limbs = value(f"table1.{ring}.ciphertext") * 2**20 / (2 * 8 * 2**ring)
    assert limbs == pytest.approx(4, abs=0.01)


def test_table_2_says_kilobytes_and_means_mebibytes() -> None:
    assert value("table2.17.secret_key") * 2**20 / (8 * 2**17) == pytest.approx(13.37, abs=0.01)
    assert "MiB" in PUBLISHED["table2.17.secret_key"].remark


def test_the_contradiction_is_listed() -> None:
    assert "contradicts" in PUBLISHED["multiplicative.jump.192.again"].remark


@pytest.mark.parametrize("key", PUBLISHED)
def test_every_number_has_its_place(key: str) -> None:
    assert PUBLISHED[key].where.startswith(("Table", "Section"))
    assert PUBLISHED[key].text in said(key)
