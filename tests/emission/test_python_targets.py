"""Python code for SEAL and OpenFHE, run as client and server in two processes."""

import ast
import json
import re
from collections import Counter
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fheasible.measurement.registry import command

from . import applications
from .running import Commands, check, emitted, example, run, secrets_are_kept

pytestmark = pytest.mark.worker

LIBRARIES = {"seal-python": "seal", "openfhe-python": "openfhe"}
EXAMPLES = (1, 2, 3, 4, 5, 6)  # integers modulo 2, as in the seventh, do not pack


def commands(target: str) -> Commands:
    python = command(LIBRARIES[target]).argv[0]
    return Commands((python, "-m", "client"), (python, "-m", "server"))


@pytest.mark.parametrize("target", LIBRARIES)
@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
def test_integers_are_exact(target: str, scheme: str, tmp_path: Path) -> None:
    made = emitted(applications.several, target, tmp_path / "out", scheme=scheme)
    check(made, run(tmp_path / "out", commands(target)))
    secrets_are_kept(tmp_path / "out")


@pytest.mark.parametrize("target", LIBRARIES)
def test_both_rows_of_a_full_ciphertext_are_summed(target: str, tmp_path: Path) -> None:
    made = emitted(applications.both_rows, target, tmp_path / "out", applications.TWO_ROWS, scheme="bfv")
    assert json.loads((tmp_path / "out" / "parameters.json").read_text())["swaps_rows"]
    check(made, run(tmp_path / "out", commands(target)))


@pytest.mark.parametrize("target", LIBRARIES)
def test_constants_keep_full_precision(target: str, tmp_path: Path) -> None:
    made = emitted(applications.constants, target, tmp_path / "out", precision=30)
    assert made.candidate["estimate"]["precision_bits"] >= 30
    check(made, run(tmp_path / "out", commands(target)))
    literals = _numbers(tmp_path / "out" / "server" / "evaluate.py")
    vectors = np.fromfile(tmp_path / "out" / "server" / "constants.bin", "<f8")
    assert applications.TINY in literals | set(vectors.tolist())
    assert all(w * applications.TINY in vectors for w in applications.WEIGHTS)


def _numbers(path: Path) -> set[float]:
    return {n.value for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Constant)}


@pytest.mark.parametrize("target", LIBRARIES)
@pytest.mark.parametrize("layout", applications.LAYOUTS)
def test_joined_inputs_are_read_column_by_column(target: str, layout: str, tmp_path: Path) -> None:
    made = emitted(applications.of_columns, target, tmp_path / "out", {"layout": layout}, precision=15)
    assert applications.joins(tmp_path / "out")
    check(made, run(tmp_path / "out", commands(target)))


@pytest.mark.parametrize("technique", ["fixedmanual", "fixedauto", "flexibleauto", "flexibleautoext"])
def test_every_technique_of_rescaling(technique: str, tmp_path: Path) -> None:
    params = {"technique": technique, "scale_bits": "45", "ring_dimension": "4096", "security": "none"}
    made = emitted(applications.constants, "openfhe-python", tmp_path / "out", params)
    check(made, run(tmp_path / "out", commands("openfhe-python")))


def test_the_same_operations_as_in_a_run(tmp_path: Path) -> None:
    emitted(example(2), "seal-python", tmp_path / "out", precision=15)
    text = (tmp_path / "out" / "server" / "evaluate.py").read_text()
    found = Counter(re.findall(r"^    \w+_\d+ = (?:evaluator|server)\.(\w+)\(", text, re.MULTILINE))
    names = {"rescale": "rescale", "mul": "multiply", "square": "square", "relinearize": "relinearize"}
    from fheasible.api.options import Options
    from fheasible.api.platform import Silent
    from fheasible.api.residues import Residues

    asked = Options(libraries=("seal",), precision=15)
    best = Residues().explore(example(2), asked, Silent(tmp_path / "store.sqlite")).exploration.best
    assert best is not None
    wanted = Counter(o.action.value for o in best.program.operations)
    assert {name: found[call] for name, call in names.items()} == {name: wanted[name] for name in names}
    assert found.total() == len(best.program.operations) - wanted["encrypt"]


@pytest.mark.parametrize("target", LIBRARIES)
def test_who_reads_how_to_run_it_knows_for_how_many_threads_it_was_chosen(
    target: str, tmp_path: Path
) -> None:
    """SEAL has one; OpenFHE takes all cores unless it is told otherwise."""
    emitted(applications.several, target, tmp_path / "out", scheme="bfv")
    text = (tmp_path / "out" / "README.md").read_text()
    assert ("chosen for one thread. OMP_NUM_THREADS sets" in text) == target.startswith("openfhe")


def test_the_parameters_are_those_that_were_chosen(tmp_path: Path) -> None:
    made = emitted(example(4), "seal-python", tmp_path / "out", scheme="ckks", precision=12)
    told = json.loads((tmp_path / "out" / "parameters.json").read_text())
    assert told["q"] == made.candidate["parameters"]["primes"]
    assert told["p"] == made.candidate["parameters"]["special_primes"]
    assert told["ring_dimension"] == made.candidate["parameters"]["ring_dimension"]
    (line,) = [
        line for line in (tmp_path / "out" / "parameters.json").read_text().splitlines() if '"scales"' in line
    ]
    assert all(
        float(text) == scale
        for text, scale in zip(re.findall(r"[\d.e+]+\d", line), told["scales"], strict=True)
    )


@pytest.mark.slow
@pytest.mark.parametrize("technique", ["flexibleauto", "fixedmanual"])
def test_a_bootstrap_gives_the_oracles_result(technique: str, tmp_path: Path) -> None:
    further = {
        "technique": technique, "first_bits": "50", "secret": "sparse_encapsulated",
        "bootstrap_iterations": "2", "bootstrap_iteration_bits": "12",
    }  # fmt: skip
    pinned = applications.BOOTSTRAPPED | further
    made = emitted(applications.refreshed, "openfhe-python", tmp_path / "out", pinned)
    check(made, run(tmp_path / "out", commands("openfhe-python")))
    secrets_are_kept(tmp_path / "out")
    assert "server.bootstrap(result_" in (tmp_path / "out" / "server" / "evaluate.py").read_text()


SEARCHED_LONG = ("openfhe-python", 2)  # half a minute of search alone


def cases() -> Iterator[Any]:
    """Each target with each example."""
    for target, number in product(LIBRARIES, EXAMPLES):
        marks = [] if number in (3, 6) else [pytest.mark.long]
        yield pytest.param(
            target, number, marks=pytest.mark.slow if (target, number) == SEARCHED_LONG else marks
        )


@pytest.mark.parametrize(("target", "number"), list(cases()))
def test_every_example_gives_the_oracles_result(target: str, number: int, tmp_path: Path) -> None:
    made = emitted(example(number), target, tmp_path / "out")
    check(made, run(tmp_path / "out", commands(target)))
    secrets_are_kept(tmp_path / "out")
