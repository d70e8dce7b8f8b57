"""The CPU times of many layouts at once, and the memory and file sizes of many parameter sets."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any

import numpy as np

from fheasible.aliases import Floats, Ints
from fheasible.estimation import memory
from fheasible.estimation.features import Caches, RingScale, feature_rows
from fheasible.estimation.profile import Profile, TaskKinds
from fheasible.estimation.sizes import Sizes, evaluation_key_count
from fheasible.estimation.sizes import sizes as sizes_of
from fheasible.estimation.tally import tasks
from fheasible.libraries.block import Block, IntegerBlock, Sets
from fheasible.libraries.catalogue import library
from fheasible.libraries.layout import Layout
from fheasible.libraries.parameters import Parameters
from fheasible.libraries.work import layouts_of
from fheasible.program.phases import PHASES
from fheasible.program.types import Program


@dataclass(frozen=True, slots=True, eq=False)
class Work:
    """The operations that a program runs in several layouts of one library.

    `kinds` has a row for each kind of operation in each layout; key generation is a layout's last row.
    `times` has an array (phase, kind) for each layout: how often each kind occurs in each phase.
    """

    kinds: TaskKinds
    times: tuple[Floats, ...]


def seconds(program: Program, n: int, layouts: Sequence[Layout], keys: int, profile: Profile) -> Floats:
    """CPU seconds of a program as an array (layout, phase of `PHASES`), in a ring of degree n.

    The layouts are of one library and scheme. `keys` is the number of switching keys that are made.
    """
    return _seconds(program, n, tuple(layouts), keys, profile) if layouts else np.zeros((0, len(PHASES)))


@lru_cache(maxsize=4096)
def _seconds(program: Program, n: int, layouts: tuple[Layout, ...], keys: int, profile: Profile) -> Floats:
    work = work_of(program, layouts, keys)
    found = _by_layout(work, parts_of(work, n, program.slots, profile).sum(axis=1))
    found.setflags(write=False)
    return found


def breakdown(
    program: Program, n: int, layout: Layout, keys: int, profile: Profile
) -> Mapping[tuple[str, str, str], float]:
    """CPU seconds by (phase, action, feature of `profile.names`), where they are not 0.

    The entries of a phase add up to its time.
    """
    work = work_of(program, (layout,), keys)
    parts = parts_of(work, n, program.slots, profile)
    found: dict[tuple[str, str, str], float] = {}
    for phase, times in zip(PHASES, work.times[0], strict=True):
        sums = np.zeros((len(work.kinds.actions), parts.shape[1]))
        np.add.at(sums, work.kinds.action, times[:, None] * parts)
        for action, feature in np.argwhere(sums).tolist():
            found[phase, work.kinds.actions[action], profile.names[feature]] = float(sums[action, feature])
    return found


def unweighted(program: Program, n: int, layout: Layout) -> float:
    """The sum of all features of all operations except key generation."""
    work = work_of(program, (layout,), 0)
    ring = RingScale.of(layout.library, layout.scheme, n, program.slots)
    found = _by_layout(work, feature_rows(work.kinds.counts, ring, Caches()).sum(axis=1))[0]
    return float(found[PHASES.index("encrypt") :].sum())


def times(program: Program, sets: Sequence[Parameters] | Block, profile: Profile) -> Floats:
    """CPU seconds as an array (set, phase of `PHASES`), for sets of one library and scheme."""
    return by_set(program, sets, lambda n, layouts, keys: seconds(program, n, layouts, keys, profile))


def by_set(
    program: Program,
    sets: Sequence[Parameters] | Block,
    of: Callable[[int, tuple[Layout, ...], int], Floats],
) -> Floats:
    """Figures as an array (set, phase of `PHASES`), from those of a ring, layouts and a number of keys."""
    layouts, each = layouts_of(sets), [sets] if isinstance(sets, Block) else sets
    asked = [(p.ring_dimension, evaluation_key_count(program, p)) for p in each]
    asked *= len(layouts) if isinstance(sets, Block) else 1  # the sets of a block share both
    found = np.empty((len(layouts), len(PHASES)))
    for n, keys in set(asked):
        here = [i for i, facts in enumerate(asked) if facts == (n, keys)]
        place = {layout: i for i, layout in enumerate(dict.fromkeys(layouts[i] for i in here))}
        found[here] = of(n, tuple(place), keys)[[place[layouts[i]] for i in here]]
    return found


def peaks(
    program: Program, sets: Sequence[Parameters] | Block, profile: Profile | None, threads: int | None = 1
) -> Ints:
    """Peak resident bytes of the process that runs the program with so many threads, for each set.

    They follow from counts alone where no memory model was fitted.
    """
    if not isinstance(sets, Block):
        return np.array([_peak(program, p, profile, threads) for p in sets], dtype=np.int64)
    if sets.scheme == "ckks" or not _depends_on_primes(sets):
        return np.array(np.broadcast_to(_peak(program, sets, profile, threads), len(sets)))
    _, first, each = np.unique(
        library(sets.library).memory_classes(sets), return_index=True, return_inverse=True
    )
    found = [_peak(program, sets.exact[i], profile, threads) for i in first.tolist()]
    return np.array(found, dtype=np.int64)[each.ravel()]


def _peak(program: Program, p: Sets, profile: Profile | None, threads: int | None) -> Any:
    return memory.peak_bytes(model_of(profile, p), memory.needs(program, p, threads))


def resident_over_time(
    program: Program, p: Parameters, profile: Profile | None, threads: int | None = 1
) -> memory.OverTime:
    """Resident bytes from the start of the process to the last decryption."""
    return memory.over_time(model_of(profile, p), program, p, threads)


def model_of(profile: Profile | None, p: Sets) -> memory.MemoryModel:
    """The memory model that was fitted for the scheme, or the library's model from counts alone."""
    fitted = profile.memory.get(p.scheme) if profile else None
    return fitted or memory.physical(p.library)


