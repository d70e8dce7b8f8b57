"""Numbers as a paper prints them, as data, each with its place in the paper."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from fheasible.errors import DataError

_FIELDS = {"key", "value", "unit", "text", "where", "remark"}


@dataclass(frozen=True, slots=True)
class Number:
    """A published number: `value` in `unit`.

    `text` is how the paper writes it. `remark` says what is damaged or does not add up.
    """

    key: str
    value: float
    unit: str
    text: str
    where: str
    remark: str = ""


def load(path: Path) -> Mapping[str, Number]:
    """Every [[number]] of a TOML file, by its key. DataError for a duplicate key or a missing field."""
    numbers: dict[str, Number] = {}
    for given in tomllib.loads(path.read_text(encoding="utf-8"))["number"]:
        if unknown := given.keys() ^ (_FIELDS & given.keys()):
            raise DataError(f"{path}: there is no field {', '.join(sorted(unknown))}", "see Number")
        try:
            made = Number(**{"remark": "", **given})
        except TypeError as error:
            raise DataError(f"{path}: {given.get('key', given)}: {error}", "give every field") from error
        if made.key in numbers:
            raise DataError(f"{path}: {made.key} appears twice", "remove one of them")
        numbers[made.key] = made
    return MappingProxyType(numbers)
