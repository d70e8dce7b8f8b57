"""Where new memory lies: the counts against the page faults of the system."""

import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fheasible.measurement.ring_run import surroundings
from fheasible.rings.pieces import HEAP, HUGE, MAPPED_BYTES, PAGED, Pieces, new_array, new_buffer, together

PAGE = 4096
sizes = st.integers(1, 1 << 34).map(lambda words: 8 * words)


@given(sizes)
def test_every_byte_of_a_new_piece_lies_somewhere(size: int) -> None:
    for counts in (new_array(size), new_buffer(size)):
        assert sum(counts.values()) == size
        assert min(counts.values()) >= 0
        assert bool(counts[HEAP]) == (size < MAPPED_BYTES)


@given(sizes, sizes, st.integers(0, 1 << 40))
def test_room_on_the_heap_moves_large_pieces_there_and_loses_no_byte(a: int, b: int, room: int) -> None:
    given_counts = together(new_array(a), new_buffer(b), {HUGE: 0})
    pieces = Pieces(given_counts, a, b, room)
    assert sum(pieces.counts.values()) == pytest.approx(a + b)
    assert 0 <= pieces.heap <= a
    assert Pieces(given_counts, a, b, 0).counts == given_counts
    assert Pieces(given_counts, a, b, 1 << 60).counts[PAGED] == 0


FAULTS = """
import json, resource, sys
import numpy as np
def faults(words):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    np.zeros(words, np.uint64)[:] = 1
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
sizes = json.loads(sys.argv[1])
[faults(size // 8) for size in sizes]
print(json.dumps([faults(size // 8) for size in sizes]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the C library whose heap is meant is that of Linux")
def test_small_pieces_take_no_new_pages_and_larger_ones_all_of_theirs() -> None:
    told = [1 << 15, 1 << 17, 1 << 18, 1 << 20, 3 << 20]
    argv = [sys.executable, "-c", FAULTS, json.dumps(told)]
    done = subprocess.run(argv, env=surroundings(), capture_output=True, text=True, check=True)
    for size, seen in zip(told, json.loads(done.stdout), strict=True):
        assert seen == pytest.approx(new_array(size)[PAGED] / PAGE, abs=8)
