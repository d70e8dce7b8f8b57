"""The random application that belongs to a seed and a number.

It is something that people compute, with or without further operations, or it is made of operations alone.
"""

from dataclasses import replace
from typing import Final

from fheasible.trial.application import DATA, Application, Declared, Given, trimmed
from fheasible.trial.builder import ApplicationBuilder, DrawnValue, Make, times
from fheasible.trial.draw import Draw
from fheasible.trial.lengths import MODULI, NO_MODULI, length, real_range, whole_range
from fheasible.trial.operations import operate
from fheasible.trial.recipes import chains, choices, exact, learning, shapes, signals, statistics, units
from fheasible.trial.wishes import wish

VERSION: Final = 5
"""The version of the generator. Another version makes other applications from the same seed."""

REALS: Final[tuple[tuple[float, tuple[Make, ...]], ...]] = (
    (4, statistics.RECIPES),
    (4, learning.RECIPES),
    (4, signals.RECIPES),
    (3, chains.RECIPES),
    (3, units.RECIPES),
    (3, shapes.RECIPES),
)
_DEPTHS: Final = ((2, 2), (6, 4), (4, 6), (2, 9), (1, 14))


def application(seed: int, number: int) -> Application:
    """The application of that seed and number, the same on every machine."""
    for attempt in range(100):
        draw = Draw(f"fheasible trial {VERSION}/{seed}/{number}/{attempt}")
        made = _application(draw, f"trial_{seed}_{number}")
        if made.outputs:
            return made
    raise AssertionError(f"no application could be made from seed {seed}, number {number}")


def _application(draw: Draw, name: str) -> Application:
    kind = draw.weighted(((56, "reals"), (20, "integers"), (12, "choices"), (12, "residues")))
    b = ApplicationBuilder(
        draw, kind == "reals", _modulo(draw) if kind == "residues" else None, draw.weighted(_DEPTHS)
    )
    about, outputs = _known(b, kind) if kind == "choices" or draw.chance(0.65) else _anything(b)
    if len(outputs) == 1 and draw.chance(0.1):
        outputs.append(draw.one(b.values[len(b.inputs) :] or b.values))
    made = trimmed(Application(
        name, f"{about} of {kind}, drawn by fheasible trial.", tuple(b.inputs), tuple(b.steps),
        tuple(dict.fromkeys(v.name for v in outputs)), not draw.chance(0.12), wish(draw, b.real), _data(draw),
        draw.chance(0.3), draw.chance(0.2),
    ))  # fmt: skip
    return _with_unused(made, b) if draw.chance(0.03) else made


def _with_unused(made: Application, b: ApplicationBuilder) -> Application:
    """The application with another input that nothing reads."""
    unused = Declared("unused", b.real, b.draw.one((1, 5, 1000)), 0, 3, b.modulo)
    return replace(made, inputs=(*made.inputs, unused))


def _modulo(draw: Draw) -> int:
    return draw.one(NO_MODULI) if draw.chance(0.06) else draw.one(MODULI)


def _known(b: ApplicationBuilder, kind: str) -> tuple[str, list[DrawnValue]]:
    """The name of a recipe and its outputs, at times with more operations on its result."""
    if kind == "reals":
        recipes = b.draw.weighted(REALS)
    elif kind == "choices":
        recipes = choices.RECIPES
    else:
        recipes = exact.RECIPES if kind == "integers" else exact.RESIDUES
        recipes = exact.RECIPES if b.draw.chance(0.3) else recipes
    recipe = b.draw.one(recipes)
    outputs = list(recipe(b) or ())
    for _ in range(b.draw.weighted(((6, 0), (2, 1), (1, 2), (1, 3)))):
        operate(b)
        outputs = [b.values[-1]]
    return recipe.__name__.replace("_", " "), outputs


def _anything(b: ApplicationBuilder) -> tuple[str, list[DrawnValue]]:
    """A name and the output of some operations on some inputs."""
    n = length(b.draw)
    for _ in range(b.draw.weighted(((4, 1), (4, 2), (2, 3), (1, 4)))):
        n = n if b.draw.chance(0.8) else b.draw.one((1, length(b.draw)))
        x = b.input(n, *(real_range(b.draw) if b.real else whole_range(b.draw)))
        if b.real and len(b.inputs) < 4 and b.draw.chance(0.06):
            _with_integers(b, x)
    for _ in range(b.draw.whole(2, 8)):
        operate(b)
    return "operations", [b.values[-1]]


def _with_integers(b: ApplicationBuilder, x: DrawnValue) -> None:
    """Adds encrypted integers, and their product with the real input x.

    Integers alone would be computed exactly; their products with reals are reals.
    """
    z = b.input(x.length, *whole_range(b.draw), real=False)
    b.values.remove(z)
    b.step("{0} * {1}", x, z, range=times(x.range, z.range), depth=1)


def _data(draw: Draw) -> Given:
    kind = "drawn" if draw.chance(0.6) else draw.one((*DATA, "corners", "uniform"))
    return Given(kind, draw.whole(0, 99))
