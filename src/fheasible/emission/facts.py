"""What is known of a chosen set beside its program and parameters, for the README and the JSON file."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

Vectors = Mapping[str, NDArray[Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """`command`: the call that writes this folder again. `security`: "128 bits, ..." in words. `expected` are
    the cleartext results at `data`. `rounded`: integers that are computed as reals. Times are None without a
    profile; `threads` is None where their number is left to the library."""

    app: str
    command: str
    made_by: str
    library_title: str
    library_version: str
    security: str
    precision: str
    evaluate_seconds: float | None
    data: Vectors
    expected: Vectors
    source_of_data: str
    rounded: bool = False
    threads: int | None = 1
