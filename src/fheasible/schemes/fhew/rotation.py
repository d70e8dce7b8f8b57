"""How many products and automorphisms a blind rotation takes, on average over its random argument."""

from collections.abc import Iterator
from functools import lru_cache

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


@lru_cache(maxsize=64)
def automorphisms(n: int, ring: int, window: int) -> float:
    """The expected number of automorphisms of a blind rotation of LMKCDEY, each by 1 to `window` powers of 5.

    In both halves of the odd numbers modulo 2N, a power that none of the n numbers has is skipped, as far as
    the window reaches. One more changes the sign.
    """
    there = 1 - (1 - 1 / ring) ** n
    steps, waiting, turns = ring // 2 - 1, [1.0] + [0.0] * window, 0.0
    for step in range(steps):
        after = [0.0] * (window + 1)
        for skipped, chance in enumerate(waiting):
            if not chance:
                continue
            turns += chance * there * (skipped > 0)
            for left, part in ((1, there), (skipped + 1, 1 - there)):
                full = left == window or step == steps - 1
                turns += chance * part * full
                after[0 if full else left] += chance * part
        waiting = after
    return 2 * turns + 1
