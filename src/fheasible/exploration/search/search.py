"""Try every choice, keep what is feasible, put the best first."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from time import perf_counter

from fheasible.aliases import Json
from fheasible.errors import CircuitError
from fheasible.estimation.profile import Profile
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.judging.columns import Columns
from fheasible.exploration.judging.impossible import hopeless
from fheasible.exploration.judging.judge import Rejection
from fheasible.exploration.judging.rank import Pool
from fheasible.exploration.judging.sharing import REMEDY, leak
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.ring_dimensions import RINGS
from fheasible.exploration.problem.wish import Wish
from fheasible.exploration.search.answer import answered
from fheasible.exploration.search.walk import Walk
from fheasible.heap import keep_freed_memory
from fheasible.libraries.library import Library

LESS_STEEP = (
    "narrow the interval where the function is steep, leave degree= open where it is given, or ask for less "
    "precision (--precision)"
)

Report = Callable[[str, int], None]
Each = Callable[[Columns], None]


@dataclass(frozen=True, slots=True)
class Rejected:
    """Why nothing of a library and scheme is feasible: the reason of its nearest miss."""

    library: str
    scheme: str
    reason: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Exploration:
    """The result of a search.

    `candidates` are feasible, each judged individually: the best of each kind, best first, then the best of
    other choices, then others of the front. `kept` has these as rows, the whole front, and the best few of
    each choice. `ties` are the candidates that the error of prediction does not distinguish from the best.
    `explored` and `feasible` count sets. `without` has, for each limit of the wish, the best set that this
    limit alone keeps out.
    """

    problem: Problem
    wish: Wish
    explored: int
    seconds: float
    candidates: tuple[Candidate, ...]
    front: frozenset[Candidate]
    rejected: tuple[Rejected, ...]
    uncalibrated: tuple[str, ...] = field(default=())
    feasible: int = 0
    kept: Columns = field(default_factory=Columns.empty)
    ties: frozenset[Candidate] = frozenset()
    without: Mapping[str, Candidate] = field(default_factory=dict)
    alarms: tuple[str, ...] = ()  # warnings that come before the answer

    @property
    def best(self) -> Candidate | None:
        return self.candidates[0] if self.candidates else None

    def _approximations(self) -> list[Json]:
        """The approximations of the best candidate, as JSON; none for BFV and BGV."""
        if self.best is None or self.best.scheme != "ckks":
            return []
        return [asdict(a) for a in self.problem.approximations(self.best.degrees)]

    def to_json(self) -> Json:
        return {
            "app": self.problem.circuit.name,
            "data": self.problem.source,
            "approximations": self._approximations(),
            "explored": self.explored,
            "feasible": self.feasible,
            "front": int(self.kept["pareto"].sum()),
            "seconds": self.seconds,
            "candidates": [c.to_json(c in self.front) | {"tie": c in self.ties} for c in self.candidates],
            "rejected": [
                {"library": r.library, "scheme": r.scheme, "reason": r.reason, "remedy": r.remedy}
                for r in self.rejected
            ],
            "warnings": [*self.alarms, *self.problem.warnings],
        }


def explore(
    problem: Problem,
    wish: Wish,
    libraries: Sequence[Library],
    profiles: Mapping[str, Profile],
    report: Report = lambda _, __: None,
    every: bool = False,
    each: Each | None = None,
    most: int | None = None,
    largest_ring: int = RINGS[-1],
) -> Exploration:
    """The exploration of everything that the libraries offer for the problem, judged against the wish.

    `every` includes what is known to gain nothing (`sizing.Sizing.sizes`, `walk.Walk`). `each` is given the
    feasible rows, chunk by chunk. There are at most `most` candidates, of rings up to `largest_ring`.
    """
    keep_freed_memory()
    start = perf_counter()
    pool, walk = Pool(), Walk(problem, wish, profiles, every, each is not None, largest_ring)
    rejected = []
    for library in libraries:
        for scheme in library.schemes:
            report(f"{library.name} {scheme}", pool.explored)
            reason = _explore_scheme(walk, pool, library, scheme, each)
            if reason:
                rejected.append(Rejected(library.name, scheme, reason.reason, reason.remedy))
    found = answered(walk, pool, most)
    missing = tuple(lib.name for lib in libraries if lib.name not in profiles or profiles[lib.name].origin)
    return Exploration(
        problem, wish, pool.explored, perf_counter() - start, found.candidates, found.front, tuple(rejected),
        missing, pool.feasible, found.kept, found.ties, walk.without(),
    )  # fmt: skip


def _explore_scheme(
    walk: Walk, pool: Pool, library: Library, scheme: str, each: Each | None
) -> Rejection | None:
    """The reason why nothing of the scheme is feasible, or None; its sets are added to the pool."""
    problem, wish = walk.problem, walk.wish
    unsuited = problem.unsuited(scheme)
    if unsuited:
        return Rejection("expression", unsuited)
    leaking = leak(problem, library, scheme, wish.shared_results)
    if leaking:
        return Rejection("expression", leaking, remedy=REMEDY)
    try:
        steep = problem.too_steep(wish.least) if scheme == "ckks" else ""
        if steep:
            return Rejection("precision", steep, remedy=LESS_STEEP)
        known = hopeless(problem, library, scheme, wish)
        if known:
            return Rejection("parameters", known.message, remedy=known.remedy)
        before, pool.nearest = pool.feasible, None
        for judged in walk.judged(library, scheme):
            pool.add(judged)
            if each is not None and len(judged.feasible):
                each(judged.feasible)
    except CircuitError as error:  # no other choice can express it either
        return Rejection("expression", error.message, remedy=error.remedy)
    return None if pool.feasible > before else walk.reason(pool.nearest)
