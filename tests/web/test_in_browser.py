"""The page as a browser shows it, on a desk, on a telephone, in the dark and by keys: sliders move the
answer, errors point at their line, a run can be stopped, nothing is fetched from elsewhere and nothing
complains."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from fheasible.measurement import registry
from fheasible.web import static
from fheasible.web.controls import everything
from reports.browser import IN_BROWSER, OVERLAPS, Browser, browser, chromium

from .conftest import INTEGERS
from .serving import serving
from .test_verification import SLOW

pytestmark = IN_BROWSER

PHONE = (390, 844)
SIZES = pytest.mark.parametrize("size", [(1280, 900), PHONE])
READY = (
    "document.getElementById('state').textContent === '' && document.querySelector('.lines') !== null && "
    "!document.getElementById('told').classList.contains('near')"
)
WHY = "!document.getElementById('why').textContent.includes('being worked out')"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, int]]:
    """The address of a server, and its process."""
    store = tmp_path_factory.mktemp("store") / "results.sqlite"
    with serving("--store", str(store)) as (call, address):
        yield address, call.pid


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page as a file, with the answers of two examples for some stops."""
    folder, place = tmp_path_factory.mktemp("site"), str(tmp_path_factory.mktemp("store") / "results.sqlite")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            static, "by_precision", lambda sliders: (s for s in everything(sliders) if s[0] < 2 and s[3] == 1)
        )
        return static.write(folder, static.chosen(["4", "1"]), place)


def until(page: Browser, expression: str, seconds: float = 120.0) -> None:
    late = time.monotonic() + seconds
    while not page.ask(expression):
        assert time.monotonic() < late, (expression, page.ask("document.body.innerText"))
        time.sleep(0.05)


def use(page: Browser) -> str:
    found: str = page.ask("document.querySelector('.lines dd').innerText")
    return found


def write(page: Browser, source: str) -> None:
    """Puts code into the page as if it were pasted."""
    page.ask(
        f"(() => {{ const s = document.getElementById('source'); s.value = {source!r};"
        "s.dispatchEvent(new Event('input')); document.getElementById('explore').click(); })()"
    )


def verify(page: Browser, address: str, source: str, until_told: str) -> None:
    """Explores that code and begins a run, until what the page tells of it begins with these words."""
    page.open(address)
    until(page, READY)
    write(page, source)
    until(page, f"{READY} && !document.getElementById('verify').disabled")
    page.ask("document.getElementById('verify').click()")
    until(page, f"document.getElementById('doing').textContent.startsWith({until_told!r})")


def pick(page: Browser, name: str, label: str) -> bool:
    """Chooses from a list what has that label; whether there is such a choice."""
    found: bool = page.ask(
        f"(() => {{ const s = document.getElementById({name!r});"
        f"const i = [...s.options].findIndex(o => o.textContent === {label!r});"
        "if (i < 0) return false; s.value = i; s.dispatchEvent(new Event('input')); return true; })()"
    )
    return found


def name(page: Browser, file: Path) -> None:
    page.ask(
        f"(() => {{ const d = document.getElementById('data'); d.value = {str(file)!r};"
        "d.dispatchEvent(new Event('change')); })()"
    )


def slide(page: Browser, name: str, stop: int) -> None:
    page.ask(
        f"(() => {{ const s = document.getElementById({name!r}); s.value = {stop};"
        "s.dispatchEvent(new Event('input')); })()"
    )


@SIZES
def test_an_example_is_explored_when_the_page_is_opened(
    opened: Browser, server: tuple[str, int], size: tuple[int, int]
) -> None:
    opened.open(server[0], *size)
    until(opened, f"{READY} && {WHY}")
    assert opened.ask("document.querySelectorAll('.lines div').length") == 5
    assert "N = 2^" in use(opened)
    assert opened.ask("document.querySelectorAll('#picture .set').length") > 1
    assert opened.ask(OVERLAPS) == []
    assert opened.ask("document.documentElement.scrollWidth") == size[0]
    assert opened.ask("document.querySelectorAll('#why li').length") > 1


def test_a_slider_moves_the_answer_the_figure_and_the_command(
    opened: Browser, server: tuple[str, int]
) -> None:
    opened.open(server[0])
    until(opened, READY)
    before = opened.ask("document.querySelector('.lines').innerText")
    slide(opened, "security", 2)
    until(opened, f"{READY} && document.querySelector('.lines').innerText.includes('--security 256')")
    assert opened.ask("document.querySelector('.lines').innerText") != before
    assert opened.ask("document.querySelector('output').textContent") == "256 bits"
    assert opened.ask("document.getElementById('security').getAttribute('aria-valuetext')") == "256 bits"


