"""A small program, executed by the real SEAL."""

import os
import signal
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fheasible.errors import DataError, LibraryMissing, WorkerDied, WorkerRefused, WorkerTimedOut
from fheasible.measurement.execute import RunOptions, RunPlan, execute, execute_on, results
from fheasible.measurement.worker import Worker
from fheasible.program.types import Action, Operation, Packed, Program, Scheme

pytestmark = pytest.mark.worker

INSECURE_N = 4096
SCALE = 2.0**40
# the largest primes that are 1 modulo 2N below 2^45, 2^40 and 2^46
INSECURE_PARAMETERS: dict[str, Any] = {
    "scheme": "ckks",
    "ring_dimension": INSECURE_N,
    "q": ["35184371884033", "1099511480321"],
    "p": ["70368743669761"],
    "plain_modulus": None,
    "scales": [SCALE * SCALE / 1099511480321, SCALE],
    "security": None,
}
PROGRAM = Program(
    scheme=Scheme.CKKS,
    slots=INSECURE_N // 2,
    levels=1,
    operations=(
        Operation(Action.ENCRYPT, 0, level=1, source="x"),
        Operation(Action.SQUARE, 1, (0,), level=1, frees=(0,)),
        Operation(Action.RELINEARIZE, 2, (1,), level=1, frees=(1,)),
        Operation(Action.RESCALE, 3, (2,), level=0, frees=(2,)),
        Operation(Action.ROTATE, 4, (3,), level=0, steps=1, frees=(3,)),
    ),
    plains=(),
    inputs=(Packed("x", 1000, (0,)),),
    outputs=(Packed("shifted squares", 1000, (4,)),),
)
VALUES = np.linspace(-1, 1, 1000)


@pytest.fixture(autouse=True)
def _no_folder_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    yield
    assert list(tmp_path.glob("fheasible-*")) == []


@pytest.fixture
def seal() -> Any:
    try:
        with Worker("seal") as worker:
            yield worker
    except LibraryMissing as missing:
        pytest.skip(f"{missing.message}; {missing.remedy}")


def test_a_program_gives_its_result_and_every_sample(seal: Worker) -> None:
    steps: list[tuple[str, int, int]] = []
    plan = RunPlan(repetitions=2, warmup=1, keygens=3)
    measured = execute_on(
        seal, PROGRAM, INSECURE_PARAMETERS, {"x": VALUES}, plan, progress=lambda *step: steps.append(step)
    )
    assert results(PROGRAM, measured)["shifted squares"] == pytest.approx(
        np.append(VALUES[1:] ** 2, 0), abs=1e-5
    )
    assert measured.repetitions == 2
    assert len(measured.phases.keygen.cpu.seconds) == 3
    assert measured.operations is not None
    assert measured.operations.shape == (2, len(PROGRAM.operations), 2)
    assert measured.phases.total.cpu.seconds[0] > 0
    assert measured.memory.peak_bytes is not None
    assert measured.sizes.evaluation_key_bytes is not None
    assert steps[-1] == ("run", 3, 3)


def test_a_fresh_process_does_the_same(seal: Worker) -> None:
    measured = execute(
        "seal", PROGRAM, INSECURE_PARAMETERS, {"x": VALUES}, RunPlan(1, 0), RunOptions(sizes=False)
    )
    assert measured.hello == seal.hello
    assert results(PROGRAM, measured)["shifted squares"].shape == (1000,)


def test_inputs_are_returned_after_the_run_when_asked_for(seal: Worker) -> None:
    options = RunOptions(check_inputs=True)
    measured = execute_on(seal, PROGRAM, INSECURE_PARAMETERS, {"x": VALUES}, RunPlan(1, 0), options)
    assert measured.inputs_after["x"][0, :1000] == pytest.approx(VALUES, abs=1e-5)


def test_a_description_names_the_primes(seal: Worker) -> None:
    context = seal.describe(INSECURE_PARAMETERS)
    assert context.ring_dimension == INSECURE_N
    assert [str(q) for q in context.q] == INSECURE_PARAMETERS["q"]


def test_seals_own_words_tell_why_parameters_are_infeasible(seal: Worker) -> None:
    with pytest.raises(WorkerRefused) as caught:
        seal.describe(INSECURE_PARAMETERS | {"security": 128})
    assert caught.value.reason == "InfeasibleParameters"
    assert seal.describe(INSECURE_PARAMETERS).ring_dimension == INSECURE_N


def test_a_worker_killed_half_way_is_told(seal: Worker) -> None:
    def kill(*_: object) -> None:
        os.kill(pid, signal.SIGKILL)

    pid = seal.pid
    with pytest.raises(WorkerDied, match="killed"):
        execute_on(seal, PROGRAM, INSECURE_PARAMETERS, {"x": VALUES}, RunPlan(10_000), progress=kill)


def test_a_run_that_overruns_its_time_is_stopped(seal: Worker) -> None:
    with pytest.raises(WorkerTimedOut):
        execute_on(seal, PROGRAM, INSECURE_PARAMETERS, {"x": VALUES}, RunPlan(1_000_000), timeout=1)


@pytest.mark.parametrize("inputs", [{}, {"y": VALUES}, {"x": VALUES[:-1]}])
def test_inputs_that_do_not_fit_the_program_are_refused_before_the_worker(seal: Worker, inputs: Any) -> None:
    with pytest.raises(DataError, match="'x'"):
        execute_on(seal, PROGRAM, INSECURE_PARAMETERS, inputs)
