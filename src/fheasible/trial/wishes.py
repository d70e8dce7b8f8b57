"""What users ask for, as options: precision in its forms, security, failure, limits, objectives."""

from typing import Any

from fheasible.trial.draw import Draw

Options = dict[str, Any]


def wish(draw: Draw, real: bool) -> Options:
    """A random wish; most wishes ask for little, so that the defaults are tried most."""
    found: Options = {}
    if real and draw.chance(0.75):
        found["precision"] = _precision(draw)
    if draw.chance(0.12):
        found["security"] = draw.one((192, 256))
    if draw.chance(0.06):
        found["quantum"] = True
    if not real and draw.chance(0.1):
        found["failure"] = draw.one((20, 64, 100))
    if draw.chance(0.04):
        found["shared-results"] = True
    if draw.chance(0.25):
        found |= _objective(draw)
    if draw.chance(0.08):
        found |= _limit(draw)
    return found


def _precision(draw: Draw) -> str:
    bits = draw.weighted(((6, draw.whole(8, 20)), (3, draw.whole(4, 30)), (1, draw.whole(31, 45))))
    return draw.weighted(
        (
            (6, str(bits)),
            (2, f"absolute:{_small(draw)}"),
            (1, f"relative:{_small(draw)}"),
        )
    )


def _small(draw: Draw) -> str:
    return f"{draw.one((1, 2, 5))}e-{draw.whole(1, 6)}"


def _objective(draw: Draw) -> Options:
    kind = draw.one(("memory", "communication", "amortised", "cost", "time:0.7,memory:0.3", "time"))
    found: Options = {"objective": kind}
    if kind in ("amortised", "communication", "cost"):
        found["requests"] = draw.one((1, 10, 1000))
    if kind == "cost":
        found["price-core-hour"] = draw.one((0.05, 1.0))
        found["price-gib"] = draw.one((0.01, 0.1))
    return found


def _limit(draw: Draw) -> Options:
    return draw.one(
        (
            {"max-time": draw.one((0.01, 0.1, 1.0, 10.0))},
            {"max-memory": draw.one((100, 200, 500, 2000))},
            {"max-ciphertext": draw.one((0.1, 0.5, 2))},
            {"max-keys": draw.one((1, 10, 100))},
        )
    )
