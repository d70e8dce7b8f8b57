"""One attempt to run a set: whether its memory is available, when the run is given up, and its row in a
store, which begins with the run and is written however the run ends."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import TypeVar

from fheasible.aliases import Json
from fheasible.errors import (
    FheasibleError,
    LibraryMissing,
    LimitImpossible,
    StoreError,
    TooLarge,
    WorkerFailed,
    WrongResult,
)
from fheasible.exploration.judging.candidate import Candidate
from fheasible.measurement.environment import Environment
from fheasible.measurement.execute import RunPlan
from fheasible.measurement.failures import outcome_of
from fheasible.measurement.limited.limit import MemoryLimit
from fheasible.measurement.memory import free_bytes
from fheasible.measurement.pace import reference_loop
from fheasible.store.rows import Entry
from fheasible.store.store import Store
from fheasible.units import size

TIMES = 20.0  # times the predicted time, after which a run is given up
LEAST_SECONDS = 60.0
UNPREDICTED_SECONDS = 4 * 3600.0  # the limit without a profile

INTERRUPTED = "interrupted before the end"

T = TypeVar("T")


def limit_seconds(c: Candidate, plan: RunPlan, memory: MemoryLimit | None = None) -> float:
    """The wall seconds after which a run has surely failed: twenty times the prediction, but at least a
    minute; four hours without a profile, and where swap makes a run as slow as a disk."""
    return limit_of(c.estimate.wall_seconds, plan, memory)


def limit_of(wall: Mapping[str, float] | None, plan: RunPlan, memory: MemoryLimit | None = None) -> float:
    """The same for predicted wall seconds by phase."""
    if wall is None or (memory is not None and memory.swap_bytes):
        return UNPREDICTED_SECONDS
    once = wall["total"] * (plan.warmup + plan.repetitions) + wall["keygen"] * plan.keygens
    return given_up_after(once + plan.min_seconds)


def given_up_after(seconds: float) -> float:
    """The limit in seconds for a run that is predicted to take `seconds`."""
    return max(LEAST_SECONDS, TIMES * seconds)


def refuse_memory(c: Candidate) -> None:
    """Raises TooLarge where the run is predicted to take more memory than this process may still take."""
    refuse_bytes(f"{c.library} {c.scheme.upper()}", c.estimate.peak_bytes)


def refuse_bytes(what: str, peak_bytes: int) -> None:
    """Raises TooLarge where `what` is predicted to take more memory than this process may still take."""
    free = free_bytes()
    if peak_bytes > free:
        raise TooLarge(
            f"{what} is predicted to take {size(peak_bytes)} of memory, but only {size(free)} are free",
            f"free some memory, or ask for sets that need less: --max-memory {free >> 20}",
        )


def beside_reference(work: Callable[[], T]) -> tuple[T, float]:
    """What `work` returns, and the longer CPU seconds of the reference loop before or after it."""
    before = reference_loop()
    found = work()
    return found, max(before, reference_loop())


class Keeping:
    """The record of one attempt to run a set. `fault` is why nothing could be stored; None while all is well,
    or without a store."""

    def __init__(self, store: Store | None, entry: Entry, environment: Json) -> None:
        self.store, self.entry = store, entry
        self.fault: StoreError | None = None
        self._attempt: int | None = None
        try:
            self._attempt = store.begin(entry, environment) if store else None
        except StoreError as error:  # the end will say so, if it is still true then
            self.fault = error

    def run(self, work: Callable[[], T], before: Environment) -> T:
        """What `work` returns, which is still to be stored. Where it fails, the row is written before
        anything is raised; where nothing was run, the row is removed. `before`: the environment when the
        attempt began."""
        try:
            return work()
        except (WorkerFailed, WrongResult) as error:
            here = before.finished(error.hello if isinstance(error, WorkerFailed) else None)
            error.number = self.end(here.to_json(), outcome_of(error), None, error.message)
            raise self.noted(error) from None
        except (LibraryMissing, LimitImpossible):
            self.forget()
            raise
        except KeyboardInterrupt:
            self.end(before.finished().to_json(), "died", None, INTERRUPTED)
            raise

    def end(
        self, environment: Json, outcome: str, measurement: Json | None = None, message: str = ""
    ) -> int | None:
        """Writes how the run ended. The result is the number of the row; None where there is no row."""
        if self.store is None:
            return None
        ended = replace(self.entry, outcome=outcome, measurement=measurement, message=message)
        try:
            number = self.store.add_measurement(ended, environment, self._attempt)
        except StoreError as error:
            self.fault = error
            return None
        self.fault = None
        return number

    def forget(self) -> None:
        """Removes the row, since nothing was run, unless the store fails now."""
        if self.store is not None and self._attempt is not None:
            with suppress(StoreError):
                self.store.forget(self._attempt)

    def noted(self, error: FheasibleError) -> FheasibleError:
        """The error, whose message also says that it could not be stored where that is so."""
        if self.fault is not None:
            error.message += f"; this could not be stored, either: {self.fault.message}"
        return error
