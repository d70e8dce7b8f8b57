"""Counting, voting, bits, money in cents, and integers that wrap around."""

from fheasible.trial.builder import ApplicationBuilder, DrawnValue, added, negated, squared, times
from fheasible.trial.lengths import length, whole_range


def _whole(b: ApplicationBuilder, most: int = 60_000, least: int = 1) -> DrawnValue:
    return b.input(max(length(b.draw, most), least), *whole_range(b.draw))


def _bits(b: ApplicationBuilder, count: int, most: int = 60_000) -> list[DrawnValue]:
    n = length(b.draw, most)
    return [b.input(n, 0, 1) for _ in range(count)]


def votes(b: ApplicationBuilder) -> list[DrawnValue]:
    x = b.input(length(b.draw), *b.draw.one(((0, 1), (-1, 1), (1, 5))))
    weights = b.draw.one(("np.arange(len({0})) % 3 + 1", "1", "2 - np.arange(len({0})) % 4"))
    return [
        b.step(
            f"fh.sum({{0}} * ({weights}))", x, range=times(x.range, (-3 * x.length, 3 * x.length)), length=1
        )
    ]


def hamming(b: ApplicationBuilder) -> list[DrawnValue]:
    x, y = _bits(b, 2)
    text = b.draw.one(
        ("fh.sum({0} + {1} - 2 * {0} * {1})", "fh.sum(({0} - {1}) ** 2)", "fh.sum(({0} - {1}) * ({0} - {1}))")
    )
    return [b.step(text, x, y, range=(0, x.length), length=1, depth=1)]


def majority(b: ApplicationBuilder) -> list[DrawnValue]:
    x, y, z = _bits(b, 3)
    text = "{0} * {1} + {1} * {2} + {2} * {0} - 2 * {0} * {1} * {2}"
    return [b.step(text, x, y, z, range=(0, 1), depth=2)]


def gates(b: ApplicationBuilder) -> list[DrawnValue]:
    x, y = _bits(b, 2)
    forms = ("{0} * {1}", "{0} + {1} - {0} * {1}", "1 - {0} * {1}", "1 - ({0} - {1}) ** 2", "{0} * (1 - {1})")
    made = [b.step(f, x, y, range=(0, 1), depth=1) for f in b.draw.some(forms, 2)]
    return [*made, b.step("{0} - {1} + {0} * {1}", *made, range=(-1, 2), depth=1)] if len(made) == 2 else made


def all_of(b: ApplicationBuilder) -> list[DrawnValue]:
    """Whether all bits are set: their product, by rotations of doubling length."""
    k = b.draw.whole(1, 5)
    x = b.input(1 << k, 0, 1)
    v = x
    for i in range(k):
        v = b.step(f"{{0}} * fh.rotate({{0}}, {1 << i})", v, range=(0, 1), depth=1)
    return [v]


def dot(b: ApplicationBuilder) -> list[DrawnValue]:
    n = length(b.draw)
    x, y = b.input(n, *whole_range(b.draw)), b.input(n, *whole_range(b.draw))
    found = times(times(x.range, y.range), (n, n))
    text = b.draw.one(("fh.inner_product({0}, {1})", "fh.sum({0} * {1})", "{0} @ {1}"))
    return [b.step(text, x, y, range=found, length=1, depth=1)] if b.fits(found) else [_sum(b, x)]


def _sum(b: ApplicationBuilder, x: DrawnValue) -> DrawnValue:
    return b.step("fh.sum({0})", x, range=times(x.range, (x.length, x.length)), length=1)


def affine(b: ApplicationBuilder) -> list[DrawnValue]:
    x = _whole(b)
    m, c = b.draw.one((-3, -1, 7, 100, -255, 2)), b.draw.one((0, 1, -5, 1000))
    found = added(times(x.range, (m, m)), (c, c))
    return [b.step(b.draw.one((f"{m} * {{0}} + {c}", f"{c} - ({-m}) * {{0}}")), x, range=found, depth=1)]


