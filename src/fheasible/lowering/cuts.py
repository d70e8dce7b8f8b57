"""Minimum cuts of a circuit: the fewest values that carry what is known by one depth beyond another."""

from collections.abc import Sequence
from functools import cached_property, lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

_NEVER = 1 << 28  # capacity of what cannot be cut, which is also the largest flow
_STARTS = 150  # potentials at which minimum cuts are found, about
_ONE = 1 << 10  # capacity of a value; one more for each level that its bootstrap needs besides


class CutValue(Protocol):
    """What a cut asks of a value (`bootstraps.Leveled`)."""

    @property
    def args(self) -> tuple[int, ...]: ...
    @property
    def takes(self) -> int: ...
    @property
    def room(self) -> int: ...
    @property
    def fresh(self) -> bool: ...
    @property
    def start(self) -> int: ...


class Cut(NamedTuple):
    """The values of a cut; the segment before it may begin at the potential `earliest`, or later."""

    values: tuple[int, ...]
    earliest: int


Windows = list[tuple[int, int, Cut]]


def crossings(values: Sequence[CutValue], potential: Sequence[int]) -> Windows:
    """(a, a, cut) by ascending a: all values that are there by the potential a and used beyond it."""
    crossing = _Edges(values, potential).crossing
    return [(at, at, cut) for at, cut in enumerate(crossing) if cut is not None and at]


def cuts(values: Sequence[CutValue], potential: Sequence[int]) -> Windows:
    """(a, b, cut) for windows [a, b] of potentials, by ascending a: the `crossings`, and minimum cuts that
    take less.

    b is a, or a and a power of two less 1 as far as a bootstrap's operand may be deep. A wider window is left
    out where it has no smaller cut. Of a very deep circuit, minimum cuts are found where the fewest values
    cross from one potential to the next; elsewhere the cut is all these values.
    """
    edges = _Edges(values, potential)
    deepest = max((v.room for v in values), default=0)
    found = crossings(values, potential)
    for start in sorted(_narrow(edges.crossing[1:], deepest)):
        found += _windows(edges, start, min(start + deepest, max(potential)) - 1)
    return sorted(found, key=lambda window: (window[:2], len(window[2].values)))


