"""The answer to one exploration: the recommendation and the reasons for it, as objects, dataframe, text and
HTML."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fheasible.aliases import Json
from fheasible.api import html, text
from fheasible.api.answered import Answered, Frame, InParts
from fheasible.api.command import command
from fheasible.api.headline import headline
from fheasible.api.installed import availability
from fheasible.api.keywords import in_python
from fheasible.api.parameter_set import ParameterSet, parameter_set
from fheasible.api.remedies import remedies
from fheasible.api.summary import Line, of_vectors
from fheasible.api.told import told
from fheasible.estimation.profile import Profile
from fheasible.exploration.search.search import Exploration, Rejected
from fheasible.libraries.library import Library
from fheasible.store.store import Store

if TYPE_CHECKING:
    import pyarrow  # type: ignore[import-untyped]


def merged(own: Sequence[Json], others: Sequence[Json]) -> list[Json]:
    """The candidates of several kinds of libraries, by the objective; the recommended one stays first."""
    rest = [*own[1:], *others] if own else list(others)
    ordered = sorted(rest, key=lambda c: float(c["figures"].get("score", inf))) if others else rest
    return [*own[:1], *ordered]


class Answer(Answered, InParts, Frame):
    """Parameter sets, best first, with the reasons. An answer does not change.

    `print` shows what the command line shows; a notebook shows a table. Any dataframe library takes an answer
    as it is, through the interchange protocol or Arrow's: `polars.DataFrame(answer)`,
    `pyarrow.table(answer)`.
    """

    def __init__(
        self,
        exploration: Exploration,
        libraries: Sequence[Library],
        profiles: Mapping[str, Profile],
        app: str | None,
        seed: int | None = None,
        place: str | Path | None = None,
        beside: tuple[tuple[str, str], ...] = (),
        others: tuple[Json, ...] = (),
    ) -> None:
        self.exploration: Exploration = exploration
        self.libraries = tuple(libraries)
        self.profiles = profiles
        self.app = app  # its name on the command line; None where it has no file
        self.seed = seed  # the seed of random data; None where data were given
        self.place = place  # the store's place
        self.beside = beside  # (heading, sentence) on what other kinds of libraries would take
        self.others = others  # their candidates, as documents have them

    def having(self, beside: tuple[tuple[str, str], ...], others: tuple[Json, ...]) -> "Answer":
        """The answer with what other kinds of libraries would take."""
        return Answer(
            self.exploration, self.libraries, self.profiles, self.app, self.seed, self.place, beside, others
        )

    @property
    def called(self) -> str:
        """The application's file, or the name of a file into which it may be put."""
        return self.app or f"{self.exploration.problem.circuit.name}.py"

    @cached_property
    def candidates(self) -> tuple[ParameterSet, ...]:
        """The best of each kind, then the rest of the front."""
        return tuple(parameter_set(self.exploration, c, self.called) for c in self.exploration.candidates)

    @property
    def best(self) -> ParameterSet | None:
        """The recommended set; None where nothing fits, for the reasons in `rejected`."""
        return self.candidates[0] if self.candidates else None

    @property
    def front(self) -> tuple[ParameterSet, ...]:
        """The sets that no other set beats in time, memory, traffic, precision and security at once."""
        return tuple(c for c in self.candidates if c.pareto)

    @property
    def ties(self) -> tuple[ParameterSet, ...]:
        """The sets that predictions cannot tell from the best."""
        return tuple(c for c in self.candidates if c.tie)

    @property
    def rejected(self) -> tuple[Rejected, ...]:
        """Why whole libraries and schemes are left out: library, scheme, reason, remedy."""
        return tuple(replace(r, remedy=in_python(r.remedy)) for r in self.exploration.rejected)

    def prepare(self) -> None:
        """Finds the reasons, for which it searches again with less asked."""
        _ = self.why

    def keep(self, store: Callable[[], Store], proof: str | None = None) -> int:
        """The number under which the answer is stored for reports. `proof`: the command that proves it."""
        from fheasible.exploration.reasons.recorded import record  # which takes a tenth of a second to load

        best = self.exploration.best
        call = command(self.called, best) if best else []
        said = told(self.exploration.problem.circuit, self.summary(proof))
        with store() as kept:
            return record(kept, self.exploration, self.why, self.profiles, call, said)

    @cached_property
    def why(self) -> list[str]:
        """The reasons for the recommendation, as sentences."""
        return text.reasons(self.exploration, self.profiles)

    @property
    def headline(self) -> list[str]:
        return list(headline(self.exploration))

    def summary(self, proof: str | None = None) -> list[Line]:
        return list(of_vectors(self.exploration, self.document["candidates"], proof)) if self.fits else []

    @property
    def against(self) -> list[Line]:
        return [*self.beside, *text.why_not(self.exploration)]

    @property
    def remedies(self) -> list[str]:
        return remedies(self.exploration)

    def to_arrow(self) -> "pyarrow.Table":
        """A table of the front and the best of each kind: a row for each set, a column for each figure, in
        base units."""
        return self.exploration.kept.arrow()

    def __dataframe__(self, nan_as_null: bool = False, allow_copy: bool = True) -> Any:
        """The table in the form that the dataframe interchange protocol asks for."""
        return self.to_arrow().__dataframe__(nan_as_null, allow_copy)

    @cached_property
    def document(self) -> Json:
        own = self.exploration.to_json()
        return own | {
            "candidates": merged(own["candidates"], self.others),
            "beside": [f"{head} {sentence}" for head, sentence in self.beside],
            "libraries": availability(self.libraries, self.profiles),
        }

    def lines(self, page: text.TextPage) -> Iterator[str]:
        """The lines that a terminal shows."""
        found = self.document["candidates"]
        return text.text(self.exploration, self.why, self.profiles, self.app, page, self.beside, found)

    def __repr__(self) -> str:
        name, best = self.exploration.problem.circuit.name, self.best
        said = f"{best.library} {best.scheme}, N = {best.ring_dimension}" if best else "nothing fits"
        return f"<fheasible.Answer {name}: {said}; {self.feasible:,} of {self.explored:,} feasible>"

    def _repr_html_(self) -> str:
        best = self.exploration.best
        run = command(self.called, best) if best else []
        return html.fragment(self.exploration, self.headline, self.why, self.summary(), run)
