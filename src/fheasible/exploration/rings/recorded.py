"""An exploration of ring schemes as it is kept in the store, so that reports can be made of it."""

from collections.abc import Sequence
from dataclasses import asdict
from io import BytesIO

from fheasible import __version__
from fheasible.aliases import Json
from fheasible.estimation.ring_profile import LIBRARY, RingProfile
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.reasons.recorded import circuit_digest, predicting
from fheasible.exploration.rings.explain import explain
from fheasible.exploration.rings.search import RingExploration
from fheasible.schemes.plan import plan
from fheasible.store.rows import Explored
from fheasible.store.store import Store


def record(
    store: Store,
    found: RingExploration,
    problem: Problem,
    profile: RingProfile | None,
    command: Sequence[str] = (),
) -> int:
    """The number under which the exploration is kept. `command`: the call that runs the best set, in lines.
    StoreError where it cannot be stored."""
    content = found.to_json() | {
        "platform": LIBRARY,
        "why": explain(found),
        "command": list(command),
        "data": problem.source,
        "programs": [plan(problem.circuit, not found.wish.as_written).digest] if found.explored else [],
        "fheasible": __version__,
        "profile": None if profile is None else _identified(profile),
    }
    explored = Explored(
        found.app, circuit_digest(problem.circuit), asdict(found.wish), content, _parquet(content)
    )
    return store.add_exploration(explored, predicting())


def _identified(profile: RingProfile) -> Json:
    """What identifies a profile and what it predicts with, without its points."""
    return {name: value for name, value in profile.to_json().items() if name != "points"}


def _parquet(content: Json) -> bytes:
    """The candidates as a Parquet file, one row for each."""
    # imported after the answer is printed, since the import takes a tenth of a second
    import pyarrow  # type: ignore[import-untyped]
    from pyarrow import parquet as format_

    rows = [
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
    file = BytesIO()
    format_.write_table(pyarrow.Table.from_pylist(rows), file, compression="zstd")
    return file.getvalue()
