"""How often each kind of operation occurs in a program, and the task that it is in a layout."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fheasible.libraries.catalogue import library
from fheasible.libraries.layout import BOOTSTRAP_KEYS, Layout, Task
from fheasible.program.phases import PHASES
from fheasible.program.schedule import flow, value_levels
from fheasible.program.types import Action, Program

COMPOSITES: Final = (Action.EVAL_SUM, Action.EVAL_CHEBYSHEV)


class Item(NamedTuple):
    """A kind of operation of a program. Operations of equal kinds cost the same."""

    phase: str
    action: str
    level: int
    polys: int = 2
    dropped: int = 0
    depth: int = 0  # the number of successive products before it

    def task(self, layout: Layout) -> Task:
        """The item as a task of that layout. BFV works on all limbs at every level."""
        return self.at(layout.limbs - 1, layout.scheme == "bfv", _depends_on_depth(layout))

    def at(self, top: int, bfv: bool, by_depth: bool) -> Task:
        """The item as a task, from the parts of a layout that it depends on.

        `top` is the layout's highest level. `by_depth` says whether counts depend on the depth.
        """
        level, depth = top if bfv else min(self.level, top), self.depth if by_depth else 0
        return Task(self.action, level, self.polys, self.dropped, depth)


def _depends_on_depth(layout: Layout) -> bool:
    return library(layout.library).depends_on_depth(layout.scheme)


def items(program: Program) -> list[Item]:
    """The kind of each operation, in order."""
    return [Item(*fields) for fields in _fields(program)]


def _fields(program: Program) -> Iterator[tuple[str, str, int, int, int, int]]:
    """The fields of each operation's `Item`, in order."""
    known = flow(program)
    columns = known.kinds, known.operand_levels, known.operand_depths
    sizes, encrypt, drop = known.sizes, Action.ENCRYPT, Action.DROP
    for o, kind, level, depth in zip(program.operations, *columns, strict=True):
        action = o.action
        yield (
            "encrypt" if action is encrypt else "evaluate",
            kind,
            o.computes_at,
            sizes[o.out],
            level - o.level if action is drop else 0,
            depth,
        )


@lru_cache(maxsize=1024)
def tally(program: Program) -> Mapping[Item, int]:
    """How often each kind of operation occurs, decryption included."""
    found = Counter(_fields(program))
    counts = Counter({Item(*fields): n for fields, n in found.items() if fields[1] not in COMPOSITES})
    inside: Counter[tuple[str, int]] = Counter()
    for o in program.operations:
        if o.internal:
            inside.update(o.internal)
    counts.update({Item("evaluate", action, level): n for (action, level), n in inside.items()})
    made_at = value_levels(program)
    counts.update(Item("decrypt", "decrypt", made_at[v]) for out in program.outputs for v in out.values)
    return counts


@dataclass(frozen=True, slots=True, eq=False)
class Tasks:
    """The tasks that a program runs in a layout, each kind once; the last one is key generation, before which
    there are the keys of a bootstrap where the program has one.

    `times[phase, task]` is how often a task occurs in a phase.
    """

    tasks: tuple[Task, ...]
    times: NDArray[np.float64]

    @property
    def actions(self) -> tuple[str, ...]:
        return tuple(task.action for task in self.tasks)


def tasks(program: Program, layout: Layout, keys: int) -> Tasks:
    """The tasks of a program in a layout, with a key generation that makes `keys` switching keys."""
    return _tasks(program, layout.limbs - 1, layout.scheme == "bfv", _depends_on_depth(layout), keys)


@lru_cache(maxsize=1024)
def tasks_of_operations(program: Program, layout: Layout) -> tuple[tuple[int, ...], ...]:
    """For each operation, the places in `tasks` of what it does, and of what the library does unasked."""
    places = {task: place for place, task in enumerate(tasks(program, layout, 0).tasks)}

    def place(item: Item) -> int:
        return places[item.task(layout)]

    found: list[tuple[int, ...]] = []
    for o, item in zip(program.operations, items(program), strict=True):
        own = () if o.action in COMPOSITES else (place(item),)
        inside = [
            (place(Item("evaluate", action, level)),) * n
            for (action, level), n in Counter(o.internal).items()
        ]
        found.append(sum(inside, own))
    return tuple(found)


def keygen_tasks(program: Program, top: int, keys: int) -> tuple[Task, ...]:
    """What making `keys` switching keys is: those of the program itself, and those that a bootstrap adds."""
    if not program.bootstraps:
        return (Task("keygen", top, keys),)
    own = min(keys, program.relinearizes + len(program.rotations) + program.swaps_rows)
    return (Task(BOOTSTRAP_KEYS, top, keys - own), Task("keygen", top, own))


@lru_cache(maxsize=1024)
def _tasks(program: Program, top: int, bfv: bool, by_depth: bool, keys: int) -> Tasks:
    counts: dict[Task, list[int]] = {}
    for item, count in tally(program).items():
        counts.setdefault(item.at(top, bfv, by_depth), [0] * len(PHASES))[PHASES.index(item.phase)] += count
    for task in keygen_tasks(program, top, keys):
        counts[task] = [1, 0, 0, 0]
    return Tasks(tuple(counts), np.array(list(counts.values()), dtype=np.float64).T)