def _narrow(plain: "Sequence[Cut | None]", deepest: int) -> list[int]:
    """The potentials at which minimum cuts are found: of each stretch that a segment may span, the same
    number of those where the fewest values cross; only where more than one does."""
    stretch = max(deepest, 1)
    each = max(_STARTS * stretch // max(len(plain), 1), 1)
    found: list[int] = []
    for begin in range(0, len(plain), stretch):
        widths = [
            (_NEVER if cut is None else len(cut.values), at + 1)
            for at, cut in enumerate(plain[begin : begin + stretch], start=begin)
        ]
        found += [start for width, start in sorted(widths)[:each] if width > 1]
    return found


def _windows(edges: "_Edges", start: int, last: int) -> Windows:
    """The minimum cuts from that potential on that take less than the values that cross it, by wider windows,
    each with fewer values than those before; none where even the widest window has none."""
    found: Windows = []
    ends = [start, *(start + (1 << k) - 1 for k in range(1, 8) if start + (1 << k) - 1 <= last)]
    widest = edges.cut(start, ends[-1])
    for end in ends if widest is not None else ():
        cut = edges.cut(start, end) if end < ends[-1] else widest
        if cut is not None and all(len(cut.values) < len(other.values) for _, _, other in found):
            found.append((start, end, cut))
        if cut is not None and widest is not None and len(cut.values) == len(widest.values):
            break
    return found


class _Edges:
    """Who uses which value, as arrays."""

    def __init__(self, values: Sequence[CutValue], potential: Sequence[int]) -> None:
        pairs = [(a, at) for at, v in enumerate(values) for a in set(v.args)]
        self.user = np.array([at for _, at in pairs], dtype=np.int64)
        self.used = np.array([a for a, _ in pairs], dtype=np.int64)
        self.potential = np.asarray(potential, dtype=np.int64)
        takes = np.array([v.takes for v in values], dtype=np.int64)
        self.room = np.array([v.room for v in values], dtype=np.int64)
        self.begins = self.potential - np.maximum(takes, 1)
        self.late = self.potential[self.user] - takes[self.user]  # where a path begins that is cut here
        own = self.potential[self.user]
        self.jumps = set(
            zip(self.late[own - self.late > 1].tolist(), own[own - self.late > 1].tolist(), strict=True)
        )
        charged = _charged(values)
        self.counts = charged[self.used]  # what has as many levels as after a bootstrap need not be cut
        self.capacity = np.where(self.room < 0, _NEVER, _ONE + self.room.max(initial=0) - self.room)
        self._known = _known(self._digest())

    def _digest(self) -> bytes:
        """All that decides which values a cut has: with other numbers of levels it is often the same."""
        found = blake2b()
        ends = (self.user, self.used, self.late, self.counts)
        for part in (*ends, self.potential, self.begins, self.capacity):
            found.update(part.tobytes())
        return found.digest()

    @cached_property
    def crossing(self) -> list[Cut | None]:
        """For each potential below the largest, all values that are there by it and used beyond it; None if
        one is never bootstrapped."""
        own, most = self.potential, int(self.potential.max())
        until = np.full(len(own), -1)  # the last potential that a value crosses
        np.maximum.at(until, self.used, np.where(self.counts, np.minimum(self.late, own[self.user] - 1), -1))
        met: list[list[int]] = [[] for _ in range(most)]
        for value, (first, last) in enumerate(zip(own.tolist(), until.tolist(), strict=True)):
            for at in range(first, last + 1):
                met[at].append(value)
        room = self.room.tolist()
        possible = (
            not self._jumped(at, at) and all(room[v] >= 0 for v in chosen) for at, chosen in enumerate(met)
        )
        return [self._cut(chosen) if known else None for chosen, known in zip(met, possible, strict=True)]

    def _jumped(self, start: int, end: int) -> bool:
        """Whether some operation takes so many levels that it leads from before the window beyond it."""
        return any(late < start and own > end for late, own in self.jumps)

    def _cut(self, chosen: Sequence[int]) -> Cut:
        earliest = max([int(self.potential[v] - self.room[v]) for v in chosen], default=0)
        return Cut(tuple(chosen), max(earliest, 0))

    def cut(self, start: int, end: int) -> Cut | None:
        """The least cut, as late as possible, of what is there by `start` from what is made beyond `end`;
        None where all values that cross `start` take no more."""
        if (start, end) not in self._known:
            self._known[start, end] = self._chosen(start, end)
        chosen, crossing = self._known[start, end], self.crossing[start]
        if chosen is None or (crossing is not None and self._takes(chosen) >= self._takes(crossing.values)):
            return None
        return self._cut(chosen.tolist())

    def _takes(self, chosen: "Sequence[int] | Places") -> int:
        return int(self.capacity[np.asarray(chosen, dtype=np.int64)].sum())

    def _chosen(self, start: int, end: int) -> "Places | None":
        """The values of that cut; None if there is none."""
        own = self.potential
        if self._jumped(start, end):
            return None
        met = self.counts & (self.late >= start) & (own[self.used] <= end)
        used, user = self.used[met], self.user[met]
        inside, places = np.unique(used, return_inverse=True)
        if not len(inside):
            return inside
        beyond = own[user] > end
        after = np.searchsorted(inside, user)
        known = ~beyond & (after < len(inside))
        known[known] = inside[after[known]] == user[known]
        found = _least(
            self.capacity[inside],
            np.flatnonzero(self.begins[inside] < start),
            np.unique(places[beyond]),
            places[known],
            after[known],
        )
        return None if found is None else inside[found]


@lru_cache(maxsize=64)
def _known(digest: bytes) -> "dict[tuple[int, int], Places | None]":
    """The values of the cuts that were found where that decides them, by the potentials of their windows."""
    return {}


def _charged(values: Sequence[CutValue]) -> NDArray[np.bool_]:
    """Whether each value has fewer levels than after a bootstrap, if none but the user's is bootstrapped."""
    depths: list[int] = []
    for v in values:
        own = v.start if v.fresh else max([depths[a] for a in v.args], default=0) + v.takes
        depths.append(own)
    return np.array(depths, dtype=np.int64) > 0


Places = NDArray[np.int64]


def _least(capacity: Places, sources: Places, sinks: Places, before: Places, after: Places) -> Places | None:
    """The places of a least cut, the one nearest to the sinks; None if nothing that can be cut separates.

    Value k comes in at node 2 k and goes out at node 2 k + 1. The source reaches all sources through one
    edge, so that no flow is larger than what that edge can carry.
    """
    from scipy.sparse import csr_array  # which takes a while to import, and few programs are this deep
    from scipy.sparse.csgraph import maximum_flow

    count = len(capacity)
    gate, source, sink = 2 * count, 2 * count + 1, 2 * count + 2
    own = np.arange(count)
    tails = np.concatenate([2 * own, [source], np.full(len(sources), gate), 2 * sinks + 1, 2 * before + 1])
    heads = np.concatenate([2 * own + 1, [gate], 2 * sources, np.full(len(sinks), sink), 2 * after])
    wide = np.full(len(tails) - count, _NEVER)
    capacities = np.concatenate([capacity, wide]).astype(np.int32)
    order = np.lexsort((heads, tails))
    rows = np.concatenate([[0], np.cumsum(np.bincount(tails, minlength=sink + 1))]).astype(np.int32)
    graph = csr_array((capacities[order], heads[order].astype(np.int32), rows), shape=(sink + 1, sink + 1))
    flow = maximum_flow(graph, source, sink)
    if flow.flow_value >= _NEVER:
        return None
    reaching = _reaching(sink, tails[order], heads[order], capacities[order], flow.flow)
    return np.flatnonzero(~reaching[0:gate:2] & reaching[1:gate:2])


def _reaching(sink: int, tails: Places, heads: Places, capacities: Any, flow: Any) -> NDArray[np.bool_]:
    """The nodes from which more could flow to the sink, along edges that are sorted."""
    nodes = sink + 1
    first, second = np.repeat(np.arange(nodes), np.diff(flow.indptr)), flow.indices.astype(np.int64)
    left = -flow.data.astype(np.int64)  # of edges that are there in the other direction alone
    left[np.searchsorted(first * nodes + second, tails * nodes + heads)] += capacities
    open_ = left > 0
    into = np.argsort(second[open_], kind="stable")
    origins, ends = first[open_][into].tolist(), np.searchsorted(second[open_][into], np.arange(nodes + 1))
    bounds = ends.tolist()
    found = np.zeros(nodes, dtype=bool)
    found[sink], waiting = True, [sink]
    while waiting:
        node = waiting.pop()
        for origin in origins[bounds[node] : bounds[node + 1]]:
            if not found[origin]:
                found[origin] = True
                waiting.append(origin)
    return found
