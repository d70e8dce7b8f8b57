"""What is asked of a library (`Request`), and what the library makes of it (`Parameters`), each by kind.

CKKS has scales and flooding, BGV and BFV have a plain modulus. What a scheme does not have, its type does not
have either. `scheme` tells the kinds apart, for the type checker as well:
`if p.scheme == "ckks"` leaves `CkksParameters`.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from functools import cache
from math import log2
from typing import Any, Final, Literal, Self

from fheasible.errors import UnknownName, UsageError
from fheasible.libraries.bootstrapping import Bootstrapping, BootstrapRequest

Bits = tuple[int, ...]
Primes = tuple[int, ...]
IntegerScheme = Literal["bgv", "bfv"]
PREFIX: Final = "bootstrap_"  # of the settings of a bootstrap


@dataclass(frozen=True, slots=True)
class ResidueRequest:
    """What a user of a library would set, whatever the scheme; None leaves the library's (or our) default.

    `depth` counts rescalings in CKKS and BGV and multiplications in BFV. Bits are log2 of a prime.
    """

    scheme: str
    depth: int
    security: int | None = 128  # 128 | 192 | 256, or None: not checked (toy parameters)
    quantum: bool = False
    scale_bits: int | None = None  # CKKS: the scale. OpenFHE: a prime of BGV (fixedmanual) or BFV
    first_bits: int | None = None  # CKKS, BGV
    technique: str | None = None  # OpenFHE: fixedmanual | fixedauto | flexibleauto | flexibleautoext
    batch: int | None = None
    digits: int | None = None
    key_switching: str | None = None  # OpenFHE: hybrid | bv
    ring_dimension: int | None = None
    secret: str | None = None  # OpenFHE: uniform_ternary | gaussian | sparse_ternary | sparse_encapsulated
    prime_bits: Bits | None = None  # SEAL, Lattigo: the chain itself, first prime first
    special_bits: Bits | None = None  # SEAL (one), Lattigo: the primes of P

    def having(self, **settings: Any) -> Self:
        """The request with these settings, or the request itself where it has them already."""
        alike = all(getattr(self, name) == value for name, value in settings.items())
        return self if alike else replace(self, **settings)

    def of_chains(self, chains: Iterable[tuple[Bits | None, Bits | None]]) -> list[Self]:
        """This request for each of many chains, given as (bits of Q's primes, bits of P's primes)."""
        kind, given = type(self), {each.name: getattr(self, each.name) for each in fields(self)}
        return [kind(**{**given, "prime_bits": q, "special_bits": p}) for q, p in chains]


@dataclass(frozen=True, slots=True)
class CkksRequest(ResidueRequest):
    scheme: Literal["ckks"]
    noise_estimate: float | None = None  # OpenFHE: log2 of the noise that decryption must flood
    bootstrap: BootstrapRequest | None = None  # `depth` then counts the levels after a bootstrap


@dataclass(frozen=True, slots=True)
class IntegerRequest(ResidueRequest):
    scheme: IntegerScheme
    plain_modulus: int | None = None
    eval_add_count: int | None = None  # OpenFHE
    key_switch_count: int | None = None  # OpenFHE


Request = CkksRequest | IntegerRequest

REQUESTS: Final[dict[str, type[Request]]] = {
    "ckks": CkksRequest,
    "bgv": IntegerRequest,
    "bfv": IntegerRequest,
}


def request_for(
    scheme: str, depth: int, security: int | None = 128, quantum: bool = False, **settings: Any
) -> Request:
    """A request for a scheme that is known by name alone. Settings that are None count as not given.

    UnknownName for another scheme, UsageError for a setting that the scheme does not have.
    """
    own = (*settings_of(scheme), *(("bootstrap",) if scheme == "ckks" else ()))
    for name, value in settings.items():
        if name not in own and value is not None:
            raise UsageError(
                f"{scheme.upper()} has no {name}, and {value!r} was given", f"choose among {', '.join(own)}"
            )
    bootstrap = {name: value for name, value in settings.items() if name in own and name.startswith(PREFIX)}
    given = {name: value for name, value in settings.items() if name in own and name not in bootstrap}
    asked = {name.removeprefix(PREFIX): v for name, v in bootstrap.items() if v is not None}
    if asked:
        given["bootstrap"] = BootstrapRequest(**asked)
    kind: type[Any] = REQUESTS[scheme]
    made: Request = kind(scheme, depth, security, quantum, **given)
    return made


@cache
def settings_of(scheme: str) -> tuple[str, ...]:
    """The names of all settings of a scheme, those of its bootstrap with `PREFIX`.

    UnknownName where there is no such scheme.
    """
    if scheme not in REQUESTS:
        raise UnknownName(f"there is no scheme {scheme!r}", f"choose one of {', '.join(REQUESTS)}")
    own = [each.name for each in fields(REQUESTS[scheme])]
    bootstrap = [f"{PREFIX}{each.name}" for each in fields(BootstrapRequest)] if "bootstrap" in own else []
    return (*(name for name in own if name not in ("scheme", "depth", "bootstrap")), *bootstrap)


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
class ResidueParameters(Chain):
    """The parameters that the library runs with: all that costs, sizes and security need in every scheme."""

    library: str
    scheme: str
    ring_dimension: int
    q: Primes  # the chain; q[l] is the prime that rescaling from level l removes
    p: Primes = ()  # special primes
    digits: int = 1  # the number of digits of key switching at the top level
    technique: str = ""
    key_switching: str = ""  # "hybrid" | "bv"
    secret: str = "uniform_ternary"
    levels: int = 0  # multiplicative levels that a program may use
    extended_limbs: int = 0  # limbs of fresh values beyond the program's levels (FLEXIBLEAUTOEXT has one)

    @property
    def log_q(self) -> float:
        return _log2(self.q)

    @property
    def log_p(self) -> float:
        return _log2(self.p)

    @property
    def log_qp(self) -> float:
        return self.log_q + self.log_p


@dataclass(frozen=True, slots=True)
class CkksParameters(ResidueParameters):
    scheme: Literal["ckks"]
    scales: tuple[float, ...] = ()  # S_0 ... of all levels that values may have, see program/types.py
    flooding: float = 0.0  # standard deviation of what decryption adds to a coefficient
    bootstrap: Bootstrapping | None = None  # how `levels` are had back
    request: CkksRequest | None = None

    @property
    def log_qp(self) -> float:
        """log2 of the largest modulus that anything is encrypted under: its bootstrap's, if it has one."""
        own = self.log_q + self.log_p
        return own if self.bootstrap is None else max(own, _log2(self.bootstrap.q + self.bootstrap.p))

    @property
    def nominal(self) -> float:
        """The scale that was asked for, or the scale of level 0 where none was."""
        bits = self.request.scale_bits if self.request else None
        return 2.0**bits if bits is not None else (self.scales or (1.0,))[0]


@dataclass(frozen=True, slots=True)
class IntegerParameters(ResidueParameters):
    scheme: IntegerScheme
    plain_modulus: int = field(kw_only=True)
    request: IntegerRequest | None = None


Parameters = CkksParameters | IntegerParameters

PARAMETERS: Final[dict[str, type[Parameters]]] = {
    "ckks": CkksParameters,
    "bgv": IntegerParameters,
    "bfv": IntegerParameters,
}


def parameters_for(
    library: str, scheme: str, ring_dimension: int, q: Primes, p: Primes = (), digits: int = 1, **given: Any
) -> Parameters:
    """Parameters of a scheme that is known by name alone. The fields given must be those of its kind."""
    kind: type[Any] = PARAMETERS[scheme]
    made: Parameters = kind(library, scheme, ring_dimension, q, p, digits, **given)
    return made


def _log2(primes: Primes) -> float:
    return float(sum(map(log2, primes)))
