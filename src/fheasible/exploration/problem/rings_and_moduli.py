"""The ring dimensions that are explored, and the plaintext moduli that pack vectors in them.

Such a modulus is a prime t = 1 modulo twice the ring dimension, of up to 60 bits.
"""

from typing import Final

from fheasible.errors import InfeasibleParameters
from fheasible.libraries.primes import is_prime
from fheasible.units import power_of_two

RINGS = tuple(1 << k for k in range(12, 18))

LARGEST_BITS: Final = 60
_DECLARE = "if values need not wrap around, declare low= and high= instead of modulo=, and results are exact"


def plain_modulus_above(least: int, ring_dimension: int) -> int:
    """The smallest prime t >= least with t = 1 modulo 2N. InfeasibleParameters where it has too many bits."""
    t = _prime_from(least, ring_dimension)
    if t.bit_length() > LARGEST_BITS:
        raise InfeasibleParameters(
            f"the values reach {least / 2:.3g} and need a plaintext modulus of {t.bit_length()} bits, but "
            f"at most {LARGEST_BITS} are possible",
            "declare smaller ranges, or let values wrap around: fh.integers(n, modulo=t)",
        )
    return t


def no_batching(t: int, ring: int) -> InfeasibleParameters | None:
    """The error where t packs no vectors at that ring dimension, with which OpenFHE would abort; None where
    it does. Its remedy names a modulus that packs them, and what else is possible."""
    if t.bit_length() > LARGEST_BITS:
        return InfeasibleParameters(
            f"t = {t} has {t.bit_length()} bits, but vectors are packed modulo primes of at most "
            f"{LARGEST_BITS} bits",
            f"take t = {_largest(ring)} or less, 1 modulo {2 * ring}; {_DECLARE} below 2^{LARGEST_BITS - 1}",
        )
    if is_prime(t) and t % (2 * ring) == 1:
        return None
    return InfeasibleParameters(
        f"t = {t} cannot pack vectors at N = {ring}{' or above' if ring == RINGS[0] else ''}: "
        f"it must be a prime that is 1 modulo {2 * ring}",
        f"take t = {_others(t, ring)}; {_DECLARE}",
    )


def _others(t: int, ring: int) -> str:
    """The least suitable modulus from t on, or else the largest, and one that packs in every ring, in
    words."""
    least = _near(t, ring)
    anywhere = _near(t, RINGS[-1])
    if anywhere == least:
        return f"{least}"
    return f"{least}, or {anywhere}, which packs up to N = {power_of_two(RINGS[-1])}"


def _near(t: int, ring: int) -> int:
    found = _prime_from(t, ring)
    return found if found.bit_length() <= LARGEST_BITS else _largest(ring)


def _prime_from(least: int, ring: int) -> int:
    step = 2 * ring
    t = -(-(least - 1) // step) * step + 1
    while not is_prime(t):
        t += step
    return t


def _largest(ring: int) -> int:
    t = (1 << LARGEST_BITS) - 2 * ring + 1
    while not is_prime(t):
        t -= 2 * ring
    return t
