"""The figures of lattice_estimator.json, by attack, model and secret, as arrays."""

import json
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import numpy as np

_ROWS = json.loads((Path(__file__).parent / "lattice_estimator.json").read_text())


class Known(NamedTuple):
    """What lattice-estimator says of sets that have a secret and a cost model in common."""

    model: str
    secret: str
    n: np.ndarray
    log_q: np.ndarray
    sigma: np.ndarray
    bits: np.ndarray
    block_size: np.ndarray


def known(attack: str, problem: str = "rlwe") -> list[Known]:
    """All finite figures for an attack."""
    groups = defaultdict(list)
    for row in _ROWS:
        if row["attack"] == attack and row.get("problem", "rlwe") == problem and row["bits"] is not None:
            groups[row["model"], row["secret"]].append(row)
    names = Known._fields[2:]
    return [
        Known(*key, *(np.array([row[name] for row in rows], dtype=float) for name in names))
        for key, rows in groups.items()
    ]
