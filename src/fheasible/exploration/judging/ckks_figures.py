"""Figures that decide whether CKKS sets are right, asked for part by part and looked up by the sets'
sizes."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from fheasible.aliases import Flags, Ints
from fheasible.exploration.judging.sieve import Sieve
from fheasible.exploration.space.chains import SIZES, Chained
from fheasible.exploration.space.requests import Choice

AT_ONCE: Final = 256  # sets whose elements are judged together: more would not fit in the caches
KEPT: Final = 1024  # sets of a choice at most whose figures are kept for the next search


class ChoicePart(NamedTuple):
    """The sets of one choice that have the same number of special primes; `left` is the sieve of those that
    are left."""

    choice: Choice
    chained: Chained
    left: Sieve
    special: int


class Wanted(NamedTuple):
    """Sets of one part whose figures are wanted."""

    part: ChoicePart
    codes: Ints  # the sizes of each set as one number
    scale: Ints
    at: Ints  # their places in the chains

    def take(self, places: Ints | slice) -> "Wanted":
        return Wanted(self.part, self.codes[places], self.scale[places], self.at[places])


class Figured(NamedTuple):
    """The figures, by name, that decide whether some sets are right; they are in the order of `codes`."""

    codes: Ints  # the sizes of each set as one number
    figures: Mapping[str, Any]

    @staticmethod
    def joined(parts: Sequence["Figured"]) -> "Figured":
        """The figures of all parts, one after another."""
        if len(parts) == 1:
            return parts[0]
        figures = {name: np.concatenate([part.figures[name] for part in parts]) for name in parts[0].figures}
        return Figured(np.concatenate([part.codes for part in parts]), figures)

    def take(self, places: Ints | slice) -> "Figured":
        return Figured(self.codes[places], {name: of[places] for name, of in self.figures.items()})

    def with_more(self, other: "Figured") -> "Figured":
        """The figures of both, in ascending order of their codes."""
        joined = Figured.joined([self, other])
        return joined.take(np.argsort(joined.codes, kind="stable"))

    def places(self, codes: Ints) -> tuple[Ints, Flags]:
        """(the place of each code, whether it is there)."""
        at = np.minimum(np.searchsorted(self.codes, codes), len(self.codes) - 1)
        return at, self.codes[at] == codes


def wanted(part: ChoicePart) -> Wanted:
    scale, first, special = (part.left[name] for name in ("scale", "first", "special"))
    return Wanted(part, (scale * SIZES + first) * SIZES + special, scale, part.left["at"])


def not_known(known: Figured | None, of: Wanted) -> Wanted:
    return of if known is None else of.take(np.flatnonzero(~known.places(of.codes)[1]))


def grouped(pieces: Sequence[Wanted]) -> Iterator[list[Wanted]]:
    """The pieces in their order, in groups of no more than `AT_ONCE` sets."""
    group, many = list[Wanted](), 0
    for piece in pieces:
        if group and many + len(piece.codes) > AT_ONCE:
            yield group
            group, many = [], 0
        group.append(piece)
        many += len(piece.codes)
    if group:
        yield group
