"""The ring schemes on the exact ring as a platform: its one library is named "reference"."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fheasible import units
from fheasible.api import asking, proving
from fheasible.api.asking import Subject
from fheasible.api.options import Options
from fheasible.api.platform import Each, Execution, Platform, Reported, Sweeping, Swept, Talk, TypedGrid
from fheasible.api.ring_answer import INTEGERS, REMEDY, RingAnswer
from fheasible.api.ring_run import PlainRingRun, VerifiedRingRun
from fheasible.circuit.trace import App
from fheasible.errors import InfeasibleParameters, UsageError
from fheasible.estimation.ring_profile import LIBRARY, RingProfile
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.rings.choice import RingCandidate
from fheasible.exploration.rings.chosen import chosen, parameters_from
from fheasible.exploration.rings.proof import RingProof, prove
from fheasible.exploration.rings.search import RingExploration, explore_rings
from fheasible.exploration.rings.wish import RingWish
from fheasible.schemes import catalogue
from fheasible.schemes.plan import Plan, plan
from fheasible.store.rows import StoredExploration
from fheasible.store.store import Store

# Options of the libraries, which have other limits and other precision.
FOREIGN = (
    "worst_case", "trust_data", "max_ciphertext_bytes", "max_key_bytes", "requests", "price_core_hour",
    "price_gib", "threads", "swap", "params",
)  # fmt: skip
OWN = "make the computation less deep, or give your own parameters: --param n=4096 --param log_q=..."


class Rings(Platform):
    """FV, YASHE, F-NTRU and SHIELD."""

    def names(self) -> tuple[str, ...]:
        return (LIBRARY,)

    def refuse(self, asked: Options) -> None:
        others = [name for name in asked.libraries if name != LIBRARY]
        if others:
            raise UsageError(
                f"{LIBRARY} cannot be explored with {units.listing(others)}, because their figures do not "
                "compare",
                "explore them one after the other",
            )
        if asked.precision is not None:
            raise UsageError("ring schemes compute on integers, which are exact", "leave --precision out")
        remedy = f"leave the option out, or leave --library {LIBRARY} out"
        asked.refuse(FOREIGN, "the ring schemes have no {}", remedy)

    def explore(
        self,
        app: Subject,
        asked: Options,
        talk: Talk,
        everything: bool = False,
        each: Each | None = None,
    ) -> RingAnswer:
        if each is not None:
            raise UsageError(
                "the ring schemes have no --csv", f"leave --csv out, or leave --library {LIBRARY} out"
            )
        profile = _profile(talk)
        problem = asking.problem_of(app, asked.data, asked.seed)
        called = asking.name_of(app, asked.data) or f"{problem.circuit.name}.py"
        found = _explored(problem, wish_of(asked), asked.scheme, profile)
        return RingAnswer(problem, found, profile, called, asked.seed, talk.place)

    def verify(self, answer: RingAnswer, how: Execution, talk: Talk) -> VerifiedRingRun:
        _refuse_counters(how)
        _refuse_limit(how)
        problem, found = answer.problem, answer.exploration
        candidate = _best(found, REMEDY)
        steps = plan(problem.circuit, not found.wish.as_written)
        return VerifiedRingRun(problem, _proof(talk, problem, candidate, steps, how, answer.seed))

    def report(self, stored: StoredExploration, store: Store) -> Reported:
        from fheasible.reports import ring_page  # which loads the drawing of figures

        made = ring_page.report(stored, store.measurements(stored.explored.app, outcome="measured"))
        sets = len(made.content["candidates"])
        return Reported(stored, sets, made.best, ring_page.render(made), made.drawings)

    def run(self, app: App | str | Path, asked: Options, how: Execution, talk: Talk) -> PlainRingRun:
        _refuse_execution(how, asked)
        problem, profile = asking.problem_of(app, asked.data, asked.seed), _profile(talk)
        steps = plan(problem.circuit, not asked.as_written)
        if how.params:
            candidate = _as_told(how.params, asked.scheme, steps, profile)
        else:
            wish = RingWish(asked.security, as_written=asked.as_written)
            candidate = _best(_explored(problem, wish, asked.scheme, profile), OWN)
        return PlainRingRun(problem, _proof(talk, problem, candidate, steps, how, asked.seed))

    def sweep(self, what: str, grid: TypedGrid, asked: Options, how: Sweeping, talk: Talk) -> Swept:
        from fheasible.api import ring_sweep

        _refuse_sweeping(grid, how)
        subject, wanted = ring_sweep.asked_for(what, grid, asked, how)
        if how.execution is None:
            return ring_sweep.AnalysedSweep(subject, wanted, talk)
        from fheasible.api.ring_sweep_run import ExecutedSweep
        from fheasible.exploration.sweeps.ring_runs import SweepWish

        repetitions, timeout = how.execution.plan(None).repetitions, how.execution.timeout
        wish = SweepWish(repetitions, asked.seed, how.max_bytes, timeout, how.again)
        return ExecutedSweep(subject, wanted, wish, how.points, talk)


def wish_of(asked: Options) -> RingWish:
    return RingWish(
        asked.security,
        asked.quantum,
        (asked.objective or "complexity").lower(),
        (asked.noise or "worst-case").lower(),
        asked.as_written,
        asked.ignore_security,
        asked.max_seconds,
        None if asked.max_bytes is None else int(asked.max_bytes),
    )


def _refuse_execution(how: Execution, asked: Options) -> None:
    if how.composites:
        raise UsageError("ring schemes have no --composites", "leave --composites out")
    _refuse_counters(how)
    _refuse_limit(how)
    if how.params and "--security" in asked.given(("security",)):
        raise UsageError(
            "--security chooses parameters, but --param already gives them",
            "leave one of them out; the security of given parameters is reported",
        )


def _refuse_sweeping(grid: TypedGrid, how: Sweeping) -> None:
    if how.execution is not None:
        _refuse_limit(how.execution)
    if grid.numbers:
        raise UsageError(
            f"--set {grid.numbers[0]} applies to sweeps of a library alone",
            "name one with --library, or change the number in the application's file",
        )
    if how.every != 1:
        raise UsageError(
            f"--every {how.every} applies to sweeps of a library alone", "take larger steps in --vary"
        )
    if how.cluster is not None:
        raise UsageError(
            "--cluster applies to sweeps of a library alone",
            "name one with --library, or leave --cluster out: ring schemes run on this machine",
        )


def _refuse_counters(how: Execution) -> None:
    if how.counters:
        raise UsageError("runs of ring schemes keep no counters", "leave --counters out")


def _refuse_limit(how: Execution) -> None:
    if how.memory is not None:
        raise UsageError(
            "--memory-limit applies to runs of a library alone", "name one with --library, or leave it out"
        )


def _profile(talk: Talk) -> RingProfile | None:
    from fheasible.calibration.ring_profile import of_this_machine  # which loads scipy

    with talk.store(reading=True) as store:
        return of_this_machine(store)


def _explored(
    problem: Problem, wish: RingWish, scheme: str | None, profile: RingProfile | None
) -> RingExploration:
    kinds = list(catalogue.SCHEMES.values()) if scheme is None else [catalogue.scheme(scheme)]
    return explore_rings(problem.circuit, wish, kinds, profile)


def _as_told(
    params: Mapping[str, str], scheme: str | None, steps: Plan, profile: RingProfile | None
) -> RingCandidate:
    """The candidate of the parameters that the user gives."""
    kind = catalogue.scheme(scheme or "fv")
    return chosen(kind, parameters_from(params, kind, steps), steps, profile)


def _best(found: RingExploration, remedy: str) -> RingCandidate:
    """The best candidate. InfeasibleParameters, with every reason, where nothing fits."""
    if found.best is not None:
        return found.best
    reasons = [f"  {r.kind.title}: {r.reason}" for r in found.rejected]
    raise InfeasibleParameters(
        "\n".join([f"no parameters of a ring scheme fit {found.app}", *reasons]),
        remedy if found.explored else INTEGERS,
    )


def _proof(
    talk: Talk, problem: Problem, c: RingCandidate, steps: Plan, how: Execution, seed: int
) -> RingProof:
    for line in (*problem.warnings, *c.warnings):
        talk.say(f"warning: {line}")
    what = f"running {c.kind.title} on the exact ring"
    wall: dict[str, Any] = c.to_json()["estimate"]["wall_seconds"]
    plan = how.plan(wall["total"])
    if said := proving.once_only(wall, how, plan):
        talk.say(said)
    with talk.store() as store, talk.progress(what + proving.predicted(wall, plan)):
        return prove(problem, c, steps, plan.repetitions, seed, store, how.timeout, plan.warmup)
