"""The paper's numbers, read from tables.toml: Tables 2 to 13, each with 20 values of either scheme."""

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from statistics import median
from types import MappingProxyType
from typing import Any

from fheasible.studies.ckks_vs_bfv.sets import LENGTHS, NUMBERS, SCHEMES
from fheasible.studies.published import Number

FUNCTIONS = (
    "encode", "decode", "encrypt_secret", "encrypt", "decrypt", "add", "mul_scalar", "mul", "relinearize",
    "key_switch",
)  # fmt: skip
RATIOS = ("plaintext_over_data", "ciphertext_over_plaintext")
REMARKS = {
    ("mul", "bfv", 4, 1024): "556 ms, beside 926 to 967 ms at the other lengths: a digit may be damaged, or "
    "the run was not disturbed",
    **{
        (
            "plaintext_over_data",
            "ckks",
            number,
            128,
        ): "the figures halve from 256 on, so that twice the figure "
        "of 256 is expected here; it equals the figure of 2048, at all four sets"
        for number in NUMBERS
    },
}


@cache
def _tables() -> Mapping[str, Any]:
    path = Path(__file__).with_name("tables.toml")
    return MappingProxyType(tomllib.loads(path.read_text(encoding="utf-8")))


def title(name: str) -> str:
    """What the table is about: 'Encoding'."""
    return str(_tables()[name]["title"])


def place(name: str) -> str:
    return f"Table {_tables()[name]['table']}"


def value(name: str, scheme: str, number: int, length: int) -> float:
    """The printed figure: seconds of a function, or a ratio."""
    given = float(_tables()[name][scheme][number - 1][LENGTHS.index(length)])
    return given if name in RATIOS else given / 1e9


def row(name: str, scheme: str, number: int) -> tuple[float, ...]:
    """The figures of one set, by the vectors' lengths."""
    return tuple(value(name, scheme, number, length) for length in LENGTHS)


def middle(name: str, scheme: str, number: int) -> float:
    """The median over the lengths."""
    return median(row(name, scheme, number))


def ratio(name: str, number: int) -> float:
    """CKKS over BFV, of the medians over the lengths."""
    return middle(name, "ckks", number) / middle(name, "bfv", number)


def numbers() -> Mapping[str, Number]:
    """Every value with its key, such as 'encode.ckks.1.128'."""
    return MappingProxyType({number.key: number for number in _numbers()})


def _numbers() -> Iterator[Number]:
    for name in (*FUNCTIONS, *RATIOS):
        unit = "" if name in RATIOS else "s"
        for scheme in SCHEMES:
            for i, printed in enumerate(_tables()[name][scheme]):
                for length, figure in zip(LENGTHS, printed, strict=True):
                    yield Number(
                        f"{name}.{scheme}.{i + 1}.{length}", value(name, scheme, i + 1, length), unit,
                        str(figure) if name in RATIOS else f"{figure} ns", place(name),
                        REMARKS.get((name, scheme, i + 1, length), ""),
                    )  # fmt: skip


PUBLISHED = numbers()
