"""Exports: everything comes back exactly, once, whole or not at all; and nothing in it is run."""

import io
import json
import pickle
from base64 import b64decode, b64encode
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fheasible.errors import StoreError, UsageError
from fheasible.store.export_files import export_texts, is_export, parquet_of
from fheasible.store.kinds import TABLES
from fheasible.store.lines import VERSION, line
from fheasible.store.rows import Entry, Explored, Sample
from fheasible.store.store import Store
from store.exported import environment, exported, fill, packed, rewritten, rows, table

Json = dict[str, Any]
IN_MEMORY = "sqlite:///:memory:"
SAMPLE = Sample(
    "c", "ab" * 16, "seal", "ckks", {"q": ["1152921504606830593"]}, 1, 3, "measured", "", {"bytes": 2**31},
    {"bits": 19.5}, packed(0.25, 0.5),
)  # fmt: skip
EXPLORED = Explored("std_dev", "c0", {"security": 128}, {"seconds": 1.5, "why": ["µ"]}, table(1))
few = settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])


@pytest.fixture
def filled(entry: Entry) -> Store:
    """A store with a row of each kind."""
    store = Store.open(IN_MEMORY)
    store.add_measurement(entry, environment(1))
    store.add_sample(SAMPLE, environment(1))
    store.add_profile("m1", "seal", "4.4.0", 1, {"prices": [1e-9]})
    store.add_exploration(EXPLORED, environment(2))
    store.add_trial("seed 1", 4, {"steps": [1]}, environment(2))
    return store


@pytest.fixture
def texts(filled: Store) -> list[str]:
    return exported(filled)


def refused(texts: list[str], store: Store | None = None) -> str:
    """Why these lines are refused; the store is then as it was."""
    into = store or Store.open(IN_MEMORY)
    before = exported(into)
    with pytest.raises(StoreError) as caught:
        into.add_lines(texts, "file")
    assert exported(into) == before
    assert "nothing was imported" in caught.value.remedy
    return caught.value.message


@pytest.mark.long
@given(rows)
@few
def test_what_an_empty_store_takes_in_is_exported_as_the_same_bytes(drawn: Any) -> None:
    with Store.open(IN_MEMORY) as one, Store.open(IN_MEMORY) as other:
        fill(one, drawn)
        texts = exported(one)
        other.add_lines(texts, "file")
        assert exported(other) == texts
        assert other.check() == []


@pytest.mark.long
@given(rows, rows)
@few
def test_importing_twice_adds_nothing_whatever_is_there(here: Any, there: Any) -> None:
    with Store.open(IN_MEMORY) as one, Store.open(IN_MEMORY) as other:
        fill(one, here)
        fill(other, there)
        first = other.add_lines(exported(one), "file")
        after = exported(other)
        again = other.add_lines(exported(one), "file")
        assert exported(other) == after
        assert sum(t.added for t in again.values()) == 0
        assert sum(t.added + t.known for t in first.values()) == len(here)


@pytest.mark.long
@given(rows.filter(bool), st.data())
@few
def test_a_file_that_was_cut_off_or_changed_anywhere_is_refused(drawn: Any, data: st.DataObject) -> None:
    with Store.open(IN_MEMORY) as store:
        fill(store, drawn)
        texts = exported(store)
    number = data.draw(st.integers(0, len(texts) - 1))
    place = data.draw(st.integers(0, len(texts[number]) - 1))
    changed = chr((ord(texts[number][place]) ^ 1) or 2)
    broken = texts[number][:place] + changed + texts[number][place + 1 :]
    for spoilt in (texts[:number], [*texts[:number], texts[number][:place]],
                   [*texts[:number], broken, *texts[number + 1 :]],
                   texts[:number] + texts[number + 1 :]):  # fmt: skip
        assert "line " in refused(spoilt)


