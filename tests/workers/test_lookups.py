"""Conformance of workers that execute programs of table look-ups: they decrypt what clear digits give."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fheasible.calibration.lookup_runs import OPERATIONS as CALIBRATED
from fheasible.errors import LibraryMissing, WorkerRefused
from fheasible.libraries.lookup_catalogue import lookup_library
from fheasible.measurement.conformance.lookups import INSECURE, QUESTIONS, SETS, Asked, X, everything
from fheasible.measurement.conformance.question import Question
from fheasible.measurement.execute import RunOptions, RunPlan
from fheasible.measurement.lookups import OPERATIONS, execute, execute_on, measure_on, results
from fheasible.measurement.registry import command
from fheasible.measurement.worker import Worker
from fheasible.noise.tfhe.noise import noise_of
from fheasible.noise.tfhe.program import failures
from fheasible.program.lookups import Digits, LookupProgram, LookupStep, Step
from fheasible.schemes.fhew.parameters import FhewParameters
from fheasible.schemes.tfhe.parameters import Gadget, Gaussian, TfheParameters

from .conftest import Workers

pytestmark = pytest.mark.worker

BINFHE: dict[str, FhewParameters] = {
    name: lookup_library("binfhe").named_set(name).parameters  # type: ignore[misc]
    for name in ("TOY/GINX", "TOY/AP", "TOY/LMKCDEY", "TOY/GINX/Q12", "TOY/GINX/Q26")
}
ALL = [("tfhe_rs", name, p) for name, p in SETS.items()] + [("binfhe", name, p) for name, p in BINFHE.items()]


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    yield from started("tfhe_rs")


@pytest.fixture(scope="module")
def binfhe() -> Iterator[Worker]:
    yield from started("binfhe")


def started(name: str) -> Iterator[Worker]:
    if not command(name).installed:
        pytest.skip(f"{name} is not built: {command(name).remedy}")
    try:
        with Worker(name) as found:
            yield found
    except LibraryMissing as error:  # built from other sources
        pytest.skip(error.message)


@pytest.mark.parametrize(
    ("name", "p"), [(name, p) for name, _, p in ALL], ids=[f"{n}-{of}" for n, of, _ in ALL]
)
@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.says)
def test_what_every_worker_is_asked(workers: Workers, name: str, p: Any, question: Question) -> None:
    """The list that `fheasible libraries check` asks workers of others, too."""
    known = lookup_library(name)
    asked = Asked(workers[known.worker_of], known, p, lambda: workers.fresh(known.worker_of))
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


def run_binfhe(worker: Worker, name: str, **options: Any) -> Any:
    told = lookup_library("binfhe").worker_parameters("", BINFHE[name])
    return execute_on(worker, everything(4), told, X, RunPlan(repetitions=2), RunOptions(**options))


def test_every_output_of_binfhe_has_noise_as_is_predicted(binfhe: Worker) -> None:
    """The second digit of z is fresh. All noise is below half a value's share."""
    measured = run_binfhe(binfhe, "TOY/GINX", every_output=True, noise=True)
    assert measured.outputs["z"].shape == measured.noise["z"].shape == (2, 2, 5)
    fresh, looked_up = np.abs(measured.noise["z"][:, 1]), np.abs(measured.noise["y"])
    predicted = noise_of(BINFHE["TOY/GINX"])
    assert 0 < fresh.max() < 8 * predicted.fresh**0.5
    assert 0 < looked_up.max() < 8 * predicted.looked_up**0.5
    assert max(fresh.max(), looked_up.max()) < 1 / 16


