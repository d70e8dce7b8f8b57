"""The cells of a sweep of a library: each is what the same settings give one by one."""

from pathlib import Path
from typing import Any

import pytest

from fheasible.api.asking import problem_of
from fheasible.errors import UsageError
from fheasible.exploration.judging.chosen import USUAL, chosen, request_from
from fheasible.exploration.problem.wish import Wish
from fheasible.exploration.sweeps.cells import MOST, Cell, cell_grid, cells
from fheasible.libraries.catalogue import CATALOGUE, library
from fheasible.program.digest import digest

FILE = """import fheasible as fh
n = 100
power = 2

@fh.app(x=fh.reals(n, low=0, high=1))
def powers(x):
    return fh.mean(x ** power)
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "powers.py"
    path.write_text(FILE)
    return path


def swept(file: Path, name: str, *vary: str, fix: Any = (), numbers: Any = ()) -> list[Cell]:
    wanted = cell_grid(library(name), "ckks", vary, fix, (), numbers)
    found = list(cells(wanted, lambda given: problem_of(file, None, 0, numbers=given), Wish(), None))
    assert len(found) == len(wanted)
    return found


@pytest.mark.parametrize("name", CATALOGUE)
def test_a_cell_is_the_set_of_its_settings_or_says_why_there_is_none(file: Path, name: str) -> None:
    problem = problem_of(file, None, 0)
    found = swept(file, name, "scale_bits=20:60:10", "ring_dimension=1024,16384", fix=["security=192"])
    assert [dict(cell.told) for cell in found] == [
        {"security": "192", "scale_bits": str(bits), "ring_dimension": str(n)}
        for bits in (20, 30, 40, 50, 60)
        for n in (1024, 16384)
    ]
    made = [cell for cell in found if cell.candidate]
    assert 0 < len(made) < len(found)
    for cell in made:
        request = request_from("ckks", dict(cell.told), 128)
        alone = chosen(problem, library(name), request, None, USUAL)
        assert cell.candidate is not None
        assert cell.candidate.parameters == alone.parameters
        assert digest(cell.candidate.program) == digest(alone.program)
        assert cell.candidate.estimate.security_bits == alone.estimate.security_bits
        assert cell.refused == ""
    assert all(cell.refused for cell in found if not cell.candidate)


def test_numbers_of_the_application_are_axes_as_well(file: Path) -> None:
    found = swept(file, "seal", "scale_bits=30,40", numbers=["power=2:4", "n=50"])
    assert [(c.told["scale_bits"], c.told["power"], c.told["n"]) for c in found] == [
        (bits, power, "50") for bits in ("30", "40") for power in ("2", "3", "4")
    ]
    assert {len(c.problem.data["x"]) for c in found} == {50}
    depths = [c.candidate.request.depth for c in found if c.candidate]
    assert depths == [depths[0], depths[0] + 1, depths[0] + 1] * 2  # x^2; then x^3 and x^4
    problems = {c.told["power"]: c.problem for c in found}
    assert all(c.problem is problems[c.told["power"]] for c in found)  # traced once for each power


@pytest.mark.parametrize(
    ("vary", "fix", "numbers", "said"),
    [
        (["depth=3"], [], [], "the depth follows from the application"),
        (["colour=3"], [], [], "CKKS has no parameter 'colour'"),
        (["plain_modulus=65537"], [], [], "CKKS has no parameter 'plain_modulus'"),
        (["scale_bits=30,30"], [], [], "has a value twice"),
        (["scale_bits=30"], ["scale_bits=40"], [], "scale_bits is given twice"),
        (["scale_bits=30"], [], ["scale_bits=4"], "scale_bits is given twice"),
        (["scale_bits=50:30"], [], [], "empty range"),
        (["scale_bits"], [], [], "is not a setting"),
        ([], ["scale_bits=30,40"], [], "has 2 values"),
        ([f"scale_bits=1:{MOST + 1}"], [], [], "too many for a sweep"),
    ],
)
def test_what_is_no_grid_is_told_before_anything_is_reckoned(
    vary: list[str], fix: list[str], numbers: list[str], said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        cell_grid(library("openfhe"), "ckks", vary, fix, (), numbers)


def test_a_value_that_its_setting_cannot_have_ends_the_sweep(file: Path) -> None:
    with pytest.raises(UsageError, match="scale_bits='many' is not a whole number"):
        swept(file, "seal", "scale_bits=30,many")
    with pytest.raises(UsageError, match="names no number m"):
        swept(file, "seal", "scale_bits=30", numbers=["m=3"])
