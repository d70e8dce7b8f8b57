"""What reads a machine's facts, its locale, time zone or home folder is tested as if run on others."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from machines import MACHINES

READING = (
    "calibration/test_defaults.py", "calibration/test_steady.py", "calibration/test_threads.py",
    "cli/test_calibrate.py", "cli/test_libraries.py", "exploration/test_recorded.py",
    "measurement/test_environment.py", "measurement/test_least.py", "measurement/test_machine.py",
    "store", "test_units.py",
)  # fmt: skip
PLACES = {
    "laptop": {"LC_ALL": "de_DE.UTF-8", "TZ": "Europe/Berlin"},
    "server": {"LC_ALL": "C", "TZ": "UTC"},
    "rented": {"LC_ALL": "C.UTF-8", "TZ": "Pacific/Kiritimati"},
    "epyc": {"LANG": "tr_TR.UTF-8", "TZ": "America/St_Johns"},
    "one core": {"LC_ALL": "POSIX", "TZ": "Asia/Kathmandu"},
    "unknown": {"LC_ALL": "nowhere", "TZ": "No/Where"},
}
TESTS = Path(__file__).parent


@pytest.mark.slow
@pytest.mark.parametrize("machine", MACHINES)
def test_tests_pass_as_if_on_another_machine(machine: str, tmp_path: Path) -> None:
    """With a home folder that is empty or, on every second machine, cannot be written to."""
    home = "/dev/null" if list(MACHINES).index(machine) % 2 else str(tmp_path)
    files = [str(TESTS / name) for name in READING]
    run = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not slow and not worker"]
    place = {name: value for name, value in os.environ.items() if name not in ("LC_ALL", "LANG")}
    done = subprocess.run(
        [*run, "--machine", machine, *files],
        cwd=TESTS.parent, env=place | PLACES[machine] | {"HOME": home},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:]
    assert " passed" in done.stdout
