"""CSV and JSON: what is written is read back, and a file is there whole or not at all."""

import csv
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fheasible.errors import DataError, UsageError
from fheasible.reports import files
from fheasible.reports.tables import Cell, read_csv, read_json, write_csv, write_json


def is_text(field: str) -> bool:
    """Whether nothing else is written so."""
    try:
        float(field)
    except ValueError:
        return field not in ("", "true", "false")
    return False


CELLS: st.SearchStrategy[Cell] = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text().filter(is_text)
)
TABLES = st.integers(1, 5).flatmap(
    lambda width: st.tuples(
        st.lists(st.text(), min_size=width, max_size=width),
        st.lists(st.lists(CELLS, min_size=width, max_size=width), max_size=8),
    )
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)


@given(TABLES)
def test_a_table_is_read_back_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, table: tuple[list[str], list[list[Cell]]]
) -> None:
    file = tmp_path_factory.mktemp("csv") / "table.csv"
    columns, rows = table
    write_csv(file, columns, rows)
    assert read_csv(file) == (tuple(columns), [tuple(row) for row in rows])
    kinds = [[type(cell) for cell in row] for row in read_csv(file)[1]]
    assert kinds == [[type(cell) for cell in row] for row in rows]


@given(JSON)
def test_a_document_is_read_back_as_it_was(tmp_path_factory: pytest.TempPathFactory, document: Any) -> None:
    file = tmp_path_factory.mktemp("json") / "document.json"
    write_json(file, document)
    assert read_json(file) == document


def test_csv_is_as_rfc_4180_has_it(tmp_path: Path) -> None:
    write_csv(
        tmp_path / "t.csv", ("name", "value, s"), [('a "b"', 0.1 + 0.2), ("two\nlines", None), ("é", True)]
    )
    assert (tmp_path / "t.csv").read_bytes() == (
        b'name,"value, s"\r\n"a ""b""",0.30000000000000004\r\n"two\nlines",\r\n\xc3\xa9,true\r\n'
    )


def test_what_only_resembles_a_number_remains_text(tmp_path: Path) -> None:
    row = ("007", "1_000", " 1", "1,5", "0x10", "True")
    write_csv(tmp_path / "t.csv", "abcdef", [row])
    assert read_csv(tmp_path / "t.csv")[1] == [row]


def test_a_spreadsheet_reads_the_same_fields(tmp_path: Path) -> None:
    write_csv(tmp_path / "t.csv", ("x", "y"), [(1, None), (2.5, "a,b")])
    with (tmp_path / "t.csv").open(newline="") as file:
        assert list(csv.reader(file)) == [["x", "y"], ["1", ""], ["2.5", "a,b"]]


def test_a_row_of_another_length_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"3 cells, .* 2 columns"):
        write_csv(tmp_path / "t.csv", ("x", "y"), [(1, 2), (1, 2, 3)])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", [b"", b"x,y\r\n1\r\n", b'x\r\n"open', b"x\r\n\xff\r\n"])
def test_what_is_no_table_is_refused_with_its_name(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "t.csv").write_bytes(content)
    with pytest.raises(DataError, match=r"t\.csv"):
        read_csv(tmp_path / "t.csv")


@pytest.mark.parametrize("content", [b"", b"{", b"\xff"])
def test_what_is_no_json_is_refused_with_its_name(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "d.json").write_bytes(content)
    with pytest.raises(DataError, match=r"d\.json"):
        read_json(tmp_path / "d.json")


def test_a_missing_file_is_refused_with_its_name(tmp_path: Path) -> None:
    for read in (read_csv, read_json):
        with pytest.raises(DataError, match=r"none\.csv"):
            read(tmp_path / "none.csv")


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_json_has_no_number_that_is_not_finite(tmp_path: Path, value: float) -> None:
    with pytest.raises(UsageError, match=r"d\.json") as caught:
        write_json(tmp_path / "d.json", {"value": [value]})
    assert "null" in caught.value.remedy


def test_a_missing_folder_is_made(tmp_path: Path) -> None:
    write_json(tmp_path / "a" / "b" / "d.json", [1])
    assert read_json(tmp_path / "a" / "b" / "d.json") == [1]


def test_an_unwritable_place_is_said_with_a_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for place in (tmp_path / "file" / "t.csv", tmp_path):
        with pytest.raises(UsageError, match="cannot be written") as caught:
            write_csv(place, ("x",), [(1,)])
        assert caught.value.remedy


def test_a_failed_write_leaves_the_old_file_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files.write(tmp_path / "t", b"old")

    def full(self: Path, content: bytes) -> int:
        with self.open("wb") as file:
            file.write(content[:1])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(UsageError, match="No space left"):
        files.write(tmp_path / "t", b"new")
    assert [file.name for file in tmp_path.iterdir()] == ["t"]
    assert (tmp_path / "t").read_bytes() == b"old"


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "target").write_bytes(b"old")
    (tmp_path / "link").symlink_to(tmp_path / "target")
    files.write(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_bytes() == b"new"


def test_a_device_is_written_to_and_not_replaced() -> None:
    files.write(Path("/dev/null"), b"new")
    assert Path("/dev/null").is_char_device()
