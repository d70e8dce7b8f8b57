"""Applications on integers, also run by libraries of table look-ups."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from fheasible.api.explore import explore
from fheasible.api.lookup_answer import LookupAnswer
from fheasible.errors import UsageError, WorkerFailed, WrongResult
from fheasible.exploration.lookups.candidate import LookupCandidate
from fheasible.exploration.lookups.proof import prove
from fheasible.exploration.lookups.search import LookupExploration
from fheasible.measurement.execute import RunPlan
from fheasible.measurement.failures import outcome_of
from fheasible.trial.found import LEFT_OUT, RIGHT, TrialRun, kept, measured, too_dear

PLAN = RunPlan(2, warmup=0)
_LEAST_TIMEOUT = 120.0


def runs(
    source: Path, data: Path | None, libraries: tuple[str, ...], most_seconds: float, most_bytes: float,
    **asked: Any,
) -> Iterator[TrialRun]:  # fmt: skip
    """The run of the best set of each library, on the application's data; none where nothing fits, or where
    such libraries do not judge what is asked."""
    for name in libraries:
        try:
            answer = explore(source, data=data, libraries=[name], **asked)
        except UsageError:
            continue
        assert isinstance(answer, LookupAnswer)
        str(answer)  # the reasons are part of the answer, and making them may fail
        if answer.exploration.best is not None:
            yield _run(answer.exploration, answer.exploration.best, most_seconds, most_bytes)


def _run(found: LookupExploration, c: LookupCandidate, most_seconds: float, most_bytes: float) -> TrialRun:
    base = TrialRun(c.library.name, c.scheme, LEFT_OUT, "", c.settings, kept(c.estimate.to_json()))
    times = c.estimate.cpu_seconds
    seconds = times["keygen"] + times["total"] * PLAN.repetitions if times else 0.0
    if dear := too_dear(seconds, c.estimate.peak_bytes, most_seconds, most_bytes):
        return replace(base, message=dear)
    timeout = max(20 * seconds, _LEAST_TIMEOUT)
    try:
        proof = prove(found.problem, c, PLAN, None, None, found.wish.least, timeout=timeout)
    except (WorkerFailed, WrongResult) as error:
        return replace(base, outcome=outcome_of(error), message=error.message)
    return replace(base, outcome=RIGHT, measured=measured(proof.measured_json()), beside=proof.beside)
