"""The terminal's text: marks and what they mean, which rows, what tells them apart, paint."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

import fheasible as fh
from api.apps import dot
from fheasible.api import listing
from fheasible.api.text import TextPage, table
from fheasible.exploration.search.search import Exploration


@pytest.fixture(scope="module")
def found(place: Path) -> Exploration:
    return fh.explore(dot, libraries=["seal", "lattigo"], store=place).exploration


def test_a_tie_is_marked_and_the_mark_is_explained(found: Exploration) -> None:
    alone = replace(found, ties=frozenset())
    assert {listing.marks(alone, c)[0] for c in alone.candidates} == {"*", " "}
    assert not any("as good" in line for line in table(alone, TextPage()))
    tied = replace(found, ties=frozenset(found.candidates[:2]))
    assert [listing.marks(tied, c)[0] for c in tied.candidates[:3]] == ["*", "=", " "]
    rows = list(table(tied, TextPage()))
    assert [row[:1] for row in rows if row[3:4].isalpha()][:4] == [" ", "*", "=", " "]
    assert "   = as good, within the error of prediction" in rows


def test_the_front_is_marked(found: Exploration) -> None:
    _, *rows = [row for row in table(found, TextPage(everything=True)) if row[3:4].isalpha()]
    marked = [row[1] == "+" for row in rows]
    assert marked == [c in found.front for c in found.candidates]
    assert True in marked


def test_what_is_left_out_is_counted(found: Exploration) -> None:
    few = replace(found, candidates=found.candidates[:11])
    assert "   ... and 3 more: --all" in table(few, TextPage())
    assert len(listing.shown(few, everything=False)) == 8
    assert not any("more" in line for line in table(few, TextPage(everything=True)))


def test_rows_that_differ_do_not_read_alike(found: Exploration) -> None:
    c = next(c for c in found.candidates if c.scheme == "ckks")
    others = [replace(c, request=replace(c.request, first_bits=bits), figures=c.figures) for bits in (40, 50)]
    assert [listing.settings(x, listing.telling(others)[x])[-13:] for x in others] == [
        "first 40 bits",
        "first 50 bits",
    ]
    alike = [replace(c, degrees=(7,)), replace(c, degrees=(15,))]
    told = listing.telling([*alike, *found.candidates])
    assert [listing.settings(x, told[x]).split(", ")[1] for x in alike] == ["degree 7", "degree 15"]
    assert "degree" not in listing.settings(alike[0], listing.telling(alike[:1])[alike[0]])


def test_no_two_rows_read_alike(found: Exploration) -> None:
    rows = [row.strip() for row in table(found, TextPage(200, everything=True)) if row[3:4].isalpha()]
    assert len(rows) == len(found.candidates) + 1
    assert len(set(rows)) == len(rows)


def test_paint_changes_no_letter_and_no_column(found: Exploration) -> None:
    def paint(what: str, text: str) -> str:
        return f"\x1b[1m{text}\x1b[0m" if what else text

    plain, painted = (list(table(found, TextPage(paint=p))) for p in (lambda _, text: text, paint))
    assert [re.sub(r"\x1b\[\d+m", "", line) for line in painted] == plain
    assert painted[0].startswith("\x1b[1m")
    assert painted[1].startswith("\x1b[1m*")
    assert not any("\x1b" in line for line in painted if line[:1] == " ")


@pytest.mark.parametrize("width", [40, 60, 80, 100])
def test_narrow_tables_leave_out_what_can_be_spared(found: Exploration, width: int) -> None:
    lines = list(table(found, TextPage(width)))
    assert max(map(len, lines)) <= width
    assert {"library", "scheme", "N", "time"} <= set(lines[0].split())
    assert ("ciphertext" in lines[0]) == (width >= 80)
    assert any(line.startswith("   the terminal is too narrow for ") for line in lines) == (width < 80)
