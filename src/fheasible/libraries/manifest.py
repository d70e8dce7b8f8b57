"""What stands in the file `worker.toml` of a library that a user adds: how its worker is built, how it is
started, and which library's behaviour it follows."""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from fheasible.aliases import Json
from fheasible.errors import DataError

FILE: Final = "worker.toml"
REQUESTS: Final = ("describe", "run", "measure")  # of the protocol; describe alone proves nothing
BUILD_SECONDS: Final = 3600.0
_GUIDE: Final = "docs/bring_your_own.md says what stands in it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """A checked `worker.toml`.

    `follows`: the library whose requests it answers, and whose rules, counts and noise hold for it.
    `schemes`: those that it has of that library's; empty for all. `answers`: the requests that it answers.
    `build`: commands, one after the other; `start`: the command that starts the worker; both in the source
    folder, with `{source}` and `{build}` for the folders. `sources`: patterns of the files that it is made
    from. `sets`: sets of parameters of its own, and `custom`: whether it takes others (None: as the library
    that it follows); `takes`: the values that a parameter may have, where it may not have all.
    """

    follows: str
    start: tuple[str, ...]
    title: str = ""
    schemes: tuple[str, ...] = ()
    answers: tuple[str, ...] = REQUESTS
    build: tuple[tuple[str, ...], ...] = ()
    build_seconds: float = BUILD_SECONDS
    sources: tuple[str, ...] = ("*",)
    sets: tuple[Json, ...] = ()
    custom: bool | None = None
    takes: Mapping[str, tuple[Any, ...]] | None = None


def read(source: Path) -> tuple[Manifest, str]:
    """The manifest of a source folder, and its text. DataError where there is none that can be used."""
    if not source.is_dir():
        what = "is a file, not a folder" if source.exists() else "does not exist"
        raise DataError(f"{source} {what}", f"give the folder that has the library's {FILE}")
    path = source / FILE
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise DataError(f"{source} has no file {FILE}", f"write one: {_GUIDE}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path} cannot be read: {error}", f"write it anew: {_GUIDE}") from error
    return parsed(text, str(path)), text


@lru_cache(maxsize=64)
def parsed(text: str, where: str = FILE) -> Manifest:
    """The manifest with that text. DataError, which begins with `where`, for any other text."""
    try:
        given = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"{where} is no TOML: {error}", _GUIDE) from error
    unknown = [key for key in given if key not in _FIELDS]
    if unknown:
        raise DataError(
            f"{where} has the unknown field {unknown[0]!r}", f"choose among {', '.join(_FIELDS)}; {_GUIDE}"
        )
    missing = [key for key in ("follows", "start") if key not in given]
    if missing:
        raise DataError(f"{where} has no field {missing[0]!r}", f"add {_FIELDS[missing[0]].example}")
    for key, value in given.items():
        if not _FIELDS[key].fits(value):
            raise DataError(
                f"{where}: {key} = {value!r} is not {_FIELDS[key].what}",
                f"write it like this: {_FIELDS[key].example}",
            )
    return Manifest(**{key: _frozen(value) for key, value in given.items()})


def _frozen(value: Any) -> Any:
    """Lists as tuples, however deep."""
    if isinstance(value, list):
        return tuple(map(_frozen, value))
    return {key: _frozen(each) for key, each in value.items()} if isinstance(value, dict) else value


@dataclass(frozen=True, slots=True)
class _Field:
    fits: Callable[[Any], bool]
    what: str
    example: str


def _text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip()) and "\0" not in value


def _texts(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_text, value))


def _among(known: Sequence[str]) -> Callable[[Any], bool]:
    return lambda value: _texts(value) and set(value) <= set(known)


def _seconds(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 1e6


def _inside(value: Any) -> bool:
    return _texts(value) and not any(Path(each).is_absolute() or ".." in Path(each).parts for each in value)


def _table(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(each, list) and each for each in value.values())


_FIELDS: Final[Mapping[str, _Field]] = {
    "follows": _Field(_text, "the name of a library", 'follows = "tfhe_rs"'),
    "title": _Field(_text, "a name", 'title = "TFHEpp"'),
    "schemes": _Field(_texts, "a list of schemes", 'schemes = ["tfhe"]'),
    "answers": _Field(
        _among(REQUESTS), f"a list of {', '.join(REQUESTS)}", 'answers = ["describe", "measure"]'
    ),
    "build": _Field(
        lambda value: isinstance(value, list) and all(map(_texts, value)),
        "a list of commands, each a list of words",
        'build = [["cmake", "-S", ".", "-B", "{build}"], ["cmake", "--build", "{build}"]]',
    ),
    "build_seconds": _Field(_seconds, "a number of seconds above 0", "build_seconds = 1800"),
    "start": _Field(_texts, "a command, as a list of words", 'start = ["{build}/worker"]'),
    "sources": _Field(_inside, "a list of patterns of files in this folder", 'sources = ["src/**/*.cpp"]'),
    "sets": _Field(
        lambda value: isinstance(value, list) and all(isinstance(each, dict) for each in value),
        "a list of tables",
        '[[sets]] with name = "SMALL" and the parameters below it',
    ),
    "custom": _Field(lambda value: isinstance(value, bool), "true or false", "custom = false"),
    "takes": _Field(_table, "a table of lists", "takes = { grouping = [1] }"),
}  # fmt: skip
