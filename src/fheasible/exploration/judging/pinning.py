"""Pins from the settings that a user types: the names and the checks of a set that is given to be run."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from fheasible.errors import UsageError
from fheasible.exploration.judging.chosen import OURS, degrees_from, layout_from, value_of, yes_or_no
from fheasible.exploration.problem.pins import Pin, Pins
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.rings_and_moduli import RINGS
from fheasible.exploration.problem.wish import Asked
from fheasible.exploration.space.pinned import BOOTSTRAPPED
from fheasible.exploration.space.requests import PRIME_BITS
from fheasible.libraries.chain import SECRET
from fheasible.libraries.library import Library
from fheasible.libraries.parameters import REQUESTS, settings_of
from fheasible.lowering.plan import SPARES
from fheasible.units import listing

SEARCHED: Final = (
    "ring_dimension", "technique", "scale_bits", "first_bits", "prime_bits", "special_bits", "digits",
    "key_switching", "secret", "degree", "slots", "spare_levels", "as_written", "layout", *BOOTSTRAPPED,
)  # fmt: skip
"""The settings that a search chooses by itself, and that a pin may fix."""
_LISTS: Final = ("prime_bits", "special_bits")
_MOST_LISTED: Final = 12


def pins_from(
    settings: Mapping[str, str] | None, problem: Problem, libraries: Sequence[Library], least: Asked
) -> Pins:
    """The pins of those settings.

    UsageError for a name that no search chooses, and for a value that no set which is searched has.
    """
    return Pins(tuple(_pin(*each, problem, libraries, least) for each in (settings or {}).items()))


def _pin(key: str, text: str, problem: Problem, libraries: Sequence[Library], least: Asked) -> Pin:
    name = key.lower().replace("-", "_")
    if name not in SEARCHED:
        raise _unknown(key, name)
    value = _value(name, text, problem, least)
    found = sorted(set(_possible(name, libraries, problem)), key=str if name in _WORDS else None)
    wrong = [each for each in _parts(name, value) if found and each not in found]
    if wrong:
        raise UsageError(
            f"{name}={text} is not searched: {wrong[0]} is not possible",
            f"choose {name} among {_said(found)}; `fheasible run` takes other values",
        )
    return Pin(name, value, text)


_WORDS: Final = ("technique", "key_switching", "secret")


def _unknown(key: str, name: str) -> UsageError:
    """The error for a name that is no pin: one that only a run takes, or none at all."""
    remedy = f"choose among {', '.join(SEARCHED)}"
    if name in OURS or any(name in settings_of(scheme) for scheme in REQUESTS):
        return UsageError(
            f"{name} cannot be pinned, because a search does not choose it, or only together with others",
            f"{remedy}; `fheasible run` takes {name}",
        )
    return UsageError(f"there is no parameter {key!r}", remedy)


def _value(name: str, text: str, problem: Problem, least: Asked) -> Any:
    if name == "degree":
        return degrees_from(problem, text, least)
    if name == "as_written":
        return yes_or_no(name, text)
    if name == "layout":
        return layout_from(text)
    return value_of(name, text)


def _parts(name: str, value: Any) -> Iterable[Any]:
    return value or () if name in _LISTS else (value,)


def _possible(name: str, libraries: Sequence[Library], problem: Problem) -> Iterator[Any]:
    """The values that sets which are searched have, in some library; none where nothing is left out."""
    if name in ("scale_bits", "first_bits", *_LISTS):
        yield from PRIME_BITS
    elif name == "spare_levels":
        yield from SPARES
    elif name == "secret":
        yield SECRET
    elif name == "layout":
        yield from problem.layouts
    elif name == "slots":
        longest = max(node.length for node in problem.circuit.nodes())
        yield from (1 << k for k in range(max(longest - 1, 0).bit_length() + 1))
    for library in libraries:
        yield from _of_library(name, library)


def _of_library(name: str, library: Library) -> Iterator[Any]:
    settings = [each for scheme in library.schemes for each in library.integer_settings(scheme)]
    if name == "ring_dimension":
        yield from (n for n in RINGS if n <= library.largest_ring)
    elif name == "technique":
        yield from (technique for technique in library.techniques if technique)
    elif name == "digits":
        yield from (digits for digits, _ in library.key_switchings() if digits)
        yield from (each.digits for each in settings if each.digits)
    elif name == "key_switching":
        yield "hybrid"
        yield from (each.key_switching for each in settings if each.key_switching)
    elif name == "secret":
        yield from (each.secret for each in library.bootstrap_settings())


def _said(found: Sequence[Any]) -> str:
    """All values; those of a long range by its ends."""
    if len(found) > _MOST_LISTED:
        return f"{found[0]} to {found[-1]}"
    return listing([str(each) for each in found], "or")
