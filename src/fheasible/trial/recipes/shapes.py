"""Groups, matrices and images, and kinks of reals: what has functions of its own."""

from fheasible.trial.builder import ApplicationBuilder, DrawnValue, added, hull, negated, times
from fheasible.trial.lengths import length, real_range


def _mild(b: ApplicationBuilder, n: int) -> DrawnValue:
    low, high = b.draw.one(((0.0, 1.0), (-1.0, 1.0), (-3.0, 3.0), (-0.01, 0.01), (0.5, 2.0)))
    return b.input(n, low, high)


def spread(b: ApplicationBuilder) -> list[DrawnValue]:
    """The variance by its own function, of all elements or of a sample."""
    x = b.input(max(length(b.draw), 3), *real_range(b.draw))
    most = (x.high - x.low) ** 2
    return [b.step(b.draw.one(("fh.var({0})", "fh.var({0}, ddof=1)")), x, range=(0, most), length=1, depth=2)]


def groups(b: ApplicationBuilder) -> list[DrawnValue]:
    n, k = b.draw.one((4, 10, 33, 100, 256, 500)), b.draw.one((2, 3, 4))
    x = b.input(n, *real_range(b.draw))
    text = f"fh.sum_by({{0}}, np.arange(len({{0}})) % {k})"
    return [b.step(text, x, range=times(x.range, (0, n)), length=k, depth=1)]


def matrices(b: ApplicationBuilder) -> list[DrawnValue]:
    """The product of two encrypted matrices, or of one with its transpose."""
    rows, inner, columns = (b.draw.one((1, 2, 3, 4, 5, 8)) for _ in range(3))
    x = _mild(b, rows * inner)
    if b.draw.chance(0.3):
        own = f"fh.matrix({{0}}, ({rows}, {inner}))"
        found = times(x.range, x.range)
        return [
            b.step(f"({own} @ {own}.T).ravel()", x, range=times(found, (0, inner)), length=rows**2, depth=1)
        ]
    y = _mild(b, inner * columns)
    text = f"(fh.matrix({{0}}, ({rows}, {inner})) @ fh.matrix({{1}}, ({inner}, {columns}))).ravel()"
    found = times(times(x.range, y.range), (0, inner))
    return [b.step(text, x, y, range=found, length=rows * columns, depth=1)]


def convolved(b: ApplicationBuilder) -> list[DrawnValue]:
    """A picture after a small kernel, with or without a border and steps, and at times squared and pooled."""
    side = b.draw.one((4, 5, 8, 12, 16))
    x = b.input(side * side, *b.draw.one(((0.0, 1.0), (-1.0, 1.0))))
    kernel, bound = b.draw.one(
        (("[[1, 0, -1], [2, 0, -2], [1, 0, -1]]", 8), ("[[0.25, 0.25], [0.25, 0.25]]", 1))
    )
    taps = kernel.count("[") - 1
    stride, padding = b.draw.one((1, 1, 2)), b.draw.one((0, 0, 1))
    out = (side + 2 * padding - taps) // stride + 1
    how = f"stride={stride}, padding={padding}, shape=({side}, {side})"
    most = bound * x.size
    v = b.step(f"fh.conv2d({{0}}, {kernel}, {how})", x, range=(-most, most), length=out * out, depth=1)
    if b.draw.chance(0.5):
        v = b.step("{0} * {0}", v, range=(0, most**2), depth=1)
    if out % 2 == 0 and b.draw.chance(0.5):
        text = f"fh.average_pool2d({{0}}, 2, shape=({out}, {out}))"
        v = b.step(text, v, range=hull(v.range, (0, 0)), length=out * out // 4, depth=1)
    return [v]


def kinks(b: ApplicationBuilder) -> list[DrawnValue]:
    """Rectifiers, absolute values, and the larger or smaller of two columns."""
    x = _mild(b, length(b.draw, 4096))
    if b.draw.chance(0.5):
        text, found = b.draw.one((("fh.relu({0})", hull(x.range, (0, 0))), ("fh.absolute({0})", (0, x.size))))
        return [b.step(text, x, range=found, depth=8)]
    y = _mild(b, x.length)
    text = b.draw.one(("fh.maximum({0}, {1})", "fh.minimum({0}, {1})"))
    return [b.step(text, x, y, range=hull(x.range, y.range), depth=8)]


def hinge(b: ApplicationBuilder) -> list[DrawnValue]:
    """A loss that is 0 where a score is on the right side by 1."""
    n = length(b.draw, 1000)
    score, sign = b.input(n, -2.0, 2.0), b.input(n, -1.0, 1.0)
    d = added((1, 1), negated(times(score.range, sign.range)))
    margin = b.step("1 - {0} * {1}", score, sign, range=d, depth=1)
    return [b.step("fh.mean(fh.relu({0}))", margin, range=(0, d[1]), length=1, depth=8)]


RECIPES = (spread, spread, groups, matrices, matrices, convolved, convolved, kinks, kinks, hinge)
