"""What to take instead of a set: with fewer special primes, of less depth, or in another ring."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import log2

from fheasible.aliases import Json
from fheasible.auditing.capability import Capability, bits_of, capability, parameters_of, rounded
from fheasible.auditing.found import Bits, Found
from fheasible.auditing.security import Secure, secured
from fheasible.errors import FheasibleError
from fheasible.libraries.catalogue import library
from fheasible.libraries.parameters import Parameters
from fheasible.security.tables import STANDARD
from fheasible.units import power_of_two

MENDED, DEEPEST = "mended", "deepest"
MOST_DEPTH = 100  # that is tried
LARGEST_RING = 1 << 17


@dataclass(frozen=True, slots=True)
class Instead:
    """A set of `level` bits of security: the given one mended, or the deepest of its scale in a ring."""

    what: str  # MENDED | DEEPEST
    level: int
    ring_dimension: int
    depth: int | None
    log_qp: float
    prime_bits: Bits
    special_bits: Bits
    bits: float | None = None

    def to_json(self) -> Json:
        return {name: getattr(self, name) for name in self.__slots__}

    def __str__(self) -> str:
        primes = " ".join(map(str, self.prime_bits))
        special = f" + {' '.join(map(str, self.special_bits))}" if self.special_bits else ""
        precise = f", {self.bits:.1f} bits right" if self.bits is not None else ""
        depth = "" if self.depth is None else f"depth {self.depth}, "
        size = f"log2 QP = {self.log_qp:.1f} ({primes}{special})"
        return f"N = {power_of_two(self.ring_dimension)}: {depth}{size}{precise}"


def instead(found: Found, p: Parameters, secure: Secure) -> Iterator[Instead]:
    """Sets as secure as the file asks for, the nearest to the given one first; none where the library makes
    none."""
    if not secure.secure:
        yield from _mended(found, p, secure)
    if p.scheme != "ckks":
        return
    n = p.ring_dimension
    for ring in (n // 2, n, *(() if secure.secure else (2 * n,))):
        if ring <= LARGEST_RING and (one := deepest(found, p, ring)) is not None:
            yield one


def _mended(found: Found, p: Parameters, secure: Secure) -> Iterator[Instead]:
    """The same chain with fewer special primes where that is enough, and in the ring that it needs."""
    _, special = bits_of(found)
    for fewer in range(len(special or ()) - 1, 0, -1):
        other = replace(found, special_bits=(special or ())[:fewer], special_primes=None)
        if (made := _secure(other, p.ring_dimension)) is not None:
            yield _told(MENDED, other, made, capability(other, made))
            break
    if secure.ring is not None and (made := _secure(found, secure.ring)) is not None:
        yield _told(MENDED, found, made, capability(found, made))


def deepest(found: Found, p: Parameters, ring: int) -> Instead | None:
    """The deepest chain of this scale that is secure in the ring, with one special prime where the user
    chooses them; None where not even one level is."""
    best = None
    for depth in range(1, MOST_DEPTH + 1):
        made = _secure(_of_depth(found, p, depth), ring)
        if made is None:
            break
        best = _told(DEEPEST, found, made, Capability(depth))
    return best


def _of_depth(found: Found, p: Parameters, depth: int) -> Found:
    """The set with another depth, at the same scale and the same size of the first prime."""
    if library(found.library).own_primes is not None:
        return replace(found, depth=depth)
    assert p.scheme == "ckks"
    first, scale = rounded(p.q)[0], round(log2(p.nominal))
    chain = (max(first, scale), *(scale,) * depth)
    return replace(found, prime_bits=chain, special_bits=(max(chain),), primes=None, special_primes=None)


def _secure(found: Found, ring: int) -> Parameters | None:
    """The set in that ring; None where it is not secure, or the library makes none."""
    q, special = bits_of(found)
    sized = replace(found, prime_bits=q, special_bits=special, primes=None, special_primes=None)
    try:
        made = parameters_of(sized, ring_dimension=ring)
        return made if secured(found, ring, made.log_qp).secure else None
    except FheasibleError:
        return None


def _told(what: str, found: Found, p: Parameters, able: Capability) -> Instead:
    level = found.security or STANDARD
    return Instead(what, level, p.ring_dimension, able.depth, p.log_qp, rounded(p.q), rounded(p.p), able.bits)
