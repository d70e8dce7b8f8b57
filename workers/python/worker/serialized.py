"""Serialized objects: their sizes, without a copy in memory or on disk, and what is in them."""

import os
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path


def size(save: Callable[[str], object]) -> int:
    """How many bytes `save(path)` writes.

    The path is a pipe into a counter: rotation keys can be larger than what is left of either memory or disk.
    The counter is a process of its own, because the bindings hold the interpreter while they write.
    """
    if not hasattr(os, "mkfifo"):  # Windows
        return len(written(save))
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "pipe")
        os.mkfifo(path)
        counter = subprocess.Popen(
            ["sh", "-c", 'exec wc -c < "$0"', path], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
        )
        try:
            save(path)
            counted, _ = counter.communicate(timeout=60)
        finally:
            counter.kill()  # it would wait for a writer for ever if `save` failed
            counter.wait()
    return int(counted)


def written(save: Callable[[str], object]) -> bytes:
    """What `save(path)` writes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "object"
        save(str(path))
        return path.read_bytes()
