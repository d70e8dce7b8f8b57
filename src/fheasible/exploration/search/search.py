"""Try every choice, keep what is feasible, put the best first, and judge each row that is shown
individually."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import inf
from time import perf_counter
from typing import Final

import numpy as np

from fheasible.aliases import Json
from fheasible.errors import CircuitError
from fheasible.estimation.profile import Profile
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.judging.columns import Columns
from fheasible.exploration.judging.impossible import hopeless
from fheasible.exploration.judging.judge import Rejection
from fheasible.exploration.judging.rank import KIND, LEAD, Pool, exact_first, shown, ties
from fheasible.exploration.judging.sharing import REMEDY, leak
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.rings_and_moduli import RINGS
from fheasible.exploration.problem.wish import Wish
from fheasible.exploration.search.bounded import Elsewhere
from fheasible.exploration.search.walk import Walk
from fheasible.heap import keep_freed_memory
from fheasible.libraries.library import Library

LESS_STEEP = (
    "narrow the interval where the function is steep, leave degree= open where it is given, or ask for less "
    "precision (--precision)"
)

Report = Callable[[str, int], None]
Each = Callable[[Columns], None]

LEADING: Final = 36  # rows at most that are the best of a library, scheme, technique and ring
OTHERS: Final = 16  # rows at most that are the best of other choices, or on the front
_UNSAID: Final = Rejection("parameters", "nothing fits")
OF_EVERYTHING: Final = 200  # in place of `OTHERS` where everything is explored


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
    excluded: tuple[str, ...] = ()  # what each pin keeps out, where nothing fits

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
            "rejected": [asdict(r) for r in self.rejected],
            "excluded_by_pins": list(self.excluded),
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
    why: bool = True,
    elsewhere: Elsewhere | None = None,
    to_beat: float = inf,
    schemes: Sequence[str] | None = None,
    leads: bool = False,
) -> Exploration:
    """The exploration of everything that the libraries offer for the problem, judged against the wish.

    Sets are judged to first order; `declared_ranges.explore_everywhere` checks the best ones beyond it, and
    is what users ask. `every` includes what is known to gain nothing (`sizing.Sizing.sizes`, `walk.Walk`).
    `each` is given the feasible rows, chunk by chunk. There are at most `most` candidates, of rings up to
    `largest_ring`. Without `why`, it is not said why nothing of a scheme is feasible. `elsewhere`: what
    another kind of library offers, which says how far sets with bootstraps are searched; so does the score
    `to_beat`. `schemes`: those to search; all that a library has where none are given.
    With `leads`, the best set of each library and scheme is the only candidate of theirs.
    """
    keep_freed_memory()
    start = perf_counter()
    pool = Pool()
    walk = Walk(
        problem, wish, profiles, every, each is not None, largest_ring, exact=False, elsewhere=elsewhere,
        to_beat=to_beat,
    )  # fmt: skip
    rejected = []
    for library in libraries:
        for scheme in library.schemes if schemes is None else schemes:
            report(f"{library.name} {scheme}", pool.explored)
            reason = _explore_scheme(walk, pool, library, scheme, each, why)
            if reason:
                rejected.append(Rejected(library.name, scheme, reason.reason, reason.remedy))
    found = answered(walk, pool, most, leads)
    missing = tuple(lib.name for lib in libraries if lib.name not in profiles or profiles[lib.name].origin)
    return Exploration(
        problem, wish, pool.explored, perf_counter() - start, found.candidates, found.front, tuple(rejected),
        missing, pool.feasible, found.kept, found.ties, walk.without(),
    )  # fmt: skip


def _explore_scheme(
    walk: Walk, pool: Pool, library: Library, scheme: str, each: Each | None, why: bool
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
    if pool.feasible > before:
        return None
    if not why:
        return _UNSAID
    if wish.pins and pool.nearest is None:
        return Rejection("parameters", f"no set that is searched has {wish.pins}")
    return walk.why_nothing(library, scheme, pool.nearest)


@dataclass(frozen=True, slots=True)
class Ranking:
    """The candidates as they are shown; `front` and `ties` are among them. `kept` has all rows that are kept,
    those of the candidates first."""

    candidates: tuple[Candidate, ...]
    front: frozenset[Candidate]
    ties: frozenset[Candidate]
    kept: Columns


def answered(walk: Walk, pool: Pool, most: int | None = None, leads: bool = False) -> Ranking:
    """The candidates to show, no more than `most`, and the rows that are kept, in the order of the answer. A
    row that is refused after all when it is judged individually gives way to the next of its kind. With
    `leads`, only the best of each library and scheme is shown."""
    rows = pool.kept()
    confirmed: dict[int, Candidate] = {}
    left = np.arange(len(rows))
    while True:
        leading, others = (left[places] for places in shown(rows.take(left), LEAD if leads else KIND))
        others = others[:0] if leads else others
        leading, others = leading[:LEADING], others[: OF_EVERYTHING if walk.every else OTHERS]
        chosen = [*leading.tolist(), *others.tolist()][:most]
        refused = [i for i in chosen if i not in confirmed and not _confirmed(walk, rows, i, confirmed)]
        if not refused:
            break
        left = np.setdiff1d(left, refused)
    if not walk.problem.real:
        chosen = exact_first(chosen, confirmed, walk.wish.goal)
    for i in leading[:most].tolist():
        confirmed[i] = walk.with_limit(confirmed[i], rows, i)
    flags = np.isin(np.arange(len(rows)), chosen)
    ordered = np.concatenate([np.array(chosen, dtype=np.int64), left[~flags[left]]])
    candidates = tuple(confirmed[i] for i in chosen)
    front = frozenset(confirmed[i] for i in chosen if rows["pareto"][i])
    kept = ranked(rows.with_columns(confirmed=flags).take(ordered))
    return Ranking(candidates, front, ties(candidates, walk.wish.goal), kept)


def ranked(rows: Columns) -> Columns:
    """The rows with a column `rank`: their places in this order, counted from 1."""
    return rows.with_columns(rank=np.arange(1, len(rows) + 1))


def _confirmed(walk: Walk, rows: Columns, i: int, confirmed: dict[int, Candidate]) -> bool:
    verdict = walk.candidate(rows, i)
    if isinstance(verdict, Candidate):
        confirmed[i] = verdict
    return i in confirmed
