"""Filters, derivatives, transforms, interpolation, physics and money."""

from fheasible.trial.builder import ApplicationBuilder, DrawnValue, added, hull, negated, squared, times
from fheasible.trial.functions import applied
from fheasible.trial.lengths import length, real_range


def _signal(b: ApplicationBuilder, most: int = 60_000, least: int = 2) -> DrawnValue:
    return b.input(max(length(b.draw, most), least), *real_range(b.draw))


def fir(b: ApplicationBuilder) -> list[DrawnValue]:
    """A filter whose taps are rotations."""
    x = _signal(b)
    taps = [b.draw.one((1, -1, 2, -2, 0.25, -0.5, 0.1, 3)) for _ in range(b.draw.whole(2, 6))]
    text = " + ".join(
        f"{t!r} * fh.rotate({{0}}, {k})" if k else f"{t!r} * {{0}}" for k, t in enumerate(taps)
    ).replace("+ -", "- ")
    bound = sum(map(abs, taps)) * x.size
    return [b.step(text, x, range=(-bound, bound), depth=1)]


def moving_average(b: ApplicationBuilder) -> list[DrawnValue]:
    x = _signal(b)
    k = b.draw.one((2, 3, 4, 7))
    text = " + ".join(f"fh.rotate({{0}}, {i})" for i in range(k))
    return [b.step(f"({text}) / {k}", x, range=x.range, depth=1)]


def difference(b: ApplicationBuilder) -> list[DrawnValue]:
    x = _signal(b)
    width = x.high - x.low
    text, bound = b.draw.one(
        (
            ("fh.rotate({0}, 1) - {0}", width),
            ("fh.rotate({0}, 1) - 2 * {0} + fh.rotate({0}, -1)", 2 * width),
            ("{0}[1:] - {0}[:-1]", width),
        )
    )
    made = b.step(text, x, range=(-bound, bound), length=x.length - ("[1:]" in text), depth=1)
    if b.draw.chance(0.5):
        return [b.step("{0} * {0}", made, range=squared(made.range), depth=1)]
    return [made]


