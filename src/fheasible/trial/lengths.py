"""How many elements inputs have, and in which range they lie."""

from fheasible.trial.builder import Range
from fheasible.trial.draw import Draw

SLOTS = tuple(1 << k for k in range(9, 16))
_MANY = (100, 128, 250, 365, 500, 784, 1000, 1024, 1461, 2000, 3000, 4096, 5000, 10_000)


def length(draw: Draw, most: int = 60_000) -> int:
    """A random length: 1, 2, 3, odd numbers, numbers around the slots of every ring, and larger ones."""
    found = draw.weighted(
        (
            (6, 1),
            (6, 2),
            (6, 3),
            (16, draw.whole(4, 16)),
            (12, 2 * draw.whole(8, 127) + 1),
            (8, 1 << draw.whole(4, 8)),
            (20, draw.one(_MANY)),
            (14, draw.one(SLOTS) + draw.whole(-1, 1)),
            (2, draw.one((20_000, 33_000, 60_000))),
        )
    )
    return min(found, most)


def real_range(draw: Draw) -> Range:
    """A random range of reals: usual, tiny, one-sided or large, with or without 0."""
    return draw.weighted(
        (
            (16, (0.0, 1.0)),
            (16, (-1.0, 1.0)),
            (6, (-0.01, 0.01)),
            (4, (0.0, 0.001)),
            (4, (0.5, 2.0)),
            (4, (-3.0, -1.0)),
            (4, (-0.4, 0.4)),
            (5, (-5.0, 5.0)),
            (4, (0.0, 100.0)),
            (3, (-40.0, 120.0)),
            (3, (36.0, 42.0)),
            (2, (0.0, 1000.0)),
            (2, (-1e4, 1e4)),
            (1, (0.0, 1e6)),
            (3, (-0.5, 3.5)),
            (3, (0.9, 1.1)),
            (1, (1e5, 1e5 + 1)),
            (1, (-1e-6, 1e-6)),
            (2, (20.0, 20.5)),
        )
    )


def whole_range(draw: Draw) -> Range:
    return draw.weighted(
        (
            (10, (0, 1)),
            (8, (0, 15)),
            (10, (0, 255)),
            (6, (-1, 1)),
            (6, (-128, 127)),
            (5, (0, 100)),
            (4, (-10, 10)),
            (4, (1, 5)),
            (3, (0, 1000)),
            (3, (-1000, 1000)),
            (2, (0, 65_535)),
            (2, (-100, -1)),
            (1, (0, 1_000_000)),
            (1, (7, 7)),
            (1, (-(2**31), 2**31 - 1)),
        )
    )


MODULI = (65_537, 65_537, 65_537, 786_433, 40_961, 114_689, 1_032_193, 4_293_918_721, 1_099_510_054_913)
"""Primes; the first packs up to N = 2^15, the others only in smaller rings."""

NO_MODULI = (2, 256, 1000, 65_536, 2**32, 1_000_003)
"""Moduli that pack no vectors."""
