"""A run whose process is killed leaves a row that says so."""

import os
import platform
import signal
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from fheasible.store.attempts import is_gone, this_process
from fheasible.store.rows import Entry
from fheasible.store.store import Store

Json = dict[str, Any]
BEGIN = """
import time
from fheasible.store.rows import Entry
from fheasible.store.store import Store
with Store.open({path!r}) as store:
    print(store.begin(Entry(**{entry!r}), {environment!r}), flush=True)
    time.sleep(600)
"""


@pytest.mark.long
def test_a_run_of_a_killed_process_has_a_row(tmp_path: Path, entry: Entry, environment: Json) -> None:
    path = tmp_path / "results.sqlite"
    code = BEGIN.format(path=str(path), entry=asdict(entry), environment=environment)
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "1\n"
        with Store.open(path) as store:
            assert store.measurements() == []  # it goes on
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        for _ in range(2):  # once, however often the store is opened
            with Store.open(path) as store:
                (found,) = store.measurements()
    assert found.entry.outcome == "died"
    assert "Fheasible itself ended before this run" in found.entry.message
    assert (found.entry.app, found.entry.request) == (entry.app, entry.request)
    assert found.environment == environment


def test_an_attempt_that_has_ended_leaves_its_row_alone(
    tmp_path: Path, entry: Entry, environment: Json
) -> None:
    with Store.open(tmp_path / "results.sqlite") as store:
        attempt = store.begin(entry, environment)
        number = store.add_measurement(entry, environment, attempt)
        assert [m.id for m in store.measurements()] == [number]
        with store._engine.connect() as connection:
            assert connection.exec_driver_sql("SELECT count(*) FROM attempts").scalar() == 0


def test_only_what_ran_here_is_known_to_be_gone() -> None:
    own = this_process()
    node, boot, number, started = own.split("/")
    assert node == platform.node()
    assert not is_gone(own)
    assert is_gone("/".join((node, boot, number, "1.00")))  # another process of the same number
    assert is_gone("/".join((node, "an earlier start", number, started)))
    assert not is_gone("/".join((f"not {node}", boot, "1", "1.00")))
