"""The answer as a terminal shows it: what was asked, the recommendation in five lines, the table, the reasons
for the best and against others, and what to do next."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from fheasible.aliases import Json
from fheasible.api import listing
from fheasible.api.command import command
from fheasible.api.headline import headline
from fheasible.api.installed import installed
from fheasible.api.layout import WIDTH, Column, fitting, grid, paragraph
from fheasible.api.listing import ROWS
from fheasible.api.remedies import remedies
from fheasible.api.summary import of_vectors
from fheasible.estimation.profile import Profile
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.reasons.explain import calibration, explain
from fheasible.exploration.search.search import Exploration
from fheasible.units import listing as listed

WHY_NOT = "why not"
Set = TypeVar("Set")
Paint = Callable[[str, str], str]  # (what: "head" or "best", text) -> the text as it is shown


@dataclass(frozen=True, slots=True)
class TextPage:
    """How the answer is shown: the width of sentences, the colours, how many rows of the table, all
    of them if `everything`, and whether with all reasons. `proof` is the command that proves the
    recommendation, `wide` the width of the terminal, which tables may fill."""

    width: int = WIDTH
    paint: Paint = lambda _, text: text
    everything: bool = False
    rows: int = ROWS
    why: bool = False
    proof: str | None = None
    wide: int | None = None

    @property
    def room(self) -> int:
        """The columns that a table may take."""
        return max(self.width, self.wide or 0)

    def said(self, head: str, words: str) -> str:
        """A paragraph under a heading."""
        return self.paint("head", head) + paragraph(head, words, self.width)[len(head) :]

    def first(self, candidates: Sequence[Set]) -> list[Set]:
        """The candidates that have a row in the table."""
        return list(candidates if self.everything else candidates[: self.rows])

    def reasons(self, why: Sequence[str], against: Sequence[tuple[str, str]]) -> Iterator[str]:
        """The reasons for a recommendation and against others, or how to see them."""
        if self.why:
            yield from (self.said("why:", line) for line in why)
            yield from (self.said(head, reason) for head, reason in against)
            return
        yield from (self.said(head, note) for head, note in against if not head.startswith(WHY_NOT))
        yield f"all {len(why) + len(against)} reasons: --why"


def reasons(found: Exploration, profiles: Mapping[str, Profile]) -> list[str]:
    """Why the best candidate is the best; empty where nothing fits."""
    return [] if found.best is None else explain(found, profiles)


def text(
    found: Exploration,
    why: Sequence[str],
    profiles: Mapping[str, Profile],
    app: str | None,
    page: TextPage,
    beside: Sequence[tuple[str, str]] = (),
    candidates: Sequence[Json] = (),
) -> Iterator[str]:
    """The lines of the answer. `app`: the application's name on the command line, where it has a file;
    `beside`: (heading, sentence) on what other kinds of libraries would take; `candidates`: the sets of all
    kinds, the best first."""
    against = [*beside, *why_not(found)]
    yield from (paragraph("", line, page.width).strip() for line in headline(found))
    yield from (page.said("warning:", line) for line in found.alarms)
    yield ""
    if found.best is None:
        yield from (page.said("pins:", line) for line in found.excluded)
        yield from (page.said(head, reason) for head, reason in against)
        yield from (page.said("remedy:", line) for line in remedies(found))
    else:
        yield from (page.said(*line) for line in of_vectors(found, candidates, page.proof))
        yield ""
        yield from table(found, page)
        yield ""
        yield from page.reasons(why, against)
        if not page.why:
            yield from (page.said("note:", line) for line in calibration(found))
        yield from (page.said("times hold for these builds:", line) for line in _builds(found, profiles))
    yield from (page.said("warning:", line) for line in found.problem.warnings)
    yield from (page.said("not installed:", line) for line in _missing(found))
    if found.best is not None and app is not None:
        yield ""
        yield page.paint("head", "run it:")
        yield from (f"  {line}" for line in command(app, found.best, page.width - 2))


def table(found: Exploration, page: TextPage) -> Iterator[str]:
    """A row for each candidate with its marks, what the marks mean, and how many are not shown."""
    candidates = page.first(found.candidates)
    columns = listing.columns(found, candidates)
    rows = [(listing.marks(found, c), *(shown.cell(c) for shown in columns)) for c in candidates]
    header = [Column("", left=True), *(shown.column for shown in columns)]
    kinds = ["head", *("best" if c is found.best else "" for c in candidates)]
    for kind, lines in zip(kinds, grid(header, rows, page.room), strict=True):
        yield from (page.paint(kind, line) for line in lines)
    for said in [*_beneath(found, candidates), *_spared(header, rows, page.room)]:
        yield from paragraph("  ", said, page.width).splitlines()


def _beneath(found: Exploration, candidates: Sequence[Candidate]) -> Iterator[str]:
    rest = len(found.candidates) - len(candidates)
    if rest:
        yield f"... and {rest:,} more: --all"
    yield from listing.legend(found, candidates)


def _spared(columns: Sequence[Column], rows: Sequence[Sequence[str]], width: int) -> Iterator[str]:
    """A line on the columns for which a narrow terminal has no room."""
    kept = fitting(columns, rows, width)
    left_out = [column.title for i, column in enumerate(columns) if i not in kept]
    if left_out:
        yield f"the terminal is too narrow for {listed(left_out)}: widen it, or take --json"


def _builds(found: Exploration, profiles: Mapping[str, Profile]) -> Iterator[str]:
    """A line on the builds of the libraries for which the ranking holds."""
    named = dict.fromkeys(c.library for c in found.candidates if c.estimate.timed)
    builds = [profiles[name].build for name in named if profiles[name].build]
    if builds:
        yield f"{', '.join(builds)}; other builds of a library may rank differently."


def why_not(found: Exploration) -> Iterator[tuple[str, str]]:
    """(heading, reason): each reason once, with all the libraries for which it holds."""
    reasons: dict[tuple[str, str], list[str]] = defaultdict(list)
    for r in found.rejected:
        reasons[r.scheme.upper(), r.reason].append(listing.title(r.library))
    for (scheme, reason), libraries in reasons.items():
        yield f"{WHY_NOT} {scheme} ({listed(libraries)}):", reason


def _missing(found: Exploration) -> Iterator[str]:
    explored = dict.fromkeys([*(c.library for c in found.candidates), *(r.library for r in found.rejected)])
    for name in explored:
        if not installed(name):
            yield f"{listing.title(name)}. Remedy: fheasible libraries install {name}"
