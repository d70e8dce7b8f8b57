"""How fast this machine swaps: measured by `fheasible calibrate --swap`, and kept like a profile."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from fheasible.errors import LimitImpossible
from fheasible.estimation.swapping import SwapSpeed
from fheasible.measurement.environment import now
from fheasible.measurement.limited.probe import READ, WRITE
from fheasible.measurement.limited.speed import USED_BYTES, SwapPass, swap_passes
from fheasible.measurement.machine import this_machine
from fheasible.store.store import Store

NAME: Final = "swap"  # in the place of a library, among the profiles of a store
_LEAST_MOVED: Final = USED_BYTES // 4  # by a pass; with less, hardly anything was swapped


def calibrate_swap(store: Store) -> SwapSpeed:
    """The speed of swap on this machine, measured now and stored. LimitImpossible where it cannot be
    measured."""
    machine = this_machine()
    found = fitted(swap_passes(), machine.fingerprint, now())
    store.add_profile(machine.fingerprint, NAME, machine.kernel, 1, found.to_json())
    return found


def swap_speed(store: Store) -> SwapSpeed | None:
    """The speed that was measured last on this machine; None where none was."""
    row = store.latest_profile(this_machine().fingerprint, NAME)
    return None if row is None else SwapSpeed.from_json(row.content)


def fitted(passes: Sequence[SwapPass], machine: str = "", created: str = "") -> SwapSpeed:
    """The speed by which the seconds of passes follow from their bytes. The quickest pass of each kind
    counts, because other processes only make passes longer.

    Reading passes read most; writing passes also write. Where the seconds do not tell the two apart, every
    byte takes as long.
    """
    quickest = [_quickest([p for p in passes if p.name == name]) for name in (READ, WRITE)]
    moved = np.array([[p.read_bytes, p.written_bytes] for p in quickest], dtype=np.float64)
    seconds = np.array([p.seconds for p in quickest])
    read, written = np.linalg.lstsq(moved, seconds, rcond=None)[0].tolist()
    if read <= 0 or written < 0:
        read = written = float(seconds.sum() / moved.sum())
    return SwapSpeed(read, written, machine, created)


def _quickest(passes: Sequence[SwapPass]) -> SwapPass:
    moving = [p for p in passes if p.read_bytes >= _LEAST_MOVED]
    if not moving:
        raise LimitImpossible(
            "a process with too little memory was hardly swapped here: the speed of swap is not known",
            "run fheasible calibrate --swap as root, outside a container",
        )
    return min(moving, key=lambda p: p.seconds / (p.read_bytes + p.written_bytes))
