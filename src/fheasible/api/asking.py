"""Turns what a user asks into the application with its data, the wish, and the libraries with their
profiles."""

import shlex
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import replace
from math import inf
from pathlib import Path
from types import MappingProxyType
from typing import Any

from fheasible.calibration.profiles import at_hand
from fheasible.circuit.data import given, lengths, other_lengths, read
from fheasible.circuit.drawn import random_data
from fheasible.circuit.load import load
from fheasible.circuit.node import Circuit
from fheasible.circuit.numbers_named import Number
from fheasible.circuit.trace import App
from fheasible.errors import CircuitError, UnknownName, UsageError
from fheasible.estimation.profile import Profile
from fheasible.estimation.ring_profile import LIBRARY
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Asked, Wish, bits
from fheasible.libraries.catalogue import BY_NAME, CATALOGUE, library
from fheasible.libraries.library import Library
from fheasible.models.load import is_model, load_model, needs_data
from fheasible.store.store import Store
from fheasible.units import listing

_RANDOM = "random data, uniform in the declared ranges (seed {})"
USUAL_SCHEMES = ("bgv", "ckks")  # where none is named: of integers, of reals
Data = Any  # a file, values by name (as in `circuit.data.given`), a dataframe, or None for random data
Subject = App | str | Path | Problem  # what is explored; a problem is an application with its data
Precision = str | float | Asked | None
Threads = int | str | Sequence[int | str]
DEFAULT_THREADS, MOST_THREADS, _LONG = "default", 1024, 9


def application_of(app: App | str | Path, numbers: Mapping[str, Number] = MappingProxyType({})) -> App:
    """The application itself, or the one that `load` reads from a file, with those numbers in place of the
    file's own. UsageError for anything else."""
    if isinstance(app, App):
        return app
    if isinstance(app, str | Path):
        return load(str(app), numbers)
    name = getattr(app, "__name__", type(app).__name__)
    raise UsageError(
        f"{name} is not an application",
        "give a function under @fh.app(x=fh.reals(1000, low=0, high=1)), or a file such as 'app.py:name' or "
        "model.onnx",
    )


def name_of(app: Subject, data: Data = None) -> str | None:
    """The application's name on the command line; None where it stands in no file. A model whose ranges
    follow from data has them beside it."""
    if isinstance(app, Problem):
        return None
    if not isinstance(app, App):
        needed = needs_data(app) and isinstance(data, str | Path)
        return f"{app} --data {shlex.quote(str(data))}" if needed else str(app)
    file = Path(app.where.rpartition(":")[0])
    return f"{file}:{app.name}" if file.suffix == ".py" and file.is_file() else None


def problem_of(
    app: Subject,
    data: Data,
    seed: int,
    trust_data: bool = False,
    numbers: Mapping[str, Number] = MappingProxyType({}),
) -> Problem:
    """The application with those data, or with random data of that seed. `trust_data`: no inputs will be
    larger than the given ones, whatever the declared ranges say. `numbers` take the place of those that the
    application's file names at its top. A problem stays as it is, with all that searches have found."""
    if isinstance(app, Problem):
        return app
    check("seed", seed)
    check("trust_data", trust_data)
    if trust_data and data is None:
        raise UsageError("data can only be trusted if they are given", "give them with data= or --data")
    if not isinstance(app, App) and is_model(app):
        return _of_model(app, data, seed, trust_data, numbers)
    with redirect_stdout(sys.stderr):  # what the user's file prints is no part of an answer
        application = application_of(app, numbers)
        if data is not None:
            values, source = _values(application, data)
            caution = other_lengths(application.inputs, values, Path(source).name)
            return Problem(_traced(application, values, caution), values, source, trust_data, caution=caution)
        circuit = application.trace()
        return Problem(circuit, random_data(circuit, seed), _RANDOM.format(seed))


def _traced(application: App, values: Mapping[str, Any], caution: str) -> Circuit:
    """The circuit for vectors as long as the values. CircuitError where it cannot be, with the lengths where
    others are declared."""
    try:
        return application.trace(lengths(values))
    except CircuitError as error:
        if caution:
            error.remedy = f"{error.remedy} {caution[0].upper()}{caution[1:]}.".lstrip()
        raise


