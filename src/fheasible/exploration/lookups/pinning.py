"""Pins of table look-ups: their parameters from what a user types, and what each of them keeps out."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from fheasible.errors import UsageError
from fheasible.estimation.lookup_profile import LookupProfile
from fheasible.exploration.lookups.candidate import LookupCandidate
from fheasible.exploration.lookups.chosen import KNOWN, known, value_of
from fheasible.exploration.lookups.search import LookupExploration, explore_lookups
from fheasible.exploration.problem.pins import Pin, Pins, fits, what_pins_exclude
from fheasible.libraries.lookup_library import LookupLibrary


def of_lookups(names: Iterable[str] | None) -> bool:
    """Whether any of the names is a parameter of table look-ups."""
    return any(name.lower().replace("-", "_") in KNOWN for name in names or ())


def pins_from(settings: Mapping[str, str] | None, libraries: Sequence[LookupLibrary]) -> Pins:
    """The pins of those settings. UsageError for an unknown name, a value that it cannot have, and a set that
    none of the libraries ships."""
    return Pins(tuple(_pin(key, text, libraries) for key, text in (settings or {}).items()))


def _pin(key: str, text: str, libraries: Sequence[LookupLibrary]) -> Pin:
    name = known(key)
    if name != "set":
        return Pin(name, value_of(name, text), text)
    sets = {each.name.lower(): each.name for library in libraries for each in library.named.values()}
    if text.lower() not in sets:
        raise UsageError(
            f"set={text} is no set of these libraries", f"choose among {', '.join(sets.values())}"
        )
    return Pin(name, sets[text.lower()], text)


def excluded(
    e: LookupExploration, libraries: Sequence[LookupLibrary], profiles: Mapping[str, LookupProfile]
) -> tuple[str, ...]:
    """A sentence for each pin that alone keeps out everything that fits otherwise; one sentence on all pins
    where no single one does. Empty where something fits, and where nothing is pinned."""
    if e.best is not None or not e.wish.pins:
        return ()

    def fitting(pins: Pins) -> str:
        found = explore_lookups(e.problem, replace(e.wish, pins=pins), libraries, profiles).candidates
        firsts: dict[str, LookupCandidate] = {}
        for c in found:
            firsts.setdefault(c.title, c)
        return fits([f"{c.title} with {c.encoded.encoding}" for c in firsts.values()])

    return tuple(what_pins_exclude(e.wish.pins, fitting))
