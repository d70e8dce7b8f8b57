"""What is asked of a library (`Request`), and what the library makes of it (`Parameters`)."""

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from math import log2
from typing import Any

Bits = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Request:
    """What a user of a library would set; None leaves the library's (or our) default.

    `depth` counts rescalings in CKKS and BGV and multiplications in BFV. Bits are log2 of a prime.
    """

    scheme: str  # "ckks" | "bgv" | "bfv"
    depth: int
    security: int | None = 128  # 128 | 192 | 256, or None: not checked (toy parameters)
    quantum: bool = False
    scale_bits: int | None = None
    first_bits: int | None = None
    technique: str | None = None  # OpenFHE: fixedmanual | fixedauto | flexibleauto | flexibleautoext
    plain_modulus: int | None = None
    batch: int | None = None
    digits: int | None = None
    key_switching: str | None = None  # OpenFHE: hybrid | bv
    ring_dimension: int | None = None
    secret: str | None = None  # OpenFHE: uniform_ternary | gaussian | sparse_ternary
    prime_bits: tuple[int, ...] | None = None  # SEAL, Lattigo: the chain itself, first prime first
    special_bits: tuple[int, ...] | None = None  # SEAL (one), Lattigo: the primes of P
    eval_add_count: int | None = None  # OpenFHE BGV, BFV
    key_switch_count: int | None = None  # OpenFHE BGV, BFV
    noise_estimate: float | None = None  # OpenFHE CKKS: log2 of the noise that decryption must flood

    def having(self, **settings: Any) -> "Request":
        """The request with these settings, or the request itself where it has them already."""
        alike = all(getattr(self, name) == value for name, value in settings.items())
        return self if alike else replace(self, **settings)

    def of_chains(self, chains: Iterable[tuple[Bits | None, Bits | None]]) -> "list[Request]":
        """This request for each of many chains, given as (bits of Q's primes, bits of P's primes)."""
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        return [Request(**{**given, "prime_bits": q, "special_bits": p}) for q, p in chains]


class Chain:
    """What follows from the lengths of a modulus chain alone, for one parameter set or a block of them."""

    __slots__ = ()
    library: str
    q: tuple[Any, ...]
    p: tuple[Any, ...]
    digits: int
    key_switching: str

    @property
    def limbs(self) -> int:
        return len(self.q)


@dataclass(frozen=True, slots=True)
class Parameters(Chain):
    """The parameters that the library runs with: all that costs, sizes, noise and security need."""

    library: str
    scheme: str
    ring_dimension: int
    q: tuple[int, ...]  # the chain; q[l] is the prime that rescaling from level l removes
    p: tuple[int, ...] = ()  # special primes
    digits: int = 1  # the number of digits of key switching at the top level
    technique: str = ""
    key_switching: str = ""  # "hybrid" | "bv"
    secret: str = "uniform_ternary"
    plain_modulus: int | None = None
    scales: tuple[float, ...] = ()  # CKKS: S_0 ... S_levels, see program/types.py
    levels: int = 0  # multiplicative levels that a program may use
    extended_limbs: int = 0  # limbs of q above the program's levels (FLEXIBLEAUTOEXT has one)
    flooding: float = 0.0  # standard deviation of what decryption adds to a coefficient
    request: Request | None = None

    @property
    def nominal(self) -> float:
        """The CKKS scale that was asked for, or the scale of level 0 where none was."""
        bits = self.request.scale_bits if self.request else None
        return 2.0**bits if bits is not None else (self.scales or (1.0,))[0]

    @property
    def log_q(self) -> float:
        return _log2(self.q)

    @property
    def log_p(self) -> float:
        return _log2(self.p)

    @property
    def log_qp(self) -> float:
        return self.log_q + self.log_p


def _log2(primes: tuple[int, ...]) -> float:
    return float(sum(log2(x) for x in primes))