def _of_model(
    file: str | Path, data: Data, seed: int, trust_data: bool, numbers: Mapping[str, Number]
) -> Problem:
    """The application of a model's file, with those data or random ones."""
    if numbers:
        raise UsageError(f"{file} names no number {next(iter(numbers))}", "leave --set out: a model has none")
    model = load_model(file, data)
    circuit = model.app.trace()
    if model.data is None:
        return Problem(circuit, random_data(circuit, seed), _RANDOM.format(seed))
    return Problem(circuit, model.data, model.source, trust_data)


def _values(application: App, data: Any) -> tuple[dict[str, Any], str]:
    """The checked inputs, and a text that says where they come from."""
    if isinstance(data, str | Path):
        return read(data, application.inputs), str(data)
    return given(data, application.inputs), "the given data"


def wish_of(precision: Precision, **given: Any) -> Wish:
    """The wish with those fields. UsageError for a value of the wrong type, or one that makes no sense."""
    for name, value in given.items():
        if name in _KINDS:
            check(name, value)
    return Wish(precision=asked(precision), **given)


def check(name: str, value: Any) -> None:
    """Raises UsageError for a value of the wrong type, and for a size, a time or a seed that is negative or
    infinite."""
    kinds, example = _KINDS[name]
    if value is None and name not in _ALWAYS:
        return
    fits = isinstance(value, kinds) and isinstance(value, bool) == (kinds is bool)
    if not fits or (name in _LIMITS and not 0 <= value < inf):
        raise UsageError(f"{name}={value!r} is not a valid value", f"write {name}={example!r}")


_ALWAYS = (
    "security", "quantum", "objective", "shared_results", "worst_case", "trust_data", "requests", "seed",
    "everything",
)  # fmt: skip
_LIMITS = ("max_seconds", "max_bytes", "max_ciphertext_bytes", "max_key_bytes", "seed", "timeout")
_KINDS: dict[str, tuple[Any, Any]] = {
    "security": (int, 128),
    "quantum": (bool, True),
    "objective": (str, "time"),
    "failure": ((int, float), 40),
    "shared_results": (bool, True),
    "worst_case": (bool, True),
    "trust_data": (bool, True),
    "max_seconds": ((int, float), 0.5),
    "max_bytes": ((int, float), 2**30),
    "max_ciphertext_bytes": ((int, float), 2**20),
    "max_key_bytes": ((int, float), 2**30),
    "requests": (int, 1000),
    "price_core_hour": ((int, float), 0.05),
    "price_gib": ((int, float), 0.1),
    "seed": (int, 0),
    "scheme": (str, "ckks"),
    "timeout": ((int, float), 60),
    "repetitions": (int, 3),
    "everything": (bool, True),
}


def typed(params: Mapping[str, Any] | None) -> Mapping[str, str] | None:
    """The settings as one types them: lists with commas, true and false in small letters. UsageError for what
    is no mapping of names."""
    if params is None:
        return None
    if not isinstance(params, Mapping) or not all(isinstance(name, str) for name in params):
        raise UsageError(
            f"params={params!r} is not a mapping of names", 'write params={"ring_dimension": 16384}'
        )
    return {name: typed_value(value) for name, value in params.items()}