def _depends_on_primes(block: IntegerBlock) -> bool:
    """Whether sets of the block may need different memory.

    They may where integers are multiplied over a number of primes that depends on the values of Q's primes.
    """
    return block.scheme in library(block.library).memory_by_primes


def sizes(program: Program, sets: Sequence[Parameters] | Block) -> Sizes:
    """The sizes of each set, from `estimation.sizes.sizes`; each field is an array over the sets, or None."""
    each = [sizes_of(program, sets)] if isinstance(sets, Block) else [sizes_of(program, p) for p in sets]
    columns = ([getattr(found, field.name) for found in each] for field in fields(Sizes))
    return Sizes(*(_column(column, len(sets)) for column in columns))


def _column(values: list[Any], length: int) -> Any:
    if any(value is None for value in values):
        return None
    if len(values) == 1 and np.ndim(values[0]) == 0:
        return np.full(length, values[0], dtype=np.int64)
    return np.array(values[0] if len(values) == 1 else values, dtype=np.int64)


@lru_cache(maxsize=128)
def work_of(program: Program, layouts: tuple[Layout, ...], keys: int) -> Work:
    """The operations that a program runs in these layouts, with a key generation of `keys` switching keys."""
    asked = [tasks(program, layout, keys) for layout in layouts]
    each = [(layout, t.tasks) for layout, t in zip(layouts, asked, strict=True)]
    return Work(TaskKinds.of(each), tuple(t.times for t in asked))


def parts_of(work: Work, n: int, slots: int, profile: Profile) -> Floats:
    """CPU seconds as an array (kind, feature), of one operation of each kind as part of a whole run."""
    return profile.composition * profile.parts(work.kinds, n, slots)


def _by_layout(work: Work, each: Floats) -> Floats:
    """Sums as an array (layout, phase), of a figure that each row of `work.kinds` has."""
    ends = np.cumsum([times.shape[1] for times in work.times])[:-1]
    parts = np.split(each, ends)
    return np.array([times @ part for times, part in zip(work.times, parts, strict=True)])
