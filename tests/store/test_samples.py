"""Samples of campaigns: stored whole with what was run, and read back."""

import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fheasible.errors import StoreError
from fheasible.store.rows import Entry, Sample
from fheasible.store.schema import OUTCOMES
from fheasible.store.store import Store

Json = dict[str, Any]
SAMPLE = Sample(
    "calibration", "ab" * 16, "seal", "ckks", {"program": {"slots": 4}, "q": ["1152921504606830593"]},
    number=1, position=3, outcome="measured", figures={"memory": {"peak_bytes": 2**31}}, found={"bits": 19.5},
    arrays=bytes(range(256)),
)  # fmt: skip
LOST = replace(SAMPLE, outcome="died", message="last words", figures=None, found=None, arrays=None)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "results.sqlite"


def test_a_sample_is_found_again_with_its_environment(path: Path, environment: Json) -> None:
    with Store.open(path) as store:
        number = store.add_sample(SAMPLE, environment)
    with Store.open(path) as store:
        (found,) = store.samples()
    assert (found.id, found.sample, found.environment) == (number, SAMPLE, environment)
    assert found.created.endswith("+00:00")


def test_a_run_without_a_result_is_stored_too(path: Path, environment: Json) -> None:
    with Store.open(path) as store:
        for outcome in OUTCOMES:
            store.add_sample(replace(LOST, outcome=outcome), environment)
        assert [s.sample for s in store.samples()] == [replace(LOST, outcome=o) for o in OUTCOMES]


def test_samples_are_listed_in_order_of_measuring_by_what_is_asked(path: Path, environment: Json) -> None:
    others = [
        SAMPLE,
        replace(SAMPLE, campaign="accuracy", number=0),
        replace(SAMPLE, key="cd" * 16, library="openfhe", scheme="bgv", content={}),
    ]
    with Store.open(path) as store:
        for other in others:
            store.add_sample(other, environment)
        assert [s.sample for s in store.samples()] == others
        assert [s.sample for s in store.samples("accuracy")] == others[1:2]
        assert [s.sample for s in store.samples(library="seal")] == others[:2]
        assert [s.sample for s in store.samples("calibration", "openfhe", "bgv")] == others[2:]
        assert store.samples("calibration", "openfhe", "ckks") == []


def test_what_was_run_is_stored_once_for_all_passes(path: Path, environment: Json) -> None:
    with Store.open(path) as store:
        for number in range(5):
            store.add_sample(replace(SAMPLE, number=number), environment)
        store.add_sample(replace(SAMPLE, key="cd" * 16), environment)
    with sqlite3.connect(path) as raw:
        assert raw.execute("SELECT count(*) FROM sampling_jobs").fetchone() == (2,)


@pytest.mark.parametrize("table", ["samples", "sampling_jobs"])
def test_stored_samples_cannot_be_edited(path: Path, environment: Json, table: str) -> None:
    with Store.open(path) as store:
        store.add_sample(SAMPLE, environment)
    with sqlite3.connect(path) as raw:
        for change in (f"DELETE FROM {table}", f"UPDATE {table} SET id = 9"):
            with pytest.raises(sqlite3.IntegrityError, match="appended, never edited"):
                raw.execute(change)


def test_a_sample_without_its_environment_or_with_an_unknown_outcome_is_not_stored(
    path: Path, environment: Json
) -> None:
    with Store.open(path) as store:
        with pytest.raises(StoreError, match="'fine'"):
            store.add_sample(replace(SAMPLE, outcome="fine"), environment)
        with pytest.raises(StoreError, match="load_before"):
            store.add_sample(SAMPLE, {k: v for k, v in environment.items() if k != "load_before"})
        with pytest.raises(StoreError, match="cannot be stored"):
            store.add_sample(replace(SAMPLE, figures={"odd": object()}), environment)
        assert store.samples() == []
    with sqlite3.connect(path) as raw:
        for table in ("environments", "sampling_jobs"):
            assert raw.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)


def test_a_file_from_before_there_were_samples_keeps_its_results_and_takes_samples(
    path: Path, entry: Entry, environment: Json
) -> None:
    with Store.open(path) as store:
        store.add_measurement(entry, environment)
        store.add_profile("m", "seal", "4.4.0", 1, {"fit": 1})
    with sqlite3.connect(path) as raw:
        raw.executescript("DROP TABLE samples; DROP TABLE sampling_jobs;")
    with Store.open(path) as store:
        assert [m.entry for m in store.measurements()] == [entry]
        assert [p.content for p in store.profiles()] == [{"fit": 1}]
        assert store.samples() == []
        store.add_sample(SAMPLE, environment)
        assert [s.sample for s in store.samples()] == [SAMPLE]
    with sqlite3.connect(path) as raw, pytest.raises(sqlite3.IntegrityError, match="never edited"):
        raw.execute("DELETE FROM samples")
