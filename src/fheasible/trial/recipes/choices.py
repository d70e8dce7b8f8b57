"""Comparisons, selections, tables and bits of small integers, as applications on records have them."""

from fheasible.trial.builder import ApplicationBuilder, DrawnValue, Range, hull

_SMALL: tuple[Range, ...] = ((0, 1), (0, 3), (0, 7), (0, 15), (0, 15), (0, 31), (-4, 3), (-8, 7), (1, 6))
_LARGER: tuple[Range, ...] = ((0, 120), (0, 255), (-100, 100), (0, 1000))
_COUNTS = (1, 2, 3, 5, 8, 20, 64, 100, 500)


def _values(b: ApplicationBuilder, name: str = "", most: int = 500) -> DrawnValue:
    low, high = b.draw.one(_SMALL if b.draw.chance(0.8) else _LARGER)
    return b.input(min(b.draw.one(_COUNTS), most), low, high, name)


def _alike(b: ApplicationBuilder, x: DrawnValue, count: int = 1) -> list[DrawnValue]:
    """More inputs of the same length; at times in another range."""
    ranges = [b.draw.one(_SMALL) if b.draw.chance(0.2) else x.range for _ in range(count)]
    return [b.input(x.length, *found) for found in ranges]


def _inside(b: ApplicationBuilder, x: DrawnValue) -> int:
    """A plain number in the range of the value, or a little beyond it."""
    return b.draw.whole(int(x.low) - 1, int(x.high) + 1)


def counted(b: ApplicationBuilder) -> list[DrawnValue]:
    """How many are above or below a number, or equal to it."""
    x = _values(b)
    sign = b.draw.one((">", ">=", "<", "<=", "==", "!="))
    return [b.step(f"fh.sum({{0}} {sign} {_inside(b, x)})", x, range=(0, x.length), length=1, depth=1)]


def filtered_sum(b: ApplicationBuilder) -> list[DrawnValue]:
    """The sum of one column where another one is in an interval."""
    x = _values(b)
    (y,) = _alike(b, x)
    low = _inside(b, x)
    mask = b.draw.one((f"{{0}} >= {low}", f"({{0}} >= {low}) & ({{0}} <= {low + 3})", f"{{0}} != {low}"))
    text = b.draw.one((f"fh.sum(fh.where({mask}, {{1}}, 0))", f"fh.sum(({mask}) * {{1}})"))
    most = y.size * y.length
    return [b.step(text, x, y, range=(-most, most), length=1, depth=2)]


def larger(b: ApplicationBuilder) -> list[DrawnValue]:
    x = _values(b)
    (y,) = _alike(b, x)
    text = b.draw.one(("fh.maximum({0}, {1})", "fh.minimum({0}, {1})", "fh.where({0} > {1}, {0}, {1})"))
    return [b.step(text, x, y, range=hull(x.range, y.range), depth=2)]


def clipped(b: ApplicationBuilder) -> list[DrawnValue]:
    x = _values(b)
    low = _inside(b, x)
    text = f"fh.minimum(fh.maximum({{0}}, {low}), {low + b.draw.whole(0, 5)})"
    return [b.step(text, x, range=(min(x.low, low), max(x.high, low + 5)), depth=2)]


def distance(b: ApplicationBuilder) -> list[DrawnValue]:
    x = _values(b, most=100)
    (y,) = _alike(b, x)
    most = (x.size + y.size) * x.length
    return [b.step("fh.sum(abs({0} - {1}))", x, y, range=(0, most), length=1, depth=2)]


def looked_up(b: ApplicationBuilder) -> list[DrawnValue]:
    low, high = b.draw.one(((0, 3), (0, 7), (0, 15), (-4, 3), (1, 6)))
    x = b.input(b.draw.one(_COUNTS), low, high)
    table = [b.draw.whole(-9, 20) for _ in range(int(high - low) + 1)]
    text = f"fh.lookup({{0}}, {table!r}, low={int(low)})" if low else f"fh.lookup({{0}}, {table!r})"
    return [b.step(text, x, range=(min(table), max(table)), depth=2)]


def divided(b: ApplicationBuilder) -> list[DrawnValue]:
    """Quotients and remainders, also of negative numbers, rounded down as in Python."""
    x, k = _values(b), b.draw.one((2, 3, 4, 5, 10))
    text, found = b.draw.one(
        ((f"{{0}} // {k}", (x.low // k, x.high // k)), (f"{{0}} % {k}", (0, k - 1)), ("{0} >> 1", x.range))
    )
    return [b.step(text, x, range=found, depth=2)]


def bitwise(b: ApplicationBuilder) -> list[DrawnValue]:
    bits = b.draw.one((1, 2, 3, 4, 6))
    x, y = (b.input(n, 0, 2**bits - 1) for n in [b.draw.one(_COUNTS)] * 2)
    text = b.draw.one(("{0} ^ {1}", "{0} & {1}", "{0} | {1}", f"{{0}} ^ {2**bits - 1}", "({0} & {1}) | {0}"))
    return [b.step(text, x, y, range=(0, 2**bits - 1), depth=2)]


def matches(b: ApplicationBuilder) -> list[DrawnValue]:
    """In how many places two rows are the same."""
    x = _values(b)
    (y,) = _alike(b, x)
    return [b.step("fh.sum({0} == {1})", x, y, range=(0, x.length), length=1, depth=2)]


def tree(b: ApplicationBuilder) -> list[DrawnValue]:
    """A small decision tree, which asks two columns."""
    x = _values(b)
    (y,) = _alike(b, x)
    one, two, three = _inside(b, x), _inside(b, y), _inside(b, y)
    inner = f"fh.where({{1}} > {two}, 1, 3), fh.where({{1}} == {three}, 0, 2)"
    return [b.step(f"fh.where({{0}} > {one}, {inner})", x, y, range=(0, 3), depth=3)]


def middle(b: ApplicationBuilder) -> list[DrawnValue]:
    """The median of three columns, element by element."""
    x = _values(b, most=20)
    y, z = _alike(b, x, 2)
    text = b.draw.one(
        (
            "fh.sort([{0}, {1}, {2}])[1]",
            "fh.maximum(fh.minimum({0}, {1}), fh.minimum(fh.maximum({0}, {1}), {2}))",
        )
    )
    return [b.step(text, x, y, z, range=hull(x.range, y.range, z.range), depth=4)]


def place(b: ApplicationBuilder) -> list[DrawnValue]:
    """Where the largest of a few elements stands."""
    n = b.draw.whole(2, 4)
    x = b.input(n, *b.draw.one(((0, 3), (0, 7), (-4, 3))))
    return [
        b.step("fh.inner_product(fh.argmax({0}), range(len({0})))", x, range=(0, n - 1), length=1, depth=4)
    ]


def rectified(b: ApplicationBuilder) -> list[DrawnValue]:
    x = _values(b)
    text, found = b.draw.one(
        (("fh.relu({0})", (0, max(x.high, 0))), ("fh.sign({0})", (-1, 1)), ("abs({0})", (0, x.size)))
    )
    return [b.step(text, x, range=found, depth=2)]


RECIPES = (
    counted, counted, filtered_sum, filtered_sum, larger, larger, clipped, distance, looked_up, looked_up,
    divided, divided, bitwise, bitwise, matches, matches, tree, tree, middle, place, rectified,
)  # fmt: skip
