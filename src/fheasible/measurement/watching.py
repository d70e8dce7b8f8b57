"""What watches something from a thread of its own, within a `with` block."""

import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import pairwise
from types import TracebackType
from typing import Self


class Watching(ABC):
    """Runs `_watch` in a thread until the block ends. `_watch` returns once `_done` is set."""

    def __enter__(self) -> Self:
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._done.set()
        self._thread.join()

    @abstractmethod
    def _watch(self) -> None:
        """Watches until it is told that it is done."""


def differences(values: Sequence[int]) -> list[int]:
    """The first value, and by how much each later one is larger than the one before it."""
    return [*values[:1], *(b - a for a, b in pairwise(values))]
