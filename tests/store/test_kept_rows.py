"""The kept sets of an exploration come back as they were, whichever version stored them."""

import io
import zlib
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from fheasible.store import kept_rows
from fheasible.store.kept_rows import check, packed, packed_rows, unpacked

VALUES = st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False) | st.text()


@given(st.lists(st.fixed_dictionaries({"a": VALUES, "b": VALUES}), max_size=5))
def test_rows_come_back_as_they_were(rows: list[dict[str, Any]]) -> None:
    content = packed_rows(rows)
    assert check(content) == content
    assert unpacked(content) == rows


def test_equal_rows_are_equal_bytes() -> None:
    """They are kept once."""
    assert packed({"a": [1.5, None]}) == packed_rows([{"a": 1.5}, {"a": None}])


def test_a_parquet_file_of_an_earlier_version_is_read() -> None:
    file = io.BytesIO()
    parquet.write_table(pa.table({"seconds": [0.5, None], "library": ["x", "y"]}), file)
    content = file.getvalue()
    assert check(content) == content
    assert unpacked(content) == [{"seconds": 0.5, "library": "x"}, {"seconds": None, "library": "y"}]


@pytest.mark.parametrize(
    "content",
    [
        b"", b"PAR1", b"PAR1 and no end", b"x", b"{}", zlib.compress(b"[1]"), zlib.compress(b'{"a": 1}'),
        zlib.compress(b'{"a": [1], "b": []}'), zlib.compress(b"[" * 10**5), packed({"a": [1]})[:-2],
    ],
)  # fmt: skip
def test_what_is_no_table_of_kept_sets_is_refused(content: bytes) -> None:
    with pytest.raises(ValueError, match="its rows"):
        check(content)


def test_a_few_bytes_that_unpack_to_a_flood_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_rows, "MOST_BYTES", 1000)
    with pytest.raises(ValueError, match="its rows"):
        check(packed({"a": [0] * 10_000}))
