"""Cyclic rotation of a logical vector, however it is packed.

Every target slot names its source: a ciphertext, whether rows must be exchanged, and by how much to
rotate. Targets that share one source take one rotation and one mask; the masked parts are added.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from fheasible.lowering.arithmetic import Arithmetic
from fheasible.lowering.builder import Value, scalar
from fheasible.lowering.packing import chunks_of, valid

Source = tuple[int, int, int]  # source chunk, rows exchanged (0, 1), rotation steps
Sources = Mapping[Source, NDArray[np.bool_]]


def rotate_vector(
    on: Arithmetic, values: Sequence[Value], length: int, steps: int, factor: float
) -> tuple[tuple[Value, ...], bool]:
    """Ciphertexts in which element i is element (i + steps) mod length, with zeros beyond the end.

    The second result says whether there was a mask, which then carried the factor.
    """
    slots, row = on.build.slots, on.build.row
    chunks = [_sources(slots, row, length, steps, c) for c in range(chunks_of(length, slots))]
    masked = not all(mask.all() for sources in chunks for mask in sources.values())
    carried = factor if masked else 1.0
    return tuple(_gather(on, values, sources, carried) for sources in chunks), masked


@lru_cache(maxsize=256)  # every program of a circuit asks for the same; masks are read-only
def _sources(slots: int, row: int, length: int, steps: int, chunk: int) -> Sources:
    """The slots of one target chunk that each source supplies, in the order of the sources."""
    inside = valid(length, slots, chunk)
    target = np.arange(slots)
    source = (chunk * slots + target + steps) % length
    from_chunk, from_slot = source // slots, source % slots
    swapped = (from_slot // row) != (target // row)
    amount = (from_slot % row - target % row) % row
    keys = (from_chunk * 2 + swapped) * row + amount  # one number for each source
    found: dict[Source, NDArray[np.bool_]] = {}
    for key in np.unique(keys[inside]).tolist():
        chunk_and_rows, steps_there = divmod(key, row)
        mask = inside & (keys == key)
        mask.flags.writeable = False
        found[(*divmod(chunk_and_rows, 2), steps_there)] = mask
    return found


def _gather(on: Arithmetic, values: Sequence[Value], sources: Sources, factor: float) -> Value:
    parts = []
    for (chunk, swapped, amount), mask in sources.items():
        part = on.swap_rows(values[chunk]) if swapped else values[chunk]
        part = on.rotate(part, amount)
        if not mask.all():
            part = on.mul_plain(part, mask.astype(np.int64) if on.style.exact else mask * factor)
        elif factor != 1.0:
            part = on.mul_plain(part, scalar(factor, on.style.exact))
        parts.append(part)
    total = parts[0]
    for part in parts[1:]:
        total = on.add(total, part)
    return total
