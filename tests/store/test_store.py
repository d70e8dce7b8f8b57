"""Results are stored whole, found again, and never edited."""

import json
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fheasible.errors import StoreError
from fheasible.store import documents
from fheasible.store.rows import Entry, plain
from fheasible.store.schema import OUTCOMES
from fheasible.store.store import Store

Json = dict[str, Any]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "new folder" / "results.sqlite"


def test_a_measurement_is_found_again_with_its_environment(
    path: Path, entry: Entry, environment: Json
) -> None:
    with Store.open(path) as store:
        number = store.add_measurement(entry, environment)
    with Store.open(path) as store:
        found = store.show(number)
    assert found.entry == entry
    assert found.environment == environment
    assert found.id == number
    assert found.created.endswith("+00:00")


def test_a_run_without_a_result_is_stored_too(path: Path, entry: Entry, environment: Json) -> None:
    with Store.open(path) as store:
        for outcome in OUTCOMES:
            lost = replace(entry, outcome=outcome, measurement=None, estimate=None, message="last words")
            assert store.show(store.add_measurement(lost, environment)).entry == lost


def test_measurements_are_listed_newest_first_by_what_is_asked(
    path: Path, entry: Entry, environment: Json
) -> None:
    others = [
        entry,
        replace(entry, library="openfhe"),
        replace(entry, app="sum"),
        replace(entry, outcome="died"),
    ]
    with Store.open(path) as store:
        numbers = [store.add_measurement(other, environment) for other in others]
        assert [m.id for m in store.measurements()] == numbers[::-1]
        assert [m.id for m in store.measurements(limit=2)] == numbers[:1:-1]
        assert [m.id for m in store.measurements(app="sum")] == [numbers[2]]
        assert [m.id for m in store.measurements(library="openfhe")] == [numbers[1]]
        assert [m.id for m in store.measurements(app="std_dev", outcome="died")] == [numbers[3]]
        assert store.measurements(scheme="bgv") == []
        assert len(store.measurements(circuit=entry.circuit)) == 4


def test_a_number_that_is_not_there_is_an_error(path: Path) -> None:
    with Store.open(path) as store, pytest.raises(StoreError, match="no measurement 7"):
        store.show(7)


def test_an_unknown_outcome_is_not_stored(path: Path, entry: Entry, environment: Json) -> None:
    with Store.open(path) as store:
        with pytest.raises(StoreError, match="'fine'"):
            store.add_measurement(replace(entry, outcome="fine"), environment)
        assert store.measurements() == []


@pytest.mark.parametrize("missing", ["machine", "version", "load_before", "seed"])
def test_a_measurement_without_its_environment_is_not_stored(
    path: Path, entry: Entry, environment: Json, missing: str
) -> None:
    del environment[missing]
    with Store.open(path) as store:
        with pytest.raises(StoreError, match=missing):
            store.add_measurement(entry, environment)
        assert store.measurements() == []


def test_what_json_cannot_hold_leaves_nothing_half_stored(
    path: Path, entry: Entry, environment: Json
) -> None:
    with Store.open(path) as store, pytest.raises(StoreError, match="cannot be stored"):
        store.add_measurement(replace(entry, measurement={"odd": object()}), environment)
    with sqlite3.connect(path) as raw:
        assert raw.execute("SELECT count(*) FROM environments").fetchone() == (0,)


@pytest.mark.parametrize("change", ["UPDATE measurements SET message = 'better'", "DELETE FROM measurements"])
def test_a_stored_measurement_cannot_be_edited(
    path: Path, entry: Entry, environment: Json, change: str
) -> None:
    with Store.open(path) as store:
        store.add_measurement(entry, environment)
    with sqlite3.connect(path) as raw, pytest.raises(sqlite3.IntegrityError, match="appended, never edited"):
        raw.execute(change)


def test_a_measurement_cannot_point_to_no_environment(path: Path) -> None:
    Store.open(path).close()
    insertion = (
        "INSERT INTO measurements (environment_id, created, app, circuit, library, scheme, request, "
        "parameters, outcome, message) VALUES (?, '', '', '', '', '', '{}', '{}', 'died', '')"
    )
    with sqlite3.connect(path) as raw:
        raw.execute("PRAGMA foreign_keys = ON")
        for nowhere in (None, 99):
            with pytest.raises(sqlite3.IntegrityError):
                raw.execute(insertion, (nowhere,))


def test_the_newest_profile_of_machine_library_version_and_threads_is_used(path: Path) -> None:
    with Store.open(path) as store:
        store.add_profile("m", "seal", "4.4.0", 1, {"fit": 1})
        store.add_profile("m", "seal", "4.4.0", 1, {"fit": 2})
        store.add_profile("m", "seal", "4.4.0", 2, {"fit": 3})
        store.add_profile("m", "seal", "4.5.0", 1, {"fit": 4})
        store.add_profile("other", "seal", "4.4.0", 1, {"fit": 5})
        latest = store.latest_profile("m", "seal", "4.4.0", 1)
        assert latest is not None
        assert latest.content == {"fit": 2}
        assert store.latest_profile("m", "openfhe", "1", 1) is None
        assert [p.content["fit"] for p in store.profiles(machine="m", threads=1)] == [4, 2, 1]


def test_no_more_profiles_are_decoded_than_are_asked_for(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    decoded = []
    with Store.open(path) as store:
        for fit in range(3):
            store.add_profile("m", "seal", "4.4.0", 1, {"fit": fit})
        monkeypatch.setattr(documents, "_text", lambda text: decoded.append(text) or text)
        assert store.latest_profile("m", "seal") is not None
    assert decoded == ['{"fit":2}']


def test_any_sqlalchemy_url_is_a_place(tmp_path: Path, entry: Entry, environment: Json) -> None:
    with Store.open(f"sqlite:///{tmp_path}/by_url.sqlite") as store:
        store.add_measurement(entry, environment)
    with Store.open(tmp_path / "by_url.sqlite") as store:
        assert len(store.measurements()) == 1


def test_without_a_place_results_go_to_the_home_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    with Store.open() as store:
        assert store.place == str(tmp_path / ".local/share/fheasible/results.sqlite")
    assert Path(store.place).is_file()


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(JSON_VALUES)
def test_whatever_is_stored_is_strict_json(value: object) -> None:
    assert json.loads(json.dumps(plain(value), allow_nan=False)) == plain(value)


def test_numbers_of_numpy_are_stored_as_numbers() -> None:
    assert plain({"a": np.float64(0.5), "b": (np.int64(3), np.array([1.0, np.nan]))}) == {
        "a": 0.5,
        "b": [3, [1.0, None]],
    }
