"""Freed memory is kept for the next array, and cycles are rarely looked for."""

import gc
import platform
import subprocess
import sys

import pytest

from fheasible.heap import collected_rarely

FAULTS = """
import resource
import numpy as np
from fheasible.heap import keep_freed_memory
if {keep}:
    assert keep_freed_memory()
def work():
    x = np.zeros(100_000)
    return x + (x + 1.0) * (x + 2.0)
work()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(200):
    work()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.long
@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="not the GNU C library")
def test_arrays_that_come_and_go_take_no_new_pages() -> None:
    """Else each array of 800,000 bytes takes some 200 of them, which the system has to clear."""
    kept, given_back = (
        int(
            subprocess.run(
                [sys.executable, "-c", FAULTS.format(keep=keep)], capture_output=True, check=True
            ).stdout
        )
        for keep in (True, False)
    )
    assert kept < 2_000
    assert given_back > 10 * kept


@pytest.mark.parametrize("first", [700, 0, 10**7])
def test_cycles_are_looked_for_as_before_in_the_end(first: int) -> None:
    """And not at all where they are not looked for, or more rarely yet."""
    before = gc.get_threshold()
    try:
        gc.set_threshold(first, 10, 10)
        with collected_rarely():
            assert gc.get_threshold()[0] == {700: 300_000}.get(first, first)
        assert gc.get_threshold() == (first, 10, 10)
    finally:
        gc.set_threshold(*before)
