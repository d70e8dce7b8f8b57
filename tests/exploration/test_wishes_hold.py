"""Wishes that are granted hold when a library really runs what was chosen."""

from dataclasses import replace

import numpy as np
import pytest

import fheasible as fh
from fheasible.errors import FheasibleError, InfeasibleParameters
from fheasible.exploration.judging.chosen import chosen, request_from
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Asked, Wish
from fheasible.exploration.proof.proof import prove
from fheasible.exploration.search.search import explore
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.libraries.parameters import Request
from fheasible.measurement.execute import RunPlan
from fheasible.measurement.registry import command
from having import having

from .apps import problem

ONCE = RunPlan(repetitions=1, warmup=0)


def installed(library: str) -> str:
    if not command(library).installed:
        pytest.skip(f"{library} is not installed")
    return library


@fh.app(x=fh.reals(64, low=0, high=1))
def std_dev(x: fh.Vector) -> fh.Vector:
    return fh.sqrt(fh.mean((x - fh.mean(x)) ** 2), low=0, high=0.25)


@fh.app(x=fh.reals(64, low=-1, high=1))
def scores(x: fh.Vector) -> fh.Vector:
    return 3 * fh.sigmoid(x * np.linspace(-1, 1, 64) + 0.5, low=-1, high=2)


@pytest.mark.worker
@pytest.mark.parametrize("library", having("ckks"))
@pytest.mark.parametrize(
    ("app", "asked"),
    [(std_dev, "12"), (std_dev, "relative:1e-3"), (scores, "absolute:1e-5"), (scores, "relative:1e-2")],
    ids=lambda x: x if isinstance(x, str) else x.name,
)
def test_a_wish_that_is_granted_holds(library: str, app: fh.App, asked: str) -> None:
    of = problem(app)
    wish = Wish(precision=Asked.parse(asked))
    best = explore(of, wish, [replace(CATALOGUE[installed(library)], schemes=("ckks",))], {}).best
    assert best is not None
    assert best.degrees
    proof = prove(of, best, ONCE, asked=wish.least)  # raises WrongResult where it does not hold
    assert proof.achieved is not None
    assert wish.least.met_by(proof.achieved)


@fh.app(x=fh.reals(8, low=-1, high=1))
def faint(x: fh.Vector) -> fh.Vector:
    return x * 2.0**-33 + fh.rotate(x, 1) * np.linspace(0.5, 1, 8)


@fh.app(x=fh.reals(8, low=-1, high=1))
def faint_diagonal(x: fh.Vector) -> fh.Vector:
    return fh.matmul(np.eye(8) + 2.0**-33 * np.eye(8, k=3), x)


def at_scale(scale: int, app: fh.App = faint) -> tuple[Problem, Request]:
    of = Problem(app.trace(), {"x": np.linspace(-1, 1, 8)}, "by hand")
    settings = {"scale_bits": str(scale), "first_bits": "50", "ring_dimension": "4096"}
    return of, request_from("ckks", settings, None)


@pytest.mark.worker
@pytest.mark.parametrize(
    ("library", "app", "refusal"),
    [
        ("seal", faint, "transparent"),
        ("seal", faint_diagonal, "transparent"),
        ("openfhe", faint_diagonal, "Scaling factor too small"),
    ],
)
def test_a_number_that_rounds_to_zero_is_refused_as_is_predicted(
    monkeypatch: pytest.MonkeyPatch, library: str, app: fh.App, refusal: str
) -> None:
    of, request = at_scale(31, app)
    with pytest.raises(InfeasibleParameters, match="rounds to zero") as caught:
        chosen(of, CATALOGUE[installed(library)], request, None)
    assert "scale_bits" in caught.value.remedy
    monkeypatch.setattr("fheasible.exploration.judging.chosen._refuse_overflow", lambda *_: None)
    with pytest.raises(FheasibleError, match=refusal):
        prove(of, chosen(of, CATALOGUE[library], request, None), ONCE)


@pytest.mark.worker
def test_seal_takes_a_number_that_rounds_to_one() -> None:
    of, request = at_scale(34)
    assert prove(of, chosen(of, CATALOGUE[installed("seal")], request, None), ONCE).correct
