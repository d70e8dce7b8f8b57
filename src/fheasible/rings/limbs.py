"""Integers as 64-bit limbs in the last axis, least significant first: the form the native code works on."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

LIMB_BITS = 64
LIMB_BYTES = 8
Limbs = NDArray[np.uint64]


def constant(value: int) -> Limbs:
    """An integer in as few limbs as its two's complement needs."""
    return _words(value, value.bit_length() // LIMB_BITS + 1, signed=True)


def magnitude(value: int, count: int | None = None) -> Limbs:
    """An integer >= 0 in `count` limbs, or in as few as it needs."""
    return _words(value, count or max(-(-value.bit_length() // LIMB_BITS), 1), signed=False)


def pack(values: NDArray[Any], count: int) -> Limbs:
    """An array of integers in two's complement of `count` limbs each; residues may use all of the bits."""
    size = count * LIMB_BYTES
    modulus = 1 << 8 * size
    raw = b"".join((int(v) % modulus).to_bytes(size, "little") for v in values.ravel())
    return np.frombuffer(raw, dtype="<u8").astype(np.uint64).reshape(*values.shape, count)


def unpack(data: Limbs, signed: bool) -> NDArray[Any]:
    """The numbers as Python integers, without the last axis; read as two's complement where `signed`."""
    size = data.shape[-1] * LIMB_BYTES
    raw = np.ascontiguousarray(data).astype("<u8", copy=False).tobytes()
    out = np.empty(data.shape[:-1], dtype=object)
    parts = (raw[i : i + size] for i in range(0, len(raw), size))
    out.reshape(-1)[:] = [int.from_bytes(part, "little", signed=signed) for part in parts]
    return out


def extended(data: Limbs, count: int) -> Limbs:
    """Numbers >= 0 in `count` limbs; zero limbs are added above where there are fewer."""
    given = data.shape[-1]
    if given == count:
        return data
    out = np.zeros((*data.shape[:-1], count), np.uint64)
    out[..., :given] = data
    return out


def _words(value: int, count: int, signed: bool) -> Limbs:
    raw = value.to_bytes(count * LIMB_BYTES, "little", signed=signed)
    return np.frombuffer(raw, dtype="<u8").astype(np.uint64)
