"""Cyclic rotation of a logical vector, however it is packed.

Every target slot names its source: a ciphertext, whether rows must be exchanged, and by how much to
rotate. Targets that share one source take one rotation and one mask; the masked parts are added.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fheasible.lowering.arithmetic import Arithmetic
from fheasible.lowering.builder import Value, scalar
from fheasible.lowering.packing import chunks_of, valid

Source = tuple[int, int, int]  # source chunk, rows exchanged (0, 1), rotation steps


def rotate_vector(
    on: Arithmetic, values: Sequence[Value], length: int, steps: int, factor: float
) -> tuple[tuple[Value, ...], bool]:
    """Ciphertexts in which element i is element (i + steps) mod length, with zeros beyond the end.

    The second result says whether there was a mask, which then carried the factor.
    """
    chunks = [_sources(on, length, steps, c) for c in range(chunks_of(length, on.build.slots))]
    masked = not all(mask.all() for sources in chunks for mask in sources.values())
    carried = factor if masked else 1.0
    return tuple(_gather(on, values, sources, carried) for sources in chunks), masked


def _sources(on: Arithmetic, length: int, steps: int, chunk: int) -> dict[Source, NDArray[np.bool_]]:
    """The slots of one target chunk that each source supplies."""
    slots, row = on.build.slots, on.build.row
    inside = valid(length, slots, chunk)
    target = np.arange(slots)
    source = (chunk * slots + target + steps) % length
    from_chunk, from_slot = source // slots, source % slots
    swapped = (from_slot // row) != (target // row)
    amount = (from_slot % row - target % row) % row
    keys = np.stack([from_chunk, swapped, amount], axis=1)[inside]
    positions = target[inside]
    found: dict[Source, NDArray[np.bool_]] = {}
    for key in np.unique(keys, axis=0):
        mask = np.zeros(slots, dtype=bool)
        mask[positions[(keys == key).all(axis=1)]] = True
        found[(int(key[0]), int(key[1]), int(key[2]))] = mask
    return found


def _gather(
    on: Arithmetic, values: Sequence[Value], sources: dict[Source, NDArray[np.bool_]], factor: float
) -> Value:
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
