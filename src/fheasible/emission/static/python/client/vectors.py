"""Vectors as rows of slots and back, and as text files with one number on each line."""

import numpy as np

from common.parameters import PARAMETERS, REAL

SLOTS = PARAMETERS["slots"]


def read(path):
    """The numbers of a file."""
    return np.array(
        [(float if REAL else int)(line) for line in path.read_text().split()],
        dtype=np.float64 if REAL else np.int64,
    )


def given(folder, vector):
    """The elements of an input: those of its file, or of several that share its ciphertexts. Element i of
    such a column lies in place start + i * step; where it has more room, its first elements follow again."""
    if not vector["columns"]:
        return read(folder / f"{vector['file']}.txt")
    joined = np.zeros(vector["length"], dtype=np.float64 if REAL else np.int64)
    for column in vector["columns"]:
        values = checked(read(folder / f"{column['file']}.txt"), column)
        end = column["start"] + column["step"] * column["room"]
        joined[column["start"] : end : column["step"]] = np.resize(values, column["room"])
    return joined


def checked(values, vector):
    if len(values) != vector["length"]:
        raise SystemExit(f"{vector['name']} has {len(values)} elements; it takes {vector['length']}")
    return values


def write(path, values):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{value!r}\n" for value in values.tolist()))


def packed(values, vector):
    """One row of slots for each ciphertext. Slots beyond the end hold what the parameters say: zeros, the
    first elements again, or the only element in every slot."""
    values, rows = checked(values, vector), vector["ciphertexts"]
    if vector["padding"] == "repeat":
        return np.resize(values, (rows, SLOTS))
    filled = np.zeros(rows * SLOTS, dtype=values.dtype)
    filled[: len(values)] = values
    return filled.reshape(rows, SLOTS)


def unpacked(rows, vector):
    """The vector in rows of slots. A single real number lies in every slot, each with an error of its own."""
    joined = np.concatenate(rows)
    found = joined.mean(keepdims=True) if REAL and vector["length"] == 1 else joined[: vector["length"]]
    return np.rint(found).astype(np.int64) if vector["rounded"] else found


def repeated(values, slots):
    """The values again and again until the ring's slots are full."""
    return values if len(values) == slots else np.tile(values, slots // len(values))


FEWEST = 8  # copies of which one can be told to be far off
FAR = 16.0  # times the middle distance from the median: no normal noise is that far off


def averaged(slots):
    """The mean of the copies of a vector that fill the ring, without those that are far off all others."""
    copies = slots.reshape(-1, SLOTS)
    middle = np.median(copies, axis=0)
    away = np.abs(copies - middle)
    near = np.ones_like(away, dtype=bool)
    if len(copies) >= FEWEST:
        near = away <= FAR * np.median(away, axis=0)
    return middle + np.where(near, copies - middle, 0.0).sum(axis=0) / near.sum(axis=0)
