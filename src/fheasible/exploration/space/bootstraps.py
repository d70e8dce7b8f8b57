"""Programs and requests of sets that are bootstrapped."""

from collections.abc import Callable
from dataclasses import replace

from fheasible.errors import InfeasibleParameters
from fheasible.libraries.library import Library
from fheasible.libraries.parameters import Parameters, Request
from fheasible.lowering.plan import Lowerings
from fheasible.program.style import LevelBudget, Style

Ask = Callable[[int, int | None], Parameters]
_LARGEST = 1 << 17  # no vector fills more slots than a ring of so many coefficients has


def budgeted(style: Style, library: Library, levels: int, iterations: int = 1, above: int = 0) -> Style:
    """The style of programs that have so many levels, and bootstraps where they need more. Fresh inputs may
    have `above` levels more.

    InfeasibleParameters where the library does not bootstrap.
    """
    if library.bootstrap_method is None:
        raise InfeasibleParameters(
            f"{library.title} has no bootstrapping",
            "leave levels out, or choose a library that bootstraps CKKS",
        )
    own = LevelBudget(levels, library.least_bootstrap_level(iterations), above=above)
    return replace(style, budget=own, extended=False)


def asking(
    lowerings: Lowerings,
    style: Style,
    slots: int | None,
    request: Callable[[int, int | None], Request],
    ask: Callable[[Request], Parameters],
) -> Ask:
    """What `plan` asks the library: the request of a depth and a ring, with the bootstrap's slots filled in.

    A program that needs no bootstrap asks for none.
    """

    def parameters(depth: int, n: int | None) -> Parameters:
        made = request(depth, n)
        if made.scheme != "ckks" or made.bootstrap is None:
            return ask(made)
        program = lowerings.program(style, n or _LARGEST, slots)
        own = replace(made.bootstrap, slots=program.slots) if program.bootstraps else None
        return ask(replace(made, bootstrap=own))

    return parameters
