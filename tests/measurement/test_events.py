"""Counters against the live kernel: software events, which every Linux has, stand for those of hardware."""

import os
import struct
import subprocess
import sys
from collections.abc import Mapping

import pytest

from fheasible.measurement import events
from fheasible.measurement.channel import Channel
from fheasible.measurement.events import EVENTS, READ_BYTES, Events, available

SOFTWARE = {"page_faults": (1, 2)}
ABSENT = {"nothing": (1, 999)}
PAGES = 3000
TOUCHES = f"""
import mmap, os, sys, threading
def touch():
    fresh = mmap.mmap(-1, {PAGES} * mmap.PAGESIZE)
    fresh.madvise(mmap.MADV_NOHUGEPAGE)
    for at in range(0, len(fresh), mmap.PAGESIZE):
        fresh[at] = 1
place = int(sys.argv[1])
before = os.read(place, 24)
thread = threading.Thread(target=touch)
thread.start()
thread.join()
print(before.hex() + " " + os.read(place, 24).hex(), flush=True)
"""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="perf_event_open is Linux's")


def told(kinds: Mapping[str, tuple[int, int]]) -> list[bytes]:
    """The counter as a child reads it, before and after a thread of the child touches fresh pages."""
    with Events(kinds) as opened:
        argv = [sys.executable, "-c", TOUCHES, str(opened.descriptors[0])]
        channel = Channel(argv, os.environ, events=opened)
    line = channel.receive().decode()
    assert channel.end(5) == 0
    return [bytes.fromhex(word) for word in line.split(" ")]


def allowed() -> bool:
    with Events(SOFTWARE) as opened:
        opened.open_here()
        return bool(os.read(opened.descriptors[0], READ_BYTES))


@pytest.mark.skipif(not allowed(), reason="this kernel lets nobody count")
def test_a_child_reads_what_all_its_threads_did_since_its_program_began() -> None:
    before, after = (struct.unpack("qqq", reading) for reading in told(SOFTWARE))
    assert after[0] - before[0] >= PAGES
    assert after[1] > before[1]


def test_a_counter_that_the_kernel_does_not_give_reads_as_nothing() -> None:
    assert told(ABSENT) == [b"", b""]


def test_on_a_machine_whose_call_is_unknown_every_place_is_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events.platform, "machine", lambda: "vax")
    assert told(SOFTWARE) == [b"", b""]
    assert not available("instructions")


def test_the_places_are_closed_in_the_parent() -> None:
    with Events() as opened:
        places = opened.descriptors
        assert len(places) == len(EVENTS)
    for place in places:
        with pytest.raises(OSError, match="Bad file"):
            os.fstat(place)


def test_other_children_do_not_inherit_them() -> None:
    with Events(SOFTWARE) as opened:
        look = f"import os; os.fstat({opened.descriptors[0]})"
        done = subprocess.run([sys.executable, "-c", look], capture_output=True, check=False)
    assert b"Bad file" in done.stderr
