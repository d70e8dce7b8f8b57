"""Explores an application, and really runs the best set of every library and scheme."""

import traceback
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from fheasible.api.answer import Answer
from fheasible.api.explore import explore
from fheasible.errors import FheasibleError, LibraryMissing, StoreError, WorkerFailed, WrongResult
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Asked
from fheasible.exploration.proof.proof import Proof, prove
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.libraries.lookup_catalogue import LOOKUP_CATALOGUE
from fheasible.measurement.execute import RunPlan
from fheasible.measurement.failures import outcome_of
from fheasible.trial import files
from fheasible.trial.application import Application
from fheasible.trial.constant import SAID, is_constant
from fheasible.trial.doubt import richer, stricter
from fheasible.trial.draw import Draw
from fheasible.trial.elsewhere import other, wrong_at_the_largest, wrong_there
from fheasible.trial.found import LEFT_OUT, RIGHT, TrialOutcome, TrialRun, Unfit, kept, measured, too_dear
from fheasible.trial.table_lookups import runs as looked_up
from fheasible.trial.workers import Workers

Report = Callable[[str], None]
RETRIES = 4
"""More runs after one that was less precise than asked: one miss in a thousand is promised, two in five are a
fault."""
_SHORT_SECONDS = 1.0  # a set that takes less is run three times
_LEAST_TIMEOUT = 60.0
ELSEWHERE = 3  # one application in so many is also run on inputs that the search has not seen
_CHANCE_BITS = 2.0  # by which one encryption may be worse than 999 of 1,000


@dataclass(frozen=True, slots=True)
class Scope:
    """What is explored and run.

    `runners_up`: how many of the other sets shown are also run, for each library and scheme. `doubts`:
    whether the reasons why nothing fits are put to the test. Sets that are predicted to take more than
    `most_seconds` or `most_bytes` are left out. `store`: where this machine's profiles are. `lookups`: the
    libraries of table look-ups that applications on integers are also run with.
    """

    libraries: tuple[str, ...] = ()
    scheme: str | None = None
    runners_up: int = 0
    doubts: bool = True
    most_seconds: float = 60.0
    most_bytes: float = 8 * 2**30
    store: str | Path | None = None
    lookups: tuple[str, ...] = ()

    @property
    def workers(self) -> tuple[str, ...]:
        """The workers that run all that."""
        return (*self.libraries, *(LOOKUP_CATALOGUE[name].worker_of for name in self.lookups))


def tried(
    app: Application, number: int, scope: Scope, workers: Workers, report: Report = lambda _: None
) -> TrialOutcome:
    """The outcome of an application, whatever goes wrong with it. Raises LibraryMissing and StoreError."""
    workers.fresh = number % 10 == 0
    with TemporaryDirectory(prefix="fheasible-") as folder, warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            found = _tried(app, number, scope, workers, Path(folder), report)
        except (LibraryMissing, StoreError):  # which are not the application's fault
            raise
        except FheasibleError as error:
            constant = SAID in error.message and is_constant(app, Path(folder))
            outcome = "constant" if constant else "declined"
            found = TrialOutcome(number, app.to_json(), outcome, f"{error.kind}: {error.message}")
        except Exception as error:
            trace = "".join(traceback.format_exception(error)[-6:])
            message = f"{type(error).__name__}: {error}"
            found = TrialOutcome(number, app.to_json(), "crashed", message, trace=trace)
    return replace(found, warned=tuple(dict.fromkeys(_place(w) for w in said)))


def _place(w: warnings.WarningMessage) -> str:
    return f"{w.category.__name__}: {w.message} ({Path(w.filename).name}:{w.lineno})"


def _tried(
    app: Application, number: int, scope: Scope, workers: Workers, folder: Path, report: Report
) -> TrialOutcome:
    source, data = files.write(app, folder)
    report("exploring")
    start = perf_counter()
    asked = {"seed": app.data.seed, "store": scope.store, **files.wished(app)}
    libraries = list(scope.libraries or CATALOGUE)
    answer = explore(source, data=data, libraries=libraries, scheme=scope.scheme, **asked)
    said = str(answer)  # the reasons are part of the answer, and making them may fail, as the search may
    seconds = perf_counter() - start
    found = answer.exploration
    there = other(app, folder) if app.data.kind == "drawn" and number % ELSEWHERE == 1 else None
    runs = [
        _run(found.problem, there, c, found.wish.least, scope, workers, report)
        for c in chosen(found.candidates, scope.runners_up, Draw(f"runners-up {app.name}"))
    ]
    if app.discrete:
        report("table look-ups")
        runs += looked_up(source, data, scope.lookups, scope.most_seconds, scope.most_bytes, **asked)
    unfit = tuple(_unfit(answer, r.library, r.scheme, r.reason, scope, workers) for r in found.rejected)
    return TrialOutcome(
        number, app.to_json(), "explored", "" if said else "no answer", seconds, found.explored,
        found.feasible, tuple(runs), unfit,
    )  # fmt: skip


