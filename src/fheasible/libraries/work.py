"""How much work one operation of a library is: its own algorithm on the counting ring, or a table entry."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from fheasible.libraries.block import Block, Sets
from fheasible.libraries.catalogue import library
from fheasible.libraries.layout import (
    BOOTSTRAP_KEYS,
    TABLE_LOOKUP,
    Cell,
    Layout,
    Task,
    counted_as,
    of_bootstrap,
)
from fheasible.libraries.parameters import Parameters
from fheasible.libraries.refreshing import refreshing
from fheasible.libraries.table import COLUMNS, Rows, rows

Counts = Mapping[str, int]


def layout_of(p: Parameters) -> Layout:
    """The layout of a parameter set."""
    special_bits, flooded = library(p.library).special_bits(p), p.scheme == "ckks" and p.flooding > 0
    return _layout(p, special_bits, flooded, round(p.log_q / p.limbs, 6))


def layouts_of(sets: Sequence[Parameters] | Block) -> list[Layout]:
    """The layout of each set, in order; for a block, equal layouts are one object."""
    if not isinstance(sets, Block):
        return [layout_of(p) for p in sets]
    special_bits = np.ones(len(sets), dtype=np.int64)
    if library(sets.library).reduces_by_special and sets.p:
        special_bits = np.ceil(np.log2(np.max(sets.p, axis=0))).astype(np.int64)  # no prime is a power of two
    bits = np.round(sets.log_q / sets.limbs, 6) if sets.scheme == "bfv" else np.ones(len(sets))
    flooded = sets.flooding > 0 if sets.scheme == "ckks" else np.zeros(len(sets), dtype=np.bool_)
    facts = list(zip(special_bits.tolist(), flooded.tolist(), bits.tolist(), strict=True))
    known = {each: _layout(sets, *each) for each in set(facts)}
    return [known[each] for each in facts]


def _layout(p: Sets, special_bits: int, flooded: bool, prime_bits: float) -> Layout:
    shared = Layout(
        p.library,
        p.scheme,
        p.limbs,
        len(p.p),
        p.digits,
        p.key_switching,
        special_bits=special_bits,
        flooded=flooded,
        bootstrap=refreshing(p),
    )
    if p.scheme != "bfv":
        return shared
    return replace(
        shared,
        ring_dimension=p.ring_dimension,
        plain_modulus=p.plain_modulus,
        prime_bits=prime_bits,
        secret=p.secret,
    )


def cell_of(layout: Layout, task: Task) -> Cell:
    """The cell of a task in a layout: tasks with equal cells have equal counts."""
    if task.action == BOOTSTRAP_KEYS:
        return cell_of(of_bootstrap(layout), replace(task, action="keygen"))
    if task.action == TABLE_LOOKUP:
        return cell_of(layout, replace(task, action="bootstrap"))
    return library(layout.library).cells.cell(layout, task, counted_as(layout.scheme, task.action))


def counts_key(layout: Layout) -> Hashable:
    """A key that layouts of BFV share if they differ only in sizes of primes that no count depends on."""
    if library(layout.library).depends_on_depth(layout.scheme):
        return layout  # counts depend on each operation's depth
    return tuple([cell_of(layout, Task(action, layout.limbs - 1)).own for action in ("mul", "relinearize")])


def counts(layout: Layout, task: Task) -> Counts:
    """The kernel counts of the operation by name, in limbs of n coefficients, with `peak_limbs` and
    `operand_limbs`. Kernels that are not used are absent."""
    row = rows((cell_of(layout, task),))[0].tolist()
    return {name: count for name, count in zip(COLUMNS, row, strict=True) if count}


def count_rows(layout: Layout, tasks: Sequence[Task]) -> Rows:
    """The counts of each task: (task, column), columns in the order of `COLUMNS`."""
    return rows([cell_of(layout, task) for task in tasks])
