"""A bootstrap counted on shapes: the kernels of a whole one, whatever the primes are."""

from collections import Counter
from functools import lru_cache
from typing import NamedTuple

from fheasible.rings.rns.counting import CountingRnsRing
from fheasible.schemes.rns.bootstrap.bootstrap import bootstrap
from fheasible.schemes.rns.bootstrap.keys import given_bootstrap_keys
from fheasible.schemes.rns.bootstrap.lookup import lookup
from fheasible.schemes.rns.bootstrap.method import Method
from fheasible.schemes.rns.bootstrap.procedure import Procedure
from fheasible.schemes.rns.bootstrap.tables import prepared
from fheasible.schemes.rns.ciphertext import RnsSpec
from fheasible.schemes.rns.ckks import CKKS
from fheasible.schemes.rns.variant import Variant


class Bases(NamedTuple):
    """The limbs of Q and of P, and the special primes of the key to the ephemeral secret (0: P's first)."""

    chain: int
    special: int
    beside: int = 0


@lru_cache(maxsize=1024)
def _counted(
    p: Procedure, n: int, method: Method, variant: Variant, bases: Bases, level: int
) -> tuple[tuple[str, int], ...]:
    ring = CountingRnsRing(*bases)
    scheme = CKKS(ring, RnsSpec(), variant)
    keys, tables = given_bootstrap_keys(scheme, p, n, method), prepared(scheme, p, n, method)
    x = scheme.operand(level)
    ring.restart()
    (lookup if p.table else bootstrap)(scheme, keys, x, tables)
    used = {"peak_limbs": ring.peak_limbs, "operand_limbs": ring.operand_limbs}
    return tuple({**ring.tally, **used}.items())


def counted(p: Procedure, n: int, method: Method, variant: Variant, bases: Bases, level: int) -> Counter[str]:
    """The kernel counts of a bootstrap, with its table, of an operand of this level, in limbs of n numbers.

    `peak_limbs` and `operand_limbs` are with them; keys and plain vectors count as operands. The result is
    rescaled. A count takes some 100 ms; equal ones are taken from a cache.
    """
    return Counter(dict(_counted(p, n, method, variant, bases, level)))