def chosen(candidates: Iterable[Candidate], runners_up: int, draw: Draw) -> list[Candidate]:
    """The best candidate of each library and scheme, and `runners_up` others of each."""
    groups: dict[tuple[str, str], list[Candidate]] = {}
    for c in candidates:
        groups.setdefault((c.library, c.scheme), []).append(c)
    return [c for of in groups.values() for c in [of[0], *draw.some(of[1:], runners_up)]]


def _run(
    problem: Problem, there: Problem | None, c: Candidate, asked: Asked, scope: Scope, workers: Workers,
    report: Report,
) -> TrialRun:  # fmt: skip
    """The run of a set on the problem's own data, and then on the data of `there`."""
    predicted = c.estimate.to_json()
    base = TrialRun(c.library, c.scheme, LEFT_OUT, "", c.settings, kept(predicted), fresh=workers.fresh)
    wall, plan = _wall(c)
    if dear := too_dear(wall, c.estimate.peak_bytes, scope.most_seconds, scope.most_bytes):
        return replace(base, message=dear)
    report(f"{c.library} {c.scheme}")
    came = judged(base, problem, c, asked, plan, max(20 * wall, _LEAST_TIMEOUT), workers)
    wrong = wrong_there(problem, there, c, asked, workers) if there and came.outcome == RIGHT else ""
    if wrong and there:
        return replace(came, outcome="wrong", message=f"on other inputs of the declared ranges: {wrong}")
    return came


def judged(
    base: TrialRun,
    problem: Problem,
    c: Candidate,
    asked: Asked,
    plan: RunPlan,
    timeout: float,
    workers: Workers,
) -> TrialRun:
    """The outcome of a set.

    The set is run again, up to RETRIES times, where it was only a little less precise than asked.
    """
    proofs: list[Proof] = []
    misses, message = 0, ""
    for turn in range(1 + RETRIES):
        try:
            proofs.append(prove(problem, c, plan, timeout=timeout, asked=asked, run=workers))
        except WrongResult as error:
            misses, message = misses + 1, error.message
            if isinstance(error.proof, Proof):
                proofs.append(error.proof)
            if not _by_chance(problem, c, asked, error):
                break
        except WorkerFailed as error:
            return replace(base, outcome=outcome_of(error), message=error.message, tries=turn + 1)
        if misses == 0 or misses > 1:
            break
    outcome = "wrong" if misses > 1 or (misses and len(proofs) < 1 + RETRIES) else RIGHT
    came = replace(base, outcome=outcome, message=message, tries=turn + 1, misses=misses)
    return (
        replace(came, measured=measured(proofs[0].measured_json()), beside=proofs[0].beside)
        if proofs
        else came
    )


def _by_chance(problem: Problem, c: Candidate, asked: Asked, error: WrongResult) -> bool:
    """Whether real numbers are off by no more than may happen once in a thousand encryptions."""
    if c.scheme != "ckks" or not problem.real or not isinstance(error.proof, Proof):
        return False
    achieved = error.proof.achieved
    assert achieved is not None
    figure, in_bits = asked.of(achieved), asked.reached_by(inf)
    return asked.reached_by(figure + _CHANCE_BITS if in_bits else figure / 2**_CHANCE_BITS)


def _wall(c: Candidate) -> tuple[float, RunPlan]:
    """About how many seconds the run takes (0 where no profile can tell), and how often it is made."""
    times = c.estimate.cpu_seconds
    if times is None:
        return 0.0, RunPlan(1, warmup=0)
    plan = RunPlan(3, warmup=1) if times["total"] < _SHORT_SECONDS else RunPlan(2, warmup=0)
    return times["keygen"] + times["total"] * (plan.repetitions + plan.warmup), plan


def _unfit(answer: Answer, library: str, scheme: str, reason: str, scope: Scope, workers: Workers) -> Unfit:
    """The reason why nothing fits, put to the test where the scheme can express the problem at all."""
    problem, wish = answer.exploration.problem, answer.exploration.wish
    plain = Unfit(library, scheme, reason)
    if not scope.doubts or problem.unsuited(scheme):
        return plain
    c = richer(answer, library, scheme, Draw(f"richer {problem.circuit.name} {library} {scheme}"))
    if c is None:
        return plain
    wall, _ = _wall(c)
    if too_dear(wall, c.estimate.peak_bytes, scope.most_seconds, scope.most_bytes):
        return replace(plain, tried=c.settings, came=LEFT_OUT)
    came = _came(problem, c, stricter(wish.least, problem, c), workers)
    if came == RIGHT and wrong_at_the_largest(problem, c, wish.least, workers):
        came = "wrong"
    return replace(plain, tried=c.settings, came=came)


def _came(problem: Problem, c: Candidate, asked: Asked, workers: Workers, times: int = 3) -> str:
    """The outcome of `times` runs: right where all are right, else the first other outcome."""
    for _ in range(times):
        try:
            prove(problem, c, RunPlan(1, warmup=0), timeout=5 * _LEAST_TIMEOUT, asked=asked, run=workers)
        except (WorkerFailed, WrongResult) as error:
            return outcome_of(error)
    return RIGHT
