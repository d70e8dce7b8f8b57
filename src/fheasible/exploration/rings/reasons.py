"""Why the best set of the ring schemes is the best; and the exploration with these reasons, as it is kept in
the store.

Every number of the reasons comes from the search at hand.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from types import MappingProxyType
from typing import Any

from fheasible import __version__, units
from fheasible.aliases import Json
from fheasible.estimation.ring_profile import LIBRARY, RingProfile
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.reasons.recorded import circuit_digest, predicting, without_points
from fheasible.exploration.rings.choice import RingCandidate
from fheasible.exploration.rings.search import RingExploration
from fheasible.schemes.plan import plan
from fheasible.store.kept_rows import packed_rows
from fheasible.store.rows import Explored
from fheasible.store.store import Store


def explain(found: RingExploration) -> list[str]:
    """Sentences about the best candidate and the best of each other scheme. Empty where there is no
    candidate."""
    best = found.best
    if best is None:
        return []
    kinds = dict.fromkeys(c.kind for c in found.candidates[1:] if c.kind is not best.kind)
    others = [found.best_of(kind) for kind in kinds]
    return [_choice(found, best), *_larger_words(found, best), *(_dearer(best, c) for c in others if c)]


def _choice(found: RingExploration, best: RingCandidate) -> str:
    p = best.parameters
    promised = f"allows {_products(best.depth)} in succession"
    needed = f"and {found.depth} are needed"
    if best.depth < found.depth:
        needed = (
            f"for any factors, and the {found.depth} of {found.app} as well, because its factors have "
            "less noise"
        )
    return (
        f"{best.kind.title} at log2 q = {p.log_q}, log2 w = {p.log_w} {promised}, {needed}; "
        f"{found.wish.rule} allow this q from n = {units.power_of_two(p.n)} on."
    )


def _products(count: int) -> str:
    return f"{count} product{'s' * (count != 1)}"


def _larger_words(found: RingExploration, best: RingCandidate) -> list[str]:
    """A sentence on what a smaller w would have cost: the least w of the same scheme in the same ring."""
    same = [c for c in found.candidates if c.kind is best.kind and c.parameters.n == best.parameters.n]
    least = min(same, key=lambda c: c.parameters.log_w)
    if least.parameters.log_w >= best.parameters.log_w:
        return []
    return [f"With log2 w = {least.parameters.log_w}, it takes {_times(least, best)}."]


def _dearer(best: RingCandidate, other: RingCandidate) -> str:
    p = other.parameters
    where = f"n = {units.power_of_two(p.n)}, log2 q = {p.log_q}, log2 w = {p.log_w}"
    return f"{other.kind.title} takes {_times(other, best)} at best ({where})."


def _times(one: RingCandidate, best: RingCandidate) -> str:
    unit = "multiplications" if one.seconds is None else "time"
    return (
        f"{_ratio(one.complexity / best.complexity)} times the {unit} and "
        f"{_ratio(one.memory / best.memory)} times the memory"
    )


def _ratio(x: float) -> str:
    return f"{x:,.0f}" if x >= 10 else f"{x:.2f}"


def record(
    store: Store,
    found: RingExploration,
    problem: Problem,
    profile: RingProfile | None,
    command: Sequence[str] = (),
    told: Mapping[str, Any] = MappingProxyType({}),
) -> int:
    """The number under which the exploration is kept. `command`: the call that runs the best set, in lines;
    `told` has what a report says first. StoreError where it cannot be stored."""
    content = found.to_json() | {
        "platform": LIBRARY,
        "why": explain(found),
        "command": list(command),
        "data": problem.source,
        "programs": [plan(problem.circuit, not found.wish.as_written).digest] if found.explored else [],
        "fheasible": __version__,
        "profile": None if profile is None else without_points(profile.to_json()),
        **told,
    }
    explored = Explored(
        found.app, circuit_digest(problem.circuit), asdict(found.wish), content, packed_rows(_rows(content))
    )
    return store.add_exploration(explored, predicting())


def _rows(content: Json) -> list[Json]:
    """The candidates as flat rows, one for each."""
    return [
        {
            "scheme": c["scheme"],
            **c["request"],
            "depth": c["depth"],
            "pareto": c["pareto"],
            "integer_multiplications": c["integer_multiplications"],
            "memory_integers": c["memory_integers"],
            "cpu_seconds": c["estimate"]["cpu_seconds"]["total"],
            "peak_bytes": c["estimate"]["peak_bytes"],
            "security_bits": c["estimate"]["security_bits"],
        }
        for c in content["candidates"]
    ]
