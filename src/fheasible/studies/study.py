"""A paper's experiment as data: what is run, what was published, what it claims, how it is shown."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from fheasible.errors import UnknownName
from fheasible.studies.claim import Claim, JudgedClaim
from fheasible.studies.experiment import Experiment
from fheasible.studies.published import Number
from fheasible.studies.report import Chapter
from fheasible.studies.results import Results


@dataclass(frozen=True, slots=True)
class Study:
    """A study of one paper.

    `reference` is the paper's key in docs/references.md; `paper` has its authors and title. `chapters` makes
    the report from what is stored, and from the model where nothing is stored. `summary` makes the sentences
    with which it begins: what the paper asked, what it found, and what is found here.
    """

    name: str
    title: str
    paper: str
    reference: str
    experiments: tuple[Experiment, ...]
    published: Mapping[str, Number]
    claims: tuple[Claim, ...]
    chapters: Callable[[Results], tuple[Chapter, ...]]
    summary: Callable[[Results, Sequence[JudgedClaim]], Sequence[str]] | None = None
    caution: str = ""  # what must be said wherever its results are shown

    def experiment(self, name: str) -> Experiment:
        """The experiment of that name. UnknownName where the study has no such experiment."""
        for experiment in self.experiments:
            if experiment.name == name:
                return experiment
        names = ", ".join(e.name for e in self.experiments)
        raise UnknownName(f"{self.name} has no experiment {name!r}", f"choose among {names}")
