"""Runs of the recommended set on other inputs of the declared ranges: it is promised for all of them."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from fheasible.api.asking import problem_of
from fheasible.circuit.cleartext import evaluate
from fheasible.errors import FheasibleError, PromiseBroken, WorkerFailed, WrongResult
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Asked, Measure
from fheasible.exploration.proof.measured import Vectors
from fheasible.exploration.proof.proof import Proof, prove
from fheasible.measurement.execute import RunPlan
from fheasible.measurement.failures import outcome_of
from fheasible.noise.achieved import achieved
from fheasible.trial.application import Application, Given
from fheasible.trial.draw import Draw
from fheasible.trial.files import write
from fheasible.trial.workers import Workers

KINDS = ("corners", "corners", "low", "high", "rare")
PART = 1 / 8  # of the largest result: a result farther off is garbage, unless the request allows it
_TIMEOUT = 300.0


def other(app: Application, folder: Path) -> Problem | None:
    """The application on inputs that the search has not seen.

    None where these inputs break a promise that the application itself makes, for its approximations.
    """
    draw = Draw(f"elsewhere {app.name}")
    given = Given(draw.one(KINDS), draw.whole(0, 99))
    source, data = write(replace(app, name=f"{app.name}_elsewhere", data=given), folder)
    try:
        return problem_of(source, data, 0)
    except FheasibleError:
        return None


def wrong_at_the_largest(found: Problem, c: Candidate, asked: Asked, workers: Workers) -> str:
    """What is wrong with the set's result on the inputs of the declared ranges that have the largest result.

    A set that fits must be able to hold that result, too. Empty where nothing is wrong.
    """
    at = found.at_the_largest
    return wrong_there(found, Problem(found.circuit, at.data, at.words), c, asked, workers) if at else ""


def wrong_there(found: Problem, there: Problem, c: Candidate, asked: Asked, workers: Workers) -> str:
    """What is wrong with the set's result on the inputs `there`; empty where nothing is wrong.

    Nothing is wrong where no element is farther off than was asked. The result may be held against the exact
    functions, or against the series that approximate them: the two may differ at the ends of an interval.
    """
    try:
        proof = prove(there, c, RunPlan(1, warmup=0), timeout=_TIMEOUT, run=workers)
    except WorkerFailed as error:
        return f"{outcome_of(error)}: {error.message}"
    except WrongResult as error:
        if not isinstance(error.proof, Proof):
            return error.message
        if c.scheme != "ckks" or not there.real:
            return error.message
        proof = error.proof
    return _garbage(found, there, c, asked, proof.result) if there.real else ""


def _garbage(found: Problem, there: Problem, c: Candidate, asked: Asked, result: Vectors) -> str:
    try:
        truth = evaluate(there.lowerings(c.degrees).circuit, there.data, exact=False)
    except PromiseBroken:  # a series' error leads out of the next interval, if that ends with the values
        truth = there.truth
    if asked.measure is not Measure.MEAN and any(
        asked.met_by(achieved(result, exact)) for exact in (truth, there.truth)
    ):
        return ""
    for name, values in result.items():
        off = float(np.abs(values - truth[name]).max())
        largest = max(float(np.abs(v[name]).max()) for v in (found.truth, truth))
        if off > PART * largest:
            return f"{name} is off by {off:.3g}, although results only reach {largest:.3g}"
    return ""
