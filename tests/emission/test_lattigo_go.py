"""Go code for Lattigo, compiled, and run as client and server in two processes."""

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from fheasible.measurement.registry import workers_folder

from . import applications
from .running import Commands, check, emitted, example, run, secrets_are_kept

GO = shutil.which("go")
pytestmark = [pytest.mark.worker, pytest.mark.skipif(GO is None, reason="there is no Go on the PATH")]
COMMANDS = Commands(
    ("bin/client",),
    ("bin/server",),
    (("mkdir", "-p", "bin"), (GO or "go", "build", "-o", "bin/", "./client", "./server")),
)
PINNED = {"ring_dimension": "4096", "security": "none", "scale_bits": "40"}
EXAMPLES = (1, 2, 3, 4, 5, 6)  # integers modulo 2, as in the seventh, do not pack


@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
def test_integers_are_exact(scheme: str, tmp_path: Path) -> None:
    made = emitted(applications.several, "lattigo-go", tmp_path / "out", scheme=scheme)
    check(made, run(tmp_path / "out", COMMANDS))
    secrets_are_kept(tmp_path / "out")


def test_both_rows_of_a_full_ciphertext_are_summed(tmp_path: Path) -> None:
    made = emitted(
        applications.both_rows, "lattigo-go", tmp_path / "out", applications.TWO_ROWS, scheme="bgv"
    )
    check(made, run(tmp_path / "out", COMMANDS))


def test_constants_keep_full_precision(tmp_path: Path) -> None:
    made = emitted(applications.constants, "lattigo-go", tmp_path / "out", precision=30)
    assert made.candidate["estimate"]["precision_bits"] >= 30
    check(made, run(tmp_path / "out", COMMANDS))
    text = (tmp_path / "out" / "server" / "evaluate.go").read_text()
    literals = {float(number) for number in re.findall(r"Number\(\w+, ([-+.e\d]+)\)", text)}
    vectors = np.fromfile(tmp_path / "out" / "server" / "constants.bin", "<f8")
    assert applications.TINY in literals | set(vectors.tolist())
    assert all(w * applications.TINY in vectors for w in applications.WEIGHTS)


def test_an_input_in_several_ciphertexts_may_have_any_name(tmp_path: Path) -> None:
    apart = {"slots": "4", "layout": "by_column"}
    made = emitted(applications.awkward, "lattigo-go", tmp_path / "out", apart, scheme="bfv")
    assert "s_1, s_2, s_3, s_4 := " in (tmp_path / "out" / "server" / "evaluate.go").read_text()
    check(made, run(tmp_path / "out", COMMANDS))


@pytest.mark.parametrize("layout", applications.LAYOUTS)
def test_joined_inputs_are_read_column_by_column(layout: str, tmp_path: Path) -> None:
    made = emitted(applications.of_integers, "lattigo-go", tmp_path / "out", {"layout": layout}, scheme="bgv")
    assert applications.joins(tmp_path / "out")
    check(made, run(tmp_path / "out", COMMANDS))


@pytest.mark.slow
@pytest.mark.parametrize(
    "further", [{}, {"bootstrap_iterations": "2", "bootstrap_iteration_bits": "12"}], ids=["once", "twice"]
)
def test_a_bootstrap_gives_the_oracles_result(further: dict[str, str], tmp_path: Path) -> None:
    made = emitted(
        applications.refreshed, "lattigo-go", tmp_path / "out", applications.BOOTSTRAPPED | further
    )
    check(made, run(tmp_path / "out", COMMANDS))
    secrets_are_kept(tmp_path / "out")
    assert "s.bootstrap(result_" in (tmp_path / "out" / "server" / "evaluate.go").read_text()


def test_the_code_is_in_gofmts_form(tmp_path: Path) -> None:
    emitted(applications.constants, "lattigo-go", tmp_path / "out", PINNED, scheme="ckks")
    assert shutil.which("gofmt")
    done = subprocess.run(
        ["gofmt", "-l", "."], cwd=tmp_path / "out", capture_output=True, text=True, check=True
    )
    assert done.stdout == ""


def test_the_modules_are_those_of_the_worker(tmp_path: Path) -> None:
    emitted(applications.constants, "lattigo-go", tmp_path / "out", PINNED, scheme="ckks")
    worker = workers_folder() / "lattigo"
    assert (tmp_path / "out" / "go.sum").read_text() == (worker / "go.sum").read_text()
    own, theirs = (
        set(re.findall(r"(\S+ v\S+)", (folder / "go.mod").read_text()))
        for folder in (tmp_path / "out", worker)
    )
    assert own == theirs


@pytest.mark.parametrize(
    "number", [pytest.param(n, marks=[] if n in (3, 6) else pytest.mark.long) for n in EXAMPLES]
)
def test_every_example_gives_the_oracles_result(number: int, tmp_path: Path) -> None:
    made = emitted(example(number), "lattigo-go", tmp_path / "out")
    check(made, run(tmp_path / "out", COMMANDS))
    secrets_are_kept(tmp_path / "out")
