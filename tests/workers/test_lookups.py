"""Conformance of workers that execute programs of table look-ups: they decrypt what clear digits give."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fheasible.errors import LibraryMissing, WorkerRefused
from fheasible.libraries.lookup_catalogue import lookup_library
from fheasible.measurement.conformance.lookups import INSECURE, QUESTIONS, SETS, Asked, X, everything
from fheasible.measurement.conformance.question import Question
from fheasible.measurement.execute import RunOptions, RunPlan
from fheasible.measurement.lookups import OPERATIONS, execute_on, measure_on, results
from fheasible.measurement.registry import command
from fheasible.measurement.worker import Worker
from fheasible.program.lookups import Step
from fheasible.schemes.tfhe.parameters import Gadget, Gaussian, TfheParameters

from .conftest import Workers

pytestmark = pytest.mark.worker

NAMES = ("tfhe_rs",)


@pytest.fixture(scope="module", params=NAMES)
def worker(request: pytest.FixtureRequest) -> Iterator[Worker]:
    name = request.param
    if not command(name).installed:
        pytest.skip(f"{name} is not built: {command(name).remedy}")
    try:
        with Worker(name) as found:
            yield found
    except LibraryMissing as error:  # built from other sources
        pytest.skip(error.message)


@pytest.mark.parametrize("of", SETS)
@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.says)
@pytest.mark.parametrize("name", NAMES)
def test_what_every_worker_is_asked(workers: Workers, name: str, of: str, question: Question) -> None:
    """The list that `fheasible libraries check` asks workers of others, too."""
    asked = Asked(workers[name], lookup_library(name), SETS[of], lambda: workers.fresh(name))
    question.ask(asked)


PROGRAM = everything(INSECURE.plaintext_modulus)


def run(worker: Worker, p: TfheParameters, **options: Any) -> Any:
    told = lookup_library(worker.library).worker_parameters("", p)
    return execute_on(worker, PROGRAM, told, X, RunPlan(repetitions=2), RunOptions(**options))


def test_every_output_has_its_noise(worker: Worker) -> None:
    measured = run(worker, INSECURE, every_output=True, noise=True)
    assert measured.outputs["z"].shape == measured.noise["z"].shape == (2, 2, 5)
    fresh = np.abs(measured.noise["z"][:, 1])
    assert 0 < fresh.max() < 8 * 2.0**-45 < np.abs(measured.noise["y"]).max() < 1 / 32


def test_samples_and_phases_agree(worker: Worker) -> None:
    measured = run(worker, INSECURE)
    steps = PROGRAM.steps
    assert measured.operations.shape == (2, len(steps), 2)
    encrypts = [step.step is Step.ENCRYPT for step in steps]
    for i, cpu in enumerate(measured.phases.encrypt.cpu.seconds):
        assert measured.operations[i, encrypts, 0].sum() == pytest.approx(cpu)
    assert measured.memory.baseline_bytes < measured.memory.keys_bytes <= measured.memory.peak_bytes


@pytest.mark.parametrize("name", SETS)
def test_sizes_are_those_that_are_predicted(worker: Worker, name: str) -> None:
    sizes = lookup_library(worker.library).sizes("", SETS[name])
    measured = run(worker, SETS[name]).sizes
    assert measured.ciphertext_bytes == sizes.ciphertext
    assert measured.secret_key_bytes == sizes.secret_key
    assert measured.evaluation_key_bytes == sizes.evaluation_key
    told = lookup_library(worker.library).worker_parameters("", SETS[name])
    seeded = measure_on(worker, told, ("add",), repetitions=1).sizes
    assert seeded["seeded_ciphertext"] == sizes.seeded_ciphertext
    assert seeded["seeded_evaluation_key"] == sizes.seeded_evaluation_key


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"polynomial_size": 500}, "polynomial size 500"),
        ({"carry_modulus": 3}, "12 values"),
        ({"grouping": 5}, "grouping 5"),
        ({"pbs": Gadget(33, 2)}, "2 digits of 33 bits"),
        ({"torus_bits": 32}, "32 bits of torus"),
        ({"lwe_errors": Gaussian(0.7)}, "outside of the torus"),
    ],
)
def test_what_is_impossible_is_refused_and_the_worker_lives(worker: Worker, change: Any, words: str) -> None:
    wrong = replace(INSECURE, **change)
    with pytest.raises(WorkerRefused, match=words):
        run(worker, wrong)
    assert lookup_library(worker.library).refusal("", wrong)
    assert results(PROGRAM, run(worker, INSECURE))


def test_single_operations_are_timed(worker: Worker, tmp_path: Path) -> None:
    told = lookup_library(worker.library).worker_parameters("", INSECURE)
    found = measure_on(worker, told, tuple(OPERATIONS), repetitions=2)
    assert set(found.timings) == set(OPERATIONS)
    assert all(len(t.cpu.seconds) == 2 and min(t.wall.seconds) > 0 for t in found.timings.values())
    with pytest.raises(WorkerRefused, match="no operation fly"):
        measure_on(worker, told, ("fly",))
