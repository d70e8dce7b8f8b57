"""Bootstraps of toy size on the exact ring, what they perform, and the same things counted."""

from collections import Counter
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any

import numpy as np

from fheasible.libraries.primes import descending
from fheasible.rings.rns.basis import Basis
from fheasible.rings.rns.counting import CountingRnsRing
from fheasible.rings.rns.element import Domain, Poly
from fheasible.rings.rns.exact import ExactRnsRing
from fheasible.schemes.rns.bootstrap.bootstrap import bootstrap
from fheasible.schemes.rns.bootstrap.keys import BootstrapKeys, bootstrap_keys, given_bootstrap_keys
from fheasible.schemes.rns.bootstrap.method import Alignment, Method
from fheasible.schemes.rns.bootstrap.procedure import Procedure, Reduction
from fheasible.schemes.rns.bootstrap.tables import Levels, Tables, levels, prepared
from fheasible.schemes.rns.ciphertext import Ciphertext, RnsSpec
from fheasible.schemes.rns.ckks import CKKS
from fheasible.schemes.rns.variant import Variant

INSECURE_N = 64
WEIGHT = 8  # of the secret, so that |I| is small
RESIDUAL = 2  # levels that are left
DIGIT = 2  # limbs of a digit and of P
_LONG = 100  # more levels than any bootstrap takes
SERIES = Reduction(12, 63, 2)
Operation = tuple[Any, ...]


class RecordingRing(ExactRnsRing):
    """An exact ring that keeps which operations it has performed, in the form in which they are counted."""

    def __init__(self, *args: Any, **named: Any) -> None:
        self.performed: Counter[Operation] = Counter()
        super().__init__(*args, **named)

    def _interpret(
        self,
        operation: str,
        basis: Basis,
        domain: Domain,
        operands: tuple[Poly, ...] = (),
        choice: Any = None,
        value: Any = None,
    ) -> Any:
        if operation != "given":
            inner = len(operands[-1].basis) if operands else 0
            self.performed[operation, len(basis), len(operands), inner, choice] += 1
        return super()._interpret(operation, basis, domain, operands, choice, value)


@dataclass(frozen=True, eq=False)
class Bench:
    """A scheme with the keys and tables of a bootstrap."""

    scheme: CKKS
    ring: RecordingRing
    keys: BootstrapKeys
    tables: Tables

    def slots(self, seed: int) -> Any:
        """Complex slots of absolute value up to 0.7."""
        random = np.random.default_rng(seed)
        real, imaginary = random.uniform(-0.5, 0.5, (2, self.tables.procedure.slots))
        return real + 1j * imaginary

    def bootstrapped(self, slots: Any, level: int = 1) -> Ciphertext:
        x = self.scheme.encrypt(self.keys.keys, slots, level)
        self.ring.performed.clear()
        return bootstrap(self.scheme, self.keys, x, self.tables)

    def error(self, x: Ciphertext, slots: Any) -> float:
        """The largest difference of a decrypted slot."""
        return float(np.max(np.abs(self.errors(x, slots))))

    def errors(self, x: Ciphertext, slots: Any) -> Any:
        made = self.scheme.decrypt(self.keys.keys, x)
        return made - np.tile(slots, len(made) // len(slots))


@cache
def bench(p: Procedure, method: Method, variant: Variant | None = None, n: int = INSECURE_N) -> Bench:
    """Primes of 55 bits down to the reduction, and of 45 bits below it; or of 50 bits throughout."""
    at = levels(p, method, _LONG)
    at = Levels(
        *(level - at.result + RESIDUAL for level in (at.top, at.encode, at.reduce, at.decode, at.result))
    )
    wide, special = iter(descending(55, 2 * n)), tuple(islice(descending(57, 2 * n), DIGIT))
    bits = 50 if method.normalised_apart else 45
    narrow = iter(descending(bits, 2 * n))
    first = next(wide)
    many = 0 if method.normalised_apart else at.top - at.decode
    q = (first, *islice(narrow, at.top - many), *islice(wide, many))
    ring = RecordingRing(n, q, special, (), seed=1)
    spec = RnsSpec(scales=_scales(q, bits, method.alignment), weight=WEIGHT)
    scheme = CKKS(ring, spec, variant or Variant(limbs_per_digit=DIGIT))
    return Bench(scheme, ring, bootstrap_keys(scheme, p, n, method), prepared(scheme, p, n, method))


def _scales(q: tuple[int, ...], bits: int, alignment: Alignment) -> tuple[float, ...]:
    """S_top = 2^bits and S_(l-1) = S_l²/q_l, where scales are corrected; the same scale for all elsewhere."""
    if alignment is not Alignment.CORRECTED or len({p.bit_length() for p in q[1:]}) > 1:
        return (2.0**bits,) * len(q)
    scales = [2.0**bits]
    for prime in reversed(q[1:]):
        scales.append(scales[-1] ** 2 / prime)
    return tuple(reversed(scales))


def counted(
    p: Procedure,
    method: Method,
    variant: Variant,
    n: int,
    bases: tuple[int, int, int],
    level: int,
) -> tuple[CountingRnsRing, Ciphertext]:
    """The ring on which a bootstrap of an operand at this level was counted, and its result."""
    ring = CountingRnsRing(*bases)
    scheme = CKKS(ring, RnsSpec(), variant)
    keys, tables = given_bootstrap_keys(scheme, p, n, method), prepared(scheme, p, n, method)
    x = scheme.operand(level)
    ring.restart()
    return ring, bootstrap(scheme, keys, x, tables)
