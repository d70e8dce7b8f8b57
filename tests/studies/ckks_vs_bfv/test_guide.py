"""The guide "Which scheme for which application" is what the search says now."""

from pathlib import Path

import pytest

from fheasible.studies.ckks_vs_bfv import guide
from fheasible.studies.ckks_vs_bfv.shapes import SHAPES

PAGE = Path(__file__).parents[3] / "docs" / "which_scheme.md"
COMMAND = "python -m fheasible.studies.ckks_vs_bfv.guide > docs/which_scheme.md"


@pytest.mark.long
def test_the_guide_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == guide.guide(), f"remake it: {COMMAND}"


def test_every_shape_does_what_its_text_says() -> None:
    for shape in SHAPES:
        assert shape.circuit().outputs, shape.name
    assert len({shape.name for shape in SHAPES}) == len(SHAPES) >= 5


def test_what_no_scheme_can_do_is_said_in_the_words_of_the_tracing() -> None:
    assert any("encrypted values cannot be compared" in line for line in guide._comparisons())
