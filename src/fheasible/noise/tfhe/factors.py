"""The factors that the elements of a value have of a program's sources: fresh ciphertexts and look-ups'
results."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fheasible.aliases import Floats, Ints
from fheasible.program.lookups import LookupStep, Step

NOTHING = -1  # in place of a source, with the factor 0


@dataclass(frozen=True, slots=True, eq=False)
class Factors:
    """Each element is the sum of `weights` times `sources`, both of shape (terms, length). No source occurs
    twice in a column."""

    sources: Ints
    weights: Floats

    @property
    def length(self) -> int:
        return int(self.sources.shape[1])

    @staticmethod
    def of_source(first: int, length: int) -> "Factors":
        """The elements are themselves the sources from `first` on."""
        return Factors(np.arange(first, first + length)[None], np.ones((1, length)))

    def stretched(self, length: int) -> "Factors":
        """A value of length 1 stands for each element of a longer one."""
        if self.length == length:
            return self
        shape = (len(self.sources), length)
        return Factors(np.broadcast_to(self.sources, shape), np.broadcast_to(self.weights, shape))

    def squares(self, counts: Floats) -> Floats:
        """For each element, the sum of the squares of those factors whose source counts: `counts` is 1 or 0
        for each source, with 0 at the end, at the place `NOTHING`."""
        found: Floats = (self.weights**2 * counts[self.sources]).sum(axis=0)
        return found


def combined(step: LookupStep, args: Sequence[Factors]) -> Factors:
    """The factors of a value that is computed without a look-up."""
    match step.step:
        case Step.LINEAR:
            parts = [each.stretched(step.length) for each in args]
            return _sum(parts, step.weights, step.length)
        case Step.PICK:
            assert step.plain is not None
            return Factors(args[0].sources[:, step.plain], args[0].weights[:, step.plain])
        case Step.JOIN:
            return _joined(args)
        case Step.FOLD:
            return _folded(args[0], step.group)
    return _nothing(step.length)  # TRIVIAL


def _nothing(length: int) -> Factors:
    return Factors(np.zeros((0, length), dtype=np.int64), np.zeros((0, length)))


def _sum(parts: Sequence[Factors], weights: Sequence[int], length: int) -> Factors:
    each = [(one, w) for one, w in zip(parts, weights, strict=True) if len(one.sources)]
    if not each:
        return _nothing(length)
    if len(each) == 1:
        ((one, w),) = each
        return Factors(one.sources, w * one.weights)
    each.sort(key=_first_source)
    sources = np.concatenate([one.sources for one, _ in each])
    return _once(sources, np.concatenate([w * one.weights for one, w in each]))


def _first_source(part: tuple[Factors, int]) -> int:
    return int(part[0].sources[0, 0])


def _joined(args: Sequence[Factors]) -> Factors:
    terms = max(len(each.sources) for each in args)
    sources = [_padded(a.sources, terms, a.length, NOTHING) for a in args]
    weights = [_padded(a.weights, terms, a.length, 0.0) for a in args]
    return Factors(np.concatenate(sources, axis=1), np.concatenate(weights, axis=1))


def _folded(each: Factors, group: int) -> Factors:
    """Sums of so many neighbouring elements; the last may have fewer."""
    terms, length = len(each.sources), each.length + -each.length % group
    sources = _padded(each.sources, terms, length, NOTHING)
    return _once(_by_group(sources, group), _by_group(_padded(each.weights, terms, length, 0.0), group))


def _padded(rows: np.ndarray, terms: int, length: int, value: float) -> np.ndarray:
    """The rows with further ones, and further columns, of that value."""
    if rows.shape == (terms, length):
        return rows
    found = np.full((terms, length), value, dtype=rows.dtype)
    found[: len(rows), : rows.shape[1]] = rows
    return found


def _by_group(rows: np.ndarray, group: int) -> np.ndarray:
    """From shape (terms, groups * group) to (terms * group, groups)."""
    terms, groups = len(rows), rows.shape[1] // group
    return rows.reshape(terms, groups, group).transpose(0, 2, 1).reshape(terms * group, groups)


def _once(sources: Ints, weights: Floats) -> Factors:
    """The same sums, in which no source occurs twice."""
    if bool((sources[1:] > sources[:-1]).all()):
        return _without_nothing(sources, weights)
    order = np.argsort(sources, axis=0, kind="stable")
    sources = np.take_along_axis(sources, order, axis=0)
    weights = np.take_along_axis(weights, order, axis=0)
    again = (sources[1:] == sources[:-1]) & (sources[1:] != NOTHING)
    if not again.any():
        return _without_nothing(sources, weights)
    for row in np.flatnonzero(again.any(axis=1))[::-1]:  # each is added to the one before it, the last first
        here = again[row]
        weights[row, here] += weights[row + 1, here]
        weights[row + 1, here] = 0.0
    sources[1:][again] = NOTHING
    order = np.argsort(sources, axis=0, kind="stable")
    return _without_nothing(
        np.take_along_axis(sources, order, axis=0), np.take_along_axis(weights, order, axis=0)
    )


def _without_nothing(sources: Ints, weights: Floats) -> Factors:
    """Without the first rows where they have no source in any column; columns are sorted."""
    if len(sources) and sources[0, 0] != NOTHING:
        return Factors(sources, weights)
    used = np.flatnonzero((sources != NOTHING).any(axis=1))
    first = int(used[0]) if len(used) else len(sources)
    return Factors(sources[first:], weights[first:])
