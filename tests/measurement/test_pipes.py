"""The pipes of a child carry everything both ways, in whichever way the system can wait for them."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psutil
import pytest

from fheasible.measurement import channel, pipes
from fheasible.measurement.channel import Channel
from fheasible.measurement.pipes import ERRORS, OUTPUT, Pipes, PolledPipes, ThreadedPipes

Kind = Callable[["subprocess.Popen[bytes]"], Pipes]
MUCH = 2**20  # bytes, which no pipe holds
# writes to both outputs what it reads, and more to the errors than a pipe holds before it reads anything
ECHO = f"""
import sys
sys.stderr.write("e" * {MUCH})
sys.stderr.flush()
for line in sys.stdin.buffer:
    sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()
sys.stdout.write("end")
"""
both = pytest.mark.parametrize("kind", [PolledPipes, ThreadedPipes])


@contextmanager
def child(kind: Kind, code: str) -> Iterator[Pipes]:
    run = [sys.executable, "-c", code]
    pipe = subprocess.PIPE
    process = subprocess.Popen(run, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0)
    made = kind(process)
    try:
        yield made
    finally:
        process.kill()
        process.wait()
        made.close()


def received(made: Pipes, name: str, until: Callable[[bytes], bool]) -> bytes:
    """What has come at that pipe, until it is enough or 20 seconds are over."""
    found, late = {OUTPUT: b"", ERRORS: b""}, time.monotonic() + 20
    while not until(found[name]) and time.monotonic() < late:
        for at, piece in made.read(0.05) or ():
            found[at] += piece
    return found[name]


@both
def test_a_child_that_prints_much_while_it_is_written_to_locks_nothing_up(kind: Kind) -> None:
    sent = b"x" * MUCH + b"\n"
    with child(kind, ECHO) as made:
        made.write(sent)
        assert received(made, OUTPUT, lambda got: got.endswith(b"\n")) == sent
        made.hang_up()
        assert received(made, OUTPUT, lambda got: b"end" in got) == b"end"


@both
def test_a_child_that_reads_nothing_any_more_is_heard_to_its_end(kind: Kind) -> None:
    with child(kind, "import os; os.close(0); print('last words')") as made:
        made.write(b"y" * MUCH)
        assert received(made, OUTPUT, lambda got: got.endswith(b"words\n")) == b"last words\n"


@both
def test_the_end_of_a_pipe_is_an_empty_piece_and_silence_is_none(kind: Kind) -> None:
    with child(kind, "import time; time.sleep(60)") as made:
        assert made.read(0.0) is None
        assert made.read(0.01) is None
    with child(kind, "") as made:
        ended = set()
        while len(ended) < 2:
            ended |= {name for name, piece in made.read(0.05) or () if not piece}
        assert ended == {OUTPUT, ERRORS}


@both
@pytest.mark.parametrize("forks", [True, False])
def test_a_channel_ends_its_child_and_whatever_that_started(
    kind: Kind, forks: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipes, "FORKS", kind is PolledPipes)
    monkeypatch.setattr(channel, "FORKS", forks)
    if not forks:
        monkeypatch.delattr("os.killpg")
    code = (
        "import subprocess, sys; subprocess.Popen(['sleep', '60']); print('up', flush=True); sys.stdin.read()"
    )
    opened = Channel([sys.executable, "-c", code], {"PATH": "/usr/bin:/bin"})
    assert opened.receive(time.monotonic() + 20) == b"up"
    family = psutil.Process(opened.pid).children()
    assert len(family) == 1
    opened.end(0.0)
    _, alive = psutil.wait_procs(family, timeout=5)
    assert not alive
