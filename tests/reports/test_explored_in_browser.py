"""The page of an exploration as a browser shows it: figures draw, hover, filters and keys work, nothing is
fetched, nothing complains, and no words lie on others, on a desk, on a telephone, in the dark, on paper."""

import base64
from pathlib import Path
from typing import Any

import pytest

from fheasible.reports import charts
from fheasible.reports.explored_page import render, report

from .browser import IN_BROWSER, OVERLAPS, Browser, browser, chromium
from .explored import CONTENT, ROWS, crowded, row, run, stored

pytestmark = IN_BROWSER

PHONE = (375, 800)
SEEN = "e => { const b = e.getBoundingClientRect(); return b.width > 0 && b.height > 0; }"
OPEN = "document.querySelectorAll('details').forEach(d => { d.open = true; })"
DRAWN = f"""[...document.querySelectorAll('.drawing')].map(d => {{
  const svg = [...d.querySelectorAll('svg')].filter({SEEN});
  return [d.querySelector('strong').textContent, svg.length,
          svg[0] ? [...svg[0].querySelectorAll('.role-mark path')].filter({SEEN}).length : 0];
}})"""
COLOURS = """(async () => {
  const image = new Image();
  image.src = 'data:image/png;base64,%s';
  await image.decode();
  const canvas = new OffscreenCanvas(image.width, image.height), pen = canvas.getContext('2d');
  pen.drawImage(image, 0, 0);
  const words = new Uint32Array(pen.getImageData(0, 0, image.width, image.height).data.buffer);
  const counts = new Map();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [counts.size, Math.max(...counts.values()) / words.length];
})()"""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory, page: str) -> Path:
    path = tmp_path_factory.mktemp("page") / "std_dev.html"
    path.write_text(page, encoding="utf-8")
    return path


@pytest.fixture
def desk(opened: Browser, file: Path) -> Browser:
    opened.open(file)
    return opened


def middle(page: Browser, selector: str, number: int = 0) -> tuple[float, float]:
    """Where the middle of what is seen of that kind is, scrolled to."""
    found: list[float] = page.ask(
        f"(() => {{ const e = [...document.querySelectorAll({selector!r})].filter({SEEN})[{number}];"
        "e.scrollIntoView({block: 'center', behavior: 'instant'});"
        "const b = e.getBoundingClientRect(); return [b.left + b.width / 2, b.top + b.height / 2]; })()"
    )
    return found[0], found[1]


def said(page: Browser) -> str | None:
    """What stands beside a mark; None where nothing does."""
    words: str | None = page.ask(
        "(() => { const s = document.getElementById('said'); return s.hidden ? null : s.innerText; })()"
    )
    return words


def rows(page: Browser) -> list[str]:
    """Numbers of the sets that the table shows, from the top."""
    found: list[str] = page.ask(
        "[...document.querySelectorAll('#sets tbody tr')].filter(r => !r.hidden)"
        ".map(r => r.cells[0].innerText)"
    )
    return [words.split()[0] for words in found]


def dots(page: Browser) -> int:
    found: int = page.ask(f"[...document.querySelectorAll('.sets_marks path')].filter({SEEN}).length")
    return found


@pytest.mark.parametrize("size", [(1280, 900), PHONE])
def test_every_figure_is_drawn_once(opened: Browser, file: Path, size: tuple[int, int]) -> None:
    opened.open(file, *size)
    opened.ask(OPEN)
    drawn = opened.ask(DRAWN)
    assert len(drawn) == 9
    for title, pictures, marks in drawn:
        assert (title, pictures) == (title, 1)
        assert marks > 0, title


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("crowded") / "std_dev.html"
    path.write_text(render(report(crowded(), [run(1), run(2)], {})), encoding="utf-8")
    return path


@pytest.mark.parametrize("width", [1280, PHONE[0]])
def test_no_words_lie_on_others_or_leave_their_picture(
    opened: Browser, file: Path, full: Path, width: int
) -> None:
    for path in (file, full):
        opened.open(path, width)
        opened.ask(OPEN)
        assert opened.ask(OVERLAPS) == []
        assert opened.ask("document.documentElement.scrollWidth") == width


WORD_ON = f"""(() => {{
  const word = [...document.querySelectorAll('#cloud text')]
    .filter(t => t.textContent === 'recommended' && ({SEEN})(t))[0].getBoundingClientRect();
  return [...document.querySelectorAll('.sets_marks path')].filter({SEEN}).filter(m => {{
    const b = m.getBoundingClientRect();
    return b.left < word.right && b.right > word.left && b.top < word.bottom && b.bottom > word.top;
  }}).length;
}})()"""


