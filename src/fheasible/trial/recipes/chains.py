"""Steps repeated in a loop, as written: some of them stable only inside the declared range."""

from fheasible.trial.builder import ApplicationBuilder, DrawnValue
from fheasible.trial.lengths import length


def logistic_map(b: ApplicationBuilder) -> list[DrawnValue]:
    low, high = b.draw.one(((0.0, 1.0), (0.0, 1.0), (0.01, 0.99), (0.2, 0.8)))
    x = b.input(length(b.draw, 4096), low, high)
    text, depth = b.draw.one(
        (
            ("3.2 * {0} * (1 - {0})", 2),
            ("0.8 - 3.2 * ({0} - 0.5) ** 2", 2),
            ("2.5 * {0} * (1 - {0})", 2),
            ("4 * {0} * (1 - {0})", 2),
        )
    )
    steps = b.draw.one((2, 3, 5, 8, 14, 14))
    return [b.step(text, x, range=(0, 1), depth=steps * depth, times=steps)]


def squarings(b: ApplicationBuilder) -> list[DrawnValue]:
    low, high = b.draw.one(((0.0, 1.0), (-1.0, 1.0), (0.9, 1.0), (0.99, 1.01)))
    x = b.input(length(b.draw, 8192), low, high)
    steps = b.draw.one((2, 4, 8, 11, 14, 14))
    text = b.draw.one(("{0} * {0}", "{0} ** 2", "fh.square({0})"))
    most = max(abs(low), abs(high)) ** (2**steps) if steps < 10 else 2.0 ** (15 if high > 1 else 0)
    return [b.step(text, x, range=(0, max(most, 1)), depth=steps, times=steps)]


def chebyshev(b: ApplicationBuilder) -> list[DrawnValue]:
    """Steps y = 2 y^2 - 1: values in [-1, 1] stay there, and values outside explode."""
    x = b.input(length(b.draw, 4096), -1.0, 1.0)
    steps = b.draw.one((1, 2, 3, 5, 7))
    return [b.step("2 * {0} * {0} - 1", x, range=(-1, 1), depth=steps, times=steps)]


def inverse(b: ApplicationBuilder) -> list[DrawnValue]:
    """Newton's iteration for 1 / x."""
    x = b.input(length(b.draw, 2048), 0.5, 1.0)
    steps = b.draw.one((1, 2, 3, 4))
    start = b.step("2.914 - 2 * {0}", x, range=(0.9, 2), depth=1)
    return [b.step("{0} * (2 - {1} * {0})", start, x, range=(0.5, 2.1), depth=2 * steps, times=steps)]


def square_root(b: ApplicationBuilder) -> list[DrawnValue]:
    """Newton's iteration for 1 / sqrt(x)."""
    x = b.input(length(b.draw, 2048), 0.5, 1.0)
    steps = b.draw.one((1, 2, 3))
    start = b.step("1.8 - 0.8 * {0}", x, range=(1, 1.4), depth=1)
    text = "0.5 * {0} * (3 - {1} * {0} * {0})"
    return [b.step(text, start, x, range=(0.5, 2), depth=3 * steps, times=steps)]


def contraction(b: ApplicationBuilder) -> list[DrawnValue]:
    """The sign function, by repeated steps of a cubic."""
    x = b.input(length(b.draw, 4096), -1.0, 1.0)
    steps = b.draw.one((1, 2, 3, 5, 7))
    return [b.step("1.5 * {0} - 0.5 * {0} ** 3", x, range=(-1, 1), depth=2 * steps, times=steps)]


def smoothing(b: ApplicationBuilder) -> list[DrawnValue]:
    """Diffusion: each element moves towards its neighbours."""
    x = b.input(max(length(b.draw, 10_000), 3), *b.draw.one(((0.0, 1.0), (-5.0, 5.0), (0.0, 255.0))))
    steps = b.draw.one((1, 2, 3, 6, 10))
    text = b.draw.one(
        ("0.5 * {0} + 0.25 * (fh.rotate({0}, 1) + fh.rotate({0}, -1))", "({0} + fh.rotate({0}, 1)) / 2")
    )
    return [b.step(text, x, range=x.range, depth=steps, times=steps)]


def recurrence(b: ApplicationBuilder) -> list[DrawnValue]:
    """Steps y = a y + x."""
    x = b.input(length(b.draw, 10_000), -1.0, 1.0)
    a, steps = b.draw.one((0.5, -0.9, 0.1, 0.99)), b.draw.one((2, 4, 8, 14, 14))
    return [b.step(f"{a!r} * {{0}} + {{1}}", x, x, range=(-steps - 1, steps + 1), depth=steps, times=steps)]


def window(b: ApplicationBuilder) -> list[DrawnValue]:
    """Weighted neighbours, added up in a loop."""
    x = b.input(max(length(b.draw, 10_000), 3), *b.draw.one(((0.0, 1.0), (-5.0, 5.0))))
    steps = b.draw.one((2, 3, 7))
    text = b.draw.one(
        ("{0} + fh.rotate({1}, k + 1)", "{0} - 0.5 * fh.rotate({1}, -k)", "{0} + (k - 1) * {1}")
    )
    bound = x.size * (steps + 1) * steps
    return [b.step(text, x, x, range=(-bound, bound), depth=1, times=steps)]


RECIPES = (
    window,
    logistic_map,
    squarings,
    chebyshev,
    inverse,
    square_root,
    contraction,
    smoothing,
    recurrence,
)
