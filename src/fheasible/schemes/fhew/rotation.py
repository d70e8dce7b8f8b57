"""How many products and automorphisms a blind rotation takes, on average over its random argument."""

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from fheasible.schemes.fhew.parameters import FhewSet


def products(of: FhewSet, method: str) -> Iterator[tuple[int, float]]:
    """(base of the gadget, products of the accumulator with a key of that base).

    GINX multiplies with two keys at once in each step, for both signs of a ternary digit of the secret. AP
    takes as many products for a number as it has digits, but for zeros.
    """
    each = of.refresh_digits * (1 - 1 / of.refresh) if method == "ap" else 1.0
    return ((base, steps * each) for base, steps in of.gadget)


def turns(of: FhewSet, method: str) -> float:
    """The automorphisms, each with a key switch: those of LMKCDEY."""
    return automorphisms(of.n, of.ring, of.automorphisms) if method == "lmkcdey" else 0.0


@lru_cache(maxsize=256)
def automorphisms(n: int, ring: int, window: int) -> float:
    """The expected number of automorphisms of a blind rotation of LMKCDEY, each by 1 to `window` powers of 5.

    In both halves of the odd numbers modulo 2N, a power that none of the n numbers has is skipped, as far as
    the window reaches. The last power turns back by what was skipped. One more changes the sign.
    """
    there, steps = 1 - (1 - 1 / ring) ** n, ring // 2 - 1
    chain = np.zeros((window + 1, window + 1))  # from so many powers skipped to so many, before the next one
    turned = np.zeros(window + 1)  # the expected turns meanwhile
    for skipped in range(window):
        for after, chance in ((1, there), (skipped + 1, 1 - there)):
            full = after == window
            chain[skipped, 0 if full else after] += chance
            turned[skipped] += chance * full
        turned[skipped] += there * (skipped > 0)
    counted = np.block([[chain, turned[:, None]], [np.zeros(window + 1), np.ones(1)]])
    before = np.linalg.matrix_power(counted, steps - 1)[0]  # from nothing skipped
    last = 1 + there * (1 - before[0])  # a turn where the last power is there and some were skipped, and one
    return float(2 * (before[-1] + last) + 1)
