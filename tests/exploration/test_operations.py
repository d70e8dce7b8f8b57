"""Predictions of single operations are those that calibration fits, or are absent with a reason."""

from typing import Any

import pytest

from estimation.profiles import invented
from fheasible.calibration.candidates import CalibrationRun
from fheasible.estimation.features import Shape
from fheasible.estimation.tally import items as kinds
from fheasible.exploration.sweeps.operations import (
    NO_PROFILE,
    NOT_MODELLED,
    REPEATED,
    OperationRow,
    limit_seconds,
    not_available,
    not_predicted,
    predicted,
)
from fheasible.libraries.catalogue import library
from fheasible.libraries.parameters import request_for
from fheasible.libraries.work import layout_of
from fheasible.measurement.operations import OPERATIONS, Item, OperationJob

INSECURE_N = 4096


def a_job(name: str, scheme: str, **own: Any) -> OperationJob:
    settings = {"scale_bits": 40, "first_bits": 50} if scheme == "ckks" else {"plain_modulus": 65537}
    p = library(name).parameters(request_for(scheme, 2, None, ring_dimension=INSECURE_N, **settings))
    return OperationJob(p, **{"slots": INSECURE_N // 2, "items": (Item("mul", p.levels),)} | own)


NAMES = {"neg": "negate", "encrypt": "encode_encrypt"}
EVERY = [(name, scheme) for name in ("seal", "openfhe", "lattigo") for scheme in ("ckks", "bgv", "bfv")]


@pytest.mark.parametrize(("name", "scheme"), EVERY)
def test_a_prediction_is_that_of_the_same_operation_in_calibrations_program(name: str, scheme: str) -> None:
    """Its shapes are found in that program, which lists its operations in another way."""
    job, profile = a_job(name, scheme), invented(name)
    p, layout = job.parameters, layout_of(job.parameters)
    program = CalibrationRun(p, (0, p.levels), 1, False, library(name).hoists).program(1)
    seen = set()
    for o, kind in zip(program.operations, kinds(program), strict=True):
        operation = NAMES.get(kind.action, kind.action)
        level = o.level + (operation == "rescale")
        if operation == "drop":  # by one level here, by all of them there
            continue
        shape = Shape.of(p.ring_dimension, layout, kind.task(layout), job.slots)
        told, why = predicted(job, Item(operation, level), profile)
        assert (told, why) == (pytest.approx(profile.seconds(shape)), "")
        seen.add(operation)
    assert {"encode_encrypt", "add", "mul", "relinearize", "rotate"} <= seen


@pytest.mark.parametrize(("name", "scheme"), EVERY)
def test_every_operation_has_a_prediction_or_a_reason(name: str, scheme: str) -> None:
    job = a_job(name, scheme)
    for operation in OPERATIONS:
        told, why = predicted(job, Item(operation, job.parameters.levels), invented(name))
        assert (told is None) is bool(why), operation
        assert told is None or told > 0, operation
        assert (operation in NOT_MODELLED) <= bool(why)
        assert predicted(job, Item(operation, 0), None)[1] in (NO_PROFILE, NOT_MODELLED.get(operation))


def test_sparse_vectors_have_no_prediction_where_the_model_is_of_repeated_ones() -> None:
    sparse = a_job("lattigo", "ckks", slots=16, sparse=True)
    assert predicted(sparse, Item("encode_encrypt", 2), invented("lattigo")) == (None, REPEATED)
    assert predicted(sparse, Item("mul", 2), invented("lattigo"))[1] == ""
    whole = a_job("lattigo", "ckks", sparse=True)
    assert predicted(whole, Item("encode_encrypt", 2), invented("lattigo"))[1] == ""
    own = a_job("openfhe", "ckks", slots=16, sparse=True)
    assert predicted(own, Item("encode_encrypt", 2), invented("openfhe"))[1] == ""


def test_a_run_is_given_up_after_twenty_times_the_prediction_and_a_minute_at_least() -> None:
    job = a_job("seal", "ckks")
    assert limit_seconds(job, invented("seal", 1e-12)) == 60
    assert limit_seconds(job, invented("seal", 1.0)) > 1e6
    assert limit_seconds(job, None) == 4 * 3600


def test_reasons_are_gathered() -> None:
    job = a_job("seal", "ckks")
    rows = [
        OperationRow(job, Item("key_switch", 2), None, "no model", "no such operation"),
        OperationRow(job, Item("keygen_switch", 2), None, "no model", "no such operation"),
        OperationRow(job, Item("encode", 2), None, "no model", "", (2.0, 1.0)),
        OperationRow(job, Item("mul", 2), 1.5, "", "", (2.0, 1.0), 3.0, (0.5, 1.0)),
    ]
    assert not_available(rows) == {"no such operation": rows[:2]}
    assert not_predicted(rows) == {"no model": [rows[2]]}
    assert (rows[3].measured, rows[3].error, rows[3].width) == (1.0, 0.5, 0.5)