@pytest.fixture(scope="module")
def tied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With a tie, and marks on all four sides of the recommended one."""
    around = [row("seal", 1.0 * x, round(400 * y)) for x in (0.9, 1.12) for y in (0.93, 1.08)]
    best, other = CONTENT["candidates"]
    found = stored(candidates=[best, other | {"tie": True}], rows=[*ROWS, *around])
    path = tmp_path_factory.mktemp("tied") / "std_dev.html"
    path.write_text(render(report(found, [run(1)], {})), encoding="utf-8")
    return path


@pytest.mark.parametrize("size", [(1280, 900), PHONE])
def test_the_word_of_the_recommended_lies_on_no_mark(
    opened: Browser, file: Path, tied: Path, size: tuple[int, int]
) -> None:
    for path in (file, tied):
        opened.open(path, *size)
        assert opened.ask(WORD_ON) == 0


def test_ties_have_rings_that_filters_hide_and_a_sign_in_the_table(opened: Browser, tied: Path) -> None:
    opened.open(tied)
    rings = (
        "[...document.querySelectorAll('.broad .ties_marks path')].filter(r => r.getAttribute('opacity') > 0)"
        f".filter({SEEN}).length"
    )
    assert opened.ask(rings) == 1
    signs = "[...document.querySelectorAll('#sets tbody tr')].map(r => r.cells[0].innerText.split(' ')[1])"
    assert sorted(filter(None, opened.ask(signs))) == ["=", "★"]
    assert "= a tie: as good" in opened.ask("document.querySelector('.legend').innerText")
    opened.ask("document.querySelector('input[name=scheme][value=BFV]').click()")
    assert opened.ask(rings) == 0


def test_nor_do_those_of_figures_in_files_which_have_their_titles_inside(
    opened: Browser, tmp_path: Path
) -> None:
    drawings = report(crowded(), [run(1), run(2)], {}).drawings
    pictures = (f'<div class="picture">{charts.svg(drawing)}</div>' for drawing in drawings.values())
    path = tmp_path / "figures.html"
    path.write_text(f"<!doctype html><meta charset=utf-8>{''.join(pictures)}", encoding="utf-8")
    opened.open(path)
    assert opened.ask("document.querySelectorAll('.picture svg').length") == 9
    assert opened.ask(OVERLAPS) == []


def test_names_of_several_lines_stand_beside_the_middle_of_their_bars(opened: Browser, full: Path) -> None:
    opened.open(full, *PHONE)
    names, bars = opened.ask(
        "(() => { const svg = document.querySelectorAll('.narrow svg')[2];"
        "const middle = e => { const b = e.getBoundingClientRect(); return (b.top + b.bottom) / 2; };"
        "const names = [...svg.querySelectorAll('text')].filter(t => /^\\d+\\. /.test(t.textContent));"
        "const bars = [...svg.querySelectorAll('.mark-rect.role-mark path')].map(b => Math.round(middle(b)));"
        "return [names.map(middle), [...new Set(bars)]]; })()"
    )
    assert len(names) == 8
    assert sorted(names) == pytest.approx(sorted(bars), abs=4)


def in_sight(page: Browser) -> bool:
    """Whether what is said stands in the window, with all its edges."""
    left, top, right, bottom = page.ask(
        "(({left, top, right, bottom}) => [left, top, right, bottom])(said.getBoundingClientRect())"
    )
    return bool(left >= 0 and top >= 0 and right <= 1280 and bottom <= 900)


def test_pointing_at_a_set_tells_its_parameters(desk: Browser) -> None:
    x, y = middle(desk, ".sets_marks path", 1)
    assert said(desk) is None
    desk.point(x, y)
    words = said(desk)
    assert words is not None
    for told in ("SEAL", "CKKS", "2^14", "1.50 s", "800 MiB", "22.0 bit", "27 bit", "digits"):
        assert told in words
    assert in_sight(desk)
    desk.point(1, 1)
    desk.ask(f"window.scrollBy(0, {y - 30})")  # no room above it is left
    desk.point(x, 30)
    assert "SEAL" in (said(desk) or "")
    assert in_sight(desk)
    assert desk.ask("document.getElementById('set-2').classList.contains('at')")
    desk.point(1, 1)
    assert said(desk) is None


def test_pointing_at_a_bar_tells_what_it_stands_for(desk: Browser) -> None:
    desk.point(*middle(desk, ".drawing:not(#cloud) .mark-rect path"))
    assert said(desk) == "Lattigo CKKS, N = 2^14: 1.00 s, 400 MiB, 19.0 bit"
    desk.point(*middle(desk, "section:has(> #section-1) .mark-rect path"))
    assert said(desk) == "1. Lattigo CKKS, 2^14, rotate: 0.6 CPU time (s)"


def test_a_finger_that_is_lifted_leaves_what_it_touched_said_until_it_touches_elsewhere(
    opened: Browser, file: Path
) -> None:
    opened.open(file, *PHONE)
    for selector, words in (
        (".sets_marks path", "1.00 s"),
        ("section:has(> #section-1) .mark-rect path", "rotate"),
    ):
        opened.tap(*middle(opened, selector))
        assert words in (said(opened) or "")
        opened.tap(1, 1)
        assert said(opened) is None


def test_filters_take_sets_out_of_the_figure_and_of_the_table(desk: Browser) -> None:
    steps = "[...document.querySelectorAll('.front_marks path')].map(p => p.getAttribute('d')).join()"
    before = desk.ask(steps)
    assert (dots(desk), rows(desk)) == (4, ["1", "2", "3", "4"])
    desk.click(*middle(desk, "input[value=Lattigo]"))
    assert (dots(desk), rows(desk)) == (3, ["2", "3", "4"])
    assert desk.ask("document.getElementById('count').innerText") == "3 of 4 sets are shown."
    assert desk.ask(steps) != before
    desk.click(*middle(desk, "input[value=CKKS]"))
    assert rows(desk) == ["3"]
    desk.click(*middle(desk, "input[value=BFV]"))
    assert (dots(desk), rows(desk)) == (0, [])
    for name in ("Lattigo", "CKKS", "BFV"):
        desk.click(*middle(desk, f"input[value={name}]"))
    assert (dots(desk), rows(desk)) == (4, ["1", "2", "3", "4"])
    assert desk.ask(steps) == before
    desk.click(*middle(desk, "input[name=front]"))
    assert rows(desk) == ["1", "2", "3"]


def test_the_steps_that_the_page_draws_anew_are_those_that_were_drawn(opened: Browser, file: Path) -> None:
    """The script's front, through the same corners as the picture's own."""
    opened.open(file)
    corners = (
        "document.querySelector('.broad .front_marks path').getAttribute('d').match(/[\\d.]+/g).map(Number)"
    )
    marks = opened.ask(
        "[...document.querySelectorAll('.broad .sets_marks path')].map(p =>"
        "p.getAttribute('transform').match(/[\\d.]+/g).map(Number))"
    )
    assert opened.ask(corners) == pytest.approx([*marks[0], *marks[2]], abs=0.01)  # 1 s 400 MiB, 2 s 200 MiB


def test_the_table_is_sorted_by_what_is_pressed_and_then_the_other_way(desk: Browser) -> None:
    memory = "#sets th:nth-child(7) button"
    desk.click(*middle(desk, memory))
    assert rows(desk) == ["3", "1", "4", "2"]
    assert desk.ask("document.querySelector('[aria-sort]').innerText").startswith("memory")
    desk.click(*middle(desk, memory))
    assert rows(desk) == ["2", "4", "1", "3"]
    desk.click(*middle(desk, "#sets th:nth-child(2) button"))
    assert rows(desk)[0] == "1"  # Lattigo, before OpenFHE and SEAL
    shown: list[str] = desk.ask("[...document.querySelectorAll('#sets th')].map(h => h.innerText)")
    desk.click(*middle(desk, f"#sets th:nth-child({shown.index('digits') + 1}) button"))
    assert rows(desk)[-1] == "2"  # 12 are more than 4
    desk.point(*middle(desk, ".sets_marks path", 3))
    assert "500 MiB" in (said(desk) or "")  # marks and rows still belong together


def test_all_of_it_is_reached_by_keys_and_shows_where_one_is(desk: Browser) -> None:
    seen: list[str] = []
    for _ in range(80):
        desk.press("Tab")
        found = desk.ask(
            "(() => { const e = document.activeElement; return [e.id || e.name || e.className || e.tagName,"
            "getComputedStyle(e).outlineStyle, e.innerText]; })()"
        )
        if found[0] in ("BODY", "theme") and len(seen) > 5:
            break
        assert found[1] != "none", found
        seen += [found[0], found[2]]
    assert {"theme", "library", "scheme", "front", "picture", "memory", "As a table"} <= set(seen)


def test_arrow_keys_go_from_set_to_set_and_a_space_filters(desk: Browser) -> None:
    desk.ask("document.querySelector('#cloud .picture').focus()")
    desk.press("ArrowRight")
    assert "1.00 s" in (said(desk) or "")
    desk.press("ArrowRight")
    assert "1.50 s" in (said(desk) or "")
    desk.press("ArrowLeft")
    assert "1.00 s" in (said(desk) or "")
    desk.ask("document.getElementById('count').scrollIntoView({block: 'end'})")  # the table is out of sight
    desk.press("Enter")
    top, bottom = desk.ask(
        "(({top, bottom}) => [top, bottom])(document.getElementById('set-1').getBoundingClientRect())"
    )
    assert 0 <= top < bottom <= 900
    assert said(desk) is None
    desk.press("ArrowRight")
    assert said(desk) is not None
    desk.press("Escape")
    assert said(desk) is None
    desk.ask("document.querySelector('input[value=Lattigo]').focus()")
    desk.press(" ", " ")
    assert rows(desk) == ["2", "3", "4"]
    desk.ask("document.querySelector('#cloud .picture').focus()")
    desk.press("ArrowRight")
    assert "1.50 s" in (said(desk) or "")


def lightness(page: Browser, selector: str, name: str) -> float:
    """Of a colour as it is shown, 0 to 255."""
    found: list[float] = page.ask(
        f"getComputedStyle(document.querySelector({selector!r})).{name}.match(/[\\d.]+/g).map(Number)"
    )
    return sum(found[:3]) / 3


def test_the_dark_is_dark_and_the_button_turns_it(opened: Browser, file: Path) -> None:
    opened.open(file, dark=True)
    label = ".broad .role-axis-label text"
    assert lightness(opened, "body", "backgroundColor") < 50
    assert lightness(opened, label, "fill") > 200
    assert opened.ask("document.getElementById('theme').innerText") == "Light"
    opened.click(*middle(opened, "#theme"))
    assert lightness(opened, "body", "backgroundColor") > 240
    assert lightness(opened, label, "fill") < 60
    assert opened.ask("document.getElementById('theme').innerText") == "Dark"
    opened.click(*middle(opened, "#theme"))
    assert lightness(opened, "body", "backgroundColor") < 50


def test_in_the_dark_soft_colours_stay_as_they_are_and_legends_have_the_colours_of_their_marks(
    opened: Browser, file: Path
) -> None:
    opened.open(file, dark=True)
    told = """[...document.querySelectorAll('.broad svg')].map(svg => {
      const of = name => [...svg.querySelectorAll(name)].map(e => getComputedStyle(e).filter);
      return [!!svg.querySelector('.parts_marks, .strips_marks'),
              [...new Set([...of('.role-mark'), ...of('.role-legend-symbol')])]];
    })"""
    found = opened.ask(told)
    assert {soft for soft, _ in found} == {True, False}
    for soft, filters in found:
        assert filters == (["none"] if soft else ["brightness(1.35)"])


def test_on_paper_the_front_is_printed_on_white_without_buttons(opened: Browser, file: Path) -> None:
    opened.open(file, dark=True)
    opened.print_media()
    assert lightness(opened, "body", "backgroundColor") == 255
    assert not opened.ask(f"[...document.querySelectorAll('#theme, .filters, #count')].some({SEEN})")
    shown = f"[...document.querySelectorAll('#sets tbody tr')].map({SEEN})"
    assert opened.ask(shown) == [True, True, True, False]
    opened.call("Emulation.setEmulatedMedia", media="")


def test_screenshots_show_something(opened: Browser, file: Path, tmp_path: Path) -> None:
    pictures: dict[str, bytes] = {}
    for name, width, dark in (("desk", 1280, False), ("phone", PHONE[0], False), ("dark", 1280, True)):
        opened.open(file, width, 900, dark)
        pictures[name] = opened.screenshot(tmp_path / f"{name}.png")
    opened.call("Page.navigate", url="about:blank")
    for name, picture in pictures.items():
        colours, most = opened.ask(COLOURS % base64.b64encode(picture).decode())
        assert colours > 100, name
        assert most < 0.97, name
    assert len(set(pictures.values())) == 3


def test_nothing_is_fetched_and_nothing_complains(tmp_path: Path, file: Path) -> None:
    program = chromium()
    assert program is not None
    with browser(program, tmp_path) as fresh:
        fresh.open(file)
        fresh.point(*middle(fresh, ".sets_marks path"))
        fresh.click(*middle(fresh, "input[value=Lattigo]"))
        fresh.click(*middle(fresh, "#theme"))
        assert said(fresh) is None
        assert fresh.requests == [file.as_uri()]
        assert fresh.complaints == []


def test_the_browser_would_tell_of_requests_and_complaints(opened: Browser, tmp_path: Path) -> None:
    """What the test before relies on."""
    bad = tmp_path / "bad.html"
    bad.write_text("<script>console.error('here'); fetch('file:///nowhere')</script><img src=missing.png>")
    opened.open(bad)
    known: Any = opened.ask("new Promise(done => setTimeout(() => done(1), 200))")
    assert known == 1
    assert any("missing.png" in url for url in opened.requests)
    assert any("here" in line for line in opened.complaints)