def test_rows_are_as_they_were(filled: Store, texts: list[str], entry: Entry) -> None:
    with Store.open(IN_MEMORY) as other:
        taken = other.add_lines(texts, "file")
        assert {kind: (t.added, t.known) for kind, t in taken.items()} == dict.fromkeys(TABLES, (1, 0))
        assert other.measurements() == filled.measurements()
        assert other.measurements()[0].entry == entry
        assert other.samples() == filled.samples()
        assert other.profiles() == filled.profiles()
        assert other.explorations() == filled.explorations()
        assert other.trials("seed 1") == filled.trials("seed 1")


def test_rows_that_are_alike_in_everything_are_each_kept(filled: Store) -> None:
    with filled._writing() as connection:
        for _ in range(2):
            connection.exec_driver_sql(
                "INSERT INTO profiles (created, machine, library, version, threads, content, checksum) "
                "SELECT created, machine, library, version, threads, content, checksum FROM profiles LIMIT 1"
            )
    with Store.open(IN_MEMORY) as other:
        for added in (3, 0):
            assert other.add_lines(exported(filled), "file")["profiles"].added == added
        assert exported(other) == exported(filled)


def test_damaged_rows_are_left_out_and_a_sound_copy_is_taken_in(
    tmp_path: Path, filled: Store, texts: list[str]
) -> None:
    told: list[str] = []
    with Store.open(tmp_path / "a.sqlite", told=told.append) as store:
        store.add_lines(texts, "file")
        with store._writing() as connection:
            connection.exec_driver_sql("DROP TRIGGER trials_no_update")
            connection.exec_driver_sql("UPDATE trials SET number = 5")
        assert len(exported(store)) == len(texts) - 1
        assert "row of a trial 1 is damaged" in told[0]
        assert store.add_lines(texts, "file")["trials"].added == 1
        assert store.trials("seed 1")[0].content == filled.trials("seed 1")[0].content


def test_samples_do_not_join_a_job_that_is_damaged(tmp_path: Path, texts: list[str]) -> None:
    with Store.open(tmp_path / "a.sqlite", told=lambda _: None) as store:
        store.add_lines(texts, "file")
        with store._writing() as connection:
            connection.exec_driver_sql("DROP TRIGGER sampling_jobs_no_update")
            connection.exec_driver_sql("UPDATE sampling_jobs SET content = '{}'")
        assert store.samples() == []
        assert store.add_lines(texts, "file")["samples"].added == 1
        assert [s.sample for s in store.samples()] == [SAMPLE]


def test_only_some_kinds_are_exported(filled: Store) -> None:
    kinds = [found.kind for found in filled.lines(["trials", "samples"])][1:-1]
    assert [k for k in kinds if k != "part"] == ["samples", "trials"]
    with pytest.raises(UsageError, match="no kind of rows 'campaigns'") as caught:
        list(filled.lines(["campaigns"]))
    assert "explorations" in caught.value.remedy


