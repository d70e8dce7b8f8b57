"""Table look-ups in a real worker: every entry is right, keys are as predicted, and refusals say why."""

from dataclasses import replace

import pytest

from fheasible.calibration.bootstraps import table_job
from fheasible.errors import InfeasibleParameters
from fheasible.exploration.sweeps.operations import lacking
from fheasible.exploration.sweeps.tables import NO_TABLE, memory_bytes
from fheasible.libraries.catalogue import library
from fheasible.libraries.parameters import CkksParameters
from fheasible.measurement import registry
from fheasible.measurement.operations import TABLES, Item, is_noise, measure_on
from fheasible.measurement.worker import Worker
from measurement.timed_operations import insecure

OPENFHE = library("openfhe")


@pytest.mark.worker
@pytest.mark.skipif(not registry.command("openfhe").installed, reason="OpenFHE is not installed")
@pytest.mark.parametrize(("bits", "order", "scale_bits"), [(1, 1, 35), (3, 2, 47)])
def test_every_part_finds_the_entries_and_keys_are_as_predicted(
    bits: int, order: int, scale_bits: int
) -> None:
    job = table_job(OPENFHE, 11, 5, 2, bits, order, scale_bits)
    items = tuple(Item(name, 0) for name in TABLES)
    job = replace(job, items=items, repetitions=1, warmup=0)
    with Worker("openfhe") as worker:
        found = measure_on(worker, job)
    assert isinstance(job.parameters, CkksParameters)
    assert [(t.refused, t.error, is_noise(job, t)) for t in found.items] == [("", 0.0, False)] * len(TABLES)
    assert found.sizes["bootstrap_keys"] == OPENFHE.files.bootstrap_keys(job.parameters, frozenset(), True)
    assert found.memory["table_bytes"] == pytest.approx(memory_bytes(job.parameters), rel=0.25)


def test_tables_are_refused_where_there_is_none() -> None:
    for name, scheme in (("seal", "ckks"), ("lattigo", "ckks"), ("openfhe", "bgv")):
        p = insecure(name, scheme)
        assert "OpenFHE alone" in lacking(Item("table_lookup", 0), library(name), p)
    plain = insecure("openfhe", "ckks")
    assert lacking(Item("table_lookup", 0), OPENFHE, plain) == NO_TABLE
    own = table_job(OPENFHE, 11, 5, 2, 3).parameters
    assert "looks a table up" in lacking(Item("bootstrap", 0), OPENFHE, own)
    assert lacking(Item("table_lookup", 0), OPENFHE, own) == ""


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"technique": "flexibleauto"}, "fixedmanual and a sparse secret alone"),
        ({"secret": "uniform_ternary"}, "fixedmanual and a sparse secret alone"),
        ({"first_bits": 60}, "differ in bits"),
    ],
)
def test_what_openfhe_cannot_look_up_is_refused(change: dict[str, object], said: str) -> None:
    asked = table_job(OPENFHE, 11, 5, 2, 3).parameters.request
    assert asked is not None
    with pytest.raises(InfeasibleParameters, match=said):
        OPENFHE.parameters(replace(asked, **change))  # type: ignore[arg-type]


@pytest.mark.parametrize("bits", [0, 13])
def test_a_table_of_a_wrong_size_is_refused(bits: int) -> None:
    with pytest.raises(InfeasibleParameters, match="cannot be looked up"):
        table_job(OPENFHE, 11, 5, 2, bits)


def test_another_library_refuses_a_table_in_its_bootstrap() -> None:
    with pytest.raises(InfeasibleParameters, match="looks no table up"):
        table_job(library("lattigo"), 11, 5, 2, 3)
