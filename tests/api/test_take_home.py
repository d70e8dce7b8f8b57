"""What people take home from Python: code, pages, the security of a set, and a run in a notebook."""

from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import fheasible as fh
from api.apps import dot, squares
from fheasible.api.verified import Verified
from fheasible.errors import StoreError, UsageError
from fheasible.store.store import Store

HERE = Path(__file__).with_name("apps.py")


class Closed(HTMLParser):
    """Whether all elements are closed; `text` is what is read."""

    VOID = ("br", "meta", "input")

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def read(fragment: str) -> str:
    found = Closed(fragment)
    assert found.open == []
    return " ".join(found.text)


# -- a page --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def answer(place: Path) -> fh.Answer:
    return fh.explore(dot, library="seal,lattigo", store=place)


def test_an_answer_becomes_a_page_with_its_code_and_its_five_lines(
    answer: fh.Answer, place: Path, tmp_path: Path
) -> None:
    path = fh.report(answer, out=tmp_path / "new" / "dot.html")
    page = read(path.read_text())
    assert "def dot(" in page
    assert "dot: " in page
    assert "least time" in page
    with Store.open(place, reading=True) as store:
        (stored,) = store.explorations("dot")
    assert [head for head, _ in stored.explored.content["summary"]][:3] == ["use", "why this", "margin"]


def test_a_page_is_made_of_what_was_explored_before(
    answer: fh.Answer, place: Path, tmp_path: Path, monkeypatch: Any
) -> None:
    fh.report(answer, out=tmp_path / "first.html")
    monkeypatch.chdir(tmp_path)
    for app in ("dot", dot, f"{HERE}:dot", None):
        assert fh.report(app, store=place) == Path("dot.html")
    assert (tmp_path / "dot.html").stat().st_size > 10_000


def test_where_nothing_was_explored_that_is_told(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="there is no results file"):
        fh.report("dot", store=tmp_path / "nothing.sqlite")


def test_a_notebook_shows_the_five_lines_the_settings_and_the_command(answer: fh.Answer) -> None:
    shown = read(answer._repr_html_())
    for words in ("use:", "why this:", "margin:", "runner-up:", "settings", "--param ring_dimension="):
        assert words in shown


# -- code ----------------------------------------------------------------------------------------


def test_code_is_written_with_the_wishes_of_the_command_line(place: Path, tmp_path: Path) -> None:
    made = fh.emit(squares, to="seal-python", out=tmp_path / "code", precision=12, store=place)
    assert (tmp_path / "code" / "README.md").is_file()
    assert repr(made) == f"<fheasible.Emitted squares to seal-python in {tmp_path / 'code'}>"
    assert "squares for SEAL" in str(made)
    with pytest.raises(UsageError, match="writes code for seal, but"):
        fh.emit(squares, to="seal-python", out=tmp_path / "other", library="lattigo", store=place)


def test_the_parameters_may_be_given(place: Path, tmp_path: Path) -> None:
    params = {"scale_bits": 30, "ring_dimension": 8192}
    fh.emit(squares, to="seal-python", out=tmp_path, scheme="ckks", params=params, store=place)
    assert '"ring_dimension": 8192' in (tmp_path / "parameters.json").read_text()


# -- security ------------------------------------------------------------------------------------


def test_one_set_is_judged_as_on_the_command_line() -> None:
    found = fh.security(n=16384, log_q=438)
    # [LatticeEstimator] at commit 27a581b, matzov: bdd 125.922
    assert (found.bits, found.attack) == (pytest.approx(125.92, abs=1), "bdd")
    assert "take n >= 2^15" in found.warnings[0]
    assert "Security Guidelines 2024" in str(found)
    assert repr(found).startswith("<fheasible.SecurityAnswer 125.")
    shown = read(found._repr_html_())
    assert "Security Guidelines 2024" in shown
    assert "in plain words:" in shown


def test_several_sets_are_combined_and_the_weakest_is_named() -> None:
    found = fh.security(n=[8192, 16384], log_q=[200, 300])
    assert [(s["n"], s["log_q"]) for s in found.sets] == [
        (8192, 200),
        (8192, 300),
        (16384, 200),
        (16384, 300),
    ]
    assert found.bits == min(s["bits"] for s in found.sets) == found.sets[1]["bits"]
    assert "4 sets, the weakest" in repr(found)


def test_both_secrets_of_a_bootstrapping_are_judged() -> None:
    found = fh.security(n=65536, log_q=1546, secret="sparse:192", ephemeral="32:600")
    assert found.document["decides"] == "ephemeral"
    assert found.bits == found.document["keys"]["ephemeral"]["bits"]
    assert found.attack in found.document["keys"]["ephemeral"]["attacks"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"n": "many", "log_q": 438}, "n='many' is not a number"),
        ({"n": 16384, "log_q": True}, "log_q=True is not a number"),
        ({"n": [], "log_q": 438}, "no ring degree is given"),
        ({"n": [8192, 16384], "log_q": 438, "ephemeral": "32:121"}, "ephemeral= belongs to one set"),
        ({"n": 16384, "log_q": 438, "ephemeral": "32"}, "not a weight and a modulus"),
    ],
)
def test_what_cannot_be_meant_is_told_with_keywords(given: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        fh.security(**given)


def test_the_name_of_the_folder_is_that_of_the_function_whatever_was_loaded_before() -> None:
    import fheasible.security.tables

    assert callable(fh.security)
    assert fheasible.security.tables.LEVELS == (128, 192, 256)


# -- a run ---------------------------------------------------------------------------------------


@pytest.mark.worker
def test_a_run_shows_its_figures_in_a_notebook_and_is_short_as_text(place: Path) -> None:
    found = fh.run(
        squares, library="seal", scheme="ckks", params={"scale_bits": 30}, repetitions=1, store=place
    )
    assert isinstance(found, Verified)
    assert found.named.startswith("SEAL CKKS, N = 2^")
    assert "the decrypted result is right" in repr(found)
    assert len(repr(found)) < 160
    shown = read(found._repr_html_())
    for words in ("cpu_seconds.evaluate", "peak_bytes", f"stored as number {found.number}"):
        assert words in shown
    with Store.open(place, reading=True) as store:
        assert store.measurements("squares", outcome="measured")