@pytest.mark.parametrize("name", ["x.jsonl", "x.parquet"])
def test_a_file_holds_the_lines_exactly(filled: Store, texts: list[str], tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    made = parquet_of(filled.lines()) if name.endswith("parquet") else "\n".join([*texts, ""]).encode()
    path.write_bytes(made)
    assert list(export_texts(path)) == texts
    assert is_export(path)


def test_the_columns_of_a_parquet_file_say_what_each_line_is_about(filled: Store) -> None:
    from pyarrow import parquet

    found = parquet.read_table(io.BytesIO(parquet_of(filled.lines()))).to_pylist()
    (sample,) = [row for row in found if row["kind"] == "samples"]
    told = {"machine": "m1", "library": "seal", "version": "4.4.0", "scheme": "ckks", "outcome": "measured"}
    assert told.items() <= sample.items()
    assert sample["created"] == filled.samples()[0].created


def test_a_file_with_the_line_ends_of_another_system_is_read(texts: list[str], tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes("\r\n".join([*texts, ""]).encode())
    assert list(export_texts(path)) == texts


@pytest.mark.parametrize(
    "content", [b"", b"\n", b"{}", b"PAR1", b"PAR1" * 99, b"SQLite format 3\0", b"\xff\xfe", b"[" * 10**5]
)
def test_what_is_no_export_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(content)
    with Store.open(IN_MEMORY) as store, pytest.raises(StoreError, match=str(path)) as caught:
        store.add_lines(export_texts(path), str(path))
    assert "fheasible export" in caught.value.remedy


def test_a_place_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none", Path("/dev/zero")):
        with Store.open(IN_MEMORY) as store, pytest.raises(StoreError, match=str(path)):
            store.add_lines(export_texts(path), str(path))


def test_an_export_of_a_later_version_is_refused(texts: list[str]) -> None:
    later = line("fheasible export", {"version": VERSION + 1}).text
    assert f"an export of version {VERSION + 1}" in refused([later, *texts[1:]])


def rebuilt(texts: list[str], kind: str, **changes: Any) -> list[str]:
    """The export with one field of the row of that kind changed, and with right checksums."""
    found = [json.loads(text) for text in texts[1:-1]]
    made = []
    for fields in found:
        del fields["checksum"]
        own = fields.pop("kind")
        made.append(line(own, fields | changes if own == kind else fields))
    return rewritten(made)


@pytest.mark.parametrize(
    ("kind", "changes", "said"),
    [
        ("measurements", {"outcome": "fine"}, "there is no outcome 'fine'"),
        ("measurements", {"request": []}, "its request is not a JSON object"),
        ("measurements", {"created": "yesterday"}, "yesterday"),
        ("measurements", {"app": 3}, "its app is not a text"),
        ("measurements", {"environment": "ab"}, "no line before this one has its environment"),
        ("measurements", {"environment": ["ab"]}, "its environment is not a text"),
        ("measurements", {"more": 1}, "does not have the fields of measurements"),
        ("samples", {"number": 2**63}, "its number is not a whole number"),
        ("samples", {"number": True}, "its number is not a whole number"),
        ("samples", {"arrays": "?"}, "its arrays are not in base 64"),
        ("samples", {"arrays": b64encode(b"PK\3\4").decode()}, "its arrays are not an .npz file"),
        ("explorations", {"own": 3}, "its own is not a JSON object"),
        ("profiles", {"content": None}, "its content is not a JSON object"),
        ("trials", {"content": "x"}, "its content is not a JSON object"),
    ],
)
def test_a_row_that_no_store_would_hold_is_refused(
    kind: str, changes: Json, said: str, texts: list[str], filled: Store
) -> None:
    spoilt = rebuilt(texts, kind, **changes)
    number = next(n for n, text in enumerate(spoilt, 1) if f'"kind":"{kind}"' in text)
    assert refused(spoilt, filled).startswith(f"file, line {number}: ")
    assert said in refused(spoilt)


def test_a_kind_or_part_that_cannot_be_is_refused(texts: list[str]) -> None:
    assert "there is no kind of rows 'plugins'" in refused(rewritten([line("plugins", {})]))
    for value in (None, {}, {"machine": 3}, "x" * 99):
        part = line("part", {"value": value})
        spoilt = rebuilt([texts[0], part.text, *texts[1:]], "trials", environment=part.checksum)
        assert "line " in refused(spoilt)


class Spy:
    """An object whose unpickling would leave a trace."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return Path.touch, (self.path,)


def test_nothing_that_a_file_holds_is_run(texts: list[str], tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    made = io.BytesIO()
    np.savez_compressed(made, operations=np.array([Spy(trace)], dtype=object))
    spoilt = rebuilt(texts, "samples", arrays=b64encode(made.getvalue()).decode())
    assert "Object arrays cannot be loaded" in refused(spoilt)
    assert not trace.exists()
    bare = b64encode(pickle.dumps(Spy(trace))).decode()
    assert "not an .npz file" in refused(rebuilt(texts, "samples", arrays=bare))
    assert not trace.exists()
    assert pickle.loads(b64decode(bare)) is None  # so this object does leave one
    assert trace.exists()


def test_a_file_in_which_the_last_row_is_bad_leaves_nothing(texts: list[str]) -> None:
    refused(rebuilt(texts, "trials", content=[]))
