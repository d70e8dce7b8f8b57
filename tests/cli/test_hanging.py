"""An application that hangs where Python hears of no signal ends the process of the command line."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

APP = """import fheasible as fh
import hashlib
%s
@fh.app(x=fh.reals(8, low=0, high=1))
def f(x):
    %s
    return x * x
"""
CALL = """
from fheasible.circuit import load, trace, watchdog
from fheasible.cli.main import main
load.LOAD_SECONDS = trace.TRACE_SECONDS = watchdog.GRACE_SECONDS = 1.0
main()
"""
IN_C = "hashlib.pbkdf2_hmac('sha256', b'', b'', 2**31 - 1)"  # an hour, in which other threads run
ALONE = "sum(range(10**13))"  # an hour, in which none does


def ended(folder: Path, load: str, trace: str, *words: str) -> subprocess.CompletedProcess[str]:
    (folder / "app.py").write_text(APP % (load, trace))
    call = [sys.executable, "-c", CALL, "explore", "app.py", "--library", "seal", "--store", "s.sqlite"]
    return subprocess.run(
        [*call, *words], cwd=folder, capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.long
@pytest.mark.parametrize(("load", "trace", "line"), [(IN_C, "pass", 3), ("pass", IN_C, 6)])
def test_it_is_said_where_and_what_to_do(load: str, trace: str, line: int, tmp_path: Path) -> None:
    found = ended(tmp_path, load, trace)
    assert found.returncode == 1
    assert found.stdout == ""
    assert f"error: app.py:{line}: " in found.stderr
    assert "did not end within 1 s" in found.stderr
    assert "remedy: Check whether a loop never ends." in found.stderr


@pytest.mark.long
def test_it_is_one_document_too(tmp_path: Path) -> None:
    found = ended(tmp_path, IN_C, "pass", "--json")
    assert found.returncode == 1
    assert "app.py:3: loading app.py did not end" in json.loads(found.stdout)["error"]["message"]


@pytest.mark.long
def test_of_a_call_that_lets_nothing_else_run_the_place_is_said(tmp_path: Path) -> None:
    found = ended(tmp_path, ALONE, "pass")
    assert found.returncode == 1
    assert "Timeout" in found.stderr
    assert 'app.py", line 3 in <module>' in found.stderr


@pytest.mark.long
def test_a_copy_of_the_process_ends_as_before(tmp_path: Path) -> None:
    found = ended(tmp_path, "import os; os.fork()", "pass", "--json")
    assert found.returncode == 0
    assert json.loads(found.stdout)["app"] == "f"