def typed_value(value: Any) -> str:
    """The value of a setting as one types it."""
    if isinstance(value, list | tuple):
        return ",".join(map(typed_value, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def threads_of(threads: Threads) -> tuple[int | None, ...]:
    """The numbers of threads that a number, a text or several of them name; None is the library's default.
    UsageError for anything else."""
    each: list[Any] = list(threads) if isinstance(threads, list | tuple) else [threads]
    split = (item.split(",") if isinstance(item, str) else [item] for item in each)
    words = [word.strip() if isinstance(word, str) else word for part in split for word in part]
    return tuple(dict.fromkeys(map(_threads, words)))


def _threads(word: Any) -> int | None:
    if word == DEFAULT_THREADS:
        return None
    number = int(word) if isinstance(word, str) and word.isdecimal() and len(word) < _LONG else word
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= MOST_THREADS:
        raise UsageError(
            f"{word!r} is not a number of threads",
            f"give numbers from 1 to {MOST_THREADS}, such as --threads 2 or --threads 1,2, or --threads "
            f"{DEFAULT_THREADS} for what each library does by itself",
        )
    return number


def asked(precision: Precision) -> Asked | None:
    """The precision that a number or a text asks for: 15 means bits, "absolute:1e-4" names its kind.
    UsageError for anything else."""
    if precision is None or isinstance(precision, Asked):
        return precision
    if isinstance(precision, str):
        return Asked.parse(precision)
    if isinstance(precision, bool) or not isinstance(precision, int | float):
        raise UsageError(
            f"precision={precision!r} is not a precision",
            'write 15 (bits), "absolute:1e-4" or "relative:1e-3"',
        )
    return Asked.parse(repr(precision)) if 0 < precision < 1 else bits(precision)


def libraries_of(names: str | Sequence[str] | None, scheme: str | None = None) -> list[Library]:
    """The libraries of those names; where none is named, all but other builds of the same library. Where a
    scheme is named, only the libraries that have it, with that scheme alone. UnknownName where none has it.
    """
    check("scheme", scheme)
    found = list(dict.fromkeys(map(library, named(names)))) or list(CATALOGUE.values())
    return found if scheme is None else _with(found, scheme)


def libraries_or_reference(
    names: str | Sequence[str] | None, scheme: str | None, others: str = ""
) -> list[Library]:
    """As `libraries_of`, where the error of an unknown name offers the ring schemes as well, and `others`."""
    try:
        return libraries_of(names, scheme)
    except UnknownName as error:
        alone = f"take --library {LIBRARY}, the ring schemes, by itself"
        remedy = "; or ".join(filter(None, (error.remedy, others, alone)))
        raise UnknownName(error.message, remedy) from None


def _with(libraries: Sequence[Library], scheme: str) -> list[Library]:
    name = scheme.strip().lower()
    found = [replace(lib, schemes=(name,)) for lib in libraries if name in lib.schemes]
    if not found:
        titles = listing([lib.title for lib in libraries])
        none = f"{titles} has no" if len(libraries) == 1 else f"none of {titles} has a"
        raise UnknownName(f"{none} scheme {scheme!r}", f"choose among {_schemes(libraries)}")
    return found


def _schemes(libraries: Sequence[Library]) -> str:
    """The schemes and the libraries that have them: 'ckks, bgv and bfv (OpenFHE and SEAL)'."""
    having: dict[tuple[str, ...], list[str]] = {}
    for scheme in dict.fromkeys(scheme for lib in libraries for scheme in lib.schemes):
        having.setdefault(tuple(lib.title for lib in libraries if scheme in lib.schemes), []).append(scheme)
    return "; ".join(f"{listing(of)} ({listing(list(titles))})" for titles, of in having.items())


def named(names: str | Sequence[str] | None) -> list[str]:
    """The names that were given, one by one, in lower case. UsageError for what is not a text."""
    words: list[Any] = list(names) if isinstance(names, Iterable) and not isinstance(names, str) else [names]
    wrong = [word for word in words if not isinstance(word, str)]
    if wrong and names is not None:
        raise UsageError(f"{wrong[0]!r} is not the name of a library", f"choose among {', '.join(BY_NAME)}")
    return [name.strip().lower() for word in words if word is not None for name in word.split(",")]


def profiles_of(
    place: str | Path | None,
    libraries: Iterable[Library],
    threads: int = 1,
    told: Callable[[str], None] = warnings.warn,
) -> Mapping[str, Profile]:
    """The newest profile of this machine for each library that has one, and the shipped one for each other
    library. `told` is called with a line about each damaged one."""
    with Store.open(place, reading=True, told=told) as store:
        return at_hand(store, [lib.name for lib in libraries], threads)
