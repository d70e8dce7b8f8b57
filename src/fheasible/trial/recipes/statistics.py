"""Statistics of columns of numbers."""

from fheasible.trial.builder import ApplicationBuilder, DrawnValue, added, negated, squared, times
from fheasible.trial.functions import applied
from fheasible.trial.lengths import length, real_range


def _column(b: ApplicationBuilder, most: int = 60_000) -> DrawnValue:
    return b.input(length(b.draw, most), *real_range(b.draw))


def _pair(b: ApplicationBuilder, most: int = 60_000) -> tuple[DrawnValue, DrawnValue]:
    x = _column(b, most)
    return x, b.input(x.length, *real_range(b.draw))


def _centred(b: ApplicationBuilder, x: DrawnValue) -> DrawnValue:
    width = x.high - x.low
    mean = b.step("fh.mean({0})", x, range=x.range, length=1, depth=1)
    return b.step("{0} - {1}", x, mean, range=(-width, width))


def _variance(b: ApplicationBuilder, x: DrawnValue) -> DrawnValue:
    most = (x.high - x.low) ** 2 / 4
    text = b.draw.one(("fh.mean({0} ** 2)", "fh.mean({0} * {0})", "fh.sum({0} * {0}) / len({0})"))
    return b.step(text, _centred(b, x), range=(0, most), length=1, depth=2)


def variance(b: ApplicationBuilder) -> list[DrawnValue]:
    x = _column(b)
    if b.draw.chance(0.5):
        return [_variance(b, x)]
    square = b.step("fh.mean({0} * {0})", x, range=squared(x.range), length=1, depth=2)
    mean = b.step("fh.mean({0})", x, range=x.range, length=1, depth=1)
    both = added(squared(x.range), negated(squared(x.range)))
    return [b.step("{0} - {1} ** 2", square, mean, range=both, depth=1)]


def deviation(b: ApplicationBuilder) -> list[DrawnValue]:
    v = _variance(b, _column(b, 10_000))
    scaled = b.tamed(v, 4.0)
    return [found] if (found := applied(b, scaled, "fh.sqrt({0}, {ends})", lambda r: (0, 3))) else [v]


def covariance(b: ApplicationBuilder) -> list[DrawnValue]:
    x, y = _pair(b)
    dx, dy = _centred(b, x), _centred(b, y)
    text = b.draw.one(("fh.mean({0} * {1})", "fh.inner_product({0}, {1}) / len({0})"))
    return [b.step(text, dx, dy, range=times(dx.range, dy.range), length=1, depth=2)]


def moments(b: ApplicationBuilder) -> list[DrawnValue]:
    """The third and fourth central moments."""
    d = _centred(b, _column(b, 10_000))
    third = b.step("fh.mean({0} ** 3)", d, range=(-(d.size**3), d.size**3), length=1, depth=3)
    fourth = b.step("fh.mean(({0} ** 2) ** 2)", d, range=(0, d.size**4), length=1, depth=3)
    return b.draw.some([third, fourth], b.draw.whole(1, 2))


def weighted_mean(b: ApplicationBuilder) -> list[DrawnValue]:
    x = _column(b)
    weights = b.draw.one(
        ("np.arange(1, len({0}) + 1)", "np.arange(len({0})) % 5", "1 + np.arange(len({0})) % 3")
    )
    return [
        b.step(
            f"fh.inner_product({{0}}, ({weights}) / np.sum(1 + {weights}))",
            x,
            range=(-x.size, x.size),
            length=1,
            depth=1,
        )
    ]


def squared_error(b: ApplicationBuilder) -> list[DrawnValue]:
    x, y = _pair(b)
    d = added(x.range, negated(y.range))
    text = b.draw.one(("fh.mean(({0} - {1}) ** 2)", "fh.sum(fh.square({0} - {1})) / len({0})"))
    return [b.step(text, x, y, range=squared(d), length=1, depth=2)]


def standardised(b: ApplicationBuilder) -> list[DrawnValue]:
    """Values standardised by a plain mean and deviation, as an earlier year gave them."""
    x = _column(b)
    mean, sigma = b.draw.decimal(x.low, x.high), b.draw.decimal(0.05, 2) * max(x.size, 0.01)
    sigma = float(f"{sigma:.3g}")
    ends = ((x.low - mean) / sigma, (x.high - mean) / sigma)
    return [b.step(f"({{0}} - {mean!r}) / {sigma!r}", x, range=ends, depth=1)]


def scaled_to_unit(b: ApplicationBuilder) -> list[DrawnValue]:
    x = _column(b)
    width = x.high - x.low
    return [b.step(f"({{0}} - {x.low!r}) / {width!r}", x, range=(0, 1), depth=1)]


def correlation(b: ApplicationBuilder) -> list[DrawnValue]:
    n = max(length(b.draw, 4096), 2)
    x, y = b.input(n, -1.0, 1.0), b.input(n, -1.0, 1.0)
    top = b.step("fh.mean({0} * {1})", x, y, range=(-1, 1), length=1, depth=2)
    squares = b.step("fh.mean({0} * {0}) * fh.mean({1} * {1})", x, y, range=(0, 1), length=1, depth=3)
    d = b.draw.one((7, 15, 31))
    text = f"{{0}} * fh.approximate(lambda v: 1 / np.sqrt(v + 0.05), 0, 1.01, degree={d})({{1}})"
    return [b.step(text, top, squares, range=(-6, 6), depth=7)]


def totals(b: ApplicationBuilder) -> list[DrawnValue]:
    """Sums, means and sums of squares side by side."""
    x = _column(b)
    return [
        b.step("fh.sum({0})", x, range=times(x.range, (x.length, x.length)), length=1),
        b.step("fh.mean({0})", x, range=x.range, length=1, depth=1),
        b.step("fh.sum({0} * {0})", x, range=times(squared(x.range), (0, x.length)), length=1, depth=1),
    ][: b.draw.whole(1, 3)]


RECIPES = (
    variance, deviation, covariance, moments, weighted_mean, squared_error, standardised, scaled_to_unit,
    correlation, totals,
)  # fmt: skip
