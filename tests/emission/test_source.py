"""The user's lines beside the code that they become."""

from pathlib import Path

import pytest

from fheasible.emission.source import LONGEST, Source, identifier

CODE = """import fheasible as fh

@fh.app(x=fh.reals(4, low=0, high=1))
def f(x):
    total = (
        x
        + 1
    )
    for power in (2, 3): total += x**power
    y: object = total * 2
    return fh.sum(
        y)
"""


@pytest.mark.parametrize(
    ("line", "text", "name"),
    [
        (6, "total = ( x + 1 )", "total"),
        (7, "total = ( x + 1 )", "total"),
        (9, "for power in (2, 3): total += x**power", "total"),
        (10, "y: object = total * 2", "y"),
        (12, "return fh.sum( y)", "result"),
        (4, "def f(x):", ""),
    ],
)
def test_a_line_is_its_whole_statement(tmp_path: Path, line: int, text: str, name: str) -> None:
    (tmp_path / "app.py").write_text(CODE)
    found = Source().line(f"{tmp_path / 'app.py'}:{line}")
    assert (found.place, found.text, found.name) == (f"app.py:{line}", text, name)


@pytest.mark.parametrize("where", ["", "gone.py:3", "<string>:1", "app.py"])
def test_what_cannot_be_read_has_no_text(where: str) -> None:
    assert Source().line(where).text == ""


def test_code_that_is_no_python_is_shown_as_it_stands(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text("x = = 3\n")
    assert Source().line(f"{tmp_path / 'app.py'}:1").text == "x = = 3"
    assert Source().line(f"{tmp_path / 'app.py'}:7").text == ""


def test_a_long_statement_is_cut(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text("x = [" + "1, " * 500 + "]\n")
    assert len(Source().line(f"{tmp_path / 'app.py'}:1").text) <= LONGEST


@pytest.mark.parametrize(
    ("text", "name"),
    [("x", "x"), ("first input", "first_input"), ("9 lives", "value"), ("größe", "gr__e"), ("_", "value")],
)
def test_every_language_accepts_an_identifier(text: str, name: str) -> None:
    assert identifier(text) == name


def test_a_place_in_another_file_has_its_own_text() -> None:
    """Networks have nodes, and no lines."""
    found = Source().line("network.onnx, /fc/Gemm (Gemm)")
    assert (found.place, found.text, found.name) == ("network.onnx", "/fc/Gemm (Gemm)", "")
    assert Source().line("") == Source().line("nowhere")
