"""Single operations, drawn at random, on the values that exist so far."""

from collections.abc import Callable

from fheasible.trial.builder import ApplicationBuilder, DrawnValue, added, negated, powered, squared, times
from fheasible.trial.functions import approximation
from fheasible.trial.plains import matrix, nonzero, number, vector

Operation = Callable[[ApplicationBuilder, DrawnValue], DrawnValue | None]
"""A function that applies an operation; it gives None where the operation does not suit the value."""

MOST_MATRIX = 512  # the most elements of a vector that a matrix is applied to
MOST_LOOP = 64  # the most elements of a vector that a loop goes through
_POWERS = ((30, 2), (20, 3), (10, 4), (5, 5), (3, 7), (3, 8), (1, 15), (1, 16), (1, 31), (1, 64))
_HIGH_POWERS = (100, 128, 255, 256, 1000, 1024, 2048)


def partner(b: ApplicationBuilder, a: DrawnValue) -> DrawnValue:
    """A value that combines with a: one of a's length or of one element, or a itself if no other exists."""
    found = [v for v in b.values if v.length in (a.length, 1) and v.name != a.name]
    return b.draw.one(found) if found and b.draw.chance(0.8) else a


def add(b: ApplicationBuilder, a: DrawnValue) -> DrawnValue | None:
    c = partner(b, a)
    if b.draw.chance(0.5):
        found = added(a.range, c.range)
        return b.step("{0} + {1}", a, c, range=found) if b.fits(found) else None
    found = added(a.range, negated(c.range))
    return b.step("{0} - {1}", a, c, range=found) if b.fits(found) else None


def multiply(b: ApplicationBuilder, a: DrawnValue) -> DrawnValue | None:
    c = partner(b, a)
    found, depth = times(a.range, c.range), max(a.depth, c.depth) + 1
    return b.step("{0} * {1}", a, c, range=found, depth=1) if b.fits(found, depth) else None


def square(b: ApplicationBuilder, a: DrawnValue) -> DrawnValue | None:
    text = b.draw.one(("{0} * {0}", "{0} ** 2", "fh.square({0})", "fh.power({0}, 2)"))
    return b.step(text, a, range=squared(a.range), depth=1) if b.fits(squared(a.range), a.depth + 1) else None


def shift(b: ApplicationBuilder, a: DrawnValue) -> DrawnValue | None:
    c = number(b)
    text, found = b.draw.one(
        (
            (f"{{0}} + {_signed(c)}", (a.low + c, a.high + c)),
            (f"{{0}} - {_signed(c)}", (a.low - c, a.high - c)),
            (f"{c!r} - {{0}}", (c - a.high, c - a.low)),
        )
    )
    return b.step(text, a, range=found) if b.fits(found) else None


def scale(b: ApplicationBuilder, a: DrawnValue) -> DrawnValue | None:
    c = number(b)
    if b.real and b.draw.chance(0.2):
        d = nonzero(b)
        return b.step(f"{{0}} / {_signed(d)}", a, range=times(a.range, (1 / d, 1 / d)), depth=1)
    text = b.draw.one((f"{{0}} * {_signed(c)}", f"{c!r} * {{0}}"))
    found = times(a.range, (c, c))
    return b.step(text, a, range=found, depth=1) if b.fits(found, a.depth + b.real) else None


def negate(b: ApplicationBuilder, a: DrawnValue) -> DrawnValue | None:
    return b.step("-{0}", a, range=negated(a.range))


def weigh(b: ApplicationBuilder, a: DrawnValue) -> DrawnValue | None:
    text, inside = vector(b, a)
    found = times(a.range, inside)
    written = b.draw.one((f"{{0}} * ({text})", f"({text}) * {{0}}"))
    return b.step(written, a, range=found, depth=1) if b.fits(found, a.depth + 1) else None


def offset(b: ApplicationBuilder, a: DrawnValue) -> DrawnValue | None:
    text, inside = vector(b, a)
    found = added(a.range, inside)
    return b.step(f"{{0}} + ({text})", a, range=found) if b.fits(found) else None


def total(b: ApplicationBuilder, a: DrawnValue) -> DrawnValue | None:
    found = times(a.range, (a.length, a.length))
    return b.step("fh.sum({0})", a, range=found, length=1) if b.fits(found) else None


def average(b: ApplicationBuilder, a: DrawnValue) -> DrawnValue | None:
    return b.step("fh.mean({0})", a, range=a.range, length=1, depth=1) if b.real else None


def inner(b: ApplicationBuilder, a: DrawnValue) -> DrawnValue | None:
    same = [v for v in b.values if v.length == a.length]
    c = b.draw.one(same)
    one = times(a.range, c.range)
    found = times(one, (a.length, a.length))
    text = b.draw.one(("fh.inner_product({0}, {1})", "fh.sum({0} * {1})", "{0} @ {1}"))
    depth = max(a.depth, c.depth) + 1
    return b.step(text, a, c, range=found, length=1, depth=1) if b.fits(found, depth) else None