def test_keys_do_all_that_the_mouse_does(opened: Browser, server: tuple[str, int]) -> None:
    opened.open(server[0])
    until(opened, READY)
    reached = []
    for _ in range(30):
        opened.press("Tab")
        reached.append(opened.ask("document.activeElement.id || document.activeElement.className"))
    controls = ("objective", "security", "failure", "memory")
    for name in ("skip", "theme", "example", "source", "data", "explore", *controls, "picture"):
        assert name in reached, reached
    assert opened.ask(
        "(() => { const s = document.getElementById('security'); s.focus({focusVisible: true});"
        "return getComputedStyle(s).outlineStyle; })()"
    ) in ("solid", "auto")
    opened.press("ArrowRight")
    until(opened, f"{READY} && document.querySelector('.lines').innerText.includes('--security 192')")
    opened.ask("document.getElementById('picture').focus()")
    opened.press("ArrowRight")
    assert opened.ask("document.getElementById('said').hidden") is False
    assert "N = 2^" in opened.ask("document.getElementById('said').innerText")
    opened.press("Escape")
    assert opened.ask("document.getElementById('said').hidden") is True


def test_another_objective_moves_the_answer(opened: Browser, server: tuple[str, int], file: Path) -> None:
    for place in (server[0], file):
        opened.open(place)
        until(opened, READY)
        assert pick(opened, "objective", "least memory")
        until(opened, f"{READY} && document.querySelector('.lines').innerText.includes('--objective memory')")
        assert "the least memory of" in opened.ask("document.querySelector('.lines').innerText")


def test_a_data_file_is_read_when_it_is_named(
    opened: Browser, server: tuple[str, int], tmp_path: Path
) -> None:
    opened.open(server[0])
    until(opened, READY)
    write(opened, INTEGERS)
    until(opened, READY)
    name(opened, tmp_path / "none.csv")
    until(opened, "!document.getElementById('mistake').hidden")
    assert "does not exist" in opened.ask("document.getElementById('mistake').innerText")
    assert opened.ask("document.getElementById('data').getAttribute('aria-invalid')") == "true"
    assert opened.ask("document.getElementById('source').hasAttribute('aria-invalid')") is False
    file = tmp_path / "values.csv"
    file.write_text("a,b\n3,5\n7,9\n")
    name(opened, file)
    until(opened, f"{READY} && document.querySelector('.lines').innerText.includes('--data')")
    assert str(file) in opened.ask("document.querySelector('.lines').innerText")
    assert opened.ask("document.getElementById('mistake').hidden")
    assert opened.ask("document.getElementById('data').hasAttribute('aria-invalid')") is False


def test_an_error_points_at_its_line(opened: Browser, server: tuple[str, int]) -> None:
    opened.open(server[0])
    until(opened, READY)
    write(opened, INTEGERS.replace("fh.inner_product(a, b)", "a / nothing"))
    until(opened, "!document.getElementById('mistake').hidden")
    assert opened.ask("document.getElementById('mistake').innerText").startswith("Line 6: NameError")
    selected = (
        "(() => { const s = document.getElementById('source');"
        "return s.value.slice(s.selectionStart, s.selectionEnd); })()"
    )
    assert opened.ask(selected) == "    return a / nothing"
    assert opened.ask("document.getElementById('verify').disabled")
    write(opened, INTEGERS)
    until(opened, f"{READY} && document.getElementById('mistake').hidden")


def test_code_is_shown_as_text_wherever_it_stands(opened: Browser, server: tuple[str, int]) -> None:
    opened.open(server[0])
    until(opened, READY)
    write(opened, "raise ValueError('<img src=x onerror=alert(1)>')\n")
    until(opened, "!document.getElementById('mistake').hidden")
    assert "<img" in opened.ask("document.getElementById('mistake').innerText")
    assert opened.ask("document.querySelectorAll('img').length") == 0


@pytest.mark.worker
@pytest.mark.skipif(not registry.command("seal").installed, reason="SEAL is not installed")
def test_a_run_shows_its_progress_and_can_be_stopped(opened: Browser, server: tuple[str, int]) -> None:
    verify(opened, server[0], SLOW, until_told="running")
    processes = [
        p for p in psutil.Process(server[1]).children(recursive=True) if "worker" in str(p.cmdline())
    ]
    assert opened.ask("document.getElementById('stop').disabled") is False
    opened.ask("document.getElementById('stop').click()")
    until(opened, "document.getElementById('doing').textContent.startsWith('Stopped after')", 20)
    assert psutil.wait_procs(processes, timeout=10)[1] == []
    assert opened.ask("document.getElementById('verify').disabled") is False


