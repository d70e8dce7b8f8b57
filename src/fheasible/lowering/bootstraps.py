"""Where bootstraps stand: the fewest values to be bootstrapped so that no value falls below level 0.

Depth is counted in levels since the last bootstrap, or since encryption. It is below 0 for as long as a fresh
value has more levels than a bootstrap leaves. An operation is possible where the depth of its operands and
the levels that it takes stay within what its value may use up. To find the fewest bootstraps is NP-hard for
general circuits [PaiVia15], [BLMZ17]. These are the parts of the search:

1.  Cuts, a shortest path. Let the potential of a value be the number of levels on the longest path to it, or
    the largest that its users allow. The values that are there by a potential and used beyond it are a cut.
    For every window [a, b] of potentials, a minimum cut separates what is there by a from what is computed
    beyond b, by as few values as possible. A segment from one cut to the next is short enough where b of the
    later window is near enough to a of the earlier one. The shortest path over windows has the fewest
    bootstraps of all placements by successive cuts. What it places in vain is taken away again.
2.  A search by branching: every placement must bootstrap some value on the first path that is too long.
3.  A lower bound ends branches: paths that are too long and that no two could share a bootstrap.

Minimum cuts take long to find, so the cuts of single potentials come first. Where a short search shows that
no placement has fewer bootstraps than these, which is often so, it ends there. Otherwise it begins again
with minimum cuts. The search is given up after a fixed amount of work, the same on every machine.

`Placement.proven` says whether the number is known to be the least.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from fheasible.lowering.cuts import Cut, Windows, crossings, cuts

# Values that the search by branching looks at, at most.
_FIRST = 15_000  # before minimum cuts are found,
_OF_EACH = 25  # and so often each value of a large circuit, so that its first lower bound is known
_WORK = 60_000  # afterwards


FindsCuts = Callable[[Sequence["Leveled"], Sequence[int]], Windows]


class Leveled(NamedTuple):
    """A value as far as levels go. `args` are the places of its operands, which stand before it.

    Its operation takes `takes` levels and is possible to a depth of `most`. The value itself may be
    bootstrapped to a depth of `room`; -1 if never. If `fresh`, it has the depth `start`, whatever its
    operands have.
    """

    args: tuple[int, ...]
    takes: int
    most: int
    room: int
    fresh: bool = False
    start: int = 0


@dataclass(frozen=True, slots=True)
class Placement:
    """The places of the values that are bootstrapped, and whether fewer are known to be impossible."""

    chosen: frozenset[int]
    proven: bool


class Walk(NamedTuple):
    """The depth of every value, with bootstraps, up to the first that is impossible; None where all are."""

    depths: list[int]
    failed: int | None


def walked(
    values: Sequence[Leveled],
    chosen: Collection[int],
    blocked: Collection[int] = (),
    before: Sequence[int] = (),
) -> Walk:
    """The depths with the values in `chosen` bootstrapped; paths through `blocked` values are ignored.
    `before`: the depths of the first values, where they are known."""
    depths = list(before)
    for place in range(len(depths), len(values)):
        args, takes, most, room, fresh, start = values[place]
        depth = start
        if args:
            depth = depths[args[0]]
            for a in args:
                if depths[a] > depth:
                    depth = depths[a]
            depth += takes
        if depth > most or (place in chosen and depth > room):
            return Walk(depths, place)
        depths.append(start if fresh else 0 if place in chosen or place in blocked else depth)
    return Walk(depths, None)


def latest_starts(values: Sequence[Leveled], chosen: Collection[int]) -> dict[int, int]:
    """The depth at which each value without operands may start at the latest, with those in `chosen`
    bootstrapped; 0 at most."""
    latest = [v.most for v in values]
    for at in range(len(values) - 1, -1, -1):
        v = values[at]
        own = min(v.room, v.most) if at in chosen else v.most if v.fresh and v.args else latest[at]
        for a in v.args:
            latest[a] = min(latest[a], own - v.takes)
    return {at: min(latest[at], 0) for at, v in enumerate(values) if not v.args}


def impossible(values: Sequence[Leveled]) -> int | None:
    """The place of the first value that is out of reach even if all others are bootstrapped; None if all are
    within reach."""
    return _everywhere(values)[1]


def place(values: Sequence[Leveled]) -> Placement:
    """The fewest bootstraps that were found. Every value must be within reach (`impossible`)."""
    return _placed(tuple(values))


def roughly(values: Sequence[Leveled]) -> int:
    """A number of bootstraps that is enough, known at once: seldom more than a third above the fewest."""
    if walked(values, ()).failed is None:
        return 0
    return min(len(chosen) for chosen in (_everywhere(values)[0], *_candidates(values, crossings)))


@lru_cache(maxsize=128)  # libraries and techniques ask for the same places
def _placed(values: tuple[Leveled, ...]) -> Placement:
    if walked(values, ()).failed is None:
        return Placement(frozenset(), True)
    best = _everywhere(values)[0]
    for found, work in ((crossings, max(_FIRST, _OF_EACH * len(values))), (cuts, _WORK)):
        search = _Search(values, _best((best, *_candidates(values, found))), work)
        if search.ended():
            return Placement(search.best, True)
        best = search.best
    return Placement(best, False)


def _best(placements: Iterable[frozenset[int]]) -> frozenset[int]:
    return min(placements, key=lambda chosen: (len(chosen), sorted(chosen)))


def _everywhere(values: Sequence[Leveled]) -> tuple[frozenset[int], int | None]:
    """All values that can be bootstrapped if those before them are; and the first value out of reach."""
    depths: list[int] = []
    chosen: list[int] = []
    for at, v in enumerate(values):
        depth = max([depths[a] for a in v.args], default=0) + v.takes
        if depth > v.most:
            return frozenset(chosen), at
        if v.fresh:
            depth = v.start
        elif 0 < depth <= v.room:
            chosen.append(at)
            depth = 0
        depths.append(depth)
    return frozenset(chosen), None


# -- by cuts -------------------------------------------------------------------------------------------


def _candidates(values: Sequence[Leveled], found: FindsCuts) -> Iterator[frozenset[int]]:
    """Placements, each with nothing in vain: by cuts in potentials of two kinds; else by need alone."""
    none = True
    for potential in dict.fromkeys((_earliest(values), _latest(values))):
        chosen = _shortest_path(values, potential, found)
        if chosen is not None and walked(values, chosen).failed is None:
            yield pruned(values, chosen)
            none = False
    if none:
        yield pruned(values, _everywhere(values)[0])


def _earliest(values: Sequence[Leveled]) -> tuple[int, ...]:
    """The number of levels on the longest path to each value."""
    found: list[int] = []
    for v in values:
        found.append(max([found[a] for a in v.args], default=0) + v.takes)
    return tuple(found)


def _latest(values: Sequence[Leveled]) -> tuple[int, ...]:
    """The largest potential that the users of each value allow; results are where they are earliest."""
    found: list[int | None] = [None] * len(values)
    earliest = _earliest(values)
    for at in range(len(values) - 1, -1, -1):
        own = found[at]
        own = found[at] = earliest[at] if own is None else own
        for a in values[at].args:
            known = found[a]
            found[a] = own - values[at].takes if known is None else min(known, own - values[at].takes)
    return tuple(potential or 0 for potential in found)


class _Step(NamedTuple):
    """A cut and those before it: how many values they have, and the levels that fresh values need for the
    first of them, beyond those that a bootstrap leaves."""

    cost: tuple[int, int]
    cut: Cut | None
    before: "_Step | None"


def _shortest_path(
    values: Sequence[Leveled], potential: Sequence[int], found: FindsCuts
) -> frozenset[int] | None:
    """The values of the cheapest of the successive cuts that are found; None if the windows have no path.

    Where fresh values have more levels than others, the first cuts have no values: whatever is there has as
    many levels as after a bootstrap.
    """
    floor = _floors(values, potential)
    best: dict[int, _Step] = {0: _Step((0, 0), None, None)}
    for start, end, cut in found(values, potential):
        earliest = max(floor[end], cut.earliest)
        steps = [best[a] for a in range(max(earliest, 0), start) if a in best]
        if steps:
            before = min(steps, key=lambda step: step.cost)
            count, begun = before.cost
            cost = count + len(cut.values), begun if cut.values or count else start
            if start not in best or cost < best[start].cost:
                best[start] = _Step(cost, cut, before)
    ends = [step for a, step in best.items() if a >= floor[-1]]
    return _united(min(ends, key=lambda step: step.cost)) if ends else None


def _floors(values: Sequence[Leveled], potential: Sequence[int]) -> list[int]:
    """For each potential, where the segment may begin at the earliest that reaches so far."""
    found = [0] * (max(potential) + 1)
    for v, own in zip(values, potential, strict=True):
        found[own] = max(found[own], own - v.most)
    for at in range(1, len(found)):
        found[at] = max(found[at], found[at - 1])
    return found


def _united(last: _Step) -> frozenset[int]:
    found: set[int] = set()
    step: _Step | None = last
    while step is not None and step.cut is not None:
        found.update(step.cut.values)
        step = step.before
    return frozenset(found)


def pruned(values: Sequence[Leveled], chosen: frozenset[int]) -> frozenset[int]:
    """The bootstraps without those that are in vain, first things first.

    One may turn out to be in vain once a later one, which could not be done without it, is gone.
    """
    users: list[list[int]] = [[] for _ in values]
    for at, v in enumerate(values):
        for a in set(v.args):
            users[a].append(at)
    depths = walked(values, chosen).depths
    kept, before = set(chosen), len(chosen) + 1
    while len(kept) < before:
        before = len(kept)
        for at in sorted(kept):
            changed = _without(values, users, depths, kept, at)
            if changed is not None:
                kept.discard(at)
                for place, depth in changed.items():
                    depths[place] = depth
    return frozenset(kept)


def _without(
    values: Sequence[Leveled],
    users: Sequence[Sequence[int]],
    depths: Sequence[int],
    kept: Collection[int],
    at: int,
) -> dict[int, int] | None:
    """The depths that change if the value is not bootstrapped; None if some value is then out of reach."""
    own = max([depths[a] for a in values[at].args], default=0) + values[at].takes
    changed = {at: own}
    waiting = list(users[at])
    while waiting:
        place = waiting.pop()
        v = values[place]
        depth = max([changed.get(a, depths[a]) for a in v.args]) + v.takes
        if depth > v.most or (place in kept and depth > v.room):
            return None
        if not v.fresh and place not in kept and depth > changed.get(place, depths[place]):
            changed[place] = depth
            waiting += users[place]
    return changed


# -- how few there can be --------------------------------------------------------------------------------


def _too_long(values: Sequence[Leveled], walk: Walk) -> list[int]:
    """The values on the path to the one that failed, one of which any placement must bootstrap, latest first.

    A value that is too deep already can only be bootstrapped if an earlier one of them is, too.
    """
    assert walk.failed is not None
    found: list[int] = []
    at = walk.failed
    while values[at].args:
        at = max(values[at].args, key=lambda a: walk.depths[a])
        if walk.depths[at] <= 0:
            break
        if walk.depths[at] <= values[at].room:
            found.append(at)
    return found


class _Search:
    """A search by branching for fewer bootstraps than in `best`, until `work` is used up."""

    def __init__(self, values: Sequence[Leveled], best: frozenset[int], work: int) -> None:
        self.values, self.best, self.work = values, best, work

    def ended(self) -> bool:
        """Whether the search ends with the knowledge that fewer bootstraps than in `best` are impossible."""
        self.branch(frozenset(), frozenset())
        return self.work > 0

    def branch(self, chosen: frozenset[int], never: frozenset[int], known: Sequence[int] = ()) -> None:
        """Tries all placements with the values in `chosen` and without those in `never`. `known`: the depths
        of the first values."""
        walk = self._walked(chosen, (), known)
        if walk.failed is None:
            self.best = min(self.best, chosen, key=len)
            return
        for at in self._hopeful(chosen, never, walk):
            if self.work <= 0 or len(chosen) + 1 >= len(self.best):
                return
            self.branch(chosen | {at}, never, walk.depths[:at])
            never = never | {at}

    def _hopeful(self, chosen: frozenset[int], never: frozenset[int], walk: Walk) -> list[int]:
        """The values of the first path that is too long, without those in `never`; none where paths that are
        too long, and that no two could share a bootstrap, are so many that there are no fewer bootstraps
        than in `best`."""
        first = found = [at for at in _too_long(self.values, walk) if at not in never]
        blocked: set[int] = set()
        left = len(self.best) - len(chosen) - 1
        while found and left and self.work > 0:
            blocked.update(found)
            walk = self._walked(chosen, blocked, walk.depths[: min(found)])
            if walk.failed is None:
                return first
            found = [at for at in _too_long(self.values, walk) if at not in never]
            left -= 1
        return []

    def _walked(self, chosen: frozenset[int], blocked: Collection[int], known: Sequence[int]) -> Walk:
        walk = walked(self.values, chosen, blocked, known)
        self.work -= len(walk.depths) - len(known) + 1
        return walk
