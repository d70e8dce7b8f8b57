"""What a counted computation asks for: operations, integer multiplications, kernels, and memory."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from fheasible.rings.pieces import PAGED, PHASES, TABLES
from fheasible.rings.sizes import Size, larger

Table = dict[tuple[str, str], Size]
NO_TABLES: Mapping[int, Size] = MappingProxyType({})


class Operand(StrEnum):
    """What an operation works on."""

    INTEGER = "integer"
    MIXED = "integer and polynomial"
    POLYNOMIAL = "polynomial"


@dataclass(frozen=True, slots=True)
class Stored:
    """One line of the memory table: a matrix of polynomials that was made; its size is in 32-bit integers."""

    made_by: str
    type: str
    rows: Size
    cols: Size
    degree: Size
    words: Size
    output: bool = False


@dataclass(frozen=True, slots=True)
class Moment:
    """One point of the trace: the work done so far and the memory in use after an operation."""

    operation: str
    work: Size
    words: Size
    bytes: Size


@dataclass(slots=True)
class Memory:
    """Memory in 32-bit integers (words), and in bytes of the exact interpreter: now, at the peak, in total.

    `most_bytes` leaves out the transform tables, because they stay in memory: for degree n, for smaller
    degrees, and for each multiple of n by that multiple. `heap` is what lies on the heap now, `most_heap` the
    most since the phase began.
    """

    words: Size = 0
    max_words: Size = 0
    total_words: Size = 0
    bytes: Size = 0
    most_bytes: Size = 0
    heap: Size = 0
    most_heap: Size = 0
    tables: Size = 0
    smaller_tables: Size = 0
    larger_tables: dict[int, Size] = field(default_factory=dict)
    phases: int = 0
    _earlier: Size = 0  # fresh heap of the phases before
    _loaded: Size = 0  # tables of the phases before, and of this one
    _loading: Size = 0
    _begun: Size = 0  # heap in use when this phase began

    @property
    def max_bytes(self) -> Size:
        """Peak bytes with all tables, as in a process that has made the tables before."""
        return self.most_bytes + self.tables + self.smaller_tables + sum(self.larger_tables.values())

    @property
    def fresh(self) -> Size:
        """Bytes of the heap that phases were the first to touch; what is free goes back between them."""
        return self._earlier + self.most_heap - self._begun

    @property
    def room(self) -> Size:
        """Bytes of the heap that were freed in this phase, where new pieces of any size are put first."""
        return self.most_heap - self.heap

    @property
    def loaded(self) -> Size:
        """Bytes of the transform tables of each phase, which begins with caches that hold none of them."""
        return self._loaded + self._loading

    @property
    def begun(self) -> dict[str, Size]:
        """The kernels that come from phases as such."""
        return {PHASES: self.phases, PAGED: self.fresh, TABLES: self.loaded}

    def begin(self) -> None:
        """Begin a phase: heap that is not in use has gone back to the system."""
        self.phases += 1
        self._loaded, self._loading = self.loaded, 0
        self._earlier = self.fresh
        self._begun = self.most_heap = self.heap

    def take(self, words: Size, stored: Size, heap: Size = 0) -> None:
        self.words = self.words + words
        self.total_words = self.total_words + words
        self.bytes = self.bytes + stored
        self.max_words = larger(self.max_words, self.words)
        self.most_bytes = larger(self.most_bytes, self.bytes)
        self.heap = self.heap + heap
        self.most_heap = larger(self.most_heap, self.heap)

    def give(self, words: Size, stored: Size, heap: Size = 0) -> None:
        self.words = self.words - words
        self.bytes = self.bytes - stored
        self.heap = self.heap - heap

    def touch(self, stored: Size, heap: Size = 0) -> None:
        """Record bytes needed for a moment, in addition to those in use; `heap` of them on the heap."""
        self.most_bytes = larger(self.most_bytes, self.bytes + stored)
        self.most_heap = larger(self.most_heap, self.heap + heap)

    def keep(self, tables: Size, smaller: Size, more: Mapping[int, Size] = NO_TABLES) -> None:
        """Record tables for the primes of a product, which are the first primes of any longer product."""
        for multiple, stored in more.items():
            self.larger_tables[multiple] = larger(self.larger_tables.get(multiple, 0), stored)
        self.tables = larger(self.tables, tables)
        self.smaller_tables = larger(self.smaller_tables, smaller)
        self._loading = larger(self._loading, tables + smaller + sum(more.values()))


@dataclass(slots=True)
class Tally:
    """The sums of all that was counted; each may be an array with one entry for each parameter set."""

    operations: Table = field(default_factory=dict)
    integers: dict[str, Size] = field(default_factory=dict)
    kernels: dict[str, Size] = field(default_factory=dict)
    memory: Memory = field(default_factory=Memory)
    stored: list[Stored] = field(default_factory=list)
    trace: list[Moment] = field(default_factory=list)

    def operate(
        self, operation: str, operand: Operand, count: Size, integers: Size, as_: str | None = None
    ) -> None:
        """Add `count` operations on such operands; each is `integers` operations (`as_`) on integers."""
        key = (operation, operand.value)
        self.operations[key] = self.operations.get(key, 0) + count
        kind = as_ or operation
        self.integers[kind] = self.integers.get(kind, 0) + count * integers

    def spend(self, kernels: dict[str, Size]) -> None:
        for name, count in kernels.items():
            self.kernels[name] = self.kernels.get(name, 0) + count

    def rows(self) -> Iterator[dict[str, Any]]:
        """The table of operations, as one document for each row."""
        for (operation, operand), count in self.operations.items():
            yield {"operation": operation, "operands": operand, "count": count}
