"""What an application leaves behind neither keeps the process alive nor spoils the answer."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

APP = """import fheasible as fh
import atexit, os, sys, threading, time
%s
@fh.app(x=fh.reals(8, low=0, high=1))
def f(x):
    return x * x
"""


@pytest.mark.long
@pytest.mark.parametrize(
    "line",
    [
        "threading.Thread(target=lambda: time.sleep(1000)).start()",
        "atexit.register(lambda: print('noise'))",
        "atexit.register(lambda: os.system('echo noise'))",
    ],
)
def test_the_answer_is_one_document_and_the_process_ends(line: str, tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(APP % line)
    call = [sys.executable, "-m", "fheasible.cli.main", "explore", "app.py", "--library", "seal", "--json"]
    ended = subprocess.run(
        [*call, "--store", "s.sqlite"], cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False
    )
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout)["app"] == "f"
