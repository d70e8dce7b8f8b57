"""Bases: the primes that a polynomial is stored modulo, as positions in the ring's one list of primes."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from operator import ge

from fheasible.errors import RingMismatch


@dataclass(frozen=True, slots=True)
class Basis:
    """Limbs in ascending order: positions in the ring's list of primes (chain, special, then auxiliary ones).

    A slice of a basis and a sum of bases are bases. `mask` has bit i set for limb i. RingMismatch where the
    limbs do not ascend.
    """

    limbs: tuple[int, ...] = ()
    mask: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if any(map(ge, (-1, *self.limbs), self.limbs)):
            raise RingMismatch(
                f"basis: limbs {self.limbs} are not distinct and ascending from 0",
                "sort the limbs, each once",
            )
        object.__setattr__(self, "mask", sum([1 << limb for limb in self.limbs]))

    def __len__(self) -> int:
        return len(self.limbs)

    def __iter__(self) -> Iterator[int]:
        return iter(self.limbs)

    def __contains__(self, limb: int) -> bool:
        return self.mask >> limb & 1 == 1

    def __getitem__(self, part: slice) -> "Basis":
        return of(self.limbs[part])

    def __le__(self, other: "Basis") -> bool:
        """Whether every limb of this basis is in the other, too."""
        return self.mask & ~other.mask == 0

    def __add__(self, other: "Basis") -> "Basis":
        """The limbs of both bases. RingMismatch where they share a limb."""
        return _joined(self, other)

    def __sub__(self, other: "Basis") -> "Basis":
        """The limbs of this basis that are not in the other."""
        return _without(self, other)

    def __and__(self, other: "Basis") -> "Basis":
        """The limbs that are in both bases."""
        return _without(self, _without(self, other))


@lru_cache(maxsize=1 << 16)
def of(limbs: tuple[int, ...]) -> Basis:
    """The basis of these limbs, from a cache."""
    return Basis(limbs)


@lru_cache(maxsize=1 << 16)
def _joined(x: Basis, y: Basis) -> Basis:
    if x.mask & y.mask:
        raise RingMismatch(
            f"join: bases {x.limbs} and {y.limbs} share limbs", "remove the common limbs from one of them"
        )
    return of(tuple(sorted(x.limbs + y.limbs)))


@lru_cache(maxsize=1 << 16)
def _without(x: Basis, y: Basis) -> Basis:
    mask = y.mask
    return of(tuple([limb for limb in x.limbs if not mask >> limb & 1]))
