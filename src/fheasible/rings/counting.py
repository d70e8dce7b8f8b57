"""The counting interpreter: it runs a scheme's functions on shapes alone and leaves a tally.

n, log2 q and every shape may be arrays with one entry per parameter set. One run of the scheme then counts
thousands of sets. Memory is in use for as long as the scheme's own variables live, as in a real run.
"""

from collections.abc import Iterable
from typing import Any

from fheasible.rings.element import Element
from fheasible.rings.kernels import kernels
from fheasible.rings.operations import Operations
from fheasible.rings.pieces import Pieces, copies, together
from fheasible.rings.products import stored_bytes
from fheasible.rings.ring import Ring
from fheasible.rings.sizes import Size, ceil_div, larger
from fheasible.rings.tally import Moment, Stored, Tally
from fheasible.rings.weights import PANTHERS, Weights
from fheasible.rings.workspaces import tables, workspace

WORD_BITS = 32  # the unit of the memory table [FerLL18]


class CountingRing(Ring):
    """A ring that counts operations, kernels and memory, without coefficients.

    `record` also keeps the memory table and the trace, for one parameter set at a time.
    """

    def __init__(
        self, n: Size, q_bits: Size, q: int | None = None, weights: Weights = PANTHERS, record: bool = False
    ) -> None:
        self.n, self.q_bits, self.q = n, q_bits, q
        self.weights, self._record = weights, record
        self.restart()

    def restart(self) -> None:
        """Start a new tally. Memory that is still in use from before is no longer counted."""
        self.tally = Tally()
        self._operations = Operations(self.tally, self.n, self.weights)

    def _interpret(self, operation: str, form: Element, *operands: Any) -> "_Block":
        self._operations.count(operation, form, *operands)
        memory, scattered = self.tally.memory, self._scattered(operation, operands)
        stored, passing = (
            stored_bytes(form, self.n),
            workspace(operation, form, operands, self.n) + sum(scattered),
        )
        counts = together(kernels(operation, form, operands, self.n, self.q_bits), *map(copies, scattered))
        pieces = Pieces(counts, stored, passing, memory.room)
        self.tally.spend(pieces.counts)
        memory.touch(stored + passing, pieces.heap + pieces.passing_heap)
        memory.keep(*tables(operation, form, operands, self.n))
        block = _Block(self.tally, operation, self._words(form), stored, pieces.heap)
        if self._record:
            block.keep(form, self.n)
            self._mark(operation)
        return block

    def _scattered(self, operation: str, operands: tuple[Any, ...]) -> list[Size]:
        """The bytes of each operand that is copied before the operation, because it is scattered."""
        if operation == "beside":
            return []
        parts = [x for x in operands if isinstance(x, Element) and isinstance(x.data, _Part)]
        return [x.data.scattered * stored_bytes(x, self.n) for x in parts]

    def _part(self, operation: str, x: Element, *where: int) -> "_Part":
        """A view, which keeps the whole block alive.

        A column or a transpose of a matrix is scattered in the block.
        """
        whole, scattered = (x.data.whole, x.data.scattered) if isinstance(x.data, _Part) else (x.data, 0)
        if operation == "entry":
            return _Part(whole, 0)
        matrix = (x.rows > 1) * (x.cols > 1)
        return _Part(whole, larger(scattered, matrix * (operation not in ("row", "flat"))))

    def _words(self, x: Element) -> Size:
        return x.rows * x.cols * self.n * ceil_div(x.bits, WORD_BITS)

    def _mark(self, operation: str) -> None:
        tally = self.tally
        work = self.weights.total(tally.integers)
        tally.trace.append(Moment(operation, work, tally.memory.words, tally.memory.bytes))


class _Block:
    """Memory that is in use for as long as this object lives."""

    __slots__ = ("_bytes", "_heap", "_line", "_tally", "_words", "operation")

    def __init__(self, tally: Tally, operation: str, words: Size, stored: Size, heap: Size) -> None:
        self._tally, self.operation, self._words, self._bytes = tally, operation, words, stored
        self._heap = heap
        self._line: int | None = None
        tally.memory.take(words, stored, heap)

    def keep(self, form: Element, n: Size) -> None:
        """Write a line of the memory table."""
        self._line = len(self._tally.stored)
        kind = "polynomial" if form.rows == 1 and form.cols == 1 else "matrix of polynomials"
        self._tally.stored.append(Stored(self.operation, kind, form.rows, form.cols, n - 1, self._words))

    @property
    def line(self) -> int | None:
        return self._line

    def __del__(self) -> None:
        self._tally.memory.give(self._words, self._bytes, self._heap)


class _Part:
    """A view of a block; `scattered` is 1 where the view's polynomials are not contiguous in the block."""

    __slots__ = ("scattered", "whole")

    def __init__(self, whole: _Block, scattered: Size) -> None:
        self.whole, self.scattered = whole, scattered


def output_lines(elements: Iterable[Element]) -> set[int]:
    """The lines of the memory table that these elements occupy."""
    data = [e.data.whole if isinstance(e.data, _Part) else e.data for e in elements]
    return {block.line for block in data if isinstance(block, _Block) and block.line is not None}
