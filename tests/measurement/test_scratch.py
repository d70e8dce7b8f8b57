"""Plaintexts in temporary folders go with the process, or with the next one."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from fheasible.measurement.scratch import scratch, sweep

HOLD = """
import time
from fheasible.measurement.scratch import scratch
with scratch() as folder:
    (folder / "plain.npy").write_text("secret")
    print(folder, flush=True)
    time.sleep(600)
"""


def test_a_folder_goes_with_the_block() -> None:
    with scratch() as folder:
        assert folder.is_dir()
    assert not folder.exists()


def test_what_a_killed_process_left_goes_at_the_next_start_and_what_is_in_use_stays(tmp_path: Path) -> None:
    command, surroundings = [sys.executable, "-c", HOLD], os.environ | {"TMPDIR": str(tmp_path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=surroundings) as process:
        assert process.stdout is not None
        folder = Path(process.stdout.readline().strip())
        assert folder.parent == tmp_path
        sweep(tmp_path)
        assert (folder / "plain.npy").exists()
        os.kill(process.pid, signal.SIGKILL)
    (tmp_path / "fheasible-other").mkdir()
    sweep(tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["fheasible-other"]