def plain_inner(b: ApplicationBuilder, a: DrawnValue) -> DrawnValue | None:
    text, inside = vector(b, a)
    found = times(times(a.range, inside), (a.length, a.length))
    written = b.draw.one(
        (f"fh.inner_product({{0}}, {text})", f"({text}) @ {{0}}", f"fh.sum(({text}) * {{0}})")
    )
    return b.step(written, a, range=found, length=1, depth=1) if b.fits(found, a.depth + 1) else None


def loop(b: ApplicationBuilder, a: DrawnValue) -> DrawnValue | None:
    """Element by element, as loops do it."""
    if not 2 <= a.length <= MOST_LOOP:
        return None
    c = b.draw.one([v for v in b.values if v.length == a.length])
    steps, number_ = b.draw.one((0, 1, 2)), b.draw.whole(-3, 3)
    one = times(a.range, added(c.range, (number_, number_)))
    element = f"{{0}}[i] * ({{1}}[(i + {steps}) % {a.length}] + ({number_}))"
    depth = max(a.depth, c.depth) + 1
    if b.draw.chance(0.4):
        text = f"fh.concatenate([{element} for i in range({a.length})])"
        return b.step(text, a, c, range=one, depth=1) if b.fits(one, depth) else None
    found = times(one, (a.length, a.length))
    text = f"sum({element} for i in range({a.length}))"
    return b.step(text, a, c, range=found, length=1, depth=1) if b.fits(found, depth) else None