def invoice(b: ApplicationBuilder) -> list[DrawnValue]:
    n = length(b.draw, 33_000)
    q, p = b.input(n, 0, b.draw.one((10, 100)), "q"), b.input(n, 0, b.draw.one((999, 9999)), "p")
    found = (0, q.high * p.high * n)
    return [b.step("fh.sum({0} * {1})", q, p, range=found, length=1, depth=1)]


def scaled_variance(b: ApplicationBuilder) -> list[DrawnValue]:
    """The variance, scaled to integers: n sum x^2 - (sum x)^2."""
    x = b.input(length(b.draw, 4096), *b.draw.one(((0, 1), (0, 15), (-10, 10), (0, 100))))
    bound = (x.size * x.length) ** 2
    text = "len({0}) * fh.sum({0} * {0}) - fh.sum({0}) ** 2"
    return [b.step(text, x, range=(-bound, bound), length=1, depth=1)]


def squared_distance(b: ApplicationBuilder) -> list[DrawnValue]:
    n = length(b.draw, 33_000)
    low, high = b.draw.one(((0, 255), (0, 15), (-128, 127)))
    x, y = b.input(n, low, high), b.input(n, low, high)
    text = b.draw.one(("fh.sum(({0} - {1}) ** 2)", "fh.sum(fh.square({0} - {1}))"))
    d = added(x.range, negated(y.range))
    return [b.step(text, x, y, range=times(squared(d), (0, n)), length=1, depth=1)]


def histogram(b: ApplicationBuilder) -> list[DrawnValue]:
    n = b.draw.one((3, 7, 10, 16, 33, 100, 128, 250, 512))
    x = b.input(n, *b.draw.one(((0, 1), (0, 255), (-5, 5))))
    k = b.draw.one((2, 3, 4, 5, 10))
    text = f"(np.arange(len({{0}})) % {k} == np.arange({k})[:, None]).astype(int) @ {{0}}"
    return [b.step(text, x, range=times(x.range, (-n, n)), length=k)]


def running_sums(b: ApplicationBuilder) -> list[DrawnValue]:
    n = b.draw.one((2, 3, 5, 8, 20, 64, 100))
    x = b.input(n, *whole_range(b.draw))
    return [
        b.step("np.tril(np.ones((len({0}), len({0})), dtype=int)) @ {0}", x, range=times(x.range, (-n, n)))
    ]


def kernel(b: ApplicationBuilder) -> list[DrawnValue]:
    x = _whole(b, least=3)
    taps = b.draw.one(((1, 2, 1), (-1, 0, 1), (1, -2, 1), (-3, 5, -7), (1, 1, 1)))
    text = " + ".join(f"{t} * fh.rotate({{0}}, {k - 1})" for k, t in enumerate(taps) if t).replace(
        "+ -", "- "
    )
    bound = sum(map(abs, taps)) * x.size
    return [b.step(text, x, range=(-bound, bound), depth=1)]


def weights_then_products(b: ApplicationBuilder) -> list[DrawnValue]:
    """Negative plain factors, then a rotation, a product and a sum."""
    n = length(b.draw, 10_000)
    x, y = b.input(n, *b.draw.one(((0, 255), (-10, 10), (0, 1)))), b.input(n, *b.draw.one(((0, 15), (-1, 1))))
    inner = b.step("-3 * (7 * {0})", y, range=times(y.range, (-21, -21)), depth=2)
    one = times(x.range, inner.range)
    found = times(one, (n, n))
    return [b.step("fh.sum({0} * fh.rotate({1}, 1))", x, inner, range=found, length=1, depth=1)]


def complex_product(b: ApplicationBuilder) -> list[DrawnValue]:
    n = length(b.draw, 10_000)
    p, q, r, s = (b.input(n, -100, 100, name) for name in "pqrs")
    found = (-20_000, 20_000)
    return [
        b.step("{0} * {2} - {1} * {3}", p, q, r, s, range=found, depth=1),
        b.step("{0} * {3} + {1} * {2}", p, q, r, s, range=found, depth=1),
    ]


