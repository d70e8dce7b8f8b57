"""The cheat sheet is what the search finds today."""

from pathlib import Path

import pytest

from fheasible.libraries.catalogue import library
from fheasible.studies import cheat_sheet

PAGE = Path(__file__).parents[2] / "docs" / "cheat_sheet.md"


@pytest.mark.parametrize(("depth", "precision"), [(2, 10), (6, 20)])
def test_a_row_is_what_the_search_finds(depth: int, precision: int) -> None:
    section = PAGE.read_text().split(f"## {precision} bits right")[1].split("##")[0]
    (row,) = (line for line in section.splitlines() if line.startswith(f"| {depth} |"))
    for name, cell in zip(("openfhe", "seal", "lattigo"), row.split("|")[2:-1], strict=True):
        found = cheat_sheet.best(depth, precision, library(name))
        assert found is not None
        log_n = found.parameters.ring_dimension.bit_length() - 1
        assert cell.strip().startswith(f"2^{log_n}, {found.parameters.log_qp:.0f} bits, ")


def test_the_application_is_as_deep_as_it_says() -> None:
    assert [cheat_sheet.problem(depth).depth("ckks") for depth in (1, 3, 8)] == [1, 3, 8]


@pytest.mark.long
def test_the_page_is_current() -> None:
    assert "\n".join(cheat_sheet.text()) + "\n" == PAGE.read_text()
