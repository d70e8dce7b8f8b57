"""Conformance of workers that execute programs of table look-ups: they decrypt what clear digits give."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from fheasible.calibration.lookup_runs import OPERATIONS as CALIBRATED
from fheasible.errors import LibraryMissing, WorkerRefused
from fheasible.libraries.lookup_catalogue import lookup_library
from fheasible.measurement.execute import RunOptions, RunPlan
from fheasible.measurement.lookups import OPERATIONS, execute, execute_on, measure_on, results
from fheasible.measurement.registry import command
from fheasible.measurement.worker import Worker
from fheasible.noise.tfhe.noise import noise_of
from fheasible.noise.tfhe.program import failures
from fheasible.program.lookup_values import computed
from fheasible.program.lookups import Digits, LookupProgram, LookupStep, Step
from fheasible.schemes.tfhe.parameters import Gadget, Gaussian, ModulusSwitch, Order, TfheParameters

pytestmark = pytest.mark.worker

INSECURE = TfheParameters(
    lwe_dimension=64, glwe_dimension=1, polynomial_size=512, lwe_errors=Gaussian(2.0**-30),
    glwe_errors=Gaussian(2.0**-45), pbs=Gadget(12, 3), ks=Gadget(8, 3), message_modulus=4, carry_modulus=2,
)  # fmt: skip
TFHE_RS: dict[str, Any] = {
    "key switch first": INSECURE,
    "bootstrap first": replace(INSECURE, order=Order.PBS_KS),
    "centered": replace(INSECURE, modulus_switch=ModulusSwitch.CENTERED),
    "groups of bits": replace(INSECURE, grouping=2),
    "two polynomials": replace(INSECURE, glwe_dimension=2, polynomial_size=256),
}
BINFHE: dict[str, Any] = {
    name: lookup_library("binfhe").named_set(name).parameters
    for name in ("TOY:GINX", "TOY:AP", "TOY:LMKCDEY", "TOY:GINX:Q12", "TOY:GINX:Q26")
}
SETS = {"tfhe_rs": TFHE_RS, "binfhe": BINFHE}
USUAL = {"tfhe_rs": ("key switch first", 4), "binfhe": ("TOY:GINX", 2)}
"""A set of each library, and the base of its digits."""
CASES = [(library, name) for library, sets in SETS.items() for name in sets]


@pytest.fixture(scope="module")
def workers() -> Iterator[Callable[[str], Worker]]:
    """The worker of a library, started once. Tests are skipped where it is not built from these sources."""
    with ExitStack() as stack:
        running: dict[str, Worker] = {}

        def worker(name: str) -> Worker:
            if not command(name).installed:
                pytest.skip(f"{name} is not built: {command(name).remedy}")
            if name not in running:
                try:
                    running[name] = stack.enter_context(Worker(name))
                except LibraryMissing as error:
                    pytest.skip(error.message)
            return running[name]

        yield worker


Workers = Callable[[str], Worker]


def everything(base: int) -> LookupProgram:
    """Each kind of step, on two digits below `base` in ciphertexts for twice as many values."""
    values = 2 * base
    steps = (
        LookupStep(Step.ENCRYPT, 0, 5, source="x"),
        LookupStep(Step.ENCRYPT, 1, 5, source="x", digit=1),
        LookupStep(Step.LINEAR, 2, 5, (0, 1), (1, -1), np.array([base - 1])),
        LookupStep(Step.LOOKUP, 3, 5, (2,), table=0, frees=(2,)),
        LookupStep(Step.FOLD, 4, 3, (1,), group=2),
        LookupStep(Step.PICK, 5, 4, (4,), plain=np.array([2, 0, 0, 1]), frees=(4,)),
        LookupStep(Step.TRIVIAL, 6, 1, plain=np.array([1])),
        LookupStep(Step.LINEAR, 7, 4, (5, 6), (1, 1)),
        LookupStep(Step.JOIN, 8, 9, (3, 7)),
        LookupStep(Step.LOOKUP, 9, 9, (8,), table=1),
    )
    tables = (
        tuple((3 * v + 1) % values for v in range(values)),
        tuple(values - 1 - v for v in range(values)),
    )
    inputs = (Digits("x", 5, (0, 1), base, -(base**2) // 2),)
    outputs = (Digits("y", 9, (9,), values), Digits("z", 5, (3, 1), values))
    return LookupProgram(values, steps, tables, inputs, outputs)


def data(base: int) -> dict[str, Any]:
    """The least and the largest number that two digits hold, and some between."""
    return {"x": np.array([-8, 7, 0, 3, -3]) if base == 4 else np.array([-2, 1, 0, -1, 1])}


def run(workers: Workers, library: str, name: str = "", **options: Any) -> Any:
    usual, base = USUAL[library]
    told = lookup_library(library).worker_parameters("", SETS[library][name or usual])
    plan, asked = RunPlan(repetitions=2), RunOptions(**options)
    return execute_on(workers(library), everything(base), told, data(base), plan, asked)


def base_of(library: str) -> int:
    return USUAL[library][1]


@pytest.mark.parametrize(("library", "name"), CASES)
def test_what_is_decrypted_is_what_clear_digits_give(workers: Workers, library: str, name: str) -> None:
    base = base_of(library)
    found = results(everything(base), run(workers, library, name, check_inputs=True))
    expected = computed(everything(base), data(base))
    assert {k: list(v) for k, v in found.items()} == {k: list(v) for k, v in expected.items()}


@pytest.mark.parametrize("library", SETS)
def test_another_key_decrypts_nothing(workers: Workers, library: str) -> None:
    base = base_of(library)
    found = results(everything(base), run(workers, library, wrong_key=True))
    expected = computed(everything(base), data(base))
    assert [*found["y"], *found["z"]] != [*expected["y"], *expected["z"]]


@pytest.mark.parametrize("library", SETS)
def test_inputs_are_as_they_were_after_the_run(workers: Workers, library: str) -> None:
    rows = run(workers, library, check_inputs=True).inputs_after["x"]
    expected = {
        4: [[0, 3, 0, 3, 1], [0, 3, 2, 2, 1]],  # the digits of x + 8 to the base of 4
        2: [[0, 1, 0, 1, 1], [0, 1, 1, 0, 1]],  # of x + 2 to the base of 2
    }
    assert rows.tolist() == expected[base_of(library)]


@pytest.mark.parametrize("library", SETS)
def test_every_output_has_its_noise(workers: Workers, library: str) -> None:
    """The second digit of z is fresh. All noise is as wide as is predicted, and below half a share."""
    measured = run(workers, library, every_output=True, noise=True)
    assert measured.outputs["z"].shape == measured.noise["z"].shape == (2, 2, 5)
    fresh, looked_up = np.abs(measured.noise["z"][:, 1]), np.abs(measured.noise["y"])
    predicted = noise_of(SETS[library][USUAL[library][0]])
    assert 0 < fresh.max() < 8 * predicted.fresh**0.5
    assert 0 < looked_up.max() < 8 * predicted.looked_up**0.5
    assert max(fresh.max(), looked_up.max()) < 1 / (8 * base_of(library))


@pytest.mark.parametrize("library", SETS)
def test_samples_and_phases_agree(workers: Workers, library: str) -> None:
    measured = run(workers, library)
    steps = everything(base_of(library)).steps
    assert measured.operations.shape == (2, len(steps), 2)
    encrypts = [step.step is Step.ENCRYPT for step in steps]
    for i, cpu in enumerate(measured.phases.encrypt.cpu.seconds):
        assert measured.operations[i, encrypts, 0].sum() == pytest.approx(cpu)
    assert measured.memory.baseline_bytes < measured.memory.keys_bytes <= measured.memory.peak_bytes


@pytest.mark.parametrize(("library", "name"), CASES)
def test_sizes_are_those_that_are_predicted(workers: Workers, library: str, name: str) -> None:
    asked, p = lookup_library(library), SETS[library][name]
    sizes = asked.sizes("", p)
    measured = run(workers, library, name).sizes
    assert measured.ciphertext_bytes == sizes.ciphertext
    assert measured.secret_key_bytes == sizes.secret_key
    assert measured.evaluation_key_bytes == sizes.evaluation_key
    told = asked.worker_parameters("", p)
    seeded = measure_on(workers(library), told, ("add",), repetitions=1).sizes
    assert seeded["seeded_ciphertext"] == sizes.seeded_ciphertext
    assert seeded["seeded_evaluation_key"] == sizes.seeded_evaluation_key


@pytest.mark.parametrize("name", [name for name in BINFHE if "Q" not in name])
def test_keys_take_the_memory_that_is_predicted(name: str) -> None:
    """In a process of its own: a pool of the library need not give memory back."""
    lib, p = lookup_library("binfhe"), BINFHE[name]
    if not command("binfhe").installed:
        pytest.skip("OpenFHE is not installed")
    measured = execute("binfhe", everything(2), lib.worker_parameters("", p), data(2)).memory
    predicted = lib.memory("", p)
    assert measured.peak_bytes == pytest.approx(predicted.baseline + predicted.keys, rel=0.15)


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
def test_what_is_impossible_is_refused_and_the_worker_lives(
    workers: Workers, change: Any, words: str
) -> None:
    lib, wrong = lookup_library("tfhe_rs"), replace(INSECURE, **change)
    with pytest.raises(WorkerRefused, match=words):
        execute_on(workers("tfhe_rs"), everything(4), lib.worker_parameters("", wrong), data(4))
    assert lib.refusal("", wrong)
    assert results(everything(4), run(workers, "tfhe_rs"))


@pytest.mark.parametrize(
    ("told", "base", "words"),
    [
        ({"set": "STD9"}, 2, "STD9"),
        ({"method": "dm"}, 2, "DM"),
        ({"log_q": 40}, 2, "logQ > 29"),
        ({}, 256, "cannot hold 512 values"),
    ],
)
def test_binfhe_refuses_what_it_has_not_and_lives(
    workers: Workers, told: dict[str, Any], base: int, words: str
) -> None:
    lib, usual = lookup_library("binfhe"), BINFHE["TOY:GINX"]
    wrong = lib.worker_parameters("", usual) | told
    with pytest.raises(WorkerRefused, match=words):
        execute_on(workers("binfhe"), everything(base), wrong, data(2))
    assert results(everything(2), run(workers, "binfhe"))


@pytest.mark.parametrize("library", SETS)
def test_a_program_that_does_not_fit_is_refused(workers: Workers, library: str) -> None:
    usual, base = USUAL[library]
    told, worker = lookup_library(library).worker_parameters("", SETS[library][usual]), workers(library)
    program, values = everything(base), 2 * base
    lost = replace(program, steps=program.steps[1:])
    with pytest.raises(WorkerRefused, match="value 0 does not exist"):
        execute_on(worker, lost, told, data(base))
    longer = replace(program, tables=(program.tables[0], (values,) * values))
    with pytest.raises(WorkerRefused, match="table 1"):
        execute_on(worker, longer, told, data(base))
    short = replace(program, steps=(*program.steps[:7], replace(program.steps[7], length=3)))
    with pytest.raises(WorkerRefused, match="step 7"):
        execute_on(worker, short, told, data(base))


@pytest.mark.parametrize("library", SETS)
def test_single_operations_are_timed(workers: Workers, library: str) -> None:
    told = lookup_library(library).worker_parameters("", SETS[library][USUAL[library][0]])
    asked = tuple(OPERATIONS if library == "tfhe_rs" else CALIBRATED)
    found = measure_on(workers(library), told, asked, repetitions=2)
    assert set(found.timings) == set(asked)
    assert all(len(t.cpu.seconds) == 2 and min(t.wall.seconds) > 0 for t in found.timings.values())
    with pytest.raises(WorkerRefused, match="no operation fly"):
        measure_on(workers(library), told, ("fly",))


@pytest.mark.parametrize(("name", "share"), [("TOY:GINX", 0.0), ("TOY:LMKCDEY", 1.0)])
def test_look_ups_go_wrong_as_often_as_is_predicted(workers: Workers, name: str, share: float) -> None:
    """With 16 values, TOY has little room: fresh noise alone fails once in 80 look-ups. LMKCDEY makes numbers
    odd, which fails six times as often."""
    values, count = 16, 1500
    p = replace(BINFHE[name], message_modulus=4, carry_modulus=4)
    steps = (LookupStep(Step.ENCRYPT, 0, count, source="x"), LookupStep(Step.LOOKUP, 1, count, (0,), table=0))
    table = tuple(8 * (v % 2) for v in range(values))  # far apart: the result's own noise changes nothing
    digits = Digits("x", count, (0,), values)
    program = LookupProgram(values, steps, (table,), (digits,), (Digits("y", count, (1,), values),))
    numbers = np.arange(count) % values
    lib = lookup_library("binfhe")
    measured = execute_on(workers("binfhe"), program, lib.worker_parameters("", p), {"x": numbers})
    found = np.abs(measured.outputs["y"][0] - 8 * (numbers % 2)) > 3
    expected = 2.0 ** failures(program, p, None).worst
    assert expected == pytest.approx(0.0785 if share else 0.0121, rel=0.03)
    assert expected / 2 < found.mean() < 2 * expected
