"""The libraries of table look-ups on small integers (the TFHE family) as a platform."""

from dataclasses import replace
from math import inf
from pathlib import Path

from fheasible.api import asking
from fheasible.api.asking import Subject
from fheasible.api.installed import of_installed
from fheasible.api.lookup_answer import LookupAnswer, nothing_fits
from fheasible.api.lookup_asking import answered, explored, libraries_of, profiles_of, proof_of
from fheasible.api.lookup_run import PlainLookupRun, VerifiedLookupRun
from fheasible.api.options import Options
from fheasible.api.platform import Each, Execution, Platform, Reported, Sweeping, Swept, Talk, TypedGrid
from fheasible.circuit.trace import App
from fheasible.errors import UsageError
from fheasible.exploration.lookups.candidate import LookupCandidate
from fheasible.exploration.lookups.chosen import chosen
from fheasible.exploration.lookups.pinning import pins_from
from fheasible.exploration.lookups.proof import LookupProof
from fheasible.exploration.lookups.search import LookupExploration
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Wish
from fheasible.exploration.proof.failures import until_right
from fheasible.libraries.lookup_catalogue import LOOKUP_LIBRARIES
from fheasible.libraries.lookup_library import LookupLibrary
from fheasible.store.rows import StoredExploration
from fheasible.store.store import Store

# Options of other platforms: ring schemes, and vectors of approximate numbers.
FOREIGN = ("noise", "as_written", "ignore_security", "worst_case", "trust_data", "swap")


class Lookups(Platform):
    """TFHE-rs, OpenFHE's BinFHE and whatever else `libraries/lookup_catalogue.py` has.

    Sets whose program would have more than `longest` steps are not offered.
    """

    def __init__(self, longest: float = inf) -> None:
        self.longest = longest

    def names(self) -> tuple[str, ...]:
        return tuple(LOOKUP_LIBRARIES)

    def refuse(self, asked: Options) -> None:
        remedy = "leave the option out, or name another library"
        asked.refuse(FOREIGN, "libraries of table look-ups have no {}", remedy)

    def explore(
        self,
        app: Subject,
        asked: Options,
        talk: Talk,
        everything: bool = False,
        each: Each | None = None,
    ) -> LookupAnswer:
        if each is not None:
            raise UsageError(
                "a search among libraries of table look-ups writes no --csv",
                "take --json, or fh.explore(...).to_arrow() in Python",
            )
        libraries = libraries_of(asked)
        wish = replace(asked.wish, pins=pins_from(asked.params, libraries))
        with talk.patience(f"reading {app}"):
            problem = asking.problem_of(app, asked.data, asked.seed)
        name = asking.name_of(app, asked.data)
        return answered(problem, wish, libraries, name, asked.used_seed, talk, longest=self.longest)

    def verify(self, answer: LookupAnswer, how: Execution, talk: Talk) -> VerifiedLookupRun:
        """The run of the first set whose library is installed, or of the next of another kind where a set is
        refused or wrong."""
        found = answer.exploration

        def run(c: LookupCandidate) -> LookupProof:
            return proof_of(found.problem, c, found.wish.least, how, talk, answer.seed, found.wish.security)

        proof, failures = until_right(_installed(found), run, lambda f: talk.say(f"{f.kind}: {f}"))
        return VerifiedLookupRun(found.problem, proof, found, failures, how.counters)

    def report(self, stored: StoredExploration, store: Store) -> Reported:
        from fheasible.reports import lookup_page  # which loads the drawing of figures

        made = lookup_page.report(stored, store.measurements(stored.explored.app, outcome="measured"))
        sets = len(made.content["candidates"])
        return Reported(stored, sets, made.best, lookup_page.render(made), made.drawings)

    def run(self, app: App | str | Path, asked: Options, how: Execution, talk: Talk) -> PlainLookupRun:
        if how.composites:
            raise UsageError("libraries of table look-ups have no --composites", "leave --composites out")
        wish, libraries = asked.wish, libraries_of(asked)
        problem = asking.problem_of(app, asked.data, asked.seed)
        profiles = profiles_of(talk, libraries)
        if how.params:
            candidate = chosen(
                problem, libraries[0], _scheme(libraries[0]), how.params, wish,
                profiles.get(libraries[0].name), _threads(wish),
            )  # fmt: skip
        else:
            candidate = _installed(explored(problem, wish, libraries, profiles, talk))[0]
        proof = proof_of(problem, candidate, wish.least, how, talk, asked.used_seed, wish.security)
        return PlainLookupRun(problem, proof, how.counters)

    def pinned(
        self, app: App | str | Path, asked: Options, how: Execution, talk: Talk
    ) -> tuple[Problem, LookupCandidate]:
        """The candidate of the parameters that are given, with the application; nothing is run."""
        wish, libraries = asked.wish, libraries_of(asked)
        problem = asking.problem_of(app, asked.data, asked.seed)
        profile = profiles_of(talk, libraries).get(libraries[0].name)
        scheme, params = _scheme(libraries[0]), how.params or {}
        return problem, chosen(problem, libraries[0], scheme, params, wish, profile, _threads(wish))

    def sweep(self, what: str, grid: TypedGrid, asked: Options, how: Sweeping, talk: Talk) -> Swept:
        from fheasible.api import lookup_sweep

        return lookup_sweep.asked_for(what, grid, asked, how, talk)


def _scheme(library: LookupLibrary) -> str:
    return library.schemes[0]


def _threads(wish: Wish) -> int:
    threads = wish.threads[0]
    return wish.cores if threads is None else threads


def _installed(found: LookupExploration) -> tuple[LookupCandidate, ...]:
    """The candidates of libraries that are installed, best first. InfeasibleParameters where nothing fits,
    LibraryMissing where none of the libraries that fit is installed."""
    if found.best is None:
        raise nothing_fits(found)
    return of_installed(found.candidates, lambda c: c.library.worker_of)
