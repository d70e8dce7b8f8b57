"""How many threads execute a set: of those that the user allows, the number that serves the wish best."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from fheasible.aliases import Array
from fheasible.estimation.batch import peaks
from fheasible.estimation.profile import Profile
from fheasible.estimation.walls import wall_times
from fheasible.exploration.problem.wish import Wish
from fheasible.libraries.block import Block
from fheasible.libraries.catalogue import library
from fheasible.libraries.parameters import Parameters
from fheasible.program.phases import PHASES
from fheasible.program.types import Program

WORTH = 0.99  # more threads are taken where they leave at most this share

Asked = int | None  # a number of threads; None leaves it to the library


@dataclass(frozen=True, slots=True, eq=False)
class InThreads:
    """What sets take with their number of threads, one entry for each set."""

    asked: tuple[Asked, ...]
    wall_seconds: Array  # to encrypt, evaluate and decrypt; NaN without a profile
    peak_bytes: Array
    threads: Array  # the numbers that are really used

    @property
    def columns(self) -> dict[str, Array]:
        return {
            "wall_seconds": self.wall_seconds, "peak_bytes": self.peak_bytes, "threads": self.threads
        }  # fmt: skip


class Threads(NamedTuple):
    """A number of threads, or None for the library's default, on a machine of so many cores."""

    asked: Asked
    cores: int


def used(name: str, asked: Asked, wish: Wish) -> int:
    """The number of threads that the library really uses where so many are asked for."""
    return library(name).threading.used(asked, wish.cores)


def asked_of(name: str, wish: Wish) -> tuple[Asked, ...]:
    """The numbers of threads to try with a library, the fewest first; each number that is used once."""
    found: dict[int, Asked] = {}
    for asked in wish.threads:
        found.setdefault(used(name, asked, wish), asked)
    return tuple(found[number] for number in sorted(found))


def serving(program: Program, p: Parameters, profile: Profile | None, wish: Wish) -> Threads:
    """The number of threads that serves the wish best with one set."""
    tried = asked_of(p.library, wish)
    asked = tried[0] if len(tried) == 1 else in_threads(program, [p], profile, wish).asked[0]
    return Threads(asked, wish.cores)


def in_threads(
    program: Program,
    sets: Sequence[Parameters] | Block,
    profile: Profile | None,
    wish: Wish,
    paces: tuple[Block, Array] | None = None,
) -> InThreads:
    """The sets, of one library and scheme, each with the number of threads that serves the wish best.

    `paces` are sets that differ in time, and the place of each set's pace among them.
    """
    name = sets.library if isinstance(sets, Block) else sets[0].library
    tried = asked_of(name, wish)
    timed, each = paces or (sets, slice(None))
    walls = np.array(
        [_walls(program, timed, profile, used(name, asked, wish), wish)[each] for asked in tried]
    )
    bytes_ = np.array([peaks(program, sets, profile, asked) for asked in tried])
    at = best(walls, bytes_, wish)
    row = np.arange(len(at))
    numbers = np.array([used(name, asked, wish) for asked in tried])
    return InThreads(
        tuple(tried[place] for place in at.tolist()), walls[at, row], bytes_[at, row], numbers[at]
    )


def _walls(
    program: Program, sets: Sequence[Parameters] | Block, profile: Profile | None, number: int, wish: Wish
) -> Array:
    """The wall seconds to encrypt, evaluate and decrypt. No more threads run at once than there are cores."""
    if profile is None:
        return np.full(len(sets), np.nan)
    found = wall_times(program, sets, profile, min(number, wish.cores))
    return np.asarray(found[:, PHASES.index("encrypt") :].sum(axis=1))


def best(walls: Array, peak_bytes: Array, wish: Wish) -> Any:
    """For each set (the last axis), the place of the best number of threads (the first axis).

    It is that of the best objective, as far as wall time and memory decide it, and else of the least wall
    time. More threads are not taken for less than a per cent, nor beyond the limit on memory.
    """
    place = np.zeros(walls.shape[1], dtype=np.int64)
    if len(walls) == 1:
        return place
    costs = _costs(walls, peak_bytes, wish)
    least = costs[0]
    for number in range(1, len(walls)):
        better = costs[number] < WORTH * least
        place, least = np.where(better, number, place), np.where(better, costs[number], least)
    return place


def _costs(walls: Array, peak_bytes: Array, wish: Wish) -> Array:
    weights = dict(wish.goal.parts)
    wall, memory = weights.get("wall", 0.0), weights.get("memory", 0.0)
    if not wall and not memory and "cost" not in weights:
        wall = 1.0
    costs = np.nan_to_num(walls, nan=1.0) ** wall * peak_bytes.astype(np.float64) ** memory
    return costs if wish.max_bytes is None else np.where(peak_bytes > wish.max_bytes, np.inf, costs)


def walls_of(program: Program, p: Parameters, profile: Profile | None, wish: Wish) -> dict[str, float | None]:
    """The wall seconds to encrypt, evaluate and decrypt by each number of threads that is asked for, and by
    one thread; empty where nothing is asked of threads."""
    if not wish.compares_walls:
        return {}
    return {
        said(asked): None
        if profile is None
        else float(_walls(program, [p], profile, used(p.library, asked, wish), wish)[0])
        for asked in dict.fromkeys((1, *wish.threads))
    }


def said(asked: Asked) -> str:
    """The number of threads as it is typed."""
    return "default" if asked is None else str(asked)
