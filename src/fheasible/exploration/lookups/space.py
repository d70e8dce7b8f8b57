"""Which sets of parameters are tried for an encoding: those that a library ships, and our own."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf, log2
from typing import Final

from fheasible.estimation.lookup_profile import LookupProfile
from fheasible.exploration.lookups.encodings import Encoded
from fheasible.exploration.problem.wish import Wish
from fheasible.libraries.lookup_library import LookupLibrary, LookupTask
from fheasible.schemes.lookups import LookupParameters
from fheasible.schemes.tfhe.parameters import ModulusSwitch

MOST_ENCODINGS: Final = 4  # for which sets of our own are made
GROUPINGS: Final = (2, 3, 4)  # bits of the small key that one external product takes
_MARGIN: Final = 0.5  # bits of failure that our sets keep: digits of outputs fail, too


@dataclass(frozen=True, slots=True)
class Tried:
    """A set of parameters. `name`: of a set that the library ships; empty for one of our own."""

    name: str
    scheme: str
    parameters: LookupParameters


def shipped(library: LookupLibrary, encoded: Encoded) -> Iterator[Tried]:
    """The library's own sets whose ciphertexts hold the encoding's values."""
    for each in library.named.values():
        if library.holds(each.parameters, encoded.encoding.modulus):
            yield Tried(each.name, each.scheme, as_encoded(each.parameters, encoded))


def promising(
    library: LookupLibrary, ways: Sequence[Encoded], profile: LookupProfile | None
) -> list[Encoded]:
    """The encodings for which sets of our own are made: those that take the least time with a set that the
    library ships for as many values or more."""

    def each(p: LookupParameters, scheme: str) -> float:
        work = library.work(LookupTask.LOOKUP, scheme, p)
        return profile.seconds(LookupTask.LOOKUP, work) if profile else sum(work.values())

    costs = [
        (library.most_values(s.parameters), each(s.parameters, s.scheme)) for s in library.named.values()
    ]

    def cost(way: Encoded) -> float:
        large = [took for modulus, took in costs if modulus >= way.encoding.modulus]
        return way.lookups * min(large, default=inf)

    return sorted(ways, key=cost)[:MOST_ENCODINGS]


def own(library: LookupLibrary, encoded: Encoded, wish: Wish) -> Iterator[Tried]:
    """The cheapest sets for the encoding: one bit of the key at a time, and groups of bits."""
    from fheasible.exploration.lookups.optimiser import Asked, optimised  # which loads scipy

    if not library.custom or not encoded.lookups:
        return
    asked = Asked(
        plaintext_modulus=encoded.encoding.modulus,
        norm2=max(encoded.norms.largest, 1.0),
        log2_failure=-(wish.failure_bits + log2(encoded.lookups) + _MARGIN),
        security=wish.security,
        quantum=wish.quantum,
    )
    plain = replace(asked, modulus_switch=ModulusSwitch.STANDARD)
    usual, scheme = [as_encoded(f.parameters, encoded) for f in optimised(asked)], library.schemes[0]
    if all(library.refusal(scheme, p) for p in usual):  # it compensates no means
        usual = [as_encoded(f.parameters, encoded) for f in optimised(plain)]
    grouped = [as_encoded(f.parameters, encoded) for f in optimised(replace(plain, groupings=GROUPINGS))]
    for p in (*usual, *grouped):
        yield Tried("", scheme, p)


def as_encoded(p: LookupParameters, encoded: Encoded) -> LookupParameters:
    """The set with that share of message and carry: the same keys, noise and work."""
    e = encoded.encoding
    return replace(p, message_modulus=e.message, carry_modulus=e.carry)
