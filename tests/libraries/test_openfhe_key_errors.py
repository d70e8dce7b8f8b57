"""The errors of OpenFHE's keys, read out of the live library's serialized keys."""

import json
import subprocess
from pathlib import Path

import pytest

from fheasible.libraries.openfhe.operations import KEY_SIGMA
from fheasible.security.tables import SIGMA

from .asking_openfhe import PYTHON, needs_openfhe

pytestmark = [pytest.mark.worker, needs_openfhe]
WORKER = Path(__file__).parents[2] / "workers" / "python"


def test_switching_keys_have_narrower_errors_than_the_public_key() -> None:
    script = Path(__file__).with_name("live_openfhe_key_errors.py")
    done = subprocess.run([PYTHON, script, WORKER], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    widths = json.loads(done.stdout)
    assert widths["public"] == pytest.approx([SIGMA] * len(widths["public"]), rel=0.1)
    assert len(widths["switching"]) > 0
    assert widths["switching"] == pytest.approx([KEY_SIGMA] * len(widths["switching"]), rel=0.1)
