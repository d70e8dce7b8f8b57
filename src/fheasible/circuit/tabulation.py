"""The program that computes the table of `composition.py`; it takes a minute.

    python -m fheasible.circuit.tabulation

It writes `tables/minimax.npy` beside itself. The table holds mathematical constants, which a search would
otherwise have to compute each time. A test computes some of them anew and compares.
"""

import numpy as np

from fheasible.aliases import Floats
from fheasible.circuit.composition import CLOSENESSES, RELINEARISATIONS, TABLE, reached_by, start


def table() -> Floats:
    """For each degree and each of `CLOSENESSES`, the closeness that the polynomial reaches from there."""
    return np.array([[reached_by(degree, start(at)) for at in CLOSENESSES] for degree in RELINEARISATIONS])


if __name__ == "__main__":
    TABLE.parent.mkdir(exist_ok=True)
    np.save(TABLE, table().astype(np.float32))
