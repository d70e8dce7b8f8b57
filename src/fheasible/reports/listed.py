"""What the pages of ring schemes and of table look-ups have in common: an exploration whose sets are all
listed, and the runs of the application."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from fheasible import units
from fheasible.aliases import Json
from fheasible.reports.explored import Told
from fheasible.reports.explored_runs import table
from fheasible.reports.figures import Cloud, Drawing, MarkedRows
from fheasible.reports.page import Block, Caution, Code, Said, Section, Table
from fheasible.store.rows import StoredExploration, StoredMeasurement

MOST_DOTS = 400
FRONT = "time-and-memory"
Rows = tuple[tuple[str | None, ...], ...]
ON_THE_FRONT = (
    "Bold edges: no other set has less of both. The ring marks the recommended set. The stronger its colour, "
    "the more secure a set is."
)


@dataclass(frozen=True, slots=True)
class Listed:
    """The content of the page. `compared`: the best sets beside each other; `front`: memory against time, or
    against operations where no time is known. Both are None where nothing fits, or there is nothing to draw
    them from."""

    stored: StoredExploration
    compared: MarkedRows | None
    front: Cloud | None
    runs: tuple[StoredMeasurement, ...]  # right runs of this application, newest first

    @property
    def content(self) -> Json:
        return self.stored.explored.content

    @property
    def best(self) -> Json | None:
        return next(iter(self.content["candidates"]), None)

    @property
    def drawings(self) -> dict[str, Drawing]:
        """Every figure by the name of its file."""
        found: dict[str, Drawing] = {} if self.compared is None else {"beside-each-other": self.compared}
        return found if self.front is None else found | {FRONT: self.front}

    def title(self, named: Callable[[Json], str]) -> str:
        """The title of the page; `named`: the name of a candidate."""
        app = self.stored.explored.app
        return f"{app}: nothing fits" if self.best is None else f"{app}: {named(self.best)}"


def application(found: Listed) -> Iterator[Section]:
    """What the application computes, with its code. (Older answers do not record it.)"""
    told = Told(found.stored)
    if told.computes:
        yield Section("Application", (told.computes, *([Code(told.code)] if told.code else [])))


def recommended(found: Listed, figures: Rows, warnings: Iterable[str] = ()) -> Iterator[Section]:
    """The recommended set with its figures and warnings, the best sets beside each other, the command that
    runs it, and the reasons."""
    told = Told(found.stored)
    blocks: list[Block] = [Said(told.summary)] if told.summary else []
    blocks.append(Table(("figure", "predicted"), figures, left=("figure",)))
    blocks += [Caution(text) for text in warnings]
    blocks += [found.compared] if found.compared else []
    blocks += [Code(tuple(found.content["command"]))] if found.content["command"] else []
    yield Section("Recommendation", tuple(blocks))
    if found.content["why"]:
        yield Section("Why", tuple(found.content["why"]))


def times(estimate: Json) -> Rows:
    """The rows of times and memory of a recommended set."""
    return (
        ("CPU time to encrypt, evaluate and decrypt", units.seconds(estimate["cpu_seconds"]["total"])),
        ("CPU time to make the keys", units.seconds(estimate["cpu_seconds"]["keygen"])),
        ("memory at the peak", units.size(estimate["peak_bytes"])),
    )


def sizes(estimate: Json) -> Rows:
    """The rows of what a recommended set sends."""
    return (
        ("a fresh ciphertext", units.size(estimate["ciphertext_bytes"])),
        ("evaluation keys", units.size(estimate["evaluation_key_bytes"])),
    )


def rejected(found: Listed, heading: str, title: Callable[[Json], str]) -> Iterator[Section]:
    """Each reason once, with all that it holds for; `title`: the name of a rejection."""
    reasons: dict[str, list[str]] = {}
    for r in found.content["rejected"]:
        reasons.setdefault(r["reason"], []).append(title(r))
    told = tuple(f"{units.listing(titles)}: {reason}." for reason, titles in reasons.items())
    if told:
        yield Section(heading, told)


def measured(found: Listed, name: Callable[[StoredMeasurement], str]) -> Section:
    """The runs beside their predictions; `name`: the name of a run."""
    heading = "Predicted against measured"
    if not found.runs:
        text = (
            "No run of this application is stored. fheasible verify, with the words of the exploration, runs "
            "the recommendation and stores what it takes."
        )
        return Section(heading, (text,))
    return Section(heading, (table((name(m), m) for m in found.runs),))
