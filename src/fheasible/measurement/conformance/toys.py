"""INSECURE toy parameters: as small as each scheme can be and still compute. They hide nothing."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from fheasible.aliases import Json
from fheasible.libraries.library import Library
from fheasible.libraries.parameters import request_for

INSECURE_N: Final = 2048
INSECURE_LEVELS: Final = 3
PLAIN_MODULUS: Final = 65537  # prime, and 1 modulo 2N


@dataclass(frozen=True)
class Toy:
    """A (library, scheme) with parameters; `levels` is what its programs may use."""

    library: str
    scheme: str
    parameters: Json = field(hash=False)
    levels: int
    fresh: int  # the level that fresh ciphertexts are at
    automatic: bool = False
    technique: str = ""

    @property
    def name(self) -> str:
        return "-".join(part for part in (self.library, self.scheme, self.technique) if part)

    @property
    def n(self) -> int:
        return INSECURE_N

    @property
    def capacity(self) -> int:
        """Slots of one period: CKKS has N/2; BFV and BGV have two rows of N/2."""
        return self.n // 2


def toys(library: Library) -> Iterator[Toy]:
    """A toy of each scheme that the library has, with each of its techniques of rescaling."""
    for scheme in library.schemes:
        for technique in library.techniques if scheme != "bfv" else ("",):
            yield _toy(library, scheme, technique)


def _toy(library: Library, scheme: str, technique: str) -> Toy:
    plain = None if scheme == "ckks" else PLAIN_MODULUS
    asked = request_for(
        scheme,
        INSECURE_LEVELS,
        None,
        plain_modulus=plain,
        ring_dimension=INSECURE_N,
        technique=technique or None,
    )
    p, style = library.parameters(asked), library.style(scheme, technique or None)
    levels = 0 if scheme == "bfv" else INSECURE_LEVELS
    told = library.worker_parameters(p)
    return Toy(library.name, scheme, told, levels, levels + style.extended, style.automatic, technique)
