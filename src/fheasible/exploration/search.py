"""Try every choice, keep what is feasible, put the best first."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from time import perf_counter
from typing import Any

from fheasible.errors import CircuitError
from fheasible.estimation.profile import Profile
from fheasible.exploration.candidate import Candidate
from fheasible.exploration.foresee import hopeless
from fheasible.exploration.judge import Judge, Rejection, refused, too_small
from fheasible.exploration.problem import Problem
from fheasible.exploration.sharing import REMEDY, leak
from fheasible.exploration.space import Family, families
from fheasible.exploration.wish import Wish
from fheasible.libraries.catalogue import Library

LESS_STEEP = "narrow the interval where the function is steep, or ask for less precision: --precision"

Json = dict[str, Any]
Report = Callable[[str, int], None]
Verdicts = dict[int, Candidate | Rejection]


@dataclass(frozen=True, slots=True)
class Rejected:
    """Why a whole (library, scheme) is out: its nearest miss."""

    library: str
    scheme: str
    reason: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Exploration:
    """`candidates` are feasible, best first."""

    problem: Problem
    wish: Wish
    explored: int
    seconds: float
    candidates: tuple[Candidate, ...]
    front: frozenset[Candidate]
    rejected: tuple[Rejected, ...]
    uncalibrated: tuple[str, ...] = field(default=())

    @property
    def best(self) -> Candidate | None:
        return self.candidates[0] if self.candidates else None

    def _approximations(self) -> list[Json]:
        """Those of the best candidate."""
        if self.best is None or self.best.scheme != "ckks":
            return []
        return [asdict(a) for a in self.problem.approximations(self.best.degrees)]

    def to_json(self) -> Json:
        return {
            "app": self.problem.circuit.name,
            "data": self.problem.source,
            "approximations": self._approximations(),
            "explored": self.explored,
            "feasible": len(self.candidates),
            "seconds": self.seconds,
            "candidates": [c.to_json(c in self.front) for c in self.candidates],
            "rejected": [
                {"library": r.library, "scheme": r.scheme, "reason": r.reason, "remedy": r.remedy}
                for r in self.rejected
            ],
            "warnings": list(self.problem.warnings),
        }


def explore(
    problem: Problem,
    wish: Wish,
    libraries: Sequence[Library],
    profiles: Mapping[str, Profile],
    report: Report = lambda _, __: None,
) -> Exploration:
    """Everything that the libraries offer for the problem, judged against the wish."""
    start = perf_counter()
    explored, found, rejected = 0, [], []
    for library in libraries:
        for scheme in library.schemes:
            report(f"{library.name} {scheme}", explored)
            candidates, count, nearest = _explore_scheme(
                problem, wish, library, scheme, profiles.get(library.name)
            )
            explored += count
            found += candidates
            if nearest and not candidates:
                rejected.append(Rejected(library.name, scheme, nearest.reason, nearest.remedy))
    found.sort(key=lambda c: (c.cost(wish.objective), *_point(c)))  # ties: the one that nothing beats
    missing = tuple(lib.name for lib in libraries if lib.name not in profiles or profiles[lib.name].origin)
    return Exploration(
        problem, wish, explored, perf_counter() - start, tuple(found), pareto(found), tuple(rejected), missing
    )


def _explore_scheme(
    problem: Problem, wish: Wish, library: Library, scheme: str, profile: Profile | None
) -> tuple[list[Candidate], int, Rejection | None]:
    """Feasible candidates, how many sets were tried, and the nearest miss."""
    unsuited = problem.unsuited(scheme)
    if unsuited:
        return [], 0, Rejection("expression", unsuited)
    leaking = leak(problem, library, scheme, wish.shared_results)
    if leaking:
        return [], 0, Rejection("expression", leaking, remedy=REMEDY)
    judge = Judge(problem, library, scheme, wish, profile)
    verdicts: list[Candidate | Rejection] = []
    try:
        steep = problem.too_steep(wish.least) if scheme == "ckks" else ""
        if steep:
            return [], 0, Rejection("precision", steep, remedy=LESS_STEEP)
        known = hopeless(problem, library, scheme, wish)
        if known:
            return [], 0, Rejection("parameters", known.message, remedy=known.remedy)
        for degrees in problem.degrees_to_try(wish.least):
            for family in families(problem, library, scheme, degrees, judge.floods):
                verdicts += _verdicts(judge, family)
    except CircuitError as error:  # no other choice can express it either
        return [], len(verdicts), Rejection("expression", error.message, remedy=error.remedy)
    misses = (v for v in verdicts if isinstance(v, Rejection))
    nearest = min(misses, key=lambda miss: miss.distance, default=None)
    return [v for v in verdicts if isinstance(v, Candidate)], len(verdicts), nearest


def _verdicts(judge: Judge, family: Family) -> list[Candidate | Rejection]:
    """Of sizes up to the least that is not too small; of CKKS larger ones too, which are more precise, as far
    as they fit the ring of that least one. Then of what there is instead, if nothing fits."""
    found = _of_sizes(judge, family)
    if family.instead and not any(isinstance(verdict, Candidate) for verdict in found):
        found += _verdicts(judge, family.instead)
    return found


def _of_sizes(judge: Judge, family: Family) -> list[Candidate | Rejection]:
    if judge.exact and len(family.sizes) > 1 and too_small(largest := judge(family.at(family.sizes[-1]))):
        return [largest]
    verdicts: dict[int, Candidate | Rejection] = {}
    below: int | None = None  # the size before, where it was too small
    for size in family.sizes:
        fitting = {s: v for s, v in verdicts.items() if isinstance(v, Candidate)}
        if fitting and judge.outgrown(fitting[min(fitting)], size - min(fitting)):
            break
        verdicts[size] = judge(family.at(size))
        if below is not None and not too_small(verdicts[size]):
            _between(judge, family, verdicts, below, size)
        below = size if _short(verdicts, size) else None
    return [_limited(verdict, verdicts.get(size - 1)) for size, verdict in verdicts.items()]


def _short(verdicts: Verdicts, size: int) -> bool:
    """Whether the size is too small: what the library refuses is, unless a smaller one was judged already."""
    smaller = (v for s, v in verdicts.items() if s < size)
    return too_small(verdicts[size]) or (refused(verdicts[size]) and all(refused(v) for v in smaller))


def _between(judge: Judge, family: Family, verdicts: Verdicts, short: int, enough: int) -> None:
    """Adds the sizes that lead to the least one that is not too small."""
    while enough - short > 1:
        middle = (short + enough) // 2
        verdicts[middle] = judge(family.at(middle))
        short, enough = (middle, enough) if _short(verdicts, middle) else (short, middle)


def _limited(verdict: Candidate | Rejection, below: Candidate | Rejection | None) -> Candidate | Rejection:
    """A candidate knows why the next smaller size does not do."""
    if isinstance(verdict, Candidate) and isinstance(below, Rejection):
        return replace(verdict, limit=below.reason)
    return verdict


def pareto(candidates: Sequence[Candidate]) -> frozenset[Candidate]:
    """Those that no other beats in time, memory, modulus and precision at once; of equals the first."""
    points = [(_point(c), c) for c in candidates]
    points.sort(key=lambda pc: pc[0])
    front: list[tuple[tuple[float, ...], Candidate]] = []
    for point, candidate in points:
        if not any(all(a <= b for a, b in zip(kept, point, strict=True)) for kept, _ in front):
            front.append((point, candidate))
    return frozenset(c for _, c in front)


def _point(c: Candidate) -> tuple[float, ...]:
    bits = c.estimate.precision_bits
    return (c.cost("time"), c.cost("memory"), c.parameters.log_qp, -(53.0 if bits is None else bits))
