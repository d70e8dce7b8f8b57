"""Try every parameter set of the ring schemes at once, keep what is feasible, put the best first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from fheasible.aliases import Json
from fheasible.circuit.node import Circuit
from fheasible.errors import CircuitError, PromiseBroken
from fheasible.estimation.ring_profile import LIBRARY, RingProfile
from fheasible.exploration.rings.choice import RingCandidate, judged
from fheasible.exploration.rings.figures import Call, Load, figures, workload
from fheasible.exploration.rings.pool import RingPool, insecure, not_bits, too_large, too_shallow, too_slow
from fheasible.exploration.rings.space import RingSets, bears, grid, plain_modulus, with_depths
from fheasible.exploration.rings.wish import SECRET, RingWish
from fheasible.schemes.noise import PANTHERS
from fheasible.schemes.plan import Plan, plan
from fheasible.schemes.scheme import RingScheme
from fheasible.security.verdict import verdicts


@dataclass(frozen=True, slots=True)
class RingRejected:
    """Why no set of a scheme is feasible: its nearest miss."""

    kind: type[RingScheme]
    reason: str

    def to_json(self) -> Json:
        return {"library": LIBRARY, "scheme": self.kind.name, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class RingExploration:
    """The result of a search. `candidates` are feasible, best first: the best q of each scheme, n and w, and
    all sets that no other beats in complexity and memory at once. `feasible` counts every feasible set.
    `depths` are those as written and minimised."""

    app: str
    wish: RingWish
    depths: tuple[int, int]
    explored: int
    feasible: int
    seconds: float
    candidates: tuple[RingCandidate, ...]
    rejected: tuple[RingRejected, ...]
    warnings: tuple[str, ...]

    @property
    def best(self) -> RingCandidate | None:
        return self.candidates[0] if self.candidates else None

    @property
    def depth(self) -> int:
        """The depth of the order of products that is evaluated."""
        return self.depths[0 if self.wish.as_written else 1]

    def best_of(self, kind: type[RingScheme]) -> RingCandidate | None:
        return next((c for c in self.candidates if c.kind is kind), None)

    def to_json(self) -> Json:
        written, minimised = self.depths
        return {
            "app": self.app,
            "security": self.wish.rule,
            "noise": self.wish.noise,
            "objective": self.wish.objective,
            "depth": {"as_written": written, "minimised": minimised, "evaluated": self.depth},
            "explored": self.explored,
            "feasible": self.feasible,
            "seconds": self.seconds,
            "candidates": [c.to_json() for c in self.candidates],
            "rejected": [r.to_json() for r in self.rejected],
            "warnings": list(self.warnings),
        }


def explore_rings(
    circuit: Circuit,
    wish: RingWish,
    schemes: Sequence[type[RingScheme]],
    profile: RingProfile | None = None,
) -> RingExploration:
    """What the ring schemes offer for the application, judged against the wish."""
    start = perf_counter()
    try:
        written, minimised = (plan(circuit, least) for least in (False, True))
    except CircuitError as error:  # no scheme of integers can express it
        return _inexpressible(circuit, wish, schemes, error)
    search = _Search(written if wish.as_written else minimised, wish, profile)
    pools = [search(kind) for kind in schemes]
    found = [p for p in pools if isinstance(p, RingPool)]
    candidates = _candidates(found, wish)
    return RingExploration(
        circuit.name,
        wish,
        (written.depth, minimised.depth),
        search.explored,
        sum(len(p) for p in found),
        perf_counter() - start,
        tuple(candidates),
        tuple(p for p in pools if isinstance(p, RingRejected)),
        _unjudged(wish, profile),
    )


def _inexpressible(
    circuit: Circuit, wish: RingWish, schemes: Sequence[type[RingScheme]], error: CircuitError
) -> RingExploration:
    rejected = tuple(RingRejected(kind, error.message) for kind in schemes)
    return RingExploration(circuit.name, wish, (0, 0), 0, 0, 0.0, (), rejected, ())


def _unjudged(wish: RingWish, profile: RingProfile | None) -> tuple[str, ...]:
    found = []
    if wish.noise == PANTHERS:
        found.append(
            "the noise formulas of PAnTHErS's code guarantee nothing: they count products in succession "
            "but no sums, and for F-NTRU an average that products of products exceed; remedy: --noise "
            "worst-case"
        )
    if profile is None and wish.max_seconds is not None:
        found.append(
            "the limit on time cannot be checked, because the ring schemes have no profile on this machine; "
            f"remedy: fheasible calibrate --library {LIBRARY}"
        )
    return tuple(found)


class _Search:
    """Judges the sets of one scheme after the other, for the application's steps."""

    def __init__(self, steps: Plan, wish: RingWish, profile: RingProfile | None) -> None:
        self.steps, self.wish, self.profile = steps, wish, profile
        self.calls: Mapping[Call, Load] = workload(steps)
        self.grid = grid(wish)
        self.explored = 0

    def __call__(self, kind: type[RingScheme]) -> RingPool | RingRejected:
        t = 2 if kind.bits else plain_modulus(self.steps)
        try:
            self.steps.check_modulus(t)
        except PromiseBroken:
            return RingRejected(kind, not_bits(kind, self.steps, plain_modulus(self.steps)))
        self.explored += len(self.grid)
        there = self.grid.where(self.grid.n > 0)
        sets = with_depths(kind, there, t, self.wish, self.steps)
        deep = sets.where(bears(kind, sets, t, self.wish, self.steps))
        if not len(deep):
            return RingRejected(kind, too_shallow(sets, self.steps.depth, self.wish))
        secure = deep.where(self._secure(kind, deep))
        if not len(secure):
            return RingRejected(kind, insecure(kind, deep, self.steps.depth, self.wish))
        return self._within_limits(self._counted(kind, secure, t))

    def _secure(self, kind: type[RingScheme], sets: RingSets) -> Any:
        """Which sets may be recommended by today's estimate; all of them where the wish ignores security."""
        if self.wish.ignore_security:
            return np.ones(len(sets), dtype=bool)
        found = verdicts(kind.problem, sets.n, sets.log_q, SECRET, self.wish.quantum)
        return found.reaches(self.wish.least_bits)

    def _counted(self, kind: type[RingScheme], sets: RingSets, t: int) -> RingPool:
        return RingPool.of(kind, t, sets, figures(kind, sets.parameters(t), self.calls), self.profile)

    def _within_limits(self, pool: RingPool) -> RingPool | RingRejected:
        most = self.wish.max_bytes
        if most is not None:
            small = pool.where(pool.bytes <= most)
            if not len(small):
                return RingRejected(pool.kind, too_large(pool, most))
            pool = small
        seconds = self.wish.max_seconds
        if seconds is not None and pool.seconds is not None:
            fast = pool.where(pool.seconds["total"] <= seconds)
            if not len(fast):
                return RingRejected(pool.kind, too_slow(pool, seconds))
            pool = fast
        return pool


