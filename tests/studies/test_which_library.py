"""The guide "Which library" is what the search finds today."""

from pathlib import Path

import pytest

from fheasible.libraries.catalogue import CATALOGUE
from fheasible.studies import which_library

PAGE = Path(__file__).parents[2] / "docs" / "which_library.md"


@pytest.mark.parametrize("kind", [which_library.INTEGERS, which_library.REALS])
def test_a_row_is_what_the_search_finds(kind: str) -> None:
    application = which_library.APPLICATIONS[2]
    section = PAGE.read_text().split(f"## With {kind}")[1].split("##")[0]
    (row,) = (line for line in section.splitlines() if line.startswith(f"| {application.title} |"))
    for lib, cell in zip(CATALOGUE.values(), row.split("|")[2:-3], strict=True):
        found = which_library.best(application, kind, lib)
        assert found is not None
        log_n = found.parameters.ring_dimension.bit_length() - 1
        assert cell.strip().startswith(
            f"{found.scheme.upper()}, 2^{log_n}, {found.parameters.log_qp:.0f} bits"
        )


def test_an_application_has_as_many_vectors_as_it_says() -> None:
    for application in which_library.APPLICATIONS:
        assert len(which_library.circuit(application, which_library.REALS).inputs) == application.vectors


@pytest.mark.long
def test_the_page_is_current() -> None:
    assert "\n".join(which_library.text()) + "\n" == PAGE.read_text()
