"""Regressions, networks, distances and scores."""

from fheasible.trial.builder import ApplicationBuilder, DrawnValue
from fheasible.trial.functions import applied
from fheasible.trial.lengths import length, real_range

_GRID = "(np.add.outer(3 * np.arange({rows}), 7 * np.arange(len({{0}}))) % {m} - {half}) / {by}"


def _weights(b: ApplicationBuilder, rows: int) -> tuple[str, float]:
    """The text of a matrix, and the largest size of its entries."""
    m = b.draw.one((5, 11, 13))
    by = b.draw.one((m, 10, 4))
    return _GRID.format(rows=rows, m=m, half=m // 2, by=by), (m // 2) / by


def _features(b: ApplicationBuilder, most: int = 128) -> DrawnValue:
    n = b.draw.one((2, 3, 5, 8, 10, 13, 16, 30, 31, 64, 100, 128, 196, 200, 300))
    low, high = b.draw.one(((0.0, 1.0), (-1.0, 1.0), (-3.0, 3.0), (0.0, 255.0)))
    return b.input(min(n, most), low, high)


def _layer(b: ApplicationBuilder, x: DrawnValue, rows: int) -> DrawnValue:
    text, size = _weights(b, rows)
    bound = x.size * size * x.length + 1
    form = b.draw.one(("({0}) @ {{0}} + {1}", "fh.matmul({0}, {{0}}) + {1}", "({0}) @ {{0}} - {1}"))
    bias = b.draw.one(("0.5", "np.arange({rows}) % 3 / 4", "np.linspace(-1, 1, {rows})", "0")).format(
        rows=rows
    )
    made = b.step(form.format(text, bias), x, range=(-bound, bound), length=rows, depth=1)
    return b.tamed(made, b.draw.one((1.0, 4.0, 10.0, 1e3)))


def _activation(b: ApplicationBuilder, v: DrawnValue) -> DrawnValue:
    kind = b.draw.one(("square", "square", "cubic", "sigmoid", "tanh", "relu"))
    if kind == "square":
        return b.step(b.draw.one(("{0} ** 2", "{0} * {0}")), v, range=(0, v.size**2), depth=1)
    if kind == "cubic" and v.size <= 20:
        text = "fh.polynomial({0}, [0.5, 0.197, 0, -0.004])"
        bound = 0.5 + 0.197 * v.size + 0.004 * v.size**3
        return b.step(text, v, range=(-bound, bound), depth=3)
    small = b.tamed(v, 8.0)
    forms = {
        "sigmoid": ("fh.sigmoid({0}, {ends})", (0, 1)),
        "tanh": ("fh.tanh({0}, {ends})", (-1, 1)),
        "relu": ("fh.approximate(lambda v: np.maximum(v, 0), {plain})({0})", (0, small.size)),
        "cubic": ("fh.tanh({0}, {ends})", (-1, 1)),
    }
    text, inside = forms[kind]
    return applied(b, small, text, lambda _: inside) or v


def linear(b: ApplicationBuilder) -> list[DrawnValue]:
    x = _features(b)
    return [_layer(b, x, b.draw.one((1, 1, 3, 10)))]


def logistic(b: ApplicationBuilder) -> list[DrawnValue]:
    return [_activation(b, _layer(b, _features(b), b.draw.one((1, 1, 2, 5))))]


def network(b: ApplicationBuilder) -> list[DrawnValue]:
    """A network of two layers."""
    hidden = _activation(b, _layer(b, _features(b, 200), b.draw.one((2, 4, 8, 10, 16, 32))))
    return [_layer(b, b.tamed(hidden, 100.0), b.draw.one((1, 2, 3, 10)))]


def columns_score(b: ApplicationBuilder) -> list[DrawnValue]:
    """A score of several columns, with a row for each person."""
    n, count = length(b.draw, 33_000), b.draw.whole(2, 4)
    x = [b.input(n, *real_range(b.draw)) for _ in range(count)]
    weights = [b.draw.decimal(-2, 2) for _ in x]
    text = " + ".join(f"{w!r} * {{{i}}}" for i, w in enumerate(weights))
    bound = sum(abs(w) * v.size for w, v in zip(weights, x, strict=True)) + 1
    bias = b.draw.decimal(-1, 1)
    score = b.step(f"{text} + {bias!r}", *x, range=(-bound, bound), depth=1)
    return [_activation(b, score) if b.draw.chance(0.6) else score]


def gradient_step(b: ApplicationBuilder) -> list[DrawnValue]:
    n = length(b.draw, 4096)
    x, y = b.input(n, -1.0, 1.0), b.input(n, -1.0, 1.0)
    w = b.input(1, -2.0, 2.0)
    error = b.step("{0} * {1} - {2}", x, w, y, range=(-3, 3), depth=1)
    rate = b.draw.one((0.1, 0.01, 0.5))
    text = f"{{0}} - {rate!r} * fh.mean({{1}} * {{2}})"
    return [b.step(text, w, error, x, range=(-2 - 3 * rate, 2 + 3 * rate), length=1, depth=3)]


def distance(b: ApplicationBuilder) -> list[DrawnValue]:
    """The squared Euclidean distance to another encrypted vector, or to a plain number in every place."""
    n = length(b.draw, 33_000)
    low, high = real_range(b.draw)
    x = b.input(n, low, high)
    width = high - low
    if b.draw.chance(0.5):
        y = b.input(n, low, high)
        text = b.draw.one(("fh.sum(({0} - {1}) ** 2)", "({0} - {1}) @ ({0} - {1})"))
        d = b.step(text, x, y, range=(0, n * width**2), length=1, depth=1)
    else:
        middle = (low + high) / 2
        text = f"fh.sum(({{0}} - {middle!r}) * ({{0}} - {middle!r}))"
        d = b.step(text, x, range=(0, n * width**2 / 4), length=1, depth=1)
    if b.draw.chance(0.3):
        small = b.tamed(d, 4.0)
        made = applied(
            b, small, "fh.exp(-{0}, low=-5, high=0.5{degree})".replace("{degree}", ""), lambda _: (0, 1)
        )
        return [made] if made else [d]
    return [d]


def repeated(b: ApplicationBuilder) -> list[DrawnValue]:
    """An approximated function, applied again and again."""
    x = b.input(length(b.draw, 2048), -1.0, 1.0)
    d = b.draw.one(("", ", degree=7", ", degree=15", ", bits=8"))
    text = b.draw.one(
        (
            f"fh.tanh(1.5 * {{0}}, low=-2, high=2{d})",
            f"fh.approximate(lambda v: np.maximum(v, 0), -3, 3{d})(1.2 * {{0}} - 0.1)",
            f"fh.approximate(np.sin, -2.5, 2.5{d})(2 * {{0}})",
        )
    )
    return [b.step(text, x, range=(-1.2, 1.2), depth=8, times=b.draw.one((1, 2, 2, 3)))]


def attention(b: ApplicationBuilder) -> list[DrawnValue]:
    """The product of two encrypted matrices of 2 to 4 rows, element by element."""
    k = b.draw.one((2, 3, 4))
    x, y = b.input(k * k, -1.0, 1.0), b.input(k * k, -1.0, 1.0)
    cells = ", ".join(
        f"fh.sum({{0}}[{i * k} : {i * k + k}] * {{1}}[{j}::{k}])" for i in range(k) for j in range(k)
    )
    return [b.step(f"fh.concatenate([{cells}])", x, y, range=(-k, k), length=k * k, depth=3)]


def picture(b: ApplicationBuilder) -> list[DrawnValue]:
    """A network on a small picture."""
    x = b.input(784, 0.0, 1.0)
    hidden = b.tamed(_layer(b, x, b.draw.one((8, 16, 32))), 4.0)
    return [_layer(b, b.step("{0} * {0}", hidden, range=(0, hidden.size**2), depth=1), 10)]


def cosine(b: ApplicationBuilder) -> list[DrawnValue]:
    n = max(length(b.draw, 2048), 2)
    x, y = b.input(n, 0.1, 1.0), b.input(n, 0.1, 1.0)
    top = b.step("fh.inner_product({0}, {1}) / len({0})", x, y, range=(0.01, 1), length=1, depth=2)
    norm = b.step("fh.mean({0} * {0}) * fh.mean({1} ** 2)", x, y, range=(1e-4, 1), length=1, depth=3)
    d = b.draw.one((7, 15, 27))
    text = f"{{0}} * fh.reciprocal({{1}} + 0.1, low=0.1, high=1.11, degree={d})"
    return [b.step(text, top, norm, range=(0, 10), length=1, depth=6)]


def nested(b: ApplicationBuilder) -> list[DrawnValue]:
    """A function of a function."""
    x = b.input(length(b.draw, 4096), -1.0, 1.0)
    first = applied(b, x, b.draw.one(("fh.tanh({0}, {ends})", "fh.sigmoid({0}, {ends})")), lambda _: (-1, 1))
    inner = b.step("2 * {0} - 0.5", first or x, range=(-3, 3), depth=1)
    bound = b.draw.one(("fh.sigmoid({0}, {ends})", "fh.approximate(np.sin, {plain})({0})"))
    return [applied(b, inner, bound, lambda _: (-1, 1)) or inner]


RECIPES = (
    linear, logistic, logistic, network, network, columns_score, columns_score, gradient_step, distance,
    distance, cosine, nested, repeated, attention, picture,
)  # fmt: skip