def _candidates(pools: Sequence[RingPool], wish: RingWish) -> list[RingCandidate]:
    if not pools:
        return []
    least = (min(p.complexity.min() for p in pools), min(p.memory.min() for p in pools))
    compromises = [np.sqrt(p.complexity / least[0] * (p.memory / least[1])) for p in pools]
    found = []
    for pool, compromise, front in zip(pools, compromises, _fronts(pools), strict=True):
        costs = {"complexity": pool.complexity, "memory": pool.memory, "compromise": compromise}
        places = _shown(pool, costs[wish.objective], front)
        found += [_candidate(pool, i, float(compromise[i]), bool(front[i]), wish) for i in places]
    found.sort(key=lambda c: (c.cost(wish.objective), c.complexity, c.memory, c.parameters.log_q))
    return found


def _fronts(pools: Sequence[RingPool]) -> list[Any]:
    """Masks of the sets that no other of any scheme beats in complexity and memory at once."""
    complexity = np.concatenate([p.complexity for p in pools])
    memory = np.concatenate([p.memory for p in pools])
    order = np.lexsort((memory, complexity))
    least = np.minimum.accumulate(memory[order])
    front = np.zeros(len(order), dtype=bool)
    front[order] = np.concatenate([[True], least[1:] < least[:-1]])
    return np.split(front, np.cumsum([len(p) for p in pools])[:-1])


def _shown(pool: RingPool, cost: Any, front: Any) -> Any:
    """The places of the best q for each n and w, and of the front."""
    sets = pool.sets
    order = np.lexsort((sets.log_q, pool.memory, pool.complexity, cost))
    kinds = np.stack([sets.n, sets.log_w])[:, order]
    _, first = np.unique(kinds, axis=1, return_index=True)
    return np.union1d(order[first], np.flatnonzero(front))


def _candidate(pool: RingPool, i: int, compromise: float, front: bool, wish: RingWish) -> RingCandidate:
    p = pool.sets.at(i, pool.t)
    verdict, warnings = judged(pool.kind, p, wish)
    return pool.candidate(i, compromise, front, verdict, warnings)
