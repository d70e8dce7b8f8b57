"""Conformance of workers that execute programs of table look-ups: they decrypt what clear digits give."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fheasible.errors import LibraryMissing, WorkerRefused
from fheasible.libraries.lookup_catalogue import lookup_library
from fheasible.measurement.execute import RunOptions, RunPlan
from fheasible.measurement.lookups import OPERATIONS, execute_on, measure_on, results
from fheasible.measurement.registry import command
from fheasible.measurement.worker import Worker
from fheasible.program.lookup_values import computed
from fheasible.program.lookups import Digits, LookupProgram, LookupStep, Step
from fheasible.schemes.tfhe.parameters import Gadget, Gaussian, ModulusSwitch, Order, TfheParameters

pytestmark = pytest.mark.worker

INSECURE = TfheParameters(
    lwe_dimension=64, glwe_dimension=1, polynomial_size=512, lwe_errors=Gaussian(2.0**-30),
    glwe_errors=Gaussian(2.0**-45), pbs=Gadget(12, 3), ks=Gadget(8, 3), message_modulus=4, carry_modulus=2,
)  # fmt: skip
SETS = {
    "key switch first": INSECURE,
    "bootstrap first": replace(INSECURE, order=Order.PBS_KS),
    "centered": replace(INSECURE, modulus_switch=ModulusSwitch.CENTERED),
    "groups of bits": replace(INSECURE, grouping=2),
    "two polynomials": replace(INSECURE, glwe_dimension=2, polynomial_size=256),
}
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


def everything() -> LookupProgram:
    """Each kind of step, on digits below 8."""
    steps = (
        LookupStep(Step.ENCRYPT, 0, 5, source="x"),
        LookupStep(Step.ENCRYPT, 1, 5, source="x", digit=1),
        LookupStep(Step.LINEAR, 2, 5, (0, 1), (1, -1), np.array([3])),
        LookupStep(Step.LOOKUP, 3, 5, (2,), table=0, frees=(2,)),
        LookupStep(Step.FOLD, 4, 3, (1,), group=2),
        LookupStep(Step.PICK, 5, 4, (4,), plain=np.array([2, 0, 0, 1]), frees=(4,)),
        LookupStep(Step.TRIVIAL, 6, 1, plain=np.array([1])),
        LookupStep(Step.LINEAR, 7, 4, (5, 6), (1, 1)),
        LookupStep(Step.JOIN, 8, 9, (3, 7)),
        LookupStep(Step.LOOKUP, 9, 9, (8,), table=1),
    )
    tables = (tuple((3 * v + 1) % 8 for v in range(8)), tuple(7 - v for v in range(8)))
    inputs = (Digits("x", 5, (0, 1), 4, -8),)
    return LookupProgram(8, steps, tables, inputs, (Digits("y", 9, (9,), 8), Digits("z", 5, (3, 1), 8)))


X = {"x": np.array([-8, 7, 0, 3, -3])}


def run(worker: Worker, p: TfheParameters, **options: Any) -> Any:
    told = lookup_library(worker.library).worker_parameters("", p)
    return execute_on(worker, everything(), told, X, RunPlan(repetitions=2), RunOptions(**options))


@pytest.mark.parametrize("name", SETS)
def test_what_is_decrypted_is_what_clear_digits_give(worker: Worker, name: str) -> None:
    found = results(everything(), run(worker, SETS[name], check_inputs=True))
    expected = computed(everything(), X)
    assert {k: list(v) for k, v in found.items()} == {k: list(v) for k, v in expected.items()}


def test_another_key_decrypts_nothing(worker: Worker) -> None:
    found = results(everything(), run(worker, INSECURE, wrong_key=True))
    assert list(found["y"]) != list(computed(everything(), X)["y"])


def test_inputs_are_as_they_were_after_the_run(worker: Worker) -> None:
    rows = run(worker, INSECURE, check_inputs=True).inputs_after["x"]
    assert rows.tolist() == [[0, 3, 0, 3, 1], [0, 3, 2, 2, 1]]  # the digits of x + 8 to the base of 4


def test_every_output_has_its_noise(worker: Worker) -> None:
    measured = run(worker, INSECURE, every_output=True, noise=True)
    assert measured.outputs["z"].shape == measured.noise["z"].shape == (2, 2, 5)
    fresh = np.abs(measured.noise["z"][:, 1])
    assert 0 < fresh.max() < 8 * 2.0**-45 < np.abs(measured.noise["y"]).max() < 1 / 32


def test_samples_and_phases_agree(worker: Worker) -> None:
    measured = run(worker, INSECURE)
    steps = everything().steps
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
    assert results(everything(), run(worker, INSECURE))


def test_a_program_that_does_not_fit_is_refused(worker: Worker) -> None:
    told = lookup_library(worker.library).worker_parameters("", INSECURE)
    program = everything()
    lost = replace(program, steps=program.steps[1:])
    with pytest.raises(WorkerRefused, match="value 0 does not exist"):
        execute_on(worker, lost, told, X)
    longer = replace(program, tables=(program.tables[0], (8,) * 8))
    with pytest.raises(WorkerRefused, match="table 1"):
        execute_on(worker, longer, told, X)


def test_single_operations_are_timed(worker: Worker, tmp_path: Path) -> None:
    told = lookup_library(worker.library).worker_parameters("", INSECURE)
    found = measure_on(worker, told, tuple(OPERATIONS), repetitions=2)
    assert set(found.timings) == set(OPERATIONS)
    assert all(len(t.cpu.seconds) == 2 and min(t.wall.seconds) > 0 for t in found.timings.values())
    with pytest.raises(WorkerRefused, match="no operation fly"):
        measure_on(worker, told, ("fly",))
