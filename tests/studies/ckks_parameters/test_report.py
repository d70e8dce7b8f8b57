"""The page and the guide, from predictions and from runs."""

from pathlib import Path

from fheasible.reports.figures import Figure
from fheasible.reports.page import Table
from fheasible.studies.ckks_parameters.guide import guide
from fheasible.studies.ckks_parameters.study import CKKS_PARAMETERS
from fheasible.studies.claim import judged

from .invented import results

GUIDE = Path(__file__).parents[3] / "docs" / "choosing_ckks_parameters.md"


def test_the_page_has_the_paper_s_figures_and_tables() -> None:
    chapters = CKKS_PARAMETERS.chapters(results())
    blocks = [block for chapter in chapters for block in chapter.blocks]
    titles = " ".join(block.title for block in blocks if isinstance(block, Figure))
    assert all(f"Figure {number}" in titles for number in (1, 3, 4, 6, 7, 8, 9))
    captions = " ".join(block.caption for block in blocks if isinstance(block, Table))
    assert "Table 1" in captions
    assert "Table 2" in captions


def test_it_begins_with_five_sentences() -> None:
    assert CKKS_PARAMETERS.summary is not None
    for there in (results(), results(seen=None)):
        sentences = CKKS_PARAMETERS.summary(there, judged(CKKS_PARAMETERS.claims, there))
        assert len(sentences) == 5
        assert all(one.endswith(".") for one in sentences)
    assert "is 31 (the paper: 31)" in sentences[2]


def test_the_guide_is_current() -> None:
    """`python -m fheasible.studies.ckks_parameters.guide > docs/choosing_ckks_parameters.md` mends it."""
    assert guide() == GUIDE.read_text(encoding="utf-8")
