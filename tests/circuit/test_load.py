"""Applications from files, and what is said about files that hold none."""

import sys
from pathlib import Path

import pytest

from fheasible.circuit.load import load
from fheasible.errors import CircuitError, UsageError

ONE = """
import fheasible as fh
import helper

@fh.app(x=fh.reals(helper.N, low=0, high=1))
def double(x):
    return x + x
"""
TWO = ONE + "\n@fh.app(x=fh.reals(3, low=0, high=1))\ndef triple(x):\n    return 3 * x\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "helper.py").write_text("N = 7\n")
    (tmp_path / "one.py").write_text(ONE)
    (tmp_path / "two.py").write_text(TWO)
    (tmp_path / "none.py").write_text("x = 3\n")
    (tmp_path / "typo.py").write_text("import fheasible as fh\n\ndef f(:\n")
    (tmp_path / "absent.py").write_text("\nimport no_such_module_anywhere\n")
    (tmp_path / "quits.py").write_text("raise SystemExit(3)\n")
    (tmp_path / "wrong.py").write_text("import fheasible as fh\n\nfh.reals(0, low=0, high=1)\n")
    (tmp_path / "notes.txt").write_text("x")
    return tmp_path


def test_the_only_application_of_a_file(folder: Path) -> None:
    app = load(str(folder / "one.py"))
    assert (app.name, app.inputs[0].length) == ("double", 7)
    assert app.where.endswith("one.py:5")


def test_one_of_several_by_name(folder: Path) -> None:
    assert load(f"{folder / 'two.py'}:triple").name == "triple"


@pytest.mark.parametrize("file", ["", ":double"])
def test_an_empty_name_is_said(file: str) -> None:
    with pytest.raises(UsageError, match="file has no name"):
        load(file)


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("missing.py", "missing.py does not exist"),
        ("/dev/null", "is a device or a pipe"),
        ("x" * 5000 + ".py", "cannot be opened: File name too long"),
        ("", "is a folder"),
        ("notes.txt", "not a Python file"),
        ("none.py", "holds no application"),
        ("two.py", "2 applications: double, triple"),
        ("two.py:quadruple", "no application quadruple; it holds: double, triple"),
    ],
)
def test_what_is_not_there(folder: Path, file: str, message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        load(str(folder / file))
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("typo.py", r"typo.py:3: this is not valid Python: "),
        ("absent.py", r"absent.py:2: No module named 'no_such_module_anywhere'"),
        ("quits.py", r"quits.py:1: sys.exit was called"),
        ("wrong.py", r"wrong.py:3: the number of elements of a vector must be a whole number"),
    ],
)
def test_files_that_cannot_be_run_name_the_line(folder: Path, file: str, message: str) -> None:
    with pytest.raises(CircuitError, match=message):
        load(str(folder / file))


def test_a_package_that_is_missing_is_named_as_it_is_installed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.startswith("sklearn.")]:  # of an example loaded before
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "sklearn", None)
    (folder / "learned.py").write_text("from sklearn.datasets import load_iris\n")
    with pytest.raises(CircuitError, match=r"learned.py:1: .*sklearn") as caught:
        load(str(folder / "learned.py"))
    assert "pip install scikit-learn" in caught.value.remedy
    assert "\n" not in caught.value.message
