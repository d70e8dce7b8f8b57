"""Many encryptions of one set of data: each anew, under keys of their own every so often."""

from typing import Any, cast

import numpy as np
import pytest

from fheasible.libraries.catalogue import CATALOGUE
from fheasible.libraries.parameters import Parameters, request_for
from fheasible.measurement import encryptions as module
from fheasible.measurement.encryptions import Encryptions, budgets, encryptions
from fheasible.measurement.execute import RunOptions
from fheasible.measurement.registry import command
from fheasible.measurement.worker import Worker
from fheasible.program.types import Action, Operation, Packed, Program, Scheme
from having import pairs

INSECURE_N = 2048
DATA = np.arange(8)


def doubling(scheme: str) -> Program:
    operations = (
        Operation(Action.ENCRYPT, 0, level=0, source="x"),
        Operation(Action.ADD, 1, (0, 0), 0),
    )
    return Program(Scheme(scheme), 8, 0, operations, (), (Packed("x", 8, (0,)),), (Packed("y", 8, (1,)),))


def parameters(library: str, scheme: str) -> Parameters:
    exact = scheme != "ckks"
    return CATALOGUE[library].parameters(
        request_for(
            scheme, 0, None, ring_dimension=INSECURE_N, plain_modulus=65537 if exact else None,
            technique="fixedmanual" if library == "openfhe" and scheme != "bfv" else None,
            scale_bits=None if exact else 40,
        )
    )  # fmt: skip


def test_a_budget_is_minus_log2_of_twice_the_largest_coefficient() -> None:
    noise = np.array([[[0.25, -0.5], [0.125, 0.0]]])
    assert budgets(noise).tolist() == [[0.0, 2.0]]


def test_the_bits_of_noise_are_those_of_its_root_mean_square() -> None:
    """Of (1/4, -1/4, 1/4, 1/4) that is 1/4; of (1/2, 0, 0, 0) too, as a quarter of 1/4 is 1/16."""
    noise = np.array([[[0.25, -0.25, 0.25, 0.25]], [[0.5, 0.0, 0.0, 0.0]], [[0.0, 0.0, 0.0, 0.125]]])
    hello, context = (cast(Any, None) for _ in range(2))
    found = Encryptions({}, {"y": noise}, np.arange(3), hello, context)
    assert found.noise_bits["y"].tolist() == [[-2.0], [-2.0], [-4.0]]
    assert found.budgets["y"].tolist() == [[1.0], [0.0], [2.0]]


def test_shares_of_one_set_of_keys_add_up_to_the_count() -> None:
    assert list(module._shares(10, 4)) == [4, 4, 2]
    assert list(module._shares(3, 4)) == [3]


def test_what_came_later_is_not_told_where_nobody_asks() -> None:
    """So that a stored job keeps its key, and a worker of an earlier build is asked what it knows."""
    assert RunOptions().to_json() == {"wrong_key": False, "check_inputs": False, "sizes": True}
    assert RunOptions(noise=True).to_json()["noise"] is True
    assert RunOptions(**RunOptions(every_output=True).to_json()) == RunOptions(every_output=True)


@pytest.mark.worker
@pytest.mark.parametrize(("library", "scheme"), pairs("ckks", "bfv", "bgv"))
def test_every_encryption_is_another_under_the_keys_that_it_is_said_to_be(library: str, scheme: str) -> None:
    if not command(library).installed:
        pytest.skip(f"{library} is not installed")
    with Worker(library) as worker:
        found = encryptions(worker, doubling(scheme), parameters(library, scheme), {"x": DATA}, 5, per_keys=2)
    assert found.keys.tolist() == [0, 0, 1, 1, 2]
    assert found.results["y"].shape == (5, 8)
    assert np.allclose(found.results["y"], 2 * DATA, atol=1e-4)
    if scheme == "ckks":
        assert found.noise == {}
        assert len({one.tobytes() for one in found.results["y"]}) == 5
    else:
        assert found.noise["y"].shape == (5, 1, INSECURE_N)
        assert len({one.tobytes() for one in found.noise["y"]}) == 5
        assert (found.budgets["y"] > 1).all()
        assert (found.noise_bits["y"] < -1 - found.budgets["y"]).all()  # the mean is below the largest
