"""A hundred data files that cannot be meant: each is refused in one line, and none is misread."""

import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fheasible as fh
from fheasible.circuit.data import given, read
from fheasible.circuit.node import Input
from fheasible.errors import DataError


def inputs(**specs: fh.VectorSpec) -> tuple[Input, ...]:
    return tuple(Input(name, s.kind, s.length, s.low, s.high, s.modulus) for name, s in specs.items())


ONE = inputs(x=fh.reals(100, low=-1, high=1))
TWO = inputs(x=fh.reals(100, low=-1, high=1), y=fh.reals(100, low=-1, high=1))
WHOLE = inputs(k=fh.integers(100, low=-(2**61), high=2**61))

CELLS_NO_NUMBER = [
    "one",
    "1_0",
    "0_5",
    "0x10",
    "1e",
    "e5",
    "--1",
    "+-1",
    "1.2.3",
    "1 0",
    "½",
    "१",
    "１",
    "0,5",
    "1'000",
    "$1",
    "1%",
    "True",
    "None",
    "NA",
    "n/a",
    "null",
    "-",
    ".",
    "1e1e1",
    "1j",
    "0b1",
    "1/2",
    "∞",
    "1.",
    "０.5",
    "\u22120.5",
    "[1]",
]
FINE = {"1.": 1.0}
CELLS_OUTSIDE = ["inf", "-inf", "Infinity", "1e400", "-1e999", "1.0000001", "2", "1e5"]
CELLS_NOT_WHOLE = [
    "0.5",
    "1e-1",
    "1.0000000000000000000001",
    "9007199254740993.5",
    "1_0",
    "one",
    "0x1",
    "१",
    "--1",
    "1e",
    "½",
]
WHOLE_OUTSIDE = ["1e30", "1e999999", "-1e999999", "inf", "2305843009213693953", "99999999999999999999999999"]
TEXTS = {
    "empty": "",
    "no rows": "x\n",
    "blank": "\n\n\n",
    "other name": "z\n1\n",
    "semicolons": "x;y\n0,5;1\n",
    "tabs": "x\ty\n1\t1\n",
    "decimal commas": "x,y\n0,5,0,5\n",
    "a decimal comma": "x\n0,5\n",
    "quoted": 'x\n"0,5"\n',
    "more cells": "x,y\n0,0\n0,0,1\n",
    "twice": "x,x\n0,0\n",
    "blank between": "x\n0\n\n0\n",
    "open quote": 'x\n"0\n0\n',
    "no header": "0.5\n0.25\n",
    "comment": "# x\n0\n",
    "upper case": "X\n0\n",
    "unit": "x\n0 m\n",
    "nul": "x\n\x000\n",
}
BYTES = {
    "utf-16": "x\n0.5\n".encode("utf-16"),
    "utf-32": "x\n0.5\n".encode("utf-32"),
    "latin": b"x\n\xe9\n",
    "binary": bytes(range(256)),
    "gzip": b"\x1f\x8b\x08\x00",
    "zip": b"PK\x03\x04",
    "long cell": b"x\n" + b"1" * 200_000,
    "npy in csv": b"\x93NUMPY\x01\x00v\x00",
}


def refused(folder: Path, name: str, content: bytes, declared: tuple[Input, ...]) -> DataError:
    (folder / name).write_bytes(content)
    with pytest.raises(DataError) as caught:
        read(folder / name, declared)
    assert name in caught.value.message
    assert caught.value.remedy
    assert "\n" not in caught.value.message.replace(str(folder), "")
    return caught.value


@pytest.mark.parametrize("cell", [c for c in CELLS_NO_NUMBER if c not in FINE])
def test_what_is_no_number_is_not_read_as_one(cell: str, tmp_path: Path) -> None:
    said = refused(tmp_path, "a.csv", f'x\n0.5\n"{cell}"\n'.encode(), ONE)
    assert f"line 3, column x holds {cell!r}, which is not a number" in said.message