@pytest.mark.parametrize("name", BINFHE)
def test_files_and_memory_of_binfhe_are_those_that_are_predicted(name: str) -> None:
    """In a process of its own, whose memory no other request has used."""
    lib, p = lookup_library("binfhe"), BINFHE[name]
    if not command("binfhe").installed:
        pytest.skip("OpenFHE is not installed")
    measured = execute("binfhe", everything(4), lib.worker_parameters("", p), X)
    sizes, memory = lib.sizes("", p), lib.memory("", p)
    assert measured.sizes.ciphertext_bytes == sizes.ciphertext
    assert measured.sizes.secret_key_bytes == sizes.secret_key
    assert measured.sizes.evaluation_key_bytes == sizes.evaluation_key
    assert measured.memory.peak_bytes == pytest.approx(memory.baseline + memory.keys, rel=0.15)


@pytest.mark.parametrize(
    ("told", "words"), [({"set": "STD9"}, "STD9"), ({"method": "dm"}, "DM"), ({"log_q": 40}, "logQ > 29")]
)
def test_binfhe_refuses_what_it_has_not_and_lives(binfhe: Worker, told: dict[str, Any], words: str) -> None:
    wrong = lookup_library("binfhe").worker_parameters("", BINFHE["TOY/GINX"]) | told
    with pytest.raises(WorkerRefused, match=words):
        execute_on(binfhe, everything(4), wrong, X)
    with pytest.raises(WorkerRefused, match="cannot hold 512 values"):
        execute_on(binfhe, everything(512), wrong | {"set": "TOY", "method": "ginx", "log_q": None}, X)
    short = [replace(s, length=3) if s.step is Step.TRIVIAL else s for s in everything(4).steps]
    with pytest.raises(WorkerRefused, match="do not fit"):
        execute_on(binfhe, replace(everything(4), steps=tuple(short)), wrong, X)
    assert results(everything(4), run_binfhe(binfhe, "TOY/GINX"))


def test_operations_of_binfhe_are_timed(binfhe: Worker) -> None:
    lib = lookup_library("binfhe")
    for name in ("TOY/GINX", "TOY/GINX/Q12"):
        asked = (*CALIBRATED, *lib.parts("", BINFHE[name]))
        found = measure_on(binfhe, lib.worker_parameters("", BINFHE[name]), asked, repetitions=2)
        assert set(found.timings) == set(asked)
        assert all(len(t.cpu.seconds) == 2 and min(t.wall.seconds) > 0 for t in found.timings.values())


@pytest.mark.parametrize(("name", "share"), [("TOY/GINX", 0.0121), ("TOY/LMKCDEY", 0.154)])
def test_look_ups_of_binfhe_go_wrong_as_often_as_is_predicted(
    binfhe: Worker, name: str, share: float
) -> None:
    """With 16 values, TOY has room for errors below 8. Fresh ones are as wide as 3.19: one in 80 is beyond.
    LMKCDEY adds 1 to half of 64 numbers, of which two in three count: a variance of 64 / 3 more."""
    values, count, keys = 16, 60, 20  # of one key, LMKCDEY's error has a mean: only many keys show the rate
    p = replace(BINFHE[name], message_modulus=4, carry_modulus=4)
    steps = (
        LookupStep(Step.ENCRYPT, 0, count, source="x"),
        LookupStep(Step.LOOKUP, 1, count, (0,), table=0),
    )
    table = tuple(8 * (v % 2) for v in range(values))  # far apart: the result's own noise changes nothing
    digits = Digits("x", count, (0,), values)
    program = LookupProgram(values, steps, (table,), (digits,), (Digits("y", count, (1,), values),))
    numbers = np.arange(count) % values
    told = lookup_library("binfhe").worker_parameters("", p)
    no_sizes = RunOptions(sizes=False)
    runs = [execute_on(binfhe, program, told, {"x": numbers}, options=no_sizes) for _ in range(keys)]
    found = np.abs(np.array([run.outputs["y"][0] for run in runs]) - 8 * (numbers % 2)) > 3
    expected = 2.0 ** failures(program, p, None).worst
    assert expected == pytest.approx(share, rel=0.03)
    assert expected / 2 < found.mean() < 2 * expected
