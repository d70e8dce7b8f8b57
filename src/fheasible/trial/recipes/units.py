"""Measurements in units far from 1, which a user divides by their size before or after computing."""

from fheasible.trial.builder import ApplicationBuilder, DrawnValue, powered, squared, times
from fheasible.trial.lengths import length

_TENS = (-8, -6, -5, -4, -3, -2, 2, 3, 4, 5, 6, 8)  # powers of ten


def _size(b: ApplicationBuilder) -> float:
    """About how large a measurement is: 10^-8 to 2.5 * 10^8."""
    return float(f"{b.draw.one((1, 1, 1, 2.5))}e{b.draw.one(_TENS)}")


def _measured(b: ApplicationBuilder, n: int, size: float) -> DrawnValue:
    return b.input(n, b.draw.one((0.0, -size, size / 10)), size)


def _normalised(b: ApplicationBuilder, x: DrawnValue, size: float) -> DrawnValue:
    """x over its size, written in one of the ways in which people do it; at times centred first."""
    low, high = x.low / size, x.high / size
    if b.draw.chance(0.3):
        middle = float(f"{(x.low + x.high) / 2:.3g}")
        return b.step(
            f"({{0}} - {middle!r}) / {size!r}", x, range=(low - middle / size, high - middle / size), depth=1
        )
    text = b.draw.one((f"{{0}} / {size!r}", f"{{0}} * {1 / size!r}", f"{{0}} / {size!r} * 0.9"))
    return b.step(text, x, range=(min(low, 0.9 * low), high), depth=1)


def _one(b: ApplicationBuilder, most: int = 60_000) -> DrawnValue:
    size = _size(b)
    return _normalised(b, _measured(b, length(b.draw, most), size), size)


def normalised_power(b: ApplicationBuilder) -> list[DrawnValue]:
    x, k = _one(b, 10_000), b.draw.one((2, 3, 4, 5, 7, 8, 16))
    text = b.draw.one(("{0} ** K", "fh.power({0}, K)")).replace("K", str(k))
    return [b.step(text, x, range=powered(x.range, k), depth=max(k - 1, 1).bit_length())]


def normalised_products(b: ApplicationBuilder) -> list[DrawnValue]:
    """The product of two or three normalised measurements, or their inner product."""
    n, found = length(b.draw, 20_000), None
    for _ in range(b.draw.whole(2, 3)):
        size = _size(b)
        x = _normalised(b, _measured(b, n, size), size)
        found = (
            x if found is None else b.step("{0} * {1}", found, x, range=times(found.range, x.range), depth=1)
        )
    assert found is not None
    if b.draw.chance(0.4):
        return [b.step("fh.mean({0})", found, range=found.range, length=1, depth=1)]
    return [found]


def normalised_polynomial(b: ApplicationBuilder) -> list[DrawnValue]:
    x = _one(b, 10_000)
    text = b.draw.one(
        (
            "{0} - {0} ** 3 / 6 + {0} ** 5 / 120",
            "1 - {0} ** 2 / 2 + {0} ** 4 / 24",
            "3.2 * {0} * (1 - {0})",
            "({0} ** 2 - 1) ** 4",
        )
    )
    return [b.step(text, x, range=(-25, 25), depth=4)]


def normalised_moments(b: ApplicationBuilder) -> list[DrawnValue]:
    x = _one(b, 10_000)
    d = b.step("{0} - fh.mean({0})", x, range=(-2 * x.size, 2 * x.size), depth=1)
    k = b.draw.whole(2, 4)
    return [b.step(f"fh.mean({{0}} ** {k})", d, range=powered(d.range, k), length=1, depth=3)]


def scaled_afterwards(b: ApplicationBuilder) -> list[DrawnValue]:
    """Products of measurements as they are, and the number that makes them of the size of 1 at the end."""
    size = _size(b)
    if size > 1e6:
        size = 1e6  # beyond, not even the product would fit as it is written
    x = _measured(b, length(b.draw, 10_000), size)
    k = b.draw.whole(2, 3)
    product = " * ".join(["{0}"] * k)
    number = float(f"{size**-k:.3g}")
    sign = b.draw.one((1, 1, -1))
    bound = squared((-1.1, 1.1))[1] * 2
    return [b.step(f"{product} * {sign * number!r}", x, range=(-bound, bound), depth=3)]


RECIPES = (
    normalised_power, normalised_products, normalised_polynomial, normalised_moments, scaled_afterwards,
)  # fmt: skip