def wavelet(b: ApplicationBuilder) -> list[DrawnValue]:
    """The Haar transform: averages and differences of neighbours."""
    x = b.input(2 * b.draw.whole(1, 128), *real_range(b.draw))
    width = x.high - x.low
    return [
        b.step("({0}[::2] + {0}[1::2]) / 2", x, range=x.range, length=x.length // 2, depth=2),
        b.step("({0}[::2] - {0}[1::2]) * 0.5", x, range=(-width, width), length=x.length // 2, depth=2),
    ]


def autocorrelation(b: ApplicationBuilder) -> list[DrawnValue]:
    x = _signal(b)
    k = b.draw.one((1, 2, 5, 12))
    text = b.draw.one(
        (f"fh.mean({{0}} * fh.rotate({{0}}, {k}))", f"fh.inner_product({{0}}, fh.rotate({{0}}, {k}))")
    )
    bound = x.size**2 * (x.length if "inner" in text else 1)
    return [b.step(text, x, range=(-bound, bound), length=1, depth=2)]


def interpolation(b: ApplicationBuilder) -> list[DrawnValue]:
    n = length(b.draw)
    x, y, a = b.input(n, *real_range(b.draw)), b.input(n, *real_range(b.draw)), b.input(1, 0.0, 1.0, "a")
    found = hull(x.range, y.range)
    return [b.step("{2} * {0} + (1 - {2}) * {1}", x, y, a, range=found, depth=1)]


def units(b: ApplicationBuilder) -> list[DrawnValue]:
    x = b.input(length(b.draw), -40.0, 120.0)
    return [b.step(b.draw.one(("1.8 * {0} + 32", "({0} - 32) * 5 / 9")), x, range=(-90, 250), depth=2)]


def energy(b: ApplicationBuilder) -> list[DrawnValue]:
    n = length(b.draw, 33_000)
    m, v = b.input(n, 0.0, 10.0, "m"), b.input(n, -20.0, 20.0, "v")
    return [b.step("0.5 * {0} * {1} ** 2", m, v, range=(0, 2000), depth=3)]


def interest(b: ApplicationBuilder) -> list[DrawnValue]:
    n = length(b.draw, 4096)
    years = b.draw.one((2, 5, 10, 12, 30))
    c, r = b.input(n, 0.0, 1000.0, "c"), b.input(b.draw.one((1, n)), 0.0, 0.08, "r")
    grown = 1.08**years
    return [
        b.step(f"{{0}} * (1 + {{1}}) ** {years}", c, r, range=(0, 1000 * grown), depth=years.bit_length() + 1)
    ]


def body_mass(b: ApplicationBuilder) -> list[DrawnValue]:
    n = length(b.draw, 4096)
    w, h = b.input(n, 40.0, 150.0, "w"), b.input(n, 1.4, 2.1, "h")
    d = b.draw.one(("", ", degree=5", ", degree=9", ", bits=12"))
    return [
        b.step(f"{{0}} * fh.reciprocal({{1}} * {{1}}, low=1.9, high=4.5{d})", w, h, range=(0, 100), depth=5)
    ]


def entropy(b: ApplicationBuilder) -> list[DrawnValue]:
    n = length(b.draw, 2048)
    p = b.input(n, 0.05, 1.0, "p")
    d = b.draw.one(("", ", degree=7", ", degree=15"))
    return [
        b.step(f"-fh.sum({{0}} * fh.log({{0}}, low=0.05, high=1{d}))", p, range=(0, n), length=1, depth=6)
    ]


def taylor(b: ApplicationBuilder) -> list[DrawnValue]:
    x = b.input(length(b.draw, 10_000), -1.0, 1.0)
    text = b.draw.one(
        (
            "{0} - {0} ** 3 / 6 + {0} ** 5 / 120",
            "1 + {0} + {0} ** 2 / 2 + {0} ** 3 / 6",
            "fh.polynomial({0}, [1, 0, -0.5, 0, 1 / 24])",
            "((0.2 * {0} - 0.25) * {0} + 1 / 3) * {0} ** 2",
        )
    )
    return [b.step(text, x, range=(-3, 3), depth=4)]


def fourier(b: ApplicationBuilder) -> list[DrawnValue]:
    """A small cosine transform."""
    n = b.draw.one((4, 8, 12, 16, 32, 64))
    x = b.input(n, *real_range(b.draw))
    text = f"np.cos(np.pi / {n} * np.outer(np.arange({n}), np.arange({n}) + 0.5)) @ {{0}}"
    return [b.step(text, x, range=(-n * x.size, n * x.size), depth=1)]


def blur(b: ApplicationBuilder) -> list[DrawnValue]:
    """A kernel over the rows and columns of a small image."""
    side = b.draw.one((4, 8, 16, 28))
    x = b.input(side * side, 0.0, b.draw.one((1.0, 255.0)))
    text = (
        "({0} + fh.rotate({0}, 1) + fh.rotate({0}, -1)"
        + f" + fh.rotate({{0}}, {side}) + fh.rotate({{0}}, -{side})) / 5"
    )
    return [b.step(text, x, range=x.range, depth=1)]


def product_of_inputs(b: ApplicationBuilder) -> list[DrawnValue]:
    n = length(b.draw, 33_000)
    x = [b.input(n, *b.draw.one(((-1.0, 1.0), (0.5, 2.0), (-0.1, 0.1)))) for _ in range(b.draw.whole(2, 4))]
    found = x[0].range
    for v in x[1:]:
        found = times(found, v.range)
    text = " * ".join(f"{{{i}}}" for i in range(len(x)))
    return [b.step(text, *x, range=found, depth=2)]


def rate(b: ApplicationBuilder) -> list[DrawnValue]:
    """The rate of Michaelis and Menten: v s / (k + s)."""
    s = b.input(length(b.draw, 2048), 0.0, 2.0, "s")
    k = b.draw.one((0.5, 1, 2))
    base = b.step(f"{{0}} + {k!r}", s, range=(k, 2 + k))
    inverse = applied(b, base, "fh.reciprocal({0}, {ends})", lambda r: (1 / r[1], 1 / r[0]))
    return [b.step("3 * {0} * {1}", s, inverse, range=(0, 6 / k), depth=2)] if inverse else [base]


def residual(b: ApplicationBuilder) -> list[DrawnValue]:
    """The rest of a signal when a trend is subtracted: small compared with the signal."""
    n = max(length(b.draw, 10_000), 2)
    x = b.input(n, -0.4, 0.4)
    y = b.input(n, *real_range(b.draw))
    d = added(y.range, negated(x.range))
    text = b.draw.one(("({0} - {1}) / 100", "0.001 * ({0} - {1})", "({0} - {1}) * {1}"))
    bound = max(map(abs, d))
    return [b.step(text, y, x, range=(-bound, bound), depth=1)]


RECIPES = (
    fir, moving_average, difference, wavelet, autocorrelation, interpolation, units, energy, interest,
    body_mass, entropy, taylor, fourier, blur, product_of_inputs, rate, residual,
)  # fmt: skip
