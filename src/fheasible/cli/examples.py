"""Examples are found under the names that help texts have, wherever Fheasible is called."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

_FOLDER: Final = "examples/"


def with_examples(words: Sequence[str]) -> list[str]:
    """The words of a call, in which a file `examples/...` that is not here is the one that comes with
    Fheasible."""
    return [_shipped(word) if word.startswith(_FOLDER) else word for word in words]


def _shipped(word: str) -> str:
    from fheasible.measurement.shipped import shipped

    file, colon, name = word.partition(":")
    there = shipped(file)
    return f"{there}{colon}{name}" if there.is_file() and not Path(file).exists() else word
