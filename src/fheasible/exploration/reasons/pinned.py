"""Where nothing fits: which pin excludes what."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from fheasible.estimation.profile import Profile
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.problem.pins import Pins, fits, what_pins_exclude
from fheasible.exploration.search.search import Exploration, explore
from fheasible.libraries.catalogue import BY_NAME
from fheasible.libraries.library import Library
from fheasible.units import power_of_two


def excluded(
    e: Exploration, libraries: Sequence[Library], profiles: Mapping[str, Profile]
) -> tuple[str, ...]:
    """What each pin keeps out, as sentences. Empty where something fits, and where nothing is pinned."""
    if e.best is not None or not e.wish.pins:
        return ()

    def fitting(pins: Pins) -> str:
        found = explore(e.problem, replace(e.wish, pins=pins), libraries, profiles, why=False).candidates
        firsts: dict[tuple[str, str], Candidate] = {}
        for c in found:
            firsts.setdefault((c.library, c.scheme), c)
        return fits([_named(c) for c in firsts.values()])

    return tuple(what_pins_exclude(e.wish.pins, fitting))


def _named(c: Candidate) -> str:
    ring = power_of_two(c.parameters.ring_dimension)
    return f"{BY_NAME[c.library].title} {c.scheme.upper()} with N = {ring}"