def rotate(b: ApplicationBuilder, a: DrawnValue) -> DrawnValue | None:
    steps = b.draw.one((1, 2, -1, 3, 5, 8, -7, max(a.length // 2, 1), a.length - 1, 1000))
    text = b.draw.one((f"fh.rotate({{0}}, {steps})", f"{{0}}.rotate({steps})"))
    return b.step(text, a, range=a.range)


def part(b: ApplicationBuilder, a: DrawnValue) -> DrawnValue | None:
    if a.length < 2:
        return None
    n = a.length
    text, length = b.draw.one(
        (
            ("{0}[: len({0}) // 2]", n // 2),
            ("{0}[len({0}) // 2 :]", n - n // 2),
            ("{0}[1:]", n - 1),
            ("{0}[:-1]", n - 1),
            ("{0}[::2]", (n + 1) // 2),
            ("{0}[0]", 1),
            ("{0}[-1]", 1),
            ("{0}[:1]", 1),
            ("{0}[[0, -1, 0]]", 3),
            ("{0}[np.arange(len({0})) % 2 == 0]", (n + 1) // 2),
        )
    )
    return b.step(text, a, range=a.range, length=length, depth=1) if n <= MOST_MATRIX or _near(text) else None


def _near(text: str) -> bool:
    """Whether the elements move by only a few different distances."""
    return "::" not in text and "arange" not in text


def columns(b: ApplicationBuilder, a: DrawnValue) -> DrawnValue | None:
    """One or two columns of a table that is stored row by row."""
    widths = [w for w in (2, 3, 4, 5, 7, 10) if a.length % w == 0 and a.length <= MOST_MATRIX]
    if not widths:
        return None
    width = b.draw.one(widths)
    text, kept = b.draw.one(
        ((f"fh.columns({{0}}, -1, {width})", 1), (f"fh.columns({{0}}, [0, {width - 1}], {width})", 2))
    )
    return b.step(text, a, range=a.range, length=a.length // width * kept, depth=1)


def reverse(b: ApplicationBuilder, a: DrawnValue) -> DrawnValue | None:
    if a.length > MOST_MATRIX:
        return None
    text = b.draw.one(("{0}[::-1]", "{0}[np.arange(len({0}))[::-1]]", "{0}[np.arange(len({0})) // 2]"))
    return b.step(text, a, range=a.range, depth=1)


def join(b: ApplicationBuilder, a: DrawnValue) -> DrawnValue | None:
    c = b.draw.one(b.values)
    if a.length + c.length > 2**15:
        return None
    low, high = min(a.low, c.low, -1), max(a.high, c.high, 1)
    text, length = b.draw.one(
        (
            ("fh.concatenate([{0}, {1}])", a.length + c.length),
            ("fh.concatenate([{1}, [0, 1, -1], {0}])", a.length + c.length + 3),
            ("fh.concatenate([{0}[1:], {0}[:1]])", a.length),
        )
    )
    if a.length < 2 and "[1:]" in text:
        return None
    return b.step(text, *((a, c) if "{1}" in text else (a,)), range=(low, high), length=length, depth=1)


def apply_matrix(b: ApplicationBuilder, a: DrawnValue) -> DrawnValue | None:
    if a.length > (MOST_MATRIX if b.draw.chance(0.9) else 2 * MOST_MATRIX):
        return None
    rows = b.draw.one((1, 2, 3, 5, 8, 10, 16, 33, a.length, a.length))
    text, size = matrix(b, rows)
    bound = a.size * size * a.length
    written = b.draw.one((f"({text}) @ {{0}}", f"fh.matmul({text}, {{0}})", f"{{0}} @ ({text}).T"))
    found = (-bound, bound)
    if "sparse" in text:
        written = b.draw.one((f"fh.matmul({text}, {{0}})", f"fh.matmul({{0}}, ({text}).T)"))
    return b.step(written, a, range=found, length=rows, depth=1) if b.fits(found, a.depth + 1) else None


def power(b: ApplicationBuilder, a: DrawnValue) -> DrawnValue | None:
    k = b.draw.weighted(_POWERS)
    if (b.modulo is not None or a.size <= 1) and b.draw.chance(0.25):
        k = b.draw.one(_HIGH_POWERS)
    depth = (k - 1).bit_length()
    if not b.fits((0, 0), a.depth + depth) or (a.size > 1 and k > 64 and b.modulo is None):
        return None
    found = (-(b.modulo // 2), b.modulo // 2) if b.modulo is not None else powered(a.range, k)
    text = b.draw.one((f"{{0}} ** {k}", f"fh.power({{0}}, {k})"))
    return b.step(text, a, range=found, depth=depth) if b.fits(found) else None


def polynomial(b: ApplicationBuilder, a: DrawnValue) -> DrawnValue | None:
    degree = b.draw.weighted(((3, 1), (5, 2), (5, 3), (2, 4), (2, 5), (1, 7), (1, 9), (0.5, 15)))
    depth = degree.bit_length() + b.real
    if not b.fits((0, 0), a.depth + depth) or (a.size > 4 and degree > 5 and b.modulo is None):
        return None
    coefficients = [number(b) for _ in range(degree)] + [nonzero(b)]
    found = (coefficients[0], coefficients[0])
    for k, c in enumerate(coefficients[1:], start=1):
        found = added(found, times((c, c), _power_range(b, a, k)))
    return (
        b.step(f"fh.polynomial({{0}}, {coefficients!r})", a, range=found, depth=depth)
        if b.fits(found)
        else None
    )


def _power_range(b: ApplicationBuilder, a: DrawnValue, k: int) -> tuple[float, float]:
    return a.range if b.modulo is not None else powered(a.range, k)


def bootstrap(b: ApplicationBuilder, a: DrawnValue) -> DrawnValue | None:
    return b.step("fh.bootstrap({0})", a, range=a.range) if b.real and a.depth > 0 else None


def function(b: ApplicationBuilder, a: DrawnValue) -> DrawnValue | None:
    return approximation(b, a) if b.real else None


def cancel(b: ApplicationBuilder, a: DrawnValue) -> DrawnValue | None:
    """An expression that can be simplified, for example to zero or to a value itself.

    Some of the expressions simplify only for some operands.
    """
    text, found = b.draw.one(
        (
            ("{0} - 2 * {0} + {0} + {1}", None),
            ("{0} + {1} - {0}", None),
            ("({0} + {1}) - ({0} - {1})", None),
            ("0 * {0} + {1}", None),
            ("1 * {0} - 0", a.range),
            ("({0} + {1}) * ({0} - {1})", None),
            ("({0} + 1) * ({0} + 1) - {0} * {0} - 2 * {0}", (-4 * a.size**2 - 9, 4 * a.size**2 + 9)),
        )
    )
    c = partner(b, a)
    bound = 4 * (a.size + c.size) ** 2 + 4 * (a.size + c.size) + 9
    found = found or (-bound, bound)
    return b.step(text, a, c, range=found, depth=1) if b.fits(found, max(a.depth, c.depth) + 1) else None


def _signed(c: float) -> str:
    return f"({c!r})" if c < 0 else repr(c)


OPERATIONS: tuple[tuple[float, Operation], ...] = (
    (10, add), (12, multiply), (8, square), (8, shift), (10, scale), (4, negate), (8, weigh), (4, offset),
    (6, total), (4, average), (6, inner), (4, plain_inner), (8, rotate), (6, part), (3, reverse), (4, join),
    (2, columns), (6, apply_matrix), (6, power), (6, polynomial), (6, function), (3, cancel),
    (2, bootstrap), (3, loop),
)  # fmt: skip


def operate(b: ApplicationBuilder) -> None:
    """Adds one operation; newer values are used more often."""
    for _ in range(20):
        a = b.values[-1 - min(b.draw.whole(0, 3), len(b.values) - 1)]
        if a.size > b.most_size:
            a = b.tamed(a)
        if a.depth > b.most_depth:
            a = b.values[0]
        if b.draw.weighted(OPERATIONS)(b, a) is not None:
            return