@pytest.mark.worker
@pytest.mark.skipif(not registry.command("seal").installed, reason="SEAL is not installed")
def test_a_run_ends_with_each_figure_beside_its_prediction(opened: Browser, server: tuple[str, int]) -> None:
    verify(opened, server[0], INTEGERS, until_told="Done in")
    assert "predicted" in opened.ask("document.getElementById('result').innerText")


def test_a_file_shows_the_answers_of_its_table(opened: Browser, file: Path) -> None:
    opened.open(file)
    until(opened, "document.querySelector('.lines') !== null")
    assert "predictions that were made beforehand" in opened.ask("document.body.innerText")
    assert opened.ask("document.getElementById('source').readOnly")
    before = opened.ask("document.querySelector('.lines').innerText")
    slide(opened, "security", 1)
    assert "--security 192" in opened.ask("document.querySelector('.lines').innerText")
    assert opened.ask("document.querySelector('.lines').innerText") != before
    opened.ask(
        "(() => { const e = document.getElementById('example'); e.value = 1;"
        "e.dispatchEvent(new Event('change')); })()"
    )
    assert "CKKS" in use(opened)
    assert opened.ask("document.getElementById('precision') !== null")


def test_no_line_breaks_within_the_name_of_an_option(opened: Browser, file: Path) -> None:
    """Each line of text that a reason or a warning has."""
    opened.open(file, *PHONE)
    until(opened, "document.querySelector('.lines') !== null")
    words = "[...document.querySelectorAll('.whole')]"
    assert opened.ask(f"{words}.length") > 0
    assert opened.ask(
        f"{words}.every(e => e.getClientRects().length === 1 && /^--[a-z]/.test(e.textContent))"
    )


@SIZES
def test_a_file_fits_the_window(opened: Browser, file: Path, size: tuple[int, int]) -> None:
    opened.open(file, *size)
    until(opened, "document.querySelector('.lines') !== null")
    assert opened.ask("document.documentElement.scrollWidth") == size[0]
    assert opened.ask("document.querySelectorAll('#picture text').length") > 1
    assert opened.ask(OVERLAPS) == []


def test_pages_in_the_dark_and_in_the_light_differ(
    opened: Browser, server: tuple[str, int], file: Path, tmp_path: Path
) -> None:
    for place in (server[0], file):
        pictures = []
        for dark in (False, True):
            opened.open(place, dark=dark)
            until(opened, "document.querySelector('.lines') !== null")
            pictures.append(opened.screenshot(tmp_path / "page.png"))
            assert opened.ask("document.getElementById('theme').textContent") == ("Light" if dark else "Dark")
        assert pictures[0] != pictures[1]


def colours(page: Browser) -> Any:
    return page.ask("['color', 'backgroundColor'].map(n => getComputedStyle(document.body)[n])")


def test_the_button_turns_the_theme(opened: Browser, file: Path) -> None:
    opened.open(file)
    before = colours(opened)
    opened.ask("document.getElementById('theme').click()")
    assert colours(opened) != before


def test_nothing_is_fetched_from_elsewhere_and_nothing_complains(
    tmp_path: Path, server: tuple[str, int], file: Path
) -> None:
    program = chromium()
    assert program is not None
    with browser(program, tmp_path) as fresh:
        fresh.open(server[0])
        until(fresh, f"{READY} && {WHY}")
        slide(fresh, "memory", 5)
        until(fresh, READY)
        own = server[0].partition("?")[0]
        assert [url for url in fresh.requests if not url.startswith((own, "data:,"))] == []
        fresh.requests.clear()
        fresh.open(file)
        until(fresh, "document.querySelector('.lines') !== null")
        assert [url for url in fresh.requests if url != "data:,"] == [file.as_uri()]
        assert fresh.complaints == []


def test_every_control_has_a_name(opened: Browser, server: tuple[str, int]) -> None:
    opened.open(server[0])
    until(opened, READY)
    nameless = (
        "[...document.querySelectorAll('input, select, textarea, button, progress, [tabindex=\"0\"]')]"
        ".filter(e => !(e.labels?.length || e.textContent.trim() || e.getAttribute('aria-label')"
        " || e.getAttribute('aria-labelledby'))).map(e => e.id)"
    )
    assert opened.ask(nameless) == []
    live = "['state', 'told', 'mistake', 'doing'].map(i => { const e = document.getElementById(i);"
    assert opened.ask(f"{live} return e.getAttribute('role') ?? e.getAttribute('aria-live'); }})") == [
        "status",
        "polite",
        "alert",
        "status",
    ]
