"""How much noise a ciphertext of a ring scheme has, and how deep a circuit may be for it to decrypt."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from fheasible.rings.ring import TAIL, Ring
from fheasible.schemes.magnitude import Magnitude
from fheasible.schemes.spec import Spec
from fheasible.schemes.ties import RELATED, Tie

DEEPEST = 100  # the largest depth that is tried
FAILURE_BITS = 40.0
WORST_CASE, AVERAGE, PANTHERS = "worst-case", "average", "panthers"  # names of sets of formulas


@dataclass(frozen=True, slots=True)
class Bounds:
    """What the noise formulas assume: bounds on the coefficients of keys and errors, and an expansion factor.

    `expansion` is the delta of a product of polynomials, |f·g| <= delta·|f|·|g|. `message` bounds the sum of
    |coefficients| of every plaintext of the circuit, computed over the integers; it matters only to schemes
    of `bits`. `source` names the formulas. In those of the average case, |key| and |error| are standard
    deviations, and one decryption in 2^failure_bits may be wrong.
    """

    key: Any
    error: Any
    expansion: Any
    source: str
    message: Any = 1
    failure_bits: float = FAILURE_BITS


def worst_case(n: Any, sigma: Any) -> Bounds:
    """The bounds that proofs use: ternary keys, errors cut at 9.2 sigma, delta = n for X^n + 1."""
    return Bounds(1, np.ceil(TAIL * np.asarray(sigma, dtype=float)), n, WORST_CASE)


def panthers_bounds(n: Any) -> Bounds:
    """The bounds in PAnTHErS's published code: errors of width 2·sqrt(n), cut at 9.2 widths [FerLL18]."""
    return Bounds(1, TAIL * 2 * np.sqrt(np.asarray(n, dtype=float)), n, PANTHERS)


def average_case(n: Any, sigma: Any, failure_bits: float = FAILURE_BITS) -> Bounds:
    """The standard deviations of ternary keys and of errors, for the formulas of the average case."""
    return Bounds(float(np.sqrt(2 / 3)), sigma, n, AVERAGE, failure_bits=failure_bits)


class Amount(Protocol):
    """Noise of one ciphertext: a bound on it, or its spread."""

    @property
    def log2(self) -> Any: ...

    def __lt__(self, other: Any) -> Any: ...

    def larger(self, other: Any) -> Any: ...


class Noise(ABC):
    """The noise formulas of one scheme. Any of the parameters may be arrays."""

    def __init__(self, ring: Ring, spec: Spec, bounds: Bounds) -> None:
        self.n = Magnitude.of(np.asarray(ring.n, dtype=float))
        self.q = (
            Magnitude.of(ring.q) if ring.q is not None else Magnitude(np.asarray(ring.q_bits, dtype=float))
        )
        self.t = spec.t_magnitude
        self.w = spec.w_magnitude
        self.l = Magnitude.of(np.asarray(ring.digits(spec.w), dtype=float))
        self.q_mod_t = _remainder(ring, spec)
        self.key, self.error = Magnitude.of(bounds.key), Magnitude.of(bounds.error)
        self.delta, self.message = Magnitude.of(bounds.expansion), Magnitude.of(bounds.message)

    @abstractmethod
    def fresh(self) -> Amount:
        """Noise of a new ciphertext."""

    def constant(self) -> Amount:
        """Noise of a ciphertext that `Scheme.constant` makes."""
        return self.none()

    def none(self) -> Amount:
        return Magnitude(float("-inf"))

    @abstractmethod
    def product(self, v: Any, depth: int) -> Amount:
        """Noise of the product of two ciphertexts of noise v, the `depth`-th product in succession."""

    def product_of(self, v: Any, u: Any, depth: int, tie: Tie = RELATED) -> Amount:
        """Noise of c·d, for c of noise v and d of noise u; at most the noise if both had the larger one."""
        return self.product(v.larger(u), depth)

    @abstractmethod
    def sum(self, v: Any, u: Any, tie: Tie = RELATED) -> Amount:
        """Noise of the sum of two ciphertexts."""

    @abstractmethod
    def limit(self) -> Magnitude:
        """The limit on noise: a ciphertext with less noise decrypts correctly."""

    def depth(self) -> Any:
        """How many products in succession stay below `limit` and so decrypt correctly; an int or an array."""
        v, limit = self.fresh(), self.limit()
        bounds = (v, limit, self.product(v, 1))  # w may be all that differs, and only products depend on it
        deep = np.zeros(np.broadcast_shapes(*(np.shape(x.log2) for x in bounds)), dtype=np.int64)
        going = np.ones(deep.shape, dtype=bool)
        for level in range(1, DEEPEST + 1):
            v = self.product(v, level)
            going &= v < limit
            if not going.any():
                break
            deep += going
        return deep if deep.ndim else int(deep)


def _remainder(ring: Ring, spec: Spec) -> Magnitude:
    """q modulo t, or its upper bound t - 1 where only sizes are known."""
    if ring.q is not None and spec.t.value is not None:
        return Magnitude.of(ring.q % spec.t.value)
    return spec.t_magnitude.minus(1)
