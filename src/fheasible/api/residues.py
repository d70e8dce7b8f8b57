"""The libraries of residue number systems (BFV, BGV, CKKS) as a platform."""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import perf_counter

from fheasible import units
from fheasible.api import asking, proving, residue_report, swapping
from fheasible.api.answer import Answer
from fheasible.api.asking import Subject
from fheasible.api.installed import all_installed, best_installed
from fheasible.api.naming import setting
from fheasible.api.options import Options
from fheasible.api.platform import Each, Execution, Platform, Reported, Sweeping, Swept, Talk, TypedGrid
from fheasible.api.residue_run import PlainRun, VerifiedRun
from fheasible.circuit.trace import App
from fheasible.errors import UsageError
from fheasible.estimation.profile import Profile
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.judging.chosen import OURS, chosen, request_from, shape_from
from fheasible.exploration.judging.classes import resolved
from fheasible.exploration.judging.pinning import pins_from
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Asked, Wish
from fheasible.exploration.proof.attempt import refuse_memory
from fheasible.exploration.proof.failures import until_right, without_failed
from fheasible.exploration.proof.proof import GARBAGE, Proof, cautions, prove
from fheasible.exploration.reasons.pinned import excluded
from fheasible.exploration.search.ahead import ahead
from fheasible.exploration.search.bounded import Elsewhere
from fheasible.exploration.search.declared_ranges import explore_everywhere
from fheasible.exploration.search.search import Exploration
from fheasible.exploration.search.search import explore as search
from fheasible.libraries.catalogue import BY_NAME, library, scheme_of
from fheasible.libraries.library import Library
from fheasible.libraries.lookup_catalogue import LOOKUP_LIBRARIES
from fheasible.measurement.machine import this_machine
from fheasible.store.rows import StoredExploration
from fheasible.store.store import Store

FOREIGN = ("noise", "as_written", "ignore_security")  # options of the ring schemes


class Residues(Platform):
    """OpenFHE, SEAL, Lattigo and whatever else the catalogue has."""

    def names(self) -> tuple[str, ...]:
        return tuple(BY_NAME)

    def refuse(self, asked: Options) -> None:
        remedy = "add --library reference, or leave the option out"
        asked.refuse(FOREIGN, "only the ring schemes have {}", remedy, last="and")

    def explore(
        self,
        app: Subject,
        asked: Options,
        talk: Talk,
        everything: bool = False,
        each: Each | None = None,
        elsewhere: Elsewhere | None = None,
    ) -> Answer:
        (wish, alarms), libraries = swapping.wish_of(asked, talk), _libraries(asked)
        with talk.patience(f"reading {app}"):
            problem = asking.problem_of(app, asked.data, asked.seed, asked.trust_data)
        profiles = _profiles(talk, libraries)
        wish = replace(wish, pins=pins_from(asked.params, problem, libraries, wish.least))
        found = _explored(problem, wish, libraries, profiles, talk, everything, each, elsewhere)
        if found.best is None and wish.pins:
            with talk.progress("explaining"):
                found = replace(found, excluded=excluded(found, libraries, profiles))
        found = replace(found, alarms=(*found.alarms, *alarms))
        return Answer(
            found, libraries, profiles, asking.name_of(app, asked.data), asked.used_seed, talk.place
        )

    def verify(self, answer: Answer, how: Execution, talk: Talk) -> VerifiedRun:
        """The run of the first set whose library is installed, or of the next of another kind where a set is
        refused or wrong."""
        found = answer.exploration
        space = found.wish.swap

        def run(candidate: Candidate) -> Proof:
            confined = how if space is None or how.memory else swapping.limited(how, candidate, space)
            profile = answer.profiles.get(candidate.library)
            judged = swapping.under(candidate, confined.memory, profile, talk)
            return proof_of(found.problem, judged, found.wish.least, confined, talk, answer.seed)

        proof, failures = until_right(all_installed(found), run, lambda f: talk.say(f"{f.kind}: {f}"))
        return VerifiedRun(found.problem, proof, found, failures, how.counters)

    def report(self, stored: StoredExploration, store: Store) -> Reported:
        return residue_report.report(stored, store)

    def run(self, app: App | str | Path, asked: Options, how: Execution, talk: Talk) -> PlainRun:
        wish, libraries = asked.wish, _libraries(asked)
        problem = asking.problem_of(app, asked.data, asked.seed, asked.trust_data)
        profiles = _profiles(talk, libraries)
        if how.composites and not how.params:
            raise UsageError(
                "--composites needs --param", "add --param technique=flexibleauto --param scale_bits=45"
            )
        if how.params:
            candidate = _as_told(problem, libraries[0], asked, how, profiles, wish)
            least: Asked | None = resolved(wish.precision, problem.truth)
        else:
            found = _explored(problem, wish, libraries, profiles, talk)
            candidate, least = best_installed(found), found.wish.least
        candidate = swapping.under(candidate, how.memory, profiles.get(candidate.library), talk)
        proof = proof_of(problem, candidate, least, how, talk, asked.used_seed)
        return PlainRun(problem, proof, how.counters)

    def pinned(
        self, app: App | str | Path, asked: Options, how: Execution, talk: Talk
    ) -> tuple[Problem, Candidate]:
        """The candidate of the parameters that are given, with the application; nothing is run."""
        libraries = _libraries(asked)
        problem = asking.problem_of(app, asked.data, asked.seed, asked.trust_data)
        profiles = _profiles(talk, libraries)
        return problem, _as_told(problem, libraries[0], asked, how, profiles, asked.wish)

    def sweep(self, what: str, grid: TypedGrid, asked: Options, how: Sweeping, talk: Talk) -> Swept:
        from fheasible.api import residue_sweep

        return residue_sweep.asked_for(what, grid, asked, how, talk)


