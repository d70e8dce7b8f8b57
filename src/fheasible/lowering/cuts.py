"""Minimum cuts of a circuit: the fewest values that carry what is known by one depth beyond another."""

from collections.abc import Sequence
from functools import lru_cache
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


def cuts(values: Sequence[CutValue], potential: Sequence[int]) -> list[tuple[int, int, Cut]]:
    """(a, b, cut) for windows [a, b] of potentials, by ascending a.

    b is a, or a and a power of two less 1 as far as a bootstrap's operand may be deep. A wider window is left
    out where it has no smaller cut. Of a very deep circuit, minimum cuts are found where the fewest values
    cross from one potential to the next; elsewhere the cut is all these values.
    """
    edges = _Edges(values, potential)
    deepest = max((v.room for v in values), default=0)
    plain = [edges.crossing(start) for start in range(1, max(potential))]
    found = []
    for start, crossing in enumerate(plain, start=1):
        if crossing is not None:
            found.append((start, start, crossing))
    for start in sorted(_narrow(plain, deepest)):
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


def _windows(edges: "_Edges", start: int, last: int) -> list[tuple[int, int, Cut]]:
    found: list[tuple[int, int, Cut]] = []
    ends = [start, *(start + (1 << k) - 1 for k in range(1, 8) if start + (1 << k) - 1 <= last)]
    widest = edges.cut(start, ends[-1])
    for end in ends:
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

    def crossing(self, at: int) -> Cut | None:
        """All values that are there by a potential and used beyond it; None if one is never bootstrapped."""
        own = self.potential
        if self._jumped(at, at):
            return None
        met = self.counts & (own[self.used] <= at) & (own[self.user] > at) & (self.late >= at)
        chosen = np.unique(self.used[met])
        if (self.room[chosen] < 0).any():
            return None
        return self._cut(chosen)

    def _jumped(self, start: int, end: int) -> bool:
        """Whether some operation takes so many levels that it leads from before the window beyond it."""
        return bool(((self.late < start) & (self.potential[self.user] > end)).any())

    def _cut(self, chosen: NDArray[np.int64]) -> Cut:
        earliest = (self.potential[chosen] - self.room[chosen]).max(initial=0)
        return Cut(tuple(chosen.tolist()), int(earliest))

    def cut(self, start: int, end: int) -> Cut | None:
        """The least cut, as late as possible, of what is there by `start` from what is made beyond `end`."""
        if (start, end) not in self._known:
            self._known[start, end] = self._chosen(start, end)
        chosen = self._known[start, end]
        return None if chosen is None else self._cut(chosen)

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
