"""Which few contexts determine the coefficients: small rings first, few and many limbs."""

from collections.abc import Iterator
from dataclasses import dataclass

from fheasible.libraries.parameters import Request

PLAIN_MODULUS = 786_433  # prime, and 1 modulo 2N for every N up to 2^17


@dataclass(frozen=True, slots=True)
class Setting:
    """One context to run the workload in, at some of its levels."""

    request: Request
    at: tuple[int, ...]
    repetitions: int
    passes: int


# log2 N, depth (BFV: limbs), repetitions, passes: the largest ring is dear, so it runs once
_LEVELED = ((12, 1, 6, 2), (13, 4, 4, 2), (14, 8, 3, 2), (15, 12, 2, 1))
_FLAT = ((12, 2, 6, 2), (13, 4, 4, 2), (14, 8, 3, 2), (15, 14, 2, 1))


def settings(library: str, scheme: str) -> Iterator[Setting]:
    """The settings of one library and scheme. Security is not asked: only the cost matters here."""
    for log_n, size, repetitions, passes in _FLAT if scheme == "bfv" else _LEVELED:
        request = _request(library, scheme, 1 << log_n, size)
        at = (0,) if scheme == "bfv" else _levels(size, few=passes == 1)
        yield Setting(request, at, repetitions, passes)


def _levels(depth: int, few: bool) -> tuple[int, ...]:
    """The top, the bottom, and one or two between."""
    between = {depth // 2} if few else {max(1, 2 * depth // 3), max(1, depth // 3)}
    return tuple(sorted({depth, 0, *between}))


def _request(library: str, scheme: str, n: int, size: int) -> Request:
    technique = "fixedmanual" if library == "openfhe" and scheme != "bfv" else None
    if scheme == "ckks":
        return Request(
            scheme, size, None, scale_bits=40, first_bits=50, technique=technique, ring_dimension=n
        )
    if scheme == "bgv" or library == "openfhe":
        depth = size if scheme == "bgv" else _BFV_DEPTH[size]
        return Request(
            scheme, depth, None, plain_modulus=PLAIN_MODULUS, technique=technique, ring_dimension=n,
            prime_bits=None if library == "openfhe" else (50,) * (size + 1),
        )  # fmt: skip
    return Request(scheme, 1, None, plain_modulus=PLAIN_MODULUS, ring_dimension=n, prime_bits=(50,) * size)


_BFV_DEPTH = {2: 1, 4: 3, 8: 7, 14: 13}  # OpenFHE picks the limbs of BFV from a depth
