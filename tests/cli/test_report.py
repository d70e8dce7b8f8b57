"""fheasible report: the page of what was explored last."""

import json
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest

from fheasible.reports import html
from fheasible.store.store import Store

from .conftest import Call


@pytest.fixture(autouse=True)
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """The words of the page are what matters here: drawing takes seconds."""
    monkeypatch.setattr(html, "_frames", lambda _: "")


@pytest.fixture
def explored(call: Call, reals: str, integers: str, calibrated: object) -> None:
    for app in (integers, reals):
        assert call("explore", app, "--library", "seal").code == 0


@pytest.mark.long
@pytest.mark.usefixtures("explored")
def test_the_newest_exploration_becomes_a_page(call: Call, tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    answer = call("report", "--out", str(out))
    assert answer.code == 0
    assert answer.out.startswith(f"{out}: squares, explored ")
    assert "<title>squares: SEAL CKKS, N = 2^12</title>" in out.read_text()


@pytest.mark.long
@pytest.mark.usefixtures("explored")
def test_an_application_is_meant_by_its_name_or_its_file(call: Call, integers: str, tmp_path: Path) -> None:
    for app in ("dot", integers, f"{integers}:dot"):
        answer = call("report", app, "--out", str(tmp_path / "dot.html"), "--json")
        assert answer.code == 0
        assert answer.json["app"] == "dot"
        assert answer.json["best"]["library"] == "seal"
        assert answer.json["why"]


@pytest.mark.long
@pytest.mark.usefixtures("explored")
def test_without_a_file_the_page_lies_here_under_the_applications_name(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert call("report", "dot").code == 0
    assert (tmp_path / "dot.html").read_text().startswith("<!doctype html>")


@pytest.mark.long
@pytest.mark.usefixtures("explored")
def test_a_name_from_a_store_leads_to_no_other_folder(
    call: Call, tmp_path: Path, store_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "a" / "b")
    with Store.open(store_path) as store:
        found = store.explorations("dot")[0]
        store.add_exploration(replace(found.explored, app="../../evil"), found.environment)
    assert call("report").code == 0
    assert [p.name for p in (tmp_path / "a" / "b").iterdir()] == ["______evil.html"]
    assert list(tmp_path.glob("*.html")) == []


@pytest.mark.long
@pytest.mark.usefixtures("explored")
def test_figures_are_written_beside_it(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fheasible.reports.charts.write", lambda figure, path: path.write_text(figure.title))
    folder = tmp_path / "figures"
    folder.mkdir()
    answer = call("report", "squares", "--out", str(tmp_path / "p.html"), "--figures", str(folder), "--json")
    assert answer.json["figures"] == sorted(answer.json["figures"], key=answer.json["figures"].index)
    assert {Path(p) for p in answer.json["figures"]} == set(folder.iterdir())
    assert "squares-memory-over-time.svg" in {p.name for p in folder.iterdir()}
    assert [p.suffix for p in map(Path, answer.json["figures"])] == [".svg", ".png"] * (
        len(answer.json["figures"]) // 2
    )


@pytest.mark.usefixtures("explored")
def test_figures_lie_in_their_folder_whatever_the_store_says(
    call: Call, tmp_path: Path, store_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fheasible.reports.charts.write", lambda figure, path: path.write_text(figure.title))
    folder = tmp_path / "a" / "figures"
    folder.mkdir(parents=True)
    with Store.open(store_path) as store:
        found = store.explorations("squares")[0]
        store.add_exploration(replace(found.explored, app="../../evil"), found.environment)
    answer = call("report", "--out", str(tmp_path / "p.html"), "--figures", str(folder), "--json")
    assert {Path(p).parent for p in answer.json["figures"]} == {folder}
    assert not list(tmp_path.glob("*evil*"))


@pytest.mark.long
def test_an_exploration_of_ring_schemes_has_a_page_too(call: Call, integers: str, tmp_path: Path) -> None:
    explored = call("explore", integers, "--library", "reference", "--json")
    answer = call("report", "dot", "--out", str(tmp_path / "dot.html"), "--json")
    assert answer.code == 0
    best = explored.json["candidates"][0]
    assert answer.json["best"] == best
    assert answer.json["why"] == explored.json["why"]
    assert answer.json["sets"] == len(explored.json["candidates"])
    page, p = unescape((tmp_path / "dot.html").read_text()), best["request"]
    assert f"log2 q = {p['log_q']}, log2 w = {p['log_w']}</title>" in page
    assert f"{best['integer_multiplications']:,}" in page
    assert f"--param n={p['n']} --param log_q={p['log_q']}" in page
    assert "Not calibrated on this machine" in page
    assert "No run of this application is stored" in page
    for reason in explored.json["rejected"]:
        assert reason["reason"][:20] in page


@pytest.mark.long
def test_the_page_of_ring_schemes_shows_their_runs(call: Call, integers: str, tmp_path: Path) -> None:
    pytest.importorskip("fheasible_native")
    assert call("explore", integers, "--library", "reference").code == 0
    ran = call("verify", integers, "--library", "reference", "--repetitions", "1", "--json")
    assert ran.code == 0
    assert call("report", "dot", "--out", str(tmp_path / "dot.html")).code == 0
    page = (tmp_path / "dot.html").read_text()
    assert "No run of this application is stored" not in page
    assert f"run {ran.json['number']}" in page
    assert "CPU evaluate" in page


def test_an_application_that_no_ring_scheme_bears_has_a_page_with_the_reasons(
    call: Call, reals: str, tmp_path: Path
) -> None:
    assert call("explore", reals, "--library", "reference").code == 1
    assert call("report", "squares", "--out", str(tmp_path / "p.html")).code == 0
    page = (tmp_path / "p.html").read_text()
    assert "<title>squares: nothing fits</title>" in page
    assert "Schemes that do not fit" in page


def test_where_there_is_no_store_none_is_made(call: Call, tmp_path: Path, store_path: Path) -> None:
    answer = call("report", "std_dev", "--out", str(tmp_path / "p.html"))
    assert answer.code == 1
    assert f"error: there is no results file {store_path}" in answer.err
    assert "remedy: fheasible explore" in answer.err
    assert list(tmp_path.glob("*.sqlite")) == []
    assert list(tmp_path.glob("*.html")) == []


def test_where_nothing_was_explored_the_remedy_is_to_explore(
    call: Call, tmp_path: Path, store_path: Path
) -> None:
    Store.open(store_path).close()
    for words in ((), ("std_dev",)):
        answer = call("report", *words, "--out", str(tmp_path / "p.html"), "--json")
        assert answer.code == 1
        told = json.loads(answer.out)["error"]
        assert "no exploration" in told["message"]
        assert "fheasible explore" in told["remedy"]
    assert not (tmp_path / "p.html").exists()


@pytest.mark.usefixtures("explored")
def test_for_an_application_that_was_not_explored_those_that_were_are_named(
    call: Call, tmp_path: Path
) -> None:
    answer = call("report", "std_dev", "--out", str(tmp_path / "p.html"))
    assert answer.code == 1
    assert "remedy: fheasible explore path/to/app.py; explored so far: squares and dot" in answer.err


@pytest.mark.long
@pytest.mark.usefixtures("explored")
def test_a_page_that_cannot_be_written_is_one_line(call: Call, tmp_path: Path) -> None:
    answer = call("report", "--out", str(tmp_path))
    assert answer.code == 2
    assert "it is a folder" in answer.err
