"""Numbers that an application's file names, and others in their place."""

from pathlib import Path

import pytest

from fheasible.circuit.load import load
from fheasible.circuit.numbers_named import named_numbers, number
from fheasible.errors import CircuitError, UsageError

FILE = """import fheasible as fh
n = 100
low: float = -2.5
twice = n * 2
flag = True
name = "x"
n = 10
if True:
    hidden = 4

@fh.app(x=fh.reals(n, low=low, high=3))
def sums(x):
    inner = 5
    return x + twice
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "sums.py"
    path.write_text(FILE)
    return path


def test_plain_numbers_at_the_top_have_names(file: Path) -> None:
    assert named_numbers(file) == {"n": 10, "low": -2.5}


def test_other_numbers_take_their_place_and_reach_what_follows_from_them(file: Path) -> None:
    (usual,), (other,) = (app.inputs for app in (load(str(file)), load(str(file), {"n": 32, "low": -1})))
    assert (usual.length, usual.low) == (10, -2.5)
    assert (other.length, other.low) == (32, -1)
    (x,) = load(str(file), {"n": 7}).inputs
    assert (x.length, x.low) == (7, -2.5)
    assert load(str(file)).inputs[0].length == 10  # nothing stays


@pytest.mark.parametrize("name", ["twice", "flag", "name", "hidden", "inner", "missing"])
def test_a_name_of_no_plain_number_is_refused_with_those_that_are(file: Path, name: str) -> None:
    with pytest.raises(UsageError, match=f"names no number {name}; it names n, low") as refused:
        load(str(file), {name: 3})
    assert f"`{name} = 3`" in refused.value.remedy


def test_a_file_that_is_not_python_says_so_here_too(tmp_path: Path) -> None:
    path = tmp_path / "broken.py"
    path.write_text("n = = 3")
    with pytest.raises(CircuitError, match="not valid Python"):
        load(str(path), {"n": 3})


def test_numbers_are_whole_where_they_are_written_so() -> None:
    assert [(type(x), x) for x in (number("n", t) for t in ("3", "-2", "0.5", "1e3"))] == [
        (int, 3), (int, -2), (float, 0.5), (float, 1000.0)
    ]  # fmt: skip
    with pytest.raises(UsageError, match="n='three' is not a number"):
        number("n", "three")
