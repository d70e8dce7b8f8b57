"""How large an application may be: beyond it nothing is known that would run it, and tracing it would fill
the memory. Each limit is said with the figure and a remedy."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from fheasible.circuit.refusals import fail

MOST_ELEMENTS = 1 << 22  # of a vector: 128 ciphertexts of the largest ring in CKKS
MOST_ENTRIES = 1 << 25  # of a plain matrix, zeros of a dense one counted: some 4096 x 8192
MOST_NODES = 30_000  # operations of an application
MOST_WORK = 1 << 31  # elements of all its vectors together
HIGHEST_POWER = 1 << 16  # sixteen levels, or 65,535 products as written
HIGHEST_DEGREE = 8191  # of a series or polynomial: thirteen levels


def checked_elements(count: int, what: str = "a vector") -> None:
    """CircuitError for a vector of more elements than are traced."""
    if count > MOST_ELEMENTS:
        fail(
            f"{what} of {count:,} elements is longer than an application may have: {MOST_ELEMENTS:,}"
            " elements are the most",
            "Describe a part of it, of a million elements, say: what is done element by element takes as many"
            " times longer as there are parts.",
        )


def checked_entries(rows: int, columns: int) -> None:
    """CircuitError for a plain matrix of more entries than are traced."""
    if rows * columns > MOST_ENTRIES:
        fail(
            f"a plain matrix of {rows:,} x {columns:,} is larger than an application may have:"
            f" {MOST_ENTRIES:,} entries are the most",
            "Give a sparse matrix of scipy's where most entries are zero, or work on blocks of rows.",
        )


class Made:
    """What a trace has made so far."""

    def __init__(self) -> None:
        self.nodes = self.elements = 0

    def add(self, length: int) -> None:
        self.nodes += 1
        self.elements += length
        if self.nodes > MOST_NODES:
            fail(
                f"the application has more than {MOST_NODES:,} operations, the most that are traced",
                "Does a loop not end? Otherwise operate on whole vectors instead of their elements: x * y,"
                " fh.sum(x), matrix @ x.",
            )
        if self.elements > MOST_WORK:
            fail(
                f"the application's {self.nodes:,} vectors have more than {MOST_WORK:,} elements together,"
                " the most that are traced",
                "Describe it with shorter vectors, or with fewer operations.",
            )


_tracing: ContextVar[Made | None] = ContextVar("tracing", default=None)


@contextmanager
def counted() -> Iterator[None]:
    """What is made in the block is counted, and stopped at the limits."""
    before = _tracing.set(Made())
    try:
        yield
    finally:
        _tracing.reset(before)


def count(length: int) -> None:
    """One more vector of that length."""
    made = _tracing.get()
    if made is not None:
        made.add(length)
