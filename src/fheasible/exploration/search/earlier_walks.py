"""What a walk through one library and scheme found, for the next search that asks the same."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.judging.columns import Columns
from fheasible.exploration.judging.sieve import Judged, Miss
from fheasible.exploration.space.requests import Choice
from fheasible.libraries.library import Library


@dataclass(frozen=True, slots=True, eq=False)
class Walked:
    """`choices` are those of a walk from the place `start` on; `judged`, `known` and `freed` refer to them by
    their places. `known` has sets that were judged individually, `freed` what single limits keep out."""

    start: int
    choices: tuple[tuple[Library, Choice], ...]
    judged: tuple[Judged, ...]
    known: Mapping[int, Candidate]
    freed: Mapping[str, tuple[Columns, ...]]

    def moved(self, start: int) -> "Walked":
        """The same findings for a walk in which the choices begin at another place."""
        by = start - self.start
        if not by:
            return self
        return Walked(
            start,
            self.choices,
            tuple(_moved(judged, by) for judged in self.judged),
            {place + by: c for place, c in self.known.items()},
            {name: tuple(_rows(part, by) for part in parts) for name, parts in self.freed.items()},
        )


def _moved(judged: Judged, by: int) -> Judged:
    nearest = judged.nearest
    if isinstance(nearest, Miss):
        nearest = nearest._replace(place=nearest.place + by)
    return replace(judged, feasible=_rows(judged.feasible, by), nearest=nearest)


def _rows(rows: Columns, by: int) -> Columns:
    return Columns(rows.data, rows.places + by)
