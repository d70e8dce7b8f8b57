"""What Python workers read of a CKKS vector that the ring repeats."""

import importlib.util
import subprocess
import sys

import numpy as np
import pytest

import fheasible as fh
from fheasible.exploration.judging.chosen import chosen, request_from, shape_from
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import bits
from fheasible.libraries.catalogue import CATALOGUE, library
from fheasible.measurement.execute import RunPlan, execute_on
from fheasible.measurement.registry import command
from fheasible.measurement.worker import Worker
from fheasible.noise.ckks import decryption

from .conftest import ROOT

_SPEC = importlib.util.spec_from_file_location("copies", ROOT / "python/worker/copies.py")
assert _SPEC is not None
assert _SPEC.loader is not None
copies = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(copies)


@pytest.mark.parametrize("count", [2, 8, 64, 4096])
def test_of_normal_noise_it_is_the_mean(count: int) -> None:
    found = np.random.default_rng(count).normal(size=(count, 50))
    np.testing.assert_allclose(copies.combined(found), found.mean(axis=0), atol=1e-12)


@pytest.mark.parametrize("count", [8, 64, 4096])
def test_what_is_far_off_is_left_out(count: int) -> None:
    found = np.random.default_rng(count).normal(size=(count, 50))
    found[0, :25] = 1e6
    found[-1, 25:] = -1e6
    result = copies.combined(found)
    np.testing.assert_allclose(result[:25], found[1:, :25].mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(result[25:], found[:-1, 25:].mean(axis=0), atol=1e-12)


def test_copies_that_are_all_the_same_are_kept() -> None:
    np.testing.assert_array_equal(copies.combined(np.ones((64, 3))), np.ones(3))


def test_no_module_is_imported_for_it() -> None:
    """numpy's median takes 10 MB of modules, which a run's memory would show."""
    code = (
        "import sys, numpy as np; from worker.copies import combined; before = set(sys.modules); "
        "combined(np.ones((9, 4))); print(*set(sys.modules) - before)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT / "python", capture_output=True, text=True)
    assert (done.stdout.strip(), done.stderr) == ("", "")


def test_the_noise_model_knows_what_is_left_out() -> None:
    assert (decryption.FEWEST, decryption.FAR) == (copies.FEWEST, copies.FAR)


@pytest.mark.slow
@pytest.mark.worker
@pytest.mark.skipif(not command("seal").installed, reason="SEAL's worker is not installed")
def test_a_slot_that_blows_up_spoils_no_result() -> None:
    """The means of SEAL's digits lie in slot 0: of a long series that slot was off by up to 1,700 in one run
    of twenty, and the mean of its 4,096 copies by 0.4."""

    @fh.app(x=fh.reals(3, low=-3, high=3))
    def cut(x: fh.Vector) -> fh.Vector:
        weights = (np.add.outer(3 * np.arange(2), 7 * np.arange(3)) % 11 - 5) / 10
        return fh.approximate(lambda v: np.maximum(v, 0), -5.52, 5.52)(weights @ x - np.linspace(-1, 1, 2))

    data = {"x": np.array([-0.2772, 1.8865, -0.7851])}
    own = Problem(cut.trace(), data, "data")
    given = {"scale_bits": "26", "first_bits": "30", "ring_dimension": "16384"}
    shape = shape_from(own, {"degree": "371", "slots": "2"}, bits(9), "ckks")
    c = chosen(own, CATALOGUE["seal"], request_from("ckks", given, 128), None, shape)
    told = library("seal").worker_parameters(c.parameters)
    with Worker("seal") as worker:
        runs = [
            execute_on(worker, c.program, told, data, RunPlan(1, warmup=0)).outputs["result"].ravel()[:2]
            for _ in range(40)
        ]
    errors = np.array(runs) - own.truth["result"]
    assert np.abs(errors).max() < 0.002
    assert c.estimate.absolute_error is not None
    assert np.abs(errors).max() < 1.3 * c.estimate.absolute_error
