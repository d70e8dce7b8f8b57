"""The constants of base conversions, made once for each pair of bases."""

from dataclasses import dataclass
from functools import lru_cache
from math import prod

import numpy as np

from fheasible.errors import NotInvertible
from fheasible.rings.limbs import LIMB_BITS, Limbs, magnitude
from fheasible.rings.rns.transforms import Residues, words


def inverse(c: int, p: int) -> int:
    """c^-1 modulo p. NotInvertible where c has no inverse."""
    try:
        return pow(c, -1, p)
    except ValueError:
        raise NotInvertible(
            f"{c} has no inverse modulo {p}", "choose moduli without a common factor"
        ) from None


@lru_cache(maxsize=1024)
def cofactor_inverses(moduli: tuple[int, ...]) -> Residues:
    """(Q/q_i)^-1 modulo q_i, for each modulus q_i."""
    q = prod(moduli)
    return words([inverse(q // p, p) for p in moduli])


@lru_cache(maxsize=1024)
def cofactor_matrix(moduli: tuple[int, ...], to: tuple[int, ...]) -> Residues:
    """Q/q_i modulo p_j, in row j and column i."""
    q = prod(moduli)
    return words([[q // p % other for p in moduli] for other in to])


@dataclass(frozen=True, slots=True, eq=False)
class Whole:
    """The constants that reconstruct integers from their residues.

    `modulus` is Q. The rows of `cofactors` are each Q/q_i, then Q, in 64-bit words.
    """

    modulus: int
    cofactors: Limbs


@lru_cache(maxsize=256)
def whole(moduli: tuple[int, ...]) -> Whole:
    """The constants for these moduli, in as many words as hold 2Q, and Q with a sign."""
    q = prod(moduli)
    count = q.bit_length() // LIMB_BITS + 1
    return Whole(q, np.stack([magnitude(c, count) for c in (*(q // p for p in moduli), q)]))