@pytest.mark.parametrize("cell", CELLS_OUTSIDE)
def test_what_lies_outside_is_said_with_its_line(cell: str, tmp_path: Path) -> None:
    said = refused(tmp_path, "a.csv", f"x\n0.5\n{cell}\n".encode(), ONE)
    assert "line 3, column x is" in said.message
    assert "outside the declared range [-1, 1]" in said.message


@pytest.mark.parametrize("cell", CELLS_NOT_WHOLE)
def test_what_is_not_whole_is_not_rounded(cell: str, tmp_path: Path) -> None:
    assert "not a whole number" in refused(tmp_path, "a.csv", f"k\n{cell}\n".encode(), WHOLE).message


@pytest.mark.parametrize("cell", WHOLE_OUTSIDE)
def test_whole_numbers_of_any_size_are_compared_with_the_range(cell: str, tmp_path: Path) -> None:
    assert "outside" in refused(tmp_path, "a.csv", f"k\n{cell}\n".encode(), WHOLE).message


def test_no_digit_is_lost(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(
        "k\n9007199254740993.0\n9007199254740993\n9.007199254740993e15\n1e3\n-0\n"
    )
    found = read(tmp_path / "a.csv", WHOLE)["k"].tolist()
    assert found == [9007199254740993, 9007199254740993, 9007199254740993, 1000, 0]


@pytest.mark.parametrize("name", TEXTS)
def test_each_bad_text_is_refused(name: str, tmp_path: Path) -> None:
    refused(tmp_path, "a.csv", TEXTS[name].encode(), TWO if "," in TEXTS[name].splitlines()[:1] else ONE)


def test_a_part_of_a_whole_number_is_not_told_to_have_a_decimal_point(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("k\n2.5\n")
    with pytest.raises(DataError, match="not a whole number") as said:
        read(tmp_path / "a.csv", WHOLE)
    assert "whole numbers, such as 3" in said.value.remedy
    assert "decimal" not in said.value.remedy


@pytest.mark.parametrize("text", ["x\n0,5\n", "x,y\n0,5,0\n", "x,y\n0,0\n0,5,0,5\n"])
def test_a_decimal_comma_is_said(text: str, tmp_path: Path) -> None:
    said = refused(tmp_path, "a.csv", text.encode(), TWO if "y" in text else ONE)
    assert "decimal point" in said.remedy
    assert "cells" in said.message


def test_blank_cells_beyond_the_header_are_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x\n0.5,,\n0.25, \n")
    assert read(tmp_path / "a.csv", ONE)["x"].tolist() == [0.5, 0.25]


@pytest.mark.parametrize("name", BYTES)
def test_each_file_of_other_bytes_is_refused(name: str, tmp_path: Path) -> None:
    refused(tmp_path, "a.csv", BYTES[name], ONE)
    refused(tmp_path, "a.npy", BYTES[name], ONE)


def saved(array: Any) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=True)
    return stream.getvalue()


def several() -> bytes:
    stream = io.BytesIO()
    np.savez(stream, x=np.zeros(3))
    return stream.getvalue()


def lying(shape: str, kind: str = "<f8") -> bytes:
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + bytes(80)


def arrays() -> Iterator[tuple[str, bytes, tuple[Input, ...]]]:
    yield "several", several(), ONE
    for shape in (
        "(10000000000000,)",
        "(20,)",
        "(-5,)",
        "(10, 10**9)",
        "'a'",
        "(1,)*99",
        "(2**70,)",
        "None",
        "()",
    ):
        yield f"header says {shape}", lying(shape), ONE
    for kind in ("<f99", "|O", "<U5", "<c16", "<M8[s]", "|V8", "", "<f8' + '"):
        yield f"header says {kind}", lying("(10,)", kind), ONE
    yield "nothing of a header", b"\x93NUMPY", ONE
    yield "a later version", b"\x93NUMPY\x09\x00" + bytes(100), ONE
    yield "objects", saved(np.array([1, "a", None], dtype=object)), ONE
    yield "texts", saved(np.array(["a"])), ONE
    yield "complex", saved(np.array([1j])), ONE
    yield "dates", saved(np.array(["2026-01-01"], dtype="M8[D]")), ONE
    yield "no dimension", saved(np.float64(0.5)), ONE
    yield "no element", saved(np.zeros(0)), ONE
    yield "three dimensions", saved(np.zeros((2, 1, 1))), ONE
    yield "too many columns", saved(np.zeros((5, 3))), TWO
    yield "one column of two", saved(np.zeros(5)), TWO
    yield "nan", saved(np.array([0, np.nan])), ONE
    yield "infinite", saved(np.array([0, np.inf])), ONE
    yield "outside", saved(np.array([0, 1.5])), ONE
    yield "nan for a whole number", saved(np.array([0, np.nan])), WHOLE
    yield "infinite for a whole number", saved(np.array([0, np.inf])), WHOLE
    yield "half", saved(np.array([0, 0.5])), WHOLE
    yield "doubles beyond 2^53", saved(np.array([9007199254740993.0])), WHOLE
    yield "beyond 63 bits", saved(np.array([2**64 - 1], dtype=np.uint64)), WHOLE
    yield "another field", saved(np.zeros(3, dtype=[("z", float)])), ONE
    yield "a field of rows", saved(np.zeros(3, dtype=[("x", float, (2,))])), ONE
    yield "a field of fields", saved(np.zeros(3, dtype=[("x", [("a", float)])])), ONE
    yield "fields in two dimensions", saved(np.zeros((3, 2), dtype=[("x", float)])), ONE
    yield "cut off", saved(np.zeros(100))[:-8], ONE


@pytest.mark.parametrize(("content", "declared"), [a[1:] for a in arrays()], ids=[a[0] for a in arrays()])
def test_each_bad_array_is_refused(content: bytes, declared: tuple[Input, ...], tmp_path: Path) -> None:
    refused(tmp_path, "a.npy", content, declared)


@pytest.mark.parametrize(
    "name", ["", "a\0b.csv", "a" * 300 + ".csv", "/dev/null", "/", "missing.csv", "a.txt", "a.csv/b.csv"]
)
def test_a_path_that_is_no_file_is_said(name: str, tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        read(f"{tmp_path}/{name}" if not name.startswith("/") else name, ONE)
    assert caught.value.remedy


@pytest.mark.parametrize(
    "name", ["a[1].csv", "a{b}.csv", "a*.csv", "a b.csv", "~a.csv", "$a.csv", "ä.csv", "[red]a.csv", "-a.csv"]
)
def test_a_file_may_have_any_name(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("x\n0.5\n")
    assert read(str(tmp_path / name), ONE)["x"].tolist() == [0.5]


def test_masked_elements_are_not_read_as_numbers() -> None:
    with pytest.raises(DataError, match="x has masked elements") as caught:
        given({"x": np.ma.array([0.5, 0.25], mask=[False, True])}, ONE)
    assert "compressed" in caught.value.remedy
    assert given({"x": np.ma.array([0.5, 0.25])}, ONE)["x"].tolist() == [0.5, 0.25]


def test_a_name_may_be_written_with_letters_and_accents_apart(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("gro\u0308\u00dfe\n0.5\n", encoding="utf-8")
    assert read(tmp_path / "a.csv", inputs(größe=fh.reals(1, low=0, high=1)))["größe"].tolist() == [0.5]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("/dev/null", "is a device or a pipe"),
        ("pipe.csv", "is a device or a pipe"),
        ("self.csv", "cannot be opened: Too many levels of symbolic links"),
        ("dangling.csv", "does not exist"),
        ("a" * 300 + ".csv", "cannot be opened: File name too long"),
        ("a\0b.csv", "cannot be opened"),
    ],
)
def test_why_a_file_cannot_be_read_is_said(name: str, said: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "self.csv").symlink_to("self.csv")
    (tmp_path / "dangling.csv").symlink_to("nothing.csv")
    with pytest.raises(DataError, match=said):
        read(tmp_path / name, ONE)
