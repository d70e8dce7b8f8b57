"""The libraries that the user has added: what is registered of each, in a folder of the user's own."""

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final, Generic, TypeVar

from fheasible.errors import DataError
from fheasible.libraries import manifest
from fheasible.libraries.manifest import Manifest
from fheasible.system import data_folder

LANGUAGE: Final = "added"  # of the worker of an added library, whatever it is written in
RECORD: Final = "library.json"  # a library is registered where this file is
MOST_FILES, MOST_BYTES = 10_000, 1 << 28


@dataclass(frozen=True, slots=True)
class Added:
    """One registered library. `text`: its manifest, as it was when the worker was built.

    `called`: the name that its worker gives itself; `made_from`: the hash of its sources at that time, empty
    where the last build failed.
    """

    name: str
    source: Path
    text: str
    version: str = ""
    schemes: tuple[str, ...] = ()
    called: str = ""
    made_from: str = ""

    @property
    def manifest(self) -> Manifest:
        return manifest.parsed(self.text)

    @property
    def title(self) -> str:
        return self.manifest.title or self.name

    @property
    def folder(self) -> Path:
        return folder() / self.name

    @property
    def build(self) -> Path:
        """Where its build's results are."""
        return self.folder / "build"

    def command(self, words: tuple[str, ...]) -> tuple[str, ...]:
        """A command of its manifest, with the folders in their places."""
        places = {"{source}": str(self.source), "{build}": str(self.build)}
        return tuple(_with(word, places) for word in words)

    def sources(self) -> str:
        """The hash of its manifest and sources as they are now; empty where the folder is gone.

        DataError where they are too many to be read at every start.
        """
        path = self.source / manifest.FILE
        return hash_of(self.source, manifest.parsed(path.read_text())) if path.is_file() else ""

    def save(self) -> None:
        """Registers the library, or replaces what is registered of it, in one go."""
        told = {
            "source": str(self.source),
            "manifest": self.text,
            "version": self.version,
            "schemes": list(self.schemes),
            "called": self.called,
            "made_from": self.made_from,
        }
        self.folder.mkdir(parents=True, exist_ok=True)
        temporary = self.folder / f"{RECORD}.new"
        temporary.write_text(json.dumps(told, indent=1))
        temporary.replace(self.folder / RECORD)
        changed()


def folder() -> Path:
    """Where added libraries are registered and built."""
    return data_folder() / "libraries"


def changed() -> None:
    """Lets every process see that something was registered, changed or removed."""
    os.utime(folder())


def registered() -> Mapping[str, Added]:
    """The added libraries by name. What is damaged there is left out: see `damaged`."""
    return _registered(str(folder()), _stamp())[0]


def damaged() -> Mapping[str, str]:
    """What is wrong with each added library whose registration cannot be read, by its name."""
    return _registered(str(folder()), _stamp())[1]


def _stamp() -> int:
    """When something changed last; 0 where nothing was ever added."""
    try:
        return os.stat(folder()).st_mtime_ns
    except OSError:
        return 0


@lru_cache(maxsize=8)
def _registered(place: str, stamp: int) -> tuple[dict[str, Added], dict[str, str]]:
    found: dict[str, Added] = {}
    wrong: dict[str, str] = {}
    for path in sorted(Path(place).glob(f"*/{RECORD}")):
        name = path.parent.name
        try:
            found[name] = _read(name, path)
        except (OSError, ValueError, KeyError, TypeError, DataError) as error:
            said = error.message if isinstance(error, DataError) else error
            wrong[name] = f"{path} cannot be used: {said}"
    return found, wrong


def _read(name: str, path: Path) -> Added:
    told = json.loads(path.read_text())
    words = [told[key] for key in ("source", "manifest", "version", "called", "made_from")]
    if not all(isinstance(word, str) for word in words):
        raise TypeError("a text is something else")
    source, text, version, called, made_from = words
    made = Added(name, Path(source), text, version, tuple(map(str, told["schemes"])), called, made_from)
    assert made.manifest  # which raises DataError for what is no manifest
    return made


def hash_of(source: Path, given: Manifest) -> str:
    """The hash of the manifest and of the files that its patterns mean, by their paths and contents."""
    digest, most = hashlib.sha256(), MOST_BYTES
    for path in files(source, given):
        digest.update(str(path.relative_to(source)).encode() + b"\0")
        with suppress(OSError):  # it cannot be read, or is gone by now: other than before, if it ever was
            most -= path.stat().st_size
            if most < 0:
                raise _too_many(source, f"more than {MOST_BYTES >> 20} MiB")
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def files(source: Path, given: Manifest) -> list[Path]:
    """The manifest, and the files that its patterns mean, but for hidden ones."""
    found = {source / manifest.FILE}
    for pattern in given.sources:
        for path in source.glob(pattern):
            parts = path.relative_to(source).parts
            if path.is_file() and not any(part.startswith(".") for part in parts):
                found.add(path)
            if len(found) > MOST_FILES:
                raise _too_many(source, f"more than {MOST_FILES:,} files")
    return sorted(found)


def _too_many(source: Path, what: str) -> DataError:
    return DataError(
        f"the sources that {source / manifest.FILE} names are {what}",
        'name those that its worker is made from, such as sources = ["worker/*.cpp"]',
    )


def _with(word: str, places: Mapping[str, str]) -> str:
    for mark, place in places.items():
        word = word.replace(mark, place)
    return word


L = TypeVar("L")


class WithAdded(Mapping[str, L], Generic[L]):
    """Libraries by name: those of Fheasible, and after them those that the user has added and that follow one
    of them. The latter are made by `following`, each once."""

    def __init__(self, own: Mapping[str, L], following: Callable[[L, Added], L]) -> None:
        self._own, self._following = own, following
        self._made: dict[Added, L] = {}

    def __getitem__(self, name: str) -> L:
        if name in self._own:
            return self._own[name]
        added = registered()[name]
        if added not in self._made:
            self._made[added] = self._following(self._own[added.manifest.follows], added)
        return self._made[added]

    def __iter__(self) -> Iterator[str]:
        yield from self._own
        yield from (name for name, each in registered().items() if each.manifest.follows in self._own)

    def __len__(self) -> int:
        return sum(1 for _ in self)
