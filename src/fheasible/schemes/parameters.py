"""One parameter set of a ring scheme, or many sets: fields may be arrays with one entry for each set."""

from dataclasses import dataclass
from math import gcd
from typing import Any

import numpy as np

from fheasible.errors import InfeasibleParameters
from fheasible.rings.counting import CountingRing
from fheasible.rings.element import Scalar
from fheasible.rings.sizes import Size
from fheasible.rings.weights import PANTHERS, Weights
from fheasible.schemes.spec import SIGMA, Spec

LARGEST_N = 1 << 15
LARGEST_LOG_Q = 1200
LARGEST_SIGMA = 1 << 40  # errors are drawn as integers of 64 bits


@dataclass(frozen=True, slots=True)
class RingParameters:
    """n coefficients, modulus q, plaintext modulus t, words of log_w bits, and errors of width sigma.

    q, unless it is given, is the largest odd number of log_q bits that has no factor in common with t:
    2^log_q - 1 for t = 2. Arrays of equal length stand for many sets. `checked` checks the fields.
    """

    n: Size
    log_q: Size
    t: Size = 2
    log_w: Size = 1
    sigma: Any = SIGMA
    q: int | None = None

    @property
    def many(self) -> bool:
        """Whether any field is an array."""
        return any(np.ndim(v) for v in (self.n, self.log_q, self.t, self.log_w, self.sigma))

    @property
    def modulus(self) -> int | None:
        """q, for one set; None for many sets where q is not given."""
        if self.q is not None or self.many:
            return self.q
        t, below = int(self.t), range((1 << int(self.log_q)) - 1, 1, -2)
        return next(q for q in below if gcd(q, t) == 1)  # YASHE and F-NTRU need such a q

    @property
    def spec(self) -> Spec:
        return Spec(_scalar(self.t), Scalar.power(self.log_w), self.sigma)

    def counting_ring(self, weights: Weights = PANTHERS, record: bool = False) -> CountingRing:
        return CountingRing(self.n, self.log_q, self.modulus, weights, record)

    def checked(self, bits: bool = False) -> "RingParameters":
        """These parameters, checked.

        InfeasibleParameters where a field is outside the range that the ring computes with, or where t is not
        2 in a scheme of `bits`.
        """
        if bits and np.any(np.asarray(self.t) != 2):
            raise InfeasibleParameters(
                "this scheme's plaintexts are bits, so that t must be 2", "leave t out, or set t = 2"
            )
        for name, low, high in self._ranges():
            value = np.asarray(getattr(self, name))
            if np.any(value < low) or np.any(value > high):
                raise InfeasibleParameters(
                    f"{name} = {_shown(value, low, high)} is outside {low} to {high}",
                    f"choose {name} in this range",
                )
        _check_widths(np.atleast_1d(self.sigma))
        n = np.atleast_1d(self.n)
        if np.any(n & (n - 1)):
            wrong = int(n[(n & (n - 1)) > 0][0])
            raise InfeasibleParameters(f"n = {wrong} is not a power of two", "choose 1024, 2048, 4096, ...")
        return self

    def _ranges(self) -> tuple[tuple[str, int, int], ...]:
        largest = int(np.max(self.log_q))
        return (
            ("n", 2, LARGEST_N),
            ("log_q", 2, LARGEST_LOG_Q),
            ("t", 2, 1 << min(largest - 1, 62)),
            ("log_w", 1, largest),
        )


def _scalar(t: Size) -> Scalar:
    if not np.ndim(t):
        return Scalar.of(int(t))
    values: Any = np.asarray(t, dtype=np.int64)
    bits = np.array([int(v).bit_length() for v in values.ravel()]).reshape(values.shape)
    return Scalar(bits, values, bits - 1 if np.all(values & (values - 1) == 0) else None)


def _check_widths(sigmas: np.ndarray) -> None:
    possible = (sigmas > 0) & (sigmas < LARGEST_SIGMA)
    if not np.all(possible):
        raise InfeasibleParameters(
            f"errors of width sigma = {sigmas[~possible][0]:g} cannot be drawn",
            f"choose a sigma above 0 and below {LARGEST_SIGMA:,}; {SIGMA} is usual",
        )


def _shown(value: Any, low: int, high: int) -> str:
    wrong = value[(value < low) | (value > high)] if value.ndim else value
    return str(int(np.ravel(wrong)[0]))
