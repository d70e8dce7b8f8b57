"""The wall seconds of a program with any number of threads, phase by phase.

How threads are used is a fact of the library (`Library.threading`). Where they share out the limbs of one
operation, each operation becomes faster by the law of `threads`. Where each executes operations of its own,
a phase takes as long as the schedule of its operations (`program.concurrent.makespan`), and an operation
takes a little longer for each other thread that is busy.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from fheasible.aliases import Floats
from fheasible.estimation import batch
from fheasible.estimation.profile import Profile
from fheasible.estimation.sizes import evaluation_key_count
from fheasible.estimation.tally import tasks_of_operations
from fheasible.libraries.block import Block
from fheasible.libraries.catalogue import library
from fheasible.libraries.layout import Layout
from fheasible.libraries.library import Parallelism
from fheasible.libraries.parameters import Parameters
from fheasible.libraries.work import layout_of
from fheasible.program.concurrent import makespan, phases, together
from fheasible.program.phases import PHASES
from fheasible.program.types import Action, Program


def wall_times(
    program: Program, sets: Sequence[Parameters] | Block, profile: Profile, threads: int
) -> Floats:
    """Wall seconds as an array (set, phase of `PHASES`), for sets of one library and scheme.

    `threads` run at the same time, each on a core of its own.
    """
    found = batch.by_set(
        program, sets, lambda n, layouts, keys: _running(program, n, layouts, keys, profile, threads)
    )
    return profile.wall_factor * found


def wall_seconds(program: Program, p: Parameters, profile: Profile, threads: int) -> Mapping[str, float]:
    """Wall seconds by phase; "total" is the sum of all phases but key generation."""
    keys = evaluation_key_count(program, p)
    found = _running(program, p.ring_dimension, (layout_of(p),), keys, profile, threads)[0]
    times = dict(zip(PHASES, found.tolist(), strict=True))
    times["total"] = times["encrypt"] + times["evaluate"] + times["decrypt"]
    return {phase: profile.wall_factor * seconds for phase, seconds in times.items()}


@lru_cache(maxsize=4096)
def _running(
    program: Program, n: int, layouts: tuple[Layout, ...], keys: int, profile: Profile, threads: int
) -> Floats:
    """Seconds as an array (layout, phase), if every thread has a core all the time."""
    kind = library(profile.library).threading.parallelism
    if kind is Parallelism.OPERATIONS and threads > 1:
        found = _scheduled(program, n, layouts, keys, profile, threads)
    else:
        found = batch.seconds(program, n, layouts, keys, at(profile, threads))
    return found


def executed(program: Program, name: str, threads: int | None) -> Program:
    """The program in the order in which a library's threads begin its operations."""
    alone = library(name).threading.parallelism is not Parallelism.OPERATIONS
    return program if alone or threads is None else together(program, threads)


@lru_cache(maxsize=64)
def at(profile: Profile, threads: int) -> Profile:
    """The profile with the seconds that operations take when so many threads share out their limbs."""
    return replace(profile, threads=threads)


def _scheduled(
    program: Program, n: int, layouts: tuple[Layout, ...], keys: int, profile: Profile, threads: int
) -> Floats:
    """Seconds as an array (layout, phase) where each thread executes operations of its own."""
    work = batch.work_of(program, layouts, keys)
    each = batch.parts_of(work, n, program.slots, profile).sum(axis=1)
    slowed = np.array([_slowed(profile, name) for name in work.kinds.names])[work.kinds.action]
    ends = np.cumsum([times.shape[1] for times in work.times])[:-1]
    split = zip(layouts, np.split(each, ends), np.split(slowed, ends), work.times, strict=True)
    return np.array(
        [_of_layout(program, layout, taken, slower, times, threads) for layout, taken, slower, times in split]
    )


def _slowed(profile: Profile, name: str) -> float:
    """How much longer a "scheme/action" takes, as a share, for each other thread that is busy.

    A share s of its time that is not parallel makes k operations at once take s + (1 - s) / k each.
    """
    serial = profile.parallel.known(name) if profile.parallel else None
    return serial.share if serial else 0.0


def _of_layout(
    program: Program, layout: Layout, seconds: Floats, slowed: Floats, times: Floats, threads: int
) -> list[float]:
    """The seconds of each phase of `PHASES`; `times[phase, task]` is how often a task occurs."""
    done = tasks_of_operations(program, layout)
    taken = [sum([float(seconds[task]) for task in tasks]) for tasks in done]
    slower = [float(slowed[tasks[0]]) if tasks else 0.0 for tasks in done]
    found = dict.fromkeys(PHASES, 0.0)
    for begin, end in phases(program):
        encrypts = program.operations[begin].action is Action.ENCRYPT
        found["encrypt" if encrypts else "evaluate"] += makespan(program, begin, end, taken, slower, threads)
    keygen, decrypt = (times[PHASES.index(name)] for name in ("keygen", "decrypt"))
    found["keygen"] = float(keygen @ seconds)
    found["decrypt"] = _shared_out(decrypt, seconds, slowed, threads)
    return [found[name] for name in PHASES]


def _shared_out(times: Floats, seconds: Floats, slowed: Floats, threads: int) -> float:
    """The seconds until the given threads have done tasks that need nothing of each other."""
    each = np.repeat(seconds, times.astype(np.int64)), np.repeat(slowed, times.astype(np.int64))
    free = [0.0] * threads
    for taken, slower in zip(*(column.tolist() for column in each), strict=True):
        others = min(threads, len(each[0])) - 1
        first = min(range(threads), key=free.__getitem__)
        free[first] += taken * (1 + slower * others)
    return max(free)
