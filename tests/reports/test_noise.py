"""The page on noise says what was found, what is off target, and stands alone."""

from dataclasses import replace
from pathlib import Path

import pytest

from accuracy.test_noise_verdict import ROW
from fheasible.accuracy.noise_compare import BUDGET, NoiseFailure
from fheasible.accuracy.noise_verdict import NoiseJudgement
from fheasible.reports.noise import page, write
from fheasible.reports.page import Block, Caution, Table

from .elements import Elements, loads

EXACT = replace(
    ROW, scheme="bgv", figure=BUDGET, scale_bits=None, label="a budget", measured=30.0, predicted=29.0
)
WORST = replace(ROW, technique="flexibleauto", library="openfhe", worst_slot=(12.0, 12.5), within=0.75)
REFUSED = NoiseFailure("seen to come", "refused", "too much noise", -2.0)


def text_of(found: NoiseJudgement) -> str:
    """All that the page says, without drawing it."""
    made = page(found)
    blocks = [block for section in made.sections for block in (section.heading, *section.blocks)]
    return " ".join([made.summary, *(word for block in blocks for word in words(block))])


def words(block: Block) -> list[str]:
    match block:
        case Caution():
            return [block.text]
        case Table():
            return [" ".join(str(cell) for cell in row) for row in block.rows]
        case str():
            return [block]
    return [block.title]


@pytest.mark.long
def test_the_page_holds_every_part_and_loads_nothing(tmp_path: Path) -> None:
    write(NoiseJudgement((ROW, EXACT, WORST), (REFUSED,), None), tmp_path / "page.html")
    written = (tmp_path / "page.html").read_text()
    assert loads(written) == []
    text = " ".join(Elements(written).text)
    headings = ("Targets", "CKKS", "BFV and BGV", "Variance", "Off target", "Without a right result")
    assert all(heading in text for heading in headings)
    assert "The worst element of CKKS results" in written


def test_what_is_off_target_is_said_plainly() -> None:
    text = text_of(NoiseJudgement((ROW, replace(ROW, predicted=22.0)), (), None))
    assert "1 of 2 miss the target, 1 of them because the prediction was too high." in text
    assert "+2.00 ± 0.10" in text
    assert "the target is met by 1, missed by 1 and undecided for 0" in text


def test_where_all_is_on_target_that_is_said() -> None:
    assert "no confidence interval lies outside the target" in text_of(NoiseJudgement((ROW,), (), None))


def test_the_share_of_assured_encryptions_is_weighed_by_their_number() -> None:
    rows = (replace(WORST, encryptions=10, within=0.5), replace(WORST, encryptions=30, within=1.0))
    assert "In 87.50 % of 40 encryptions" in text_of(NoiseJudgement(rows, (), None))


@pytest.mark.parametrize(("predicted", "surprises"), [(-2.0, "none"), (4.0, "1"), (None, "1")])
def test_a_failure_is_a_surprise_unless_it_was_predicted(predicted: float | None, surprises: str) -> None:
    text = text_of(NoiseJudgement((ROW,), (replace(REFUSED, predicted=predicted),), None))
    assert f"1 gave no result or a wrong one; {surprises} of these failures" in text


def test_an_empty_judgement_has_a_page() -> None:
    assert "0 programs and parameter sets" in text_of(NoiseJudgement((), (), None))


def test_one_set_of_keys_leaves_nothing_to_draw_but_the_tables_stand() -> None:
    alone = replace(ROW, interval=float("inf"))
    text = text_of(NoiseJudgement((alone,), (), None))
    assert "undecided for 1" in text
    assert "Precision of CKKS results" not in text
