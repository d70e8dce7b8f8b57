"""How large an application may be.

Nothing is known that would run a larger one, and tracing it would fill the memory. The error at each limit
states the figure and a remedy.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from fheasible.circuit.refusals import fail

MOST_ELEMENTS = 1 << 22  # elements of a vector: 128 ciphertexts of the largest ring in CKKS
MOST_ENTRIES = 1 << 25  # entries of a plain matrix, such as 4096 x 8192; zeros of a dense matrix count
MOST_NODES = 30_000  # operations of an application
MOST_WORK = 1 << 31  # elements of all vectors of an application together
MOST_OUTPUTS = 1_000  # results of an application; noise is followed to each of them
HIGHEST_POWER = 1 << 16  # sixteen levels, or 65,535 products as written
HIGHEST_DEGREE = 8191  # degree of a series or polynomial: thirteen levels


def checked_elements(count: int, what: str = "a vector") -> None:
    """Raises CircuitError for a vector of more than MOST_ELEMENTS elements."""
    if count > MOST_ELEMENTS:
        fail(
            f"{what} of {count:,} elements is too long: an application may have vectors of at most"
            f" {MOST_ELEMENTS:,} elements",
            "Describe a part of it, for example of a million elements. For elementwise operations, the time"
            " for all parts is that for one part, times their number.",
        )


def checked_entries(rows: int, columns: int) -> None:
    """Raises CircuitError for a plain matrix of more than MOST_ENTRIES entries."""
    if rows * columns > MOST_ENTRIES:
        fail(
            f"a plain matrix of {rows:,} x {columns:,} is too large: an application may have matrices of "
            f"at most {MOST_ENTRIES:,} entries",
            "Give a sparse scipy matrix if most entries are zero, or work on blocks of rows.",
        )


class TraceSize:
    """The numbers of nodes and of elements that a trace has made so far."""

    def __init__(self) -> None:
        self.nodes = self.elements = 0

    def add(self, length: int) -> None:
        self.nodes += 1
        self.elements += length
        if self.nodes > MOST_NODES:
            fail(
                f"the application has more than {MOST_NODES:,} operations, the most that are traced",
                "Check whether a loop never ends. Otherwise operate on whole vectors instead of their "
                "elements: x * y, fh.sum(x), matrix @ x.",
            )
        if self.elements > MOST_WORK:
            fail(
                f"the application's {self.nodes:,} vectors have more than {MOST_WORK:,} elements together,"
                " the most that are traced",
                "Describe the application with shorter vectors or fewer operations.",
            )


_tracing: ContextVar[TraceSize | None] = ContextVar("tracing", default=None)


@contextmanager
def counted() -> Iterator[None]:
    """A block in which vectors are counted as they are made; CircuitError beyond the limits."""
    before = _tracing.set(TraceSize())
    try:
        yield
    finally:
        _tracing.reset(before)


def count(length: int) -> None:
    """Adds a vector of that length to the count of the current trace, if there is one."""
    made = _tracing.get()
    if made is not None:
        made.add(length)
