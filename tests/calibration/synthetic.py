"""Points that were never measured: made from prices that are known."""

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from estimation.profiles import priced
from fheasible.estimation.features import Caches, Features, Shape, features
from fheasible.estimation.profile import TimedShape
from fheasible.libraries.layout import Task
from fheasible.libraries.work import layout_of
from libraries.chains import actions, chain, polys

CACHES = Caches(1 << 20, 32 << 20)
# Of an imaginary library, in seconds: what a coefficient takes is a fraction of a nanosecond
TRUE = priced(
    forward=9e-10, inverse=1e-9, products=8e-10, lazy_products=5e-10, additions=3e-10, permutations=7e-10,
    embeddings=3e-9, gaussian_samples=2e-8, reads=1e-10, writes=2e-10, calls=3e-6, l2_missed_bytes=1.2e-11,
)  # fmt: skip
SEEN = ((12, 1), (12, 2), (12, 3), (13, 2), (13, 4), (13, 6), (14, 3), (14, 8), (15, 5), (15, 10))
UNSEEN = ((13, 3), (13, 5), (14, 4), (14, 6), (15, 7))  # between those
Price = Callable[[Shape], Features]


def shapes(
    contexts: Iterable[tuple[int, int]] = SEEN,
    library: str = "seal",
    scheme: str = "ckks",
    only: Iterable[str] | None = None,
) -> list[Shape]:
    """Every action, or `only` some, at the top of contexts (log2 n, limbs)."""
    found = []
    for log_n, limbs in contexts:
        layout = layout_of(chain(library, scheme, limbs, digit=2))
        for action in only or actions(scheme):
            if action not in ("drop", "rescale") or limbs > 1:
                task = Task(action, limbs - 1 - (action == "drop"), polys(action), int(action == "drop"))
                found.append(Shape(1 << log_n, layout, task))
    return found


def taking(shape: Shape, prices: Features = TRUE, caches: Caches = CACHES) -> float:
    return float(np.dot(prices, features(shape, caches)))


def points(
    contexts: Iterable[tuple[int, int]] = SEEN, prices: Features = TRUE, noise: float = 0.0, seed: int = 0,
    only: Iterable[str] | None = None,
) -> list[TimedShape]:  # fmt: skip
    """What would be measured of a library of those prices; `noise` is the largest relative error."""
    draw = np.random.default_rng(seed)
    made = [TimedShape(s, taking(s, prices)) for s in shapes(contexts, only=only)]
    return [replace(p, seconds=p.seconds * (1 + noise * draw.uniform(-1, 1))) for p in made]
