"""Which stored measurements are meant: `lattigo@6.1.1,since:2026-11-01`, `old.jsonl`, `lab.sqlite,os:Debian`.

A selection is a list of terms with commas between them, all of which must hold:

    LIBRARY, LIBRARY@VERSION     runs of that library, of that version
    FACT:VALUE                   runs whose circumstances are so (`FACTS`)
    PLACE                        a file that `fheasible export` wrote, a results file, or a database's URL;
                                 without it, the store of the call
    all                          everything there
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType

from fheasible import units
from fheasible.aliases import Json
from fheasible.errors import UsageError
from fheasible.estimation.ring_profile import LIBRARY
from fheasible.libraries.catalogue import BY_NAME

ALL = "all"
_HELP = "docs/regressions.md has the grammar"


@dataclass(frozen=True, slots=True)
class StoredRun:
    """What a selection sees of a stored run."""

    created: str
    library: str
    scheme: str
    application: str
    campaign: str
    environment: Json


Test = Callable[[StoredRun], bool]


@dataclass(frozen=True, slots=True)
class Selection:
    """The runs at a place that pass every test. `place` is None for the store of the call."""

    text: str
    place: str | None = None
    library: str | None = None
    tests: tuple[Test, ...] = ()

    def holds(self, run: StoredRun) -> bool:
        return all(test(run) for test in self.tests)


def selection(text: str) -> Selection:
    """The selection that the text describes. UsageError where it describes none."""
    if _is_place(text):
        return Selection(text, text)
    words = [word.strip() for word in text.split(",")]
    places = [word for word in words if _is_place(word)]
    if len(places) > 1:
        raise UsageError(f"{text!r} names {len(places)} places: {units.listing(places)}", "name one")
    others = [word for word in words if word not in places and word != ALL]
    named = [word.partition("@")[0].lower() for word in others if _fact(word) is None]
    tests = tuple(_test(text, word) for word in others)
    return Selection(text, places[0] if places else None, named[0] if len(named) == 1 else None, tests)


def _is_place(word: str) -> bool:
    return "://" in word or (word not in ("", ALL) and Path(word).expanduser().is_file())


def _fact(word: str) -> str | None:
    """The fact that the word names before a colon; None where it has none."""
    name, colon, _ = word.partition(":")
    return name if colon else None


def _test(text: str, word: str) -> Test:
    name = _fact(word)
    if name is None:
        return _of_library(text, word)
    if name not in FACTS:
        raise UsageError(
            f"there is no fact {name!r} in the selection {text!r}",
            f"choose among {', '.join(FACTS)}; {_HELP}",
        )
    value = word.partition(":")[2]
    if not value:
        raise UsageError(f"{word!r} in the selection {text!r} lacks a value", f"write {name}:VALUE; {_HELP}")
    return FACTS[name](value)


def _of_library(text: str, word: str) -> Test:
    name, at, version = word.partition("@")
    library = name.lower()
    known = (*BY_NAME, LIBRARY)
    if not library or (at and not version) or not (at or library in known):
        raise UsageError(
            f"{word!r} in the selection {text!r} is neither a library, nor FACT:VALUE, nor a file",
            f"write {units.listing(known, 'or')}, with @VERSION or without; {_HELP}",
        )
    return lambda run: run.library == library and (not at or str(run.environment.get("version")) == version)


def _contained(*names: str) -> Callable[[str], Test]:
    """A fact whose value must occur in what these fields of the environment hold."""

    def of(value: str) -> Test:
        return lambda run: value.lower() in json.dumps([run.environment.get(n) for n in names]).lower()

    return of


def _begun(name: str) -> Callable[[str], Test]:
    """A fact whose value must be the beginning of what this field of the environment holds."""
    return lambda value: lambda run: str(run.environment.get(name)).startswith(value)


def _same(name: str) -> Callable[[str], Test]:
    """A fact whose value must be that of this field of a stored run."""
    return lambda value: lambda run: str(getattr(run, name)).lower() == value.lower()


def _threads(value: str) -> Test:
    return lambda run: str(run.environment.get("threads")) == value


def _campaign(value: str) -> Test:
    return lambda run: run.campaign.startswith(value)


def _since(value: str) -> Test:
    time = _time(value)
    return lambda run: datetime.fromisoformat(run.created) >= time


def _before(value: str) -> Test:
    time = _time(value)
    return lambda run: datetime.fromisoformat(run.created) < time


def _time(value: str) -> datetime:
    """The time that is written as ISO 8601; in UTC where it names no zone."""
    try:
        time = datetime.fromisoformat(value)
    except ValueError:
        raise UsageError(f"{value!r} is not a date", "write it like 2026-11-24 or 2026-11-24T18:30") from None
    return time if time.tzinfo else time.replace(tzinfo=UTC)


FACTS: Mapping[str, Callable[[str], Test]] = MappingProxyType(
    {
        "machine": _begun("machine"),
        "cpu": _contained("cpu"),
        "os": _contained("os", "kernel"),
        "build": _contained("build", "binding", "runtime"),
        "commit": _begun("commit"),
        "threads": _threads,
        "scheme": _same("scheme"),
        "app": _same("application"),
        "campaign": _campaign,
        "since": _since,
        "before": _before,
    }
)
"""What FACT:VALUE may say. machine, commit and campaign take the beginning of a value; cpu, os and build take
a part of it (a compiler, for instance); since and before take a date, and `since` includes it."""
