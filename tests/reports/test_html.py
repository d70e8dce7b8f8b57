"""A page holds all that it shows, escapes what it is given, and stands alone."""

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fheasible.errors import UsageError
from fheasible.reports.figures import BoxPlot, Figure, FigureGroup, Series
from fheasible.reports.html import render, write
from fheasible.reports.page import Caution, ClaimMark, JudgedBlock, Links, Page, Section, Table

from .elements import Elements, loads

ROOT = Path(__file__).parents[2]
FIGURE = Figure("Time by modulus", "log2 q (bit)", "time (s)", (Series("FV", (1, 2), (3, 4)),))
BOXES = BoxPlot("Errors by scheme", "error (%)", (FigureGroup("YASHE", (1, 2)),))
CLAIMS = Table(
    ("claim", "verdict", "factor"),
    (
        ("faster", "reproduced", "2.0"),
        ("smaller", "not reproduced", None),
        ("there", "not testable", "-"),
    ),
    left=("claim", "verdict"),
    caption="What became of each claim",
)
JUDGED = (
    JudgedBlock("quicker", ClaimMark.REPRODUCED, (("ours", "2.5"), ("cells", Links((("q", "cells-q"),))))),
    JudgedBlock("leaner", ClaimMark.NOT_REPRODUCED, (("cause", "the <ring>"),)),
    JudgedBlock("elsewhere", ClaimMark.NOT_TESTABLE, ()),
)
PAGE = Page(
    "A study",
    (
        Section("Claims", ("All of them.", CLAIMS, *JUDGED, Caution("Broken today."))),
        Section("Figures", (FIGURE, BOXES)),
        Section("End", ()),
    ),
    summary="In short.",
    footer="Some CPU",
)


def shape(page: Page) -> list[tuple[str, list[str]]]:
    """Every element with the names of its attributes."""
    return [(tag, sorted(attributes)) for tag, attributes in Elements(render(page)).found]


def test_a_page_shows_all_that_it_is_given() -> None:
    text = Elements(render(PAGE)).text
    headings = [
        "A study",
        "In short.",
        "Claims",
        "Figures",
        "End",
        "All of them.",
        "Broken today.",
        "Some CPU",
    ]
    assert set(headings) <= set(text)
    assert {"What became of each claim", "claim", "verdict", "faster", "smaller", "2.0"} <= set(text)
    assert {"Time by modulus", "FV", "Errors by scheme", "YASHE"} <= set(text)


def test_a_page_loads_nothing() -> None:
    page = render(PAGE)
    assert loads(page) == []
    assert "@import" not in page
    assert "url(" not in page
    assert set(re.findall(r"https?://[^\"'\s]+", page)) <= {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }  # names of languages, which nothing loads


def test_a_verdict_has_its_sign_and_its_class() -> None:
    page = render(PAGE)
    for kind, words in (
        ("reproduced", "✓ reproduced"),
        ("not-reproduced", "✗ not reproduced"),
        ("cannot-be-tested-here", "– cannot be tested here"),
    ):
        assert f'<span class="{kind}">{words}</span>' in page
        assert re.search(rf"\.{kind} {{ color: var", page)


def test_what_is_told_of_a_claim_is_named_escaped_and_linked() -> None:
    page = render(PAGE)
    assert "<dt>ours</dt><dd>2.5</dd>" in page
    assert '<dt>cells</dt><dd><a href="#cells-q">q</a></dd>' in page
    assert "<dt>cause</dt><dd>the &lt;ring&gt;</dd>" in page


def test_columns_are_aligned_as_asked_and_nothing_is_a_dash() -> None:
    page = render(PAGE)
    assert '<th scope="col" class="left">claim</th>' in page
    assert '<th scope="col" class="right">factor</th>' in page
    assert '<td class="right">2.0</td>' in page
    assert '<td class="right">-</td>' in page


def test_contents_link_to_sections_that_are_there() -> None:
    found = Elements(render(PAGE)).found
    links = [(attributes["href"] or "")[1:] for tag, attributes in found if tag == "a"]
    headings = [attributes["id"] for tag, attributes in found if tag == "h2"]
    assert links == [*headings, "cells-q"]
    assert len(headings) == 3


@pytest.mark.long
@settings(deadline=None)
@given(st.text("<>&\"'/=-! bi", min_size=1))
@example("<b>")
@example('" onload="')
def test_no_text_becomes_markup(text: str) -> None:
    def page(word: str) -> Page:
        table = Table((word, "b"), ((word, "y"),), caption=word)
        links = Links(((word, "anchor"),))
        judged = JudgedBlock(word, ClaimMark.REPRODUCED, ((word, word), (word, links)))
        return Page(word, (Section(word, (word, Caution(word), table, judged)),))

    assert shape(page(text)) == shape(page("x"))


def test_a_figures_title_becomes_no_markup() -> None:
    figures = [Figure(title, title, "y", FIGURE.series) for title in ("x", '<b> & "c" <i>')]
    plain, marked = (shape(Page("x", (Section("x", (figure,)),))) for figure in figures)
    assert [tag for tag, _ in marked] == [tag for tag, _ in plain]


def test_a_row_has_a_cell_for_every_column() -> None:
    with pytest.raises(UsageError, match="1 cells, but the table has 2 columns"):
        Table(("a", "b"), (("1",),))


@pytest.mark.long
def test_a_page_is_written_and_an_unwritable_place_said(tmp_path: Path) -> None:
    write(PAGE, tmp_path / "new" / "page.html")
    assert (tmp_path / "new" / "page.html").read_text(encoding="utf-8") == render(PAGE)
    with pytest.raises(UsageError, match="cannot be written"):
        write(PAGE, tmp_path / "new" / "page.html" / "page.html")


def test_the_wheel_carries_the_template(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    own = {path.name for path in (ROOT / "src/fheasible/reports/templates").iterdir()}
    packed = {f"fheasible/reports/templates/{name}" for name in own}
    assert {"page.html", "exploration.html", "exploration.js", "exploration.css", "style.css"} <= own
    assert packed <= set(zipfile.ZipFile(wheel).namelist())


def test_describing_a_figure_does_not_load_what_draws_it() -> None:
    light = ("cli.main", "reports.figures", "reports.page", "reports.tables")
    code = f"import sys, {', '.join(f'fheasible.{name}' for name in light)}; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert not {"altair", "vl_convert", "jinja2"} & set(loaded.stdout.split())
