"""Loops over cases in one test, which say in which case they failed."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def case(*what: object) -> Iterator[None]:
    """Adds to a failure inside what it was about."""
    try:
        yield
    except Exception as failure:
        failure.add_note(f"In the case: {', '.join(map(str, what))}")
        raise
