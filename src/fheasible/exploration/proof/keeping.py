"""The row of a run in a store: it begins with the run, and is written however the run ends."""

from contextlib import suppress
from dataclasses import replace

from fheasible.aliases import Json
from fheasible.errors import FheasibleError, StoreError
from fheasible.store.rows import Entry
from fheasible.store.store import Store

INTERRUPTED = "interrupted before the end"


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
