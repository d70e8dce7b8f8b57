"""What Lattigo 1.3.0 of December 2019 does on a machine of today, as benchmarks/lattigo_2020 has measured
it.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import median
from types import MappingProxyType

from fheasible.studies.ckks_vs_bfv.sets import LENGTHS

VERSION = "1.3.0"


@dataclass(frozen=True, slots=True)
class Found:
    """The least CPU seconds of each function, and the significant bits of the data, of the plaintext and of
    the ciphertext: the sum of the lengths of all stored words."""

    seconds: Mapping[str, float]
    data_bits: int
    plaintext_bits: int
    ciphertext_bits: int


@cache
def _file() -> Mapping[str, object]:
    path = Path(__file__).with_name("lattigo_2020.json")
    return MappingProxyType(json.loads(path.read_text(encoding="utf-8")))


def measured_on() -> str:
    """The processor and the day."""
    return f"{_file()['processor']}, {_file()['date']}"


@cache
def found(scheme: str, number: int, length: int) -> Found:
    """What was measured at that set and length."""
    rows = _file()["rows"]
    assert isinstance(rows, list)
    (row,) = (r for r in rows if (r["scheme"], r["set"], r["slots"]) == (scheme, number, length))
    return Found(MappingProxyType(row["seconds"]), *row["bits"])


def middle(function: str, scheme: str, number: int) -> float:
    """The median over the lengths, in seconds."""
    return median(found(scheme, number, length).seconds[function] for length in LENGTHS)


def ratio(function: str, number: int) -> float:
    """CKKS over BFV."""
    return middle(function, "ckks", number) / middle(function, "bfv", number)