def chosen_bit(b: ApplicationBuilder) -> list[DrawnValue]:
    """A polynomial that is 0 on all of the integers 0 to 3 but one."""
    x = b.input(length(b.draw, 10_000), 0, 3)
    text, top = b.draw.one((("{0} * (3 - {0}) * (2 - {0})", 6), ("fh.polynomial({0}, [0, 2, -3, 1])", 30)))
    return [b.step(text, x, range=(-top, top), depth=3)]


def factorial_like(b: ApplicationBuilder) -> list[DrawnValue]:
    """Powers of small integers."""
    x = b.input(length(b.draw, 10_000), *b.draw.one(((0, 1), (-1, 1), (0, 2), (-3, 3))))
    k = b.draw.one((2, 3, 5, 8, 12, 16))
    return [b.step(f"{{0}} ** {k}", x, range=(-(x.size**k), x.size**k), depth=(k - 1).bit_length())]


def repeated_squares(b: ApplicationBuilder) -> list[DrawnValue]:
    x = b.input(length(b.draw, 4096), 0, 1)
    steps = b.draw.one((2, 4, 8, 11))
    return [b.step("{0} * {0}", x, range=(0, 1), depth=steps, times=steps)]


RECIPES = (
    votes, votes, hamming, hamming, majority, gates, all_of, dot, dot, affine, affine, invoice,
    scaled_variance, squared_distance, histogram, running_sums, kernel, weights_then_products,
    complex_product, chosen_bit, factorial_like, repeated_squares,
)  # fmt: skip


def polynomial_hash(b: ApplicationBuilder) -> list[DrawnValue]:
    """A hash of parts by Horner's rule, modulo t."""
    base = b.draw.one((31, 257, -3, 65_599))
    x = [_whole(b, 4096), *()]
    y = b.input(x[0].length, 0, 0)
    text = f"({{0}} * {base} + {{1}}) * {base} - {{1}}"
    return [b.step(text, x[0], y, range=x[0].range, depth=2)]


def checksum(b: ApplicationBuilder) -> list[DrawnValue]:
    x = _whole(b)
    weights = b.draw.one(
        ("np.arange(1, len({0}) + 1)", "10 - np.arange(len({0})) % 10", "(-7) * np.arange(len({0}))")
    )
    return [b.step(f"fh.sum({{0}} * ({weights}))", x, range=x.range, length=1, depth=1)]


def modular_power(b: ApplicationBuilder) -> list[DrawnValue]:
    x = _whole(b, 8192)
    k = b.draw.one((2, 3, 5, 17, 64, 100, 256, 1024, 2048, 2048))
    text = b.draw.one((f"{{0}} ** {k}", f"fh.power({{0}}, {k})"))
    return [b.step(text, x, range=x.range, depth=(k - 1).bit_length())]


def modular_chain(b: ApplicationBuilder) -> list[DrawnValue]:
    """Repeated steps x^2 + c modulo t, as in factoring."""
    x = _whole(b, 4096)
    c, steps = b.draw.one((1, -1, 7)), b.draw.one((1, 2, 4, 6, 8))
    return [b.step(f"{{0}} * {{0}} + ({c})", x, range=x.range, depth=steps, times=steps)]


def modular_dot(b: ApplicationBuilder) -> list[DrawnValue]:
    x = _whole(b, 33_000)
    y = b.input(x.length, 0, 0)
    return [b.step("fh.inner_product({0}, {1}) - 3 * fh.sum({0})", x, y, range=x.range, length=1, depth=1)]


RESIDUES = (
    polynomial_hash,
    polynomial_hash,
    checksum,
    checksum,
    modular_power,
    modular_power,
    modular_chain,
    modular_dot,
)
