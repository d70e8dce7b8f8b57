"""Single actions counted: numbers of limbs in, kernels out."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from fheasible.rings.rns.counting import CountingRnsRing
from fheasible.schemes.rns.arithmetic import ResidueArithmetic
from fheasible.schemes.rns.ciphertext import Ciphertext, RnsKeys, RnsSpec
from fheasible.schemes.rns.variant import Variant
from schemes.rns.toy import SCHEMES

Run = Callable[[ResidueArithmetic, RnsKeys, Ciphertext], Any]
hybrids = pytest.mark.parametrize(
    ("l", "K", "a", "b"), [(7, 3, 3, 3), (5, 3, 3, 2), (6, 2, 2, 3), (5, 2, 3, 2), (3, 3, 2, 2), (4, 1, 1, 4)]
)


def counts(
    scheme: str,
    variant: Variant,
    bases: tuple[int, int, int],
    run: Run,
    level: int | None = None,
    size: int = 2,
) -> Counter[str]:
    """Of what `run` does to an operand at this level, of a ring of so many q, p and extra."""
    ring = CountingRnsRing(*bases)
    counted = SCHEMES[scheme](ring, RnsSpec(), variant)
    operand = counted.operand(level, size)
    run(counted, counted.given_keys(), operand)
    return ring.tally


def relinearized(s: ResidueArithmetic, k: RnsKeys, x: Ciphertext) -> Any:
    return s.relinearize(k, x)


def rotated(s: ResidueArithmetic, k: RnsKeys, x: Ciphertext) -> Any:
    return s.rotate(k, x, 1)


def transforms(tally: Counter[str]) -> int:
    return tally["forward"] + tally["inverse"]


def work(tally: Counter[str]) -> dict[str, int]:
    """Without what is moved."""
    return {k: v for k, v in tally.items() if k not in ("reads", "writes", "allocations", "calls")}
