"""The cheat sheet: which ring and modulus a depth and a precision take in each library, from the search.

`python -m fheasible.studies.cheat_sheet > docs/cheat_sheet.md` remakes it. It depends on code alone: times
are predicted with the shipped prices, whatever machine it is made on.
"""

from collections.abc import Iterator
from functools import cache
from itertools import pairwise

import fheasible as fh
from fheasible.calibration.defaults import default_profiles
from fheasible.circuit.data import random_data
from fheasible.circuit.node import Circuit
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Asked, Wish
from fheasible.exploration.search.declared_ranges import answer
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.libraries.library import Library
from fheasible.units import power_of_two, seconds

DEPTHS = (1, 2, 3, 4, 6, 8, 10, 12, 16, 20)
PRECISIONS = (10, 20, 30)  # bits of the result
LENGTH = 2048


def circuit(depth: int) -> Circuit:
    """Squares, each less a half, `depth` times one after another: values stay within [-1, 1]."""

    @fh.app(x=fh.reals(LENGTH, low=-1, high=1))
    def squares(x):  # type: ignore[no-untyped-def]
        for _ in range(depth):
            x = x * x - 0.5
        return x

    return squares.trace()


@cache
def problem(depth: int) -> Problem:
    made = circuit(depth)
    return Problem(made, random_data(made, 0), "random data (seed 0)")


@cache
def best(depth: int, precision: int, library: Library) -> Candidate | None:
    """The fastest set of the library that is 128-bit secure; None where nothing fits."""
    wish = Wish(precision=Asked.parse(str(precision)))
    found = answer(problem(depth), wish, [library], default_profiles(CATALOGUE)).candidates
    return found[0] if found else None


def text() -> Iterator[str]:
    """The lines of the page."""
    libraries = list(CATALOGUE.values())
    origin = next(iter(default_profiles(CATALOGUE).values())).origin
    yield "# Cheat sheet: depth and precision of CKKS"
    yield ""
    yield (
        f"The fastest 128-bit secure set for {LENGTH:,} real numbers in [-1, 1] and so many squarings one "
        "after another: "
        "ring dimension N, bits of the modulus QP, and predicted CPU time to encrypt, evaluate and "
        "decrypt, on "
        f"{origin}. The page is generated: `python -m fheasible.studies.cheat_sheet > docs/cheat_sheet.md` "
        "remakes it. "
        "`fheasible explore app.py --precision BITS` says it for your application and machine."
    )
    for precision in PRECISIONS:
        yield ""
        yield f"## {precision} bits right"
        yield ""
        yield f"| depth | {' | '.join(lib.title for lib in libraries)} |"
        yield f"|---{'|---' * len(libraries)}|"
        for depth in DEPTHS:
            cells = (_cell(best(depth, precision, lib)) for lib in libraries)
            yield f"| {depth} | {' | '.join(cells)} |"
    yield ""
    yield from _rules(libraries)


def _cell(c: Candidate | None) -> str:
    if c is None:
        return "nothing fits"
    cpu = c.estimate.cpu_seconds
    took = seconds(cpu["total"]) if cpu else "-"
    p = c.parameters
    return f"{power_of_two(p.ring_dimension)}, {p.log_qp:.0f} bits, {took}"


def _rules(libraries: list[Library]) -> Iterator[str]:
    """What the table shows, as figures."""
    yield "## In words"
    yield ""
    for precision in PRECISIONS:
        grown = [
            (c.parameters.log_qp - b.parameters.log_qp) / (DEPTHS[-1] - DEPTHS[0])
            for lib in libraries
            if (c := best(DEPTHS[-1], precision, lib)) and (b := best(DEPTHS[0], precision, lib))
        ]
        if grown:
            yield (
                f"* {precision} bits: each further level takes {min(grown):.0f} to {max(grown):.0f} bits "
                "of the modulus "
                f"QP, between depths {DEPTHS[0]} and {DEPTHS[-1]}."
            )
    ratios = sorted(_doublings(libraries))
    yield (
        f"* Where the ring doubles from one row to the next, the time grows {ratios[0]:.1f} to "
        f"{ratios[-1]:.1f} times. So save depth first, then precision."
    )


def _doublings(libraries: list[Library]) -> Iterator[float]:
    """The growth of the time wherever the ring is twice as large as in the row above."""
    for precision in PRECISIONS:
        for lib in libraries:
            for above, below in pairwise(best(depth, precision, lib) for depth in DEPTHS):
                if above is None or below is None:
                    continue
                if below.parameters.ring_dimension == 2 * above.parameters.ring_dimension:
                    before, after = above.estimate.cpu_seconds, below.estimate.cpu_seconds
                    if before and after:
                        yield after["total"] / before["total"]


if __name__ == "__main__":
    print("\n".join(text()))
