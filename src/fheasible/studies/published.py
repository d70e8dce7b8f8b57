"""Numbers as a paper prints them, as data, each with its place in the paper."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

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


class Published(Mapping[str, Number]):
    """The numbers of a paper by their keys."""

    def __init__(self, numbers: Mapping[str, Number]) -> None:
        self._numbers = numbers

    def __getitem__(self, key: str) -> Number:
        return self._numbers[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)

    def value(self, key: str) -> float:
        return self[key].value

    def said(self, *keys: str) -> str:
        """The numbers as the paper writes them, and where: '3.9%, 16.5% (Table III)'."""
        numbers = [self[key] for key in keys]
        places = dict.fromkeys(number.where for number in numbers)
        return f"{', '.join(number.text for number in numbers)} ({'; '.join(places)})"


def load(path: Path) -> Published:
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
    return Published(numbers)
