"""Which sets of parameters are tried for an encoding: those that a library ships, and our own."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from fheasible.exploration.lookups.encodings import Encoded
from fheasible.exploration.lookups.optimiser import optimised
from fheasible.exploration.problem.wish import Wish
from fheasible.libraries.lookup_library import LookupLibrary
from fheasible.schemes.tfhe.parameters import TfheParameters


@dataclass(frozen=True, slots=True)
class Tried:
    """A set of parameters. `name`: of a set that the library ships; empty for one of our own."""

    name: str
    scheme: str
    parameters: TfheParameters


def sets_for(library: LookupLibrary, encoded: Encoded, wish: Wish) -> Iterator[Tried]:
    """The sets of a library whose ciphertexts hold the encoding's values."""
    modulus = encoded.encoding.modulus
    for each in library.named.values():
        if each.parameters.plaintext_modulus == modulus:
            yield Tried(each.name, each.scheme, as_encoded(each.parameters, encoded))
    if library.custom:
        for parameters in optimised(encoded, library, wish):
            yield Tried("", library.schemes[0], as_encoded(parameters, encoded))


def as_encoded(p: TfheParameters, encoded: Encoded) -> TfheParameters:
    """The set with that share of message and carry: the same keys, noise and work."""
    e = encoded.encoding
    return replace(p, message_modulus=e.message, carry_modulus=e.carry)
