"""Functions that jump at 0, or have a kink there, as compositions of polynomials: sign, step, |x|, max(x,
0)."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from fheasible.aliases import Floats
from fheasible.circuit.chebyshev import Function, evaluate_series
from fheasible.circuit.composition import (
    MOST_LEVELS,
    Composed,
    Composition,
    best,
    best_for_kink,
    composed,
    expected_error,
    for_kink,
)
from fheasible.circuit.node import Chebyshev, Jump

GUESS_BITS = 10.0  # of a composition whose degrees are still open
LEAST_LEVELS = 2
_PLACES = 4001
_SURELY = 4.0  # an error that is so many times as large by the table is too large


@dataclass(frozen=True, slots=True)
class Shape:
    """A function with a jump or a kink at 0, written with s = sign(x): s or (1 + s) / 2, and x times that if
    `gated`. If `promised`, arguments lie away from 0, or are 0 where that is allowed by `zero`."""

    name: str
    exact: Function
    half: bool
    gated: bool
    promised: bool
    zero: bool = False


def _step(x: Floats) -> Floats:
    return (1 + np.sign(x)) / 2


def _positive(x: Floats) -> Floats:
    return np.maximum(x, 0.0)


SIGN = Shape("sign", np.sign, half=False, gated=False, promised=True)
GREATER = Shape("greater", _step, half=True, gated=False, promised=True)
ABSOLUTE = Shape("absolute", np.abs, half=False, gated=True, promised=False)
RELU = Shape("relu", _positive, half=True, gated=True, promised=False)
EXCHANGE = Shape("exchange", _step, half=True, gated=False, promised=False)
SIGN_OF_INTEGER = Shape("sign", np.sign, half=False, gated=False, promised=True, zero=True)
RELU_OF_INTEGER = Shape("relu", _positive, half=True, gated=True, promised=True, zero=True)


def opened(shape: Shape, bound: float, margin: float = 0.0) -> Chebyshev:
    """The function on [-bound, bound] by a composition whose degrees are left open."""
    return replace(for_bits(shape, bound, margin, GUESS_BITS), open=True)


def for_bits(shape: Shape, bound: float, margin: float, bits: float) -> Chebyshev:
    """The function on [-bound, bound] by the composition of the fewest levels, then of the fewest
    relinearisations, whose error is at most 2^-bits: of a jump at `margin` and farther, of a kink everywhere,
    as a part of the bound.

    The composition with the least error where no composition is that good.
    """
    blank, most = _blank(shape, bound, margin), 2.0**-bits
    for levels in range(LEAST_LEVELS, MOST_LEVELS + 1):
        worth = compositions(blank, levels)
        hopeful = [degrees for degrees in worth if _about(blank, degrees) <= _SURELY * most]
        if hopeful and relative_error(found := of_degrees(blank, hopeful[-1])) <= most:
            each = (of_degrees(blank, degrees) for degrees in hopeful[:-1])
            return next((f for f in each if relative_error(f) <= most), found)
    return of_degrees(blank, worth[-1])


def _about(found: Chebyshev, degrees: Composition) -> float:
    """About the `relative_error` of a composition of these degrees, by the table."""
    jump = found.jump
    assert jump is not None
    error = expected_error(degrees, _low(found))
    return error * (0.5 if jump.half else 1.0) * (found.high if jump.gated and jump.promised else 1.0)


def _low(found: Chebyshev) -> float | None:
    """The margin of a jump, as a part of the bound; None for a kink."""
    assert found.jump is not None
    return found.jump.margin / found.high if found.jump.promised else None


def of_degrees(found: Chebyshev, degrees: Composition) -> Chebyshev:
    """The function of `found` by the composition of these degrees."""
    assert found.jump is not None
    jump = found.jump
    made = composed(degrees, jump.margin / found.high) if jump.promised else for_kink(degrees)
    first, *then = _halved(made) if jump.half else made.stages
    margin = jump.margin if jump.promised else made.low * found.high
    weight = 0.5 if jump.half else 1.0
    moved = replace(jump, margin=margin, error=weight * made.error)
    return replace(found, coefficients=first, then=tuple(then), jump=moved, open=False)


def compositions(found: Chebyshev, levels: int) -> tuple[Composition, ...]:
    """The compositions of that many levels that are worth having in place of `found`: each takes fewer
    relinearisations than the next one, and has a larger error."""
    assert found.jump is not None
    if not found.jump.promised:
        return best_for_kink(levels)
    return best(levels, found.jump.margin / found.high)


def cheaper(found: Chebyshev, degrees: Composition) -> tuple[Composition, ...]:
    """The compositions that take fewer levels, or as many levels and fewer relinearisations, and in the end
    these `degrees`: each takes more than the one before, and has a smaller error."""
    low = _low(found)
    kept: list[Composition] = []
    least, end = np.inf, expected_error(degrees, low)
    for levels in range(LEAST_LEVELS, degrees.levels + 1):
        for each in compositions(found, levels):
            if end < (error := expected_error(each, low)) < least:
                kept, least = [*kept, each], error
    return (*kept, degrees)


def relative_error(found: Chebyshev) -> float:
    """The largest of `errors`, as a part of the largest value."""
    size = 1.0 if found.jump is not None and found.jump.promised else found.high
    return float(np.abs(errors(found)).max()) / size


def errors(found: Chebyshev) -> Floats:
    """The error at places spread over the interval: without the margin of a jump, and with it of a kink. That
    of an exchange is multiplied by its argument, as its result is."""
    jump = found.jump
    assert jump is not None
    least = jump.margin if jump.promised else 0.0
    x = np.concatenate(
        [np.linspace(least, jump.margin, _PLACES), np.linspace(jump.margin, found.high, _PLACES)]
    )
    error = np.asarray(evaluate_series(found, x) - found.exact(x))
    return error if jump.promised or jump.gated else error * x


def _blank(shape: Shape, bound: float, margin: float) -> Chebyshev:
    jump = Jump(margin, 0.0, shape.promised, shape.gated, shape.half, shape.zero)
    return Chebyshev(shape.name, (0.0, 1.0), -bound, bound, shape.exact, jump=jump)


def _halved(made: Composed) -> Iterator[tuple[float, ...]]:
    """The stages of (1 + s) / 2, where those of `made` are those of s."""
    *before, last = made.stages
    yield from before
    yield (0.5, *(c / 2 for c in last[1:]))