def proof_of(
    problem: Problem, candidate: Candidate, asked: Asked | None, how: Execution, talk: Talk, seed: int | None
) -> Proof:
    """The candidate's real run, which is stored whatever its outcome is."""
    if how.memory is None:
        refuse_memory(candidate)
    _warn_of_threads(candidate, talk)
    for caution in cautions(problem, candidate):
        talk.say(f"warning: {caution}")
    peak = candidate.estimate.peak_bytes
    if how.memory is not None and peak > how.memory.memory_bytes:
        talk.say(f"warning: {units.size(peak)} of memory are predicted, but the limit is {how.memory}")
    what = f"running {setting(candidate.library, candidate.scheme)}"
    wall = candidate.estimate.to_json()["wall_seconds"]
    plan = how.plan(wall["total"], candidate.threads)
    if said := proving.once_only(wall, how, plan):
        talk.say(said)
    with talk.store() as store, talk.progress(what + proving.predicted(wall, plan)) as step:
        return prove(
            problem, candidate, plan, seed, store, step, how.timeout, asked or GARBAGE, memory=how.memory
        )


def _warn_of_threads(candidate: Candidate, talk: Talk) -> None:
    threads, cores = candidate.estimate.threads, this_machine().cores
    if threads > cores:
        talk.say(f"warning: {threads} threads share {cores} cores, and wait for each other")


def _libraries(asked: Options) -> list[Library]:
    tables = f"for table look-ups {', '.join(LOOKUP_LIBRARIES)}"
    return asking.libraries_or_reference(asked.libraries or None, asked.scheme, tables)


def _profiles(talk: Talk, libraries: Sequence[Library]) -> Mapping[str, Profile]:
    return asking.profiles_of(talk.place, libraries, 1, lambda line: talk.say(f"warning: {line}"))


def _explored(
    problem: Problem,
    wish: Wish,
    libraries: Sequence[Library],
    profiles: Mapping[str, Profile],
    talk: Talk,
    every: bool = False,
    each: Each | None = None,
    elsewhere: Elsewhere | None = None,
) -> Exploration:
    """The result of the search, whose progress is shown. A warning names the libraries for which a limit of
    time cannot be judged."""
    unknown = [lib.name for lib in libraries if lib.name not in profiles]
    if unknown and wish.max_seconds is not None:
        talk.say(
            f"warning: the limit on time cannot be checked for {', '.join(unknown)}, which has no profile "
            "here; remedy: fheasible calibrate"
        )
    total = sum(len(lib.schemes) for lib in libraries)
    start = perf_counter()
    nothing = nullcontext(lambda _: None)
    apart = nothing if every or each else ahead(problem, wish, libraries, profiles, elsewhere)
    with apart as take_part, talk.progress("exploring") as step:
        take_part(step)
        begun = iter(range(total))

        def report(what: str, _: int) -> None:
            step(what, next(begun, total), total)

        def searched(of: Problem, asked: Wish, leads: bool = False) -> Exploration:
            found = search(
                of, asked, libraries, profiles, report, every, each, elsewhere=elsewhere, leads=leads
            )
            step("the worst inputs in the declared ranges", 0, 0)
            return found

        leads = None if every or each else partial(searched, leads=True)
        found = explore_everywhere(problem, wish, searched, leads)
        found = replace(found, seconds=perf_counter() - start)
    with talk.store(reading=True) as store:
        return without_failed(found, store)


def _as_told(
    problem: Problem,
    lib: Library,
    asked: Options,
    how: Execution,
    profiles: Mapping[str, Profile],
    wish: Wish,
) -> Candidate:
    """The candidate of the parameters that the user gives. UsageError where a depth is given that is not the
    application's own."""
    lib = library(lib.name)  # whatever scheme alone was asked for
    settings = {key.replace("-", "_"): value for key, value in (how.params or {}).items()}
    ours = {name: settings.pop(name) for name in list(settings) if name in ("depth", *OURS)}
    scheme = scheme_of(lib, asked.scheme or asking.USUAL_SCHEMES[problem.real])
    request = request_from(scheme, settings, asked.security)
    shape = shape_from(problem, ours, wish.least, request.scheme, how.composites)
    candidate = chosen(problem, lib, request, profiles.get(lib.name), shape, wish.shared_results, wish)
    depth = ours.get("depth")
    if depth not in (None, str(candidate.request.depth)):
        raise UsageError(
            f"depth={depth} was given, but {problem.circuit.name} needs {candidate.request.depth} here",
            "leave depth out: it follows from the application",
        )
    return candidate
