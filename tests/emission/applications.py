"""Applications that tests emit."""

import json
from pathlib import Path

import numpy as np

import fheasible as fh

TINY = 1 / 4096
FULL = 0.12345678901234567  # needs all bits of a double
WEIGHTS = np.random.default_rng(5).uniform(-1, 1, 24) * np.pi


@fh.app(x=fh.reals(24, low=0, high=1))
def constants(x: fh.Vector) -> fh.Vector:
    return (x * WEIGHTS + FULL) * TINY + x * x * TINY


@fh.app(
    **{
        "first input": fh.integers(20, low=-5, high=5),
        "first-input": fh.integers(20, low=-5, high=5),
        "scale": fh.integers(1, low=1, high=3),
    }
)
def several(**given: fh.Vector) -> dict[str, fh.Vector]:
    x, y, scale = given["first input"], given["first-input"], given["scale"]
    head = np.arange(20) - 3
    moved = fh.rotate(x, 3) * y
    return {"the sum": fh.sum(x * head), "moved": moved - scale, "less": -(x - y * head) * scale}


NAMED_AS_IN_GO = ("s", "range", "inputs", "take")  # by the code around an application, or by the language


@fh.app(**dict.fromkeys(NAMED_AS_IN_GO, fh.integers(16, modulo=65537)))
def awkward(**given: fh.Vector) -> fh.Vector:
    s, range_, inputs, take = given.values()
    return s * range_ + inputs - take


@fh.app(x=fh.reals(4, low=0, high=1))
def with_a_branch(x: fh.Vector) -> fh.Vector:
    total = x
    for power in (2, 3):
        total = (
            total
            + x**power
        )  # fmt: skip
    return total


@fh.app(x=fh.integers(4096, low=-4, high=4))
def both_rows(x: fh.Vector) -> fh.Vector:
    return fh.sum(x * x)


TWO_ROWS = {"ring_dimension": "4096", "security": "none"}  # INSECURE: as many slots as elements


LAYOUTS = ("side_by_side", "by_row")
COLUMNS = ("first one", "first-one", "c")  # of which two have the same file name, but for a number


@fh.app(t=fh.table(20, **{name: fh.reals(low=-1, high=2) for name in COLUMNS}), of=fh.reals(1, low=1, high=2))
def of_columns(t: fh.Table, of: fh.Vector) -> dict[str, fh.Vector]:
    """Sums over columns and in columns, which may be joined to one ciphertext."""
    columns = [t[name] for name in COLUMNS]
    curved = [fh.sigmoid(x, low=-2, high=4, degree=3) for x in columns]
    return {"score": columns[0] + 2 * columns[1] - of * curved[2], "means": fh.concatenate(curved) * of}


@fh.app(**{name: fh.integers(20, low=-5, high=5) for name in COLUMNS})
def of_integers(**given: fh.Vector) -> fh.Vector:
    return fh.concatenate([fh.sum(x * x) for x in given.values()])


def joins(folder: Path) -> bool:
    """Whether the emitted client joins inputs to one ciphertext."""
    told = json.loads((folder / "parameters.json").read_text())
    return any(each["columns"] and each["ciphertexts"] == 1 for each in told["inputs"])


@fh.app(x=fh.reals(16, low=0.5, high=1))
def refreshed(x: fh.Vector) -> fh.Vector:
    return fh.bootstrap(x * x) * x


# INSECURE: the smallest ring in which both libraries bootstrap
BOOTSTRAPPED = {"ring_dimension": "2048", "security": "none", "levels": "4", "scale_bits": "45"}
