"""INSECURE toy parameters of each library, written down apart from the rules of the libraries' folders."""

from itertools import count
from typing import Any

from fheasible.measurement.conformance.toys import INSECURE_LEVELS, INSECURE_N, PLAIN_MODULUS, Toy

Json = dict[str, Any]


def is_prime(x: int) -> bool:
    """Miller-Rabin; these bases decide every x below 3.3e24."""
    if x % 2 == 0:
        return x == 2
    d, s = x - 1, 0
    while d % 2 == 0:
        d, s = d // 2, s + 1
    return all(_passes(x, a, d, s) for a in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41) if a % x)


def _passes(x: int, a: int, d: int, s: int) -> bool:
    y = pow(a, d, x)
    if y in (1, x - 1):
        return True
    for _ in range(s - 1):
        y = y * y % x
        if y == x - 1:
            return True
    return False


def primes(bits: int, number: int, n: int = INSECURE_N) -> list[int]:
    """The largest primes of that many bits that are 1 modulo 2n."""
    candidates = ((2**bits - 2**bits % (2 * n)) + 1 - 2 * n * i for i in count(1))
    found: list[int] = []
    while len(found) < number:
        x = next(candidates)
        if is_prime(x):
            found.append(x)
    return found


def _chain(scheme: str) -> tuple[list[int], list[int]]:
    special, first = primes(60, 2)
    if scheme == "bfv":
        return primes(50, 3), [special]
    return [first, *primes(40 if scheme == "ckks" else 45, INSECURE_LEVELS)], [special]


def _ladder(q: list[int]) -> list[float]:
    """S_0 .. S_L, from S_L = 2^40 down by S_(l-1) = S_l^2 / q_l."""
    scales = [2.0**40]
    for prime in reversed(q[1:]):
        scales.append(scales[-1] * scales[-1] / prime)
    return scales[::-1]


def chain_toy(library: str, scheme: str) -> Toy:
    """SEAL and Lattigo, whose chain the user chooses."""
    q, p = _chain(scheme)
    levels = 0 if scheme == "bfv" else INSECURE_LEVELS
    parameters = {
        "scheme": scheme,
        "ring_dimension": INSECURE_N,
        "q": [str(x) for x in q],
        "p": [str(x) for x in p],
        "plain_modulus": None if scheme == "ckks" else PLAIN_MODULUS,
        "scales": _ladder(q) if scheme == "ckks" else [],
        "security": None,
    }
    return Toy(library, scheme, parameters, levels, levels)


def openfhe_toy(
    scheme: str, technique: str | None = None, key_switching: str | None = None, digit_size: int | None = None
) -> Toy:
    """OpenFHE, which makes the chain itself."""
    levels = 0 if scheme == "bfv" else INSECURE_LEVELS
    parameters = {
        "scheme": scheme,
        "depth": INSECURE_LEVELS,
        "security": None,
        "quantum": False,
        "ring_dimension": INSECURE_N,
        "scale_bits": 45 if scheme == "ckks" else None,
        "first_bits": 60 if scheme == "ckks" else None,
        "technique": technique,
        "plain_modulus": None if scheme == "ckks" else PLAIN_MODULUS,
        "key_switching": key_switching,
        "digit_size": digit_size,
    }
    automatic = technique is not None and technique != "fixedmanual"
    fresh = levels + (technique == "flexibleautoext")
    variant = "-".join(part for part in (technique, key_switching) if part)
    return Toy("openfhe", scheme, parameters, levels, fresh, automatic, variant)


TECHNIQUES = ("fixedmanual", "fixedauto", "flexibleauto", "flexibleautoext")

CHAINED = ("seal", "lattigo", "node-seal")  # whose chain the user chooses
TOYS = (
    *(chain_toy(library, scheme) for library in CHAINED for scheme in ("ckks", "bgv", "bfv")),
    *(openfhe_toy(scheme, technique) for scheme in ("ckks", "bgv") for technique in TECHNIQUES),
    openfhe_toy("bfv"),
    openfhe_toy("bfv", key_switching="hybrid"),
    openfhe_toy("ckks", "fixedmanual", "bv", digit_size=10),
)
