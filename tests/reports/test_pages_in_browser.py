"""The pages of sweeps and of security as a browser shows them, on a desk, on a telephone and in the dark."""

from pathlib import Path
from typing import Any

import pytest

from .browser import IN_BROWSER, OVERLAPS, Browser
from .test_explored_in_browser import DRAWN, OPEN, lightness

pytestmark = IN_BROWSER
PHONE = (390, 844)
CALLS = {
    "security": ("security", "--sweep", "--n", "4096", "--n", "8192", "--n", "16384"),
    "sweep": ("sweep", "fv", "--vary", "log_q=100:300:50", "log_w=2,4,8", "--fix", "t=2", "n=4096"),
}

NAMES = (*CALLS, "lookups")
APP = """import fheasible as fh


@fh.app(x=fh.integers(2, low=0, high=3))
def more(x):
    return x > 1
"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    from fheasible.cli.main import main

    folder = tmp_path_factory.mktemp("pages")
    for name, words in CALLS.items():
        assert main([*words, "--report", str(folder / f"{name}.html")]) == 0
    (folder / "app.py").write_text(APP)
    store = ("--store", str(folder / "results.sqlite"))
    assert main(["explore", str(folder / "app.py"), "--library", "tfhe_rs", *store]) == 0
    assert main(["report", "--out", str(folder / "lookups.html"), *store]) == 0
    return {name: folder / f"{name}.html" for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("size", [(1280, 900), PHONE])
def test_every_figure_is_drawn_and_nothing_leaves_the_window(
    opened: Browser, pages: dict[str, Path], name: str, size: tuple[int, int]
) -> None:
    opened.open(pages[name], *size)
    opened.ask(OPEN)
    drawn = opened.ask(DRAWN)
    assert drawn
    for title, pictures, _ in drawn:
        assert (title, pictures) == (title, 1)
    curves = opened.ask(
        "[...document.querySelectorAll('.mark-line path')].every(p => p.getTotalLength() > 50)"
    )
    assert curves or name not in CALLS  # one set alone has a front without length
    assert opened.ask(OVERLAPS) == []
    assert opened.ask("document.documentElement.scrollWidth") == size[0]


@pytest.mark.parametrize("name", NAMES)
def test_the_dark_is_dark(opened: Browser, pages: dict[str, Path], name: str) -> None:
    opened.open(pages[name], dark=True)
    assert lightness(opened, "body", "backgroundColor") < 50
    assert lightness(opened, ".broad .role-axis-label text", "fill") > 200


def test_a_page_of_a_sweep_has_its_sets_and_what_they_were_asked_with(pages: dict[str, Path]) -> None:
    page = pages["sweep"].read_text()
    assert "<h1>FV, each function once: 15 sets" in page
    assert page.count("<tr>") >= 15


def test_a_page_of_table_look_ups_begins_with_the_application_and_the_answer(pages: dict[str, Path]) -> None:
    page = pages["lookups"].read_text()
    order = [
        "def more(x):",
        "the least time of",
        "probability of a wrong run",
        "fheasible run",
        ">Why</h2>",
    ]
    assert [page.find(words) for words in order] == sorted(page.find(words) for words in order)
    assert all(words in page for words in order)
    assert "does what was asked" not in page  # no other library was asked


def test_the_page_of_security_needs_a_sweep(capsys: Any, tmp_path: Path) -> None:
    from fheasible.cli.main import main

    words = ("security", "--n", "4096", "--log-q", "100", "--report", str(tmp_path / "page.html"))
    assert main(words) == 2
    assert "--report needs a sweep to draw" in capsys.readouterr().err
