"""Makes the table that `near_primes.py` reads. This takes about a second.

    python -m fheasible.libraries.prime_tabulation

It writes `data/primes.npy` beside itself. A test makes the table again and compares.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fheasible.libraries.near_primes import BITS, NEAR, STEPS
from fheasible.libraries.primes import decided

PLACE = Path(__file__).parent / "data" / "primes.npy"


def tabled() -> NDArray[np.bool_]:
    """Whether 2^bits + 1 + (place - NEAR) 2^step is prime, as an array [step, bits, place]."""
    return np.array(
        [
            [[decided((1 << bits) + 1 + (place << step)) for place in range(-NEAR, NEAR)] for bits in BITS]
            for step in STEPS
        ]
    )


if __name__ == "__main__":
    np.save(PLACE, np.packbits(tabled()))
