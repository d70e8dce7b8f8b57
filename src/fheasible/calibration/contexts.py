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


_LEVELED = ((12, 1, 6), (13, 4, 4), (14, 8, 3), (15, 12, 2))  # log2 N, depth, repetitions
_FLAT = ((12, 2, 6), (13, 4, 4), (14, 8, 3), (15, 14, 2))  # log2 N, limbs, repetitions


def settings(library: str, scheme: str) -> Iterator[Setting]:
    """The settings of one library and scheme. Security is not asked: only the cost matters here."""
    for log_n, size, repetitions in _FLAT if scheme == "bfv" else _LEVELED:
        request = _request(library, scheme, 1 << log_n, size)
        yield Setting(request, _levels(size) if scheme != "bfv" else (0,), repetitions)


def _levels(depth: int) -> tuple[int, ...]:
    """The top, the bottom, and two between."""
    return tuple(sorted({depth, max(1, 2 * depth // 3), max(1, depth // 3), 0}))


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
    return Request(
        scheme, 1, None, plain_modulus=PLAIN_MODULUS, ring_dimension=n, prime_bits=(50,) * size
    )


_BFV_DEPTH = {2: 1, 4: 3, 8: 7, 14: 13}  # OpenFHE picks the limbs of BFV from a depth
