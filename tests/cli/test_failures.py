"""What is told where stdout or stderr takes no more: quietly, with the exit code, and no traceback."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fheasible.store.store import Store

FHEASIBLE = [sys.executable, "-m", "fheasible.cli.main"]
GONE = 141  # as of what SIGPIPE ends
SMALL = ("--library", "seal", "--scheme", "bfv")


def with_closed(words: tuple[str, ...], *streams: str) -> Any:
    """The call with a pipe for those streams that nobody reads."""
    reading, writing = os.pipe()
    os.close(reading)
    given = {name: writing if name in streams else subprocess.PIPE for name in ("stdout", "stderr")}
    done = subprocess.run([*FHEASIBLE, *words], text=True, check=False, **given)  # type: ignore[call-overload]
    os.close(writing)
    return done


def traces(done: Any) -> bool:
    return any(word in f"{done.stdout}{done.stderr}" for word in ("Traceback", "Broken", "Exception ignored"))


@pytest.mark.long
@pytest.mark.parametrize("streams", [("stdout",), ("stderr",), ("stdout", "stderr")])
@pytest.mark.parametrize(("words", "code"), [(("params", "seal"), 2), (("params", "seal", "--json"), 2)])
def test_an_error_that_nobody_reads_ends_quietly(
    words: tuple[str, ...], code: int, streams: tuple[str, ...]
) -> None:
    done = with_closed(words, *streams)
    assert done.returncode == code
    assert not traces(done)


@pytest.mark.long
@pytest.mark.parametrize("streams", [("stdout",), ("stdout", "stderr")])
def test_an_answer_that_nobody_reads_ends_quietly_and_is_kept_for_reports(
    integers: str, store_path: Path, streams: tuple[str, ...]
) -> None:
    done = with_closed(("explore", integers, *SMALL, "--store", str(store_path)), *streams)
    assert done.returncode == GONE
    assert not traces(done)
    with Store.open(store_path) as store:
        assert len(store.explorations("dot")) == 1


@pytest.mark.long
def test_an_answer_is_given_where_nobody_listens_to_the_talk(integers: str, store_path: Path) -> None:
    done = with_closed(("explore", integers, *SMALL, "--store", str(store_path)), "stderr")
    assert not traces(done)
    assert "run it:" in done.stdout


@pytest.mark.long
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device here")
@pytest.mark.parametrize("words", [("params", "seal", "--json"), ("params", "seal", "ckks", "--depth", "1")])
def test_where_stdout_is_full_the_error_stands_on_stderr(words: tuple[str, ...]) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*FHEASIBLE, *words], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode in (1, 2)
    assert done.stderr.startswith("error: ")
    assert not traces(done)


@pytest.mark.long
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_table_goes_into_what_is_there_and_no_file(integers: str, store_path: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    words = ["explore", integers, *SMALL, "--csv", str(pipe), "--store", str(store_path)]
    with subprocess.Popen(
        [*FHEASIBLE, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as call:
        table = pipe.read_text()
        call.communicate()
    assert table.startswith("library,scheme,")
    assert len(table.splitlines()) > 1
    assert pipe.is_fifo()
    assert [file.name for file in tmp_path.iterdir() if "pipe" in file.name] == ["pipe"]
