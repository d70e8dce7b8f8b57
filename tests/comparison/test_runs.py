"""Works and their samples, as stored runs have them."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fheasible.comparison.compare import compare
from fheasible.comparison.runs import APPLICATION, OPERATION, Side, read
from fheasible.comparison.selection import selection
from fheasible.errors import StoreError
from fheasible.measurement.environment import observe
from fheasible.measurement.operation_passes import Until, measure_passes
from fheasible.measurement.sampled import record_of, to_row
from fheasible.store.rows import Entry
from fheasible.store.store import Store
from measurement.sampled_jobs import HELLO, a_job, a_measurement
from measurement.timed_operations import Times, an_operation_job

Json = dict[str, Any]


def environment(**changes: Any) -> Json:
    idle = {"load_before": 0.5, "load_after": 0.5}
    return observe("seal", 1, 0, HELLO).finished().to_json() | idle | changes


def keep(store: Store, factor: float, campaign: str, number: int = 0, **changes: Any) -> None:
    """Stores a run of every operation of the job, with two repetitions."""
    job = a_job("x")
    seconds = 1e-3 * factor * np.array([[1.0, 2.0, 3.0, 4.0], [1.5, 2.5, 3.5, 4.5]])
    measured = a_measurement(np.stack([seconds, 2 * seconds], axis=-1))
    at = environment(**changes)
    found = {"application": "y"}
    store.add_sample(to_row(record_of(job, campaign, number, 0, 0, at, "measured", "", measured, found)), at)


def entry(app: str, *seconds: float, library: str = "seal", **parameters: Any) -> Entry:
    p = {"ring_dimension": 4096, "limbs": 3, "digits": 2, "primes": ["1"]} | parameters
    total = {"total": {"samples": list(seconds)}}
    return Entry(app, f"c-{app}", library, "ckks", {}, p, "measured", None, {"cpu_seconds": total})


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.open(tmp_path / "results.sqlite")


def side(store: Store, text: str = "all") -> Side:
    return read(selection(text), lambda: Store.open(store.place))


def test_every_sample_of_each_operation_is_there(store: Store) -> None:
    for number in range(2):
        keep(store, 1.0, "c", number)
    runs = {(w.kind, w.name): found for w, found in side(store).runs.items()}
    assert {name for kind, name in runs if kind == OPERATION} == {
        "encrypt", "rescale", "rotate", "decrypt", "keygen",
    }  # fmt: skip
    assert [list(r.seconds) for r in runs[OPERATION, "rotate"]] == [pytest.approx([4e-3, 4.5e-3])] * 2
    assert len({r.process for r in runs[OPERATION, "rotate"]}) == 2
    (application, _) = runs[APPLICATION, "y"]
    assert list(application.seconds) == pytest.approx([15e-3, 17e-3])


def test_results_of_applications_are_told_apart_by_their_parameters_but_not_by_their_primes(
    store: Store,
) -> None:
    for e in (entry("a", 1.0), entry("a", 2.0, primes=["7"]), entry("a", 3.0, limbs=4), entry("b", 4.0)):
        store.add_measurement(e, environment())
    found = {(w.name, w.limbs): [r.least for r in runs] for w, runs in side(store).runs.items()}
    assert {key: sorted(v) for key, v in found.items()} == {("a", 3): [1, 2], ("a", 4): [3], ("b", 3): [4]}


def test_only_selected_and_measured_runs_count(store: Store) -> None:
    keep(store, 1.0, "c", version="4.4.0")
    keep(store, 1.0, "c", 1, version="4.5.0")
    store.add_measurement(replace(entry("a"), outcome="died", measurement=None), environment())
    assert {len(runs) for runs in side(store, "seal@4.5.0").runs.values()} == {1}
    with pytest.raises(StoreError, match=r"no measured run is selected by 'seal@4\.6\.0'"):
        side(store, "seal@4.6.0")


def test_an_export_is_a_place(store: Store, tmp_path: Path) -> None:
    keep(store, 1.0, "c")
    file = tmp_path / "x.jsonl"
    file.write_text("".join(line.text + "\n" for line in store.lines()))
    there, here = side(store, str(file)), side(store)
    assert there.runs.keys() == here.runs.keys()
    found = side(store, f"{store.place},campaign:c")
    assert found.runs.keys() == here.runs.keys()


def test_rows_of_another_version_are_counted_and_left_out(store: Store) -> None:
    keep(store, 1.0, "c")
    at = environment()
    job = record_of(a_job("x"), "c", 1, 0, 0, at, "measured", "", None)
    store.add_sample(replace(to_row(job), key="other", content={"unheard": "of"}), at)
    store.add_measurement(entry("a"), at)  # without a sample
    store.add_measurement(entry("a", 1.0, limbs="three"), at)
    assert side(store).left_out == 3


def test_runs_that_are_on_both_sides_are_said(store: Store) -> None:
    store.add_measurement(entry("a", 1.0), environment())
    store.add_measurement(entry("a", 1.0), environment())
    (warning,) = compare(side(store), side(store, "seal")).circumstances.warnings
    assert "2 runs are both in A and in B" in warning


def test_libraries_are_matched_by_what_both_have(store: Store) -> None:
    for library, seconds in (("seal", 1.0), ("openfhe", 2.0)):
        store.add_measurement(entry("a", seconds, library=library), environment(library=library))
    found = compare(side(store, "seal"), side(store, "openfhe"))
    assert [(w.work.name, w.work.library, w.ratio.value) for w in found.works] == [
        ("a", "", pytest.approx(2.0))
    ]
    with pytest.raises(StoreError, match="nothing in common"):
        compare(side(store, "seal"), replace_library(side(store)))


def replace_library(both: Side) -> Side:
    """A side of two libraries, of which none is the other side's."""
    runs = {replace(w, library=f"{w.library}2"): r for w, r in both.runs.items()}
    return Side(both.selection, runs)


def test_operations_that_were_measured_by_themselves_are_works_of_their_own(store: Store) -> None:
    """Their vectors and parameters tell them apart, and the primes do not."""
    job, few = an_operation_job(), an_operation_job(slots=32)
    measure_passes([job, few], Until(2), store, lambda *_: None, measure=Times(3.0, 3.0, 2.0, 2.0))
    found = side(store)
    assert found.left_out == 0
    told = {(w.name, w.detail): sorted(r.least for r in runs) for w, runs in found.runs.items()}
    assert told == {
        (name, f"alone, {slots} slots"): [2.0, 3.0] for name in ("mul", "rotate") for slots in (16, 32)
    }
    p = job.parameters
    other = replace(job, parameters=replace(p, q=tuple(x + 2 for x in p.q)))
    assert other.key != job.key
    measure_passes([other], Until(1), store, lambda *_: None, measure=Times(1.0))
    assert len(side(store).runs) == len(found.runs)
