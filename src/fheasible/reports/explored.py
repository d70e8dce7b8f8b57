"""A stored exploration as reports read it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from fheasible import units
from fheasible.accuracy.words import title
from fheasible.aliases import Json
from fheasible.store.kept_rows import unpacked
from fheasible.store.rows import StoredExploration


@dataclass(frozen=True)
class Told:
    """A stored exploration, with properties for the values that every figure needs."""

    stored: StoredExploration

    @property
    def app(self) -> str:
        return self.stored.explored.app

    @property
    def content(self) -> Json:
        return self.stored.explored.content

    @property
    def wish(self) -> Json:
        return self.stored.explored.wish

    @property
    def candidates(self) -> list[Json]:
        return list(self.content["candidates"])

    @property
    def best(self) -> Json | None:
        return self.candidates[0] if self.candidates else None

    @property
    def rounded(self) -> bool:
        """Whether CKKS computes integers here."""
        return any(c.get("rounded") for c in self.candidates)

    @property
    def details(self) -> Json:
        found: Json = self.content["details"]
        return found

    @property
    def profiles(self) -> Mapping[str, Json]:
        found: Mapping[str, Json] = self.content["profiles"]
        return found

    @cached_property
    def rows(self) -> list[Json]:
        """The kept sets in the order in which they were stored, which is that of the answer: the recommended
        one is first. (Older answers have no `rank`; their order is that of the objective.)"""
        return [{**row, "rounded": self.rounded} for row in unpacked(self.stored.explored.rows)]

    @property
    def computes(self) -> str:
        """The application with its inputs, their ranges and its results. (Older answers do not record it.)"""
        return str(self.content.get("computes", ""))

    @property
    def code(self) -> tuple[str, ...]:
        """The lines of the application; empty where they could not be read."""
        return tuple(self.content.get("code", ()))

    @property
    def summary(self) -> tuple[tuple[str, str], ...]:
        """The recommendation in five lines: (heading, what is said)."""
        return tuple((head, said) for head, said in self.content.get("summary", ()))

    def name(self, place: int) -> str:
        """The name of a candidate in figures: '1. Lattigo CKKS, 2^14'."""
        return f"{place + 1}. {short(self.candidates[place])}"


def short(c: Json) -> str:
    """A candidate in a few words: 'OpenFHE CKKS fixedauto, 2^15'."""
    p = c["parameters"]
    named = title(c["library"], c["scheme"], p["technique"] or "")
    return f"{named}, {units.power_of_two(p['ring_dimension'])}"


def seconds(c: Json, phase: str = "total") -> float | None:
    """Predicted CPU seconds of a phase; None without a profile."""
    found: float | None = c["estimate"]["cpu_seconds"][phase]
    return found


def precision(bits: float | None, scheme: str, rounded: bool) -> str:
    """The precision as text: '18.9 bit'; 'exact' for integers in BGV and BFV, 'rounded' for integers in
    CKKS."""
    if scheme != "ckks":
        return "exact"
    return "rounded" if rounded else units.bits(bits)


def units_of(most_seconds: float) -> tuple[float, str]:
    """(how many of the unit one second has, the unit's name), for the unit in which that many seconds are
    easy to read."""
    return (1.0, "s") if most_seconds >= 1 else (1e3, "ms")
