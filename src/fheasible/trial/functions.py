"""Functions of one variable as users approximate them, on intervals that hold the values they get."""

from collections.abc import Callable

from fheasible.trial.builder import ApplicationBuilder, DrawnValue, Range, promised

Shape = Callable[[Range], Range]


def _within(low: float, high: float) -> Shape:
    return lambda _: (low, high)


def _growth(r: Range) -> Range:
    return 0.0, float(3 ** max(int(r[1]) + 1, 1))


WRITTEN: tuple[tuple[float, str, Shape], ...] = (
    (3, "fh.sigmoid({0}, {ends})", _within(0, 1)),
    (3, "fh.tanh({0}, {ends})", _within(-1, 1)),
    (2, "fh.exp({0}, {ends})", _growth),
    (1, "fh.approximate(np.sin, {plain})({0})", _within(-1, 1)),
    (1, "fh.approximate(np.cos, {plain})({0})", _within(-1, 1)),
    (1, "fh.approximate(np.arctan, {plain})({0})", _within(-1.6, 1.6)),
    (1, "fh.approximate(lambda v: np.exp(-v * v / 2), {plain})({0})", _within(0, 1)),
    (1, "fh.approximate(lambda v: v / (1 + v * v), {plain})({0})", _within(-0.5, 0.5)),
    (1, "fh.approximate(lambda v: np.maximum(v, 0), {plain})({0})", lambda r: (0, max(r[1], 0.1))),
    (1, "fh.approximate(lambda v: np.log1p(np.exp(v)), {plain})({0})", lambda r: (0, max(r[1], 0) + 1)),
    (1, "fh.absolute({0}, {ends})", lambda r: (0, max(map(abs, r)))),
)
"""Functions that are defined everywhere; {ends} stands for 'low=-1, high=1', {plain} for '-1, 1'."""

POSITIVE: tuple[tuple[float, str, Shape], ...] = (
    (3, "fh.sqrt({0}, {ends})", lambda r: (0, max(r[1], 1))),
    (2, "fh.log({0}, {ends})", lambda r: (1 - 1 / r[0], max(r[1] - 1, 0.1))),
    (3, "fh.reciprocal({0}, {ends})", lambda r: (1 / r[1], 1 / r[0])),
    (1, "fh.approximate(lambda v: 1 / np.sqrt(v), {plain})({0})", lambda r: (0, max(1 / r[0], 1))),
    (1, "fh.approximate(np.cbrt, {plain})({0})", lambda r: (0, max(r[1], 1))),
)
"""Functions of positive arguments."""

_SHARP = ("absolute", "maximum", "cbrt")


def approximation(b: ApplicationBuilder, a: DrawnValue, most: float = 8.0) -> DrawnValue | None:
    """A function of the value, which is scaled down first where it is too large.

    None where the value's range is a single number, or where the function would be too deep.
    """
    v = b.tamed(a, most) if a.size > most else a
    if v.low == v.high:
        return None
    if v.low > 0.05 and b.draw.chance(0.6):
        return applied(b, v, *b.draw.weighted([(w, (text, shape)) for w, text, shape in POSITIVE]))
    return applied(b, v, *b.draw.weighted([(w, (text, shape)) for w, text, shape in WRITTEN]))


def applied(b: ApplicationBuilder, v: DrawnValue, text: str, shape: Shape) -> DrawnValue | None:
    """That function of the value, with a degree as users give it; None where it would be too deep."""
    ends, inside = promised(v)
    if "reciprocal" in text or "log(" in text or "1 / np.sqrt" in text:
        ends, inside = _above_zero(v)
    if "sqrt(" in text:
        inside = (max(inside[0], 0.0), inside[1])
        ends = f"low={inside[0]!r}, high={inside[1]!r}"
    steep = "sqrt(" in text and inside[0] <= 0
    given, depth = degree(b, sharp=steep or any(word in text for word in _SHARP))
    if v.depth + depth > b.most_depth + 2:
        return None
    plain = f"{inside[0]!r}, {inside[1]!r}{given}"
    written = text.replace("{ends}", ends + given).replace("{plain}", plain)
    low, high = shape(inside)
    slack = 0.3 * (high - low)  # a coarse series leaves the function's own range
    return b.step(written, v, range=(low - slack, high + slack), depth=depth)


def _above_zero(v: DrawnValue) -> tuple[str, Range]:
    low, high = promised(v)[1]
    low = low if low > 0 else v.low / 2
    return f"low={low!r}, high={high!r}", (low, high)


def degree(b: ApplicationBuilder, sharp: bool = False) -> tuple[str, int]:
    """The text for the degree or the bits, and the depth; half of the time, the text is empty."""
    if b.draw.chance(0.5):
        return "", 6 if sharp else 4
    if b.draw.chance(0.3):
        bits = b.draw.one((5, 8, 10, 12) if not sharp else (3, 5))
        return f", bits={bits}", 5
    d = b.draw.one((1, 2, 3, 5, 7, 8, 15, 16, 27, 31, 59, 63) if not sharp else (7, 15, 31, 63, 127))
    return f", degree={d}", d.bit_length() + 1
