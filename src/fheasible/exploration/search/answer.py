"""The rows that are shown, in their order, each judged individually."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.judging.columns import Columns
from fheasible.exploration.judging.rank import Pool, shown
from fheasible.exploration.search.ties import exact_first, ties
from fheasible.exploration.search.walk import Walk

LEADING: Final = 36  # rows at most that are the best of a library, scheme, technique and ring
OTHERS: Final = 16  # rows at most that are the best of other choices, or on the front
OF_EVERYTHING: Final = 200  # in place of `OTHERS` where everything is explored


@dataclass(frozen=True, slots=True)
class Ranking:
    """The candidates as they are shown; `front` and `ties` are among them. `kept` has all rows that are kept,
    those of the candidates first."""

    candidates: tuple[Candidate, ...]
    front: frozenset[Candidate]
    ties: frozenset[Candidate]
    kept: Columns


def answered(walk: Walk, pool: Pool, most: int | None = None) -> Ranking:
    """The candidates to show, no more than `most`, and the rows that are kept, in the order of the answer. A
    row that is refused after all when it is judged individually gives way to the next of its kind."""
    rows = pool.kept()
    confirmed: dict[int, Candidate] = {}
    left = np.arange(len(rows))
    while True:
        leading, others = (left[places] for places in shown(rows.take(left)))
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
