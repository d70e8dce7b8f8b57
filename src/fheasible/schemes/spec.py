"""The parameters that a ring scheme has in addition to its ring."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from fheasible.rings.element import Scalar
from fheasible.schemes.magnitude import Magnitude

SIGMA = 3.2  # the usual width of errors [HES18]


@dataclass(frozen=True, slots=True)
class Spec:
    """The plaintext modulus t, the base w of words, and the width sigma of errors."""

    t: Scalar
    w: Scalar
    sigma: Any = SIGMA

    @property
    def t_magnitude(self) -> Magnitude:
        return _magnitude(self.t)

    @property
    def w_magnitude(self) -> Magnitude:
        return _magnitude(self.w)


def _magnitude(c: Scalar) -> Magnitude:
    if c.shift is not None:
        return Magnitude(np.asarray(c.shift, dtype=float))
    return Magnitude.of(c.value) if c.value is not None else Magnitude(np.asarray(c.bits, dtype=float))
