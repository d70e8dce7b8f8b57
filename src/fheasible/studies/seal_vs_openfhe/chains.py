"""Chains of primes that a user of SEAL or Lattigo has to choose, as settings of a sweep.

OpenFHE makes its chain itself. For the others: in CKKS our usual chain (60, then 40 for each product, and a
special prime of 60), which is that of SEAL's examples; in BGV the smallest equal primes with which the noise
model leaves a bit of noise budget at the greatest depth of their ring (`BGV_BITS`; a test keeps them
smallest). The largest chains are those that CoeffModulus::BFVDefault gives for 128 bits
(native/src/seal/util/hestdparms.h) [SEAL].
"""

from collections.abc import Mapping
from itertools import groupby

from fheasible.errors import InfeasibleParameters
from fheasible.libraries.catalogue import library
from fheasible.libraries.parameters import request_for
from fheasible.studies.derived import Derived, Told
from fheasible.studies.seal_vs_openfhe.printed import RINGS

PLAIN_MODULUS = 65537
BGV_BITS: Mapping[str, Mapping[int, int]] = {  # by library and ring dimension
    "seal": {8192: 36, 16384: 41, 32768: 42},
    "lattigo": {8192: 31, 16384: 33, 32768: 34},
}
LARGEST: Mapping[int, tuple[int, ...]] = {  # SEAL's default for each ring, the special prime last
    8192: (43, 43, 44, 44, 44),
    16384: (48, 48, 48, 49, 49, 49, 49, 49, 49),
    32768: (*(55,) * 15, 56),
}


def bgv_chain(name: str) -> Derived:
    """For n products: n + 1 primes of `BGV_BITS` in the smallest ring that the library allows for them.

    Where no ring is large enough, they are those of the largest ring, and the library refuses them.
    """

    def derived(told: Told) -> Told:
        products = int(told["n"])
        for n in RINGS:
            if _allowed(name, n, products):
                return _chain(BGV_BITS[name][n], products, n)
        return _chain(BGV_BITS[name][RINGS[-1]], products, RINGS[-1])

    return derived


def largest(told: Told) -> Told:
    """All primes that SEAL's default gives for the ring, and ciphertexts that keep them."""
    *q, p = LARGEST[int(told["ring_dimension"])]
    bits = ",".join(map(str, q))
    return {"prime_bits": bits, "special_bits": str(p), "spare_levels": str(len(q) - 1)}


def sized(bits: tuple[int, ...]) -> str:
    """A chain as it is said: '3 x 48 + 5 x 49 bits'."""
    return " + ".join(f"{len(list(same))} x {b}" for b, same in groupby(bits)) + " bits"


def _chain(bits: int, products: int, n: int) -> Told:
    return {"prime_bits": ",".join([str(bits)] * (products + 1)), "ring_dimension": str(n)}


def _allowed(name: str, n: int, products: int) -> bool:
    bits = (BGV_BITS[name][n],) * (products + 1)
    asked = request_for("bgv", products, prime_bits=bits, ring_dimension=n, plain_modulus=PLAIN_MODULUS)
    try:
        library(name).parameters(asked)
    except InfeasibleParameters:
        return False
    return True
