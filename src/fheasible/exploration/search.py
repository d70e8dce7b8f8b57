"""Try every choice, keep what is feasible, put the best first."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from fheasible.errors import CircuitError
from fheasible.estimation.profile import Profile
from fheasible.exploration.candidate import Candidate
from fheasible.exploration.judge import Judge, Rejection
from fheasible.exploration.problem import Problem
from fheasible.exploration.space import choices
from fheasible.exploration.wish import Wish
from fheasible.libraries.catalogue import Library

Json = dict[str, Any]
Report = Callable[[str, int], None]


@dataclass(frozen=True, slots=True)
class Rejected:
    """Why a whole (library, scheme) is out: its nearest miss."""

    library: str
    scheme: str
    reason: str


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

    def to_json(self) -> Json:
        return {
            "app": self.problem.circuit.name,
            "data": self.problem.source,
            "explored": self.explored,
            "feasible": len(self.candidates),
            "seconds": self.seconds,
            "candidates": [c.to_json(c in self.front) for c in self.candidates],
            "rejected": [
                {"library": r.library, "scheme": r.scheme, "reason": r.reason} for r in self.rejected
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
            candidates, count, reason = _explore_scheme(
                problem, wish, library, scheme, profiles.get(library.name)
            )
            explored += count
            found += candidates
            if not candidates:
                rejected.append(Rejected(library.name, scheme, reason))
    found.sort(key=lambda c: (c.cost(wish.objective), *_point(c)))  # ties: the one that nothing beats
    missing = tuple(lib.name for lib in libraries if lib.name not in profiles or profiles[lib.name].origin)
    return Exploration(
        problem, wish, explored, perf_counter() - start, tuple(found), pareto(found), tuple(rejected), missing
    )


def _explore_scheme(
    problem: Problem, wish: Wish, library: Library, scheme: str, profile: Profile | None
) -> tuple[list[Candidate], int, str]:
    """Feasible candidates, how many sets were tried, and the nearest miss."""
    unsuited = problem.unsuited(scheme)
    if unsuited:
        return [], 0, unsuited
    judge = Judge(problem, library, scheme, wish, profile)
    count, candidates = 0, []
    nearest: Rejection | None = None
    for choice in choices(problem, library, scheme):
        count += 1
        try:
            verdict = judge(choice)
        except CircuitError as error:  # no other choice can express it either
            return [], count, error.message
        if isinstance(verdict, Candidate):
            candidates.append(verdict)
        elif nearest is None or verdict.distance < nearest.distance:
            nearest = verdict
    return candidates, count, nearest.reason if nearest else ""


def pareto(candidates: Sequence[Candidate]) -> frozenset[Candidate]:
    """Those that no other beats in time, memory and precision at once; of equals the first."""
    points = [(_point(c), c) for c in candidates]
    points.sort(key=lambda pc: pc[0])
    front: list[tuple[tuple[float, ...], Candidate]] = []
    for point, candidate in points:
        if not any(all(a <= b for a, b in zip(kept, point, strict=True)) for kept, _ in front):
            front.append((point, candidate))
    return frozenset(c for _, c in front)


def _point(c: Candidate) -> tuple[float, ...]:
    bits = c.estimate.precision_bits
    return (c.cost("time"), c.cost("memory"), -(53.0 if bits is None else bits))
