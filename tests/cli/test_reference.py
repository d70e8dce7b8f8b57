"""docs/cli.md says what the help says."""

from pathlib import Path

from fheasible.cli.reference import reference

WRITTEN = Path(__file__).parents[2] / "docs" / "cli.md"


def test_the_written_reference_is_the_generated_one() -> None:
    assert WRITTEN.read_text() == reference(), "stale: make docs"


def test_the_reference_holds_every_verb_under_its_own_heading() -> None:
    headings = [line for line in reference().splitlines() if line.startswith("## ")]
    assert "## fheasible explore" in headings
    assert "## fheasible libraries install" in headings
    assert len(headings) == len(set(headings))
