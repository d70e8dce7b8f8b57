"""Encrypted integers as columns of digits that are not added up yet."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

from fheasible.aliases import Interval


class Term(NamedTuple):
    """`weight` times a value, whose elements lie in [0, most]."""

    value: int
    most: int
    weight: int = 1

    @property
    def bound(self) -> int:
        return abs(self.weight) * self.most

    def times(self, weight: int) -> Term:
        """`weight` times the value, whatever this term's own weight is."""
        return Term(self.value, self.most, weight)


Columns = tuple[tuple[Term, ...], ...]


@dataclass(frozen=True, slots=True)
class Number:
    """A vector of integers: `low` plus the sum of base^i times the sum of the terms of column i.

    It costs nothing to add numbers: their terms stand side by side until a value of one column is needed.
    """

    length: int
    low: int
    columns: Columns = ()

    def scaled(self, by: int) -> Number:
        columns = tuple(tuple([t.times(by * t.weight) for t in c]) for c in self.columns)
        return Number(self.length, by * self.low, columns if by else ())

    def plus(self, other: Number) -> Number:
        return total((self, other))

    def minus(self, other: Number) -> Number:
        return self.plus(other.scaled(-1))

    def raised(self, columns: int) -> Number:
        """The number times base^columns, if it has no `low`."""
        assert not self.low
        return replace(self, columns=((),) * columns + self.columns)

    @property
    def summed(self) -> bool:
        """Whether each column is one value with weight 1, or nothing."""
        return all(len(c) == 0 or (len(c) == 1 and c[0].weight == 1) for c in self.columns)

    def most(self, i: int) -> int:
        """The largest value of a column whose weights are positive."""
        return sum(t.bound for t in _column(self, i))

    def canonical(self, base: int) -> bool:
        """Whether each column is a digit below the base."""
        return self.summed and all(self.most(i) < base for i in range(len(self.columns)))


def total(numbers: Iterable[Number]) -> Number:
    """The sum of numbers, in time proportional to their terms: those of a column in the order in which their
    values come, each value once."""
    length, low, columns = 0, 0, list[dict[int, Term]]()
    for number in numbers:
        length, low = max(length, number.length), low + number.low
        columns += [{} for _ in number.columns[len(columns) :]]
        for found, terms in zip(columns, number.columns, strict=False):
            _gather(found, terms)
    return Number(length, low, tuple(tuple(found.values()) for found in columns))


def _column(number: Number, i: int) -> tuple[Term, ...]:
    return number.columns[i] if i < len(number.columns) else ()


def _gather(found: dict[int, Term], terms: Iterable[Term]) -> None:
    """Adds terms to others, by their values; those that cancel are left out."""
    cancelled = []
    for t in terms:
        before = found.get(t.value)
        found[t.value] = own = t.times(t.weight + before.weight) if before else t
        if not own.weight:
            cancelled.append(t.value)
    for value in cancelled:
        if value in found and not found[value].weight:
            del found[value]


def tightened(number: Number, span: Interval, base: int) -> Number:
    """A number whose columns are added up, with smaller bounds on digits where it lies in that interval."""
    room = int(span[1]) - number.low
    columns = [
        tuple([Term(t.value, min(t.most, room // base**i), t.weight) for t in c])
        for i, c in enumerate(number.columns)
    ]
    kept = [tuple(t for t in c if t.most > 0) for c in columns]
    while kept and not kept[-1]:
        kept.pop()
    return replace(number, columns=tuple(kept))
