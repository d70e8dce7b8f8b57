"""The parameter sets that are tried: requests to each library, for a ring that is given or left to it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import ceil, log2

from fheasible.circuit.degrees import Degrees
from fheasible.exploration.problem import Problem
from fheasible.exploration.sharing import SCALE_BITS
from fheasible.libraries.catalogue import Library
from fheasible.libraries.parameters import Request
from fheasible.program.style import Style

SCALES = range(20, 60, 3)
LARGEST_PRIME = 60
_LEVEL_BITS = range(20, LARGEST_PRIME + 1, 4)  # of BGV's primes
_PRIME_BITS = range(20, LARGEST_PRIME + 1, 8)  # of BFV's
_MOST_LIMBS = 20
_COUNTS = (None, 16, 1024)
RINGS = tuple(1 << k for k in range(12, 17))
LARGEST_RING = {"seal": 1 << 15, "lattigo": 1 << 16, "openfhe": 1 << 17}


@dataclass(frozen=True, slots=True)
class Choice:
    """What is varied. The rest of a request (depth, security, plaintext modulus) follows from the problem."""

    style: Style
    technique: str | None = None
    scale_bits: int | None = None
    first_bits: int | None = None
    level_bits: int | None = None  # SEAL, Lattigo in BGV: of every prime above the first; BFV: of all
    limbs: int | None = None  # SEAL, Lattigo in BFV
    digits: int | None = None
    special: int | None = None  # Lattigo: how many special primes
    key_switching: str | None = None
    many: int | None = None  # OpenFHE in BGV: additions, and key switches, that a level must bear
    ring_dimension: int | None = None
    degrees: Degrees = ()  # of approximations that leave them open


@dataclass(frozen=True, slots=True)
class Family:
    """Choices that differ in the size of their primes alone: too small a size is imprecise or wrong, and a
    larger one never takes less time, memory or modulus. `sizes` rise; those between them may be tried too.
    `instead`: what to try where nothing of it fits."""

    sizes: Sequence[int]
    at: Callable[[int], Choice]
    instead: "Family | None" = None


def families(
    problem: Problem, library: Library, scheme: str, degrees: Degrees = (), flooded: bool = False
) -> Iterator[Family]:
    """The space of one library and scheme, with those degrees for what is open. `flooded`: decryption must
    drown the noise of results."""
    if scheme == "ckks" and flooded:
        yield from _flooded(library, degrees)
    elif scheme == "ckks":
        yield from _ckks(problem, library, degrees)
    elif library.name == "openfhe":
        yield from (Family((0,), partial(_same, choice)) for choice in _openfhe_exact(library, scheme))
    elif scheme == "bgv":
        yield from _bgv(library)
    else:
        yield from _bfv(library)


def _same(choice: Choice, _: int) -> Choice:
    """OpenFHE sizes the primes of exact schemes itself."""
    return choice


def _ckks(problem: Problem, library: Library, degrees: Degrees) -> Iterator[Family]:
    above = _above_scale(problem)
    for technique in library.techniques:
        style = library.style("ckks", technique or None)
        for digits, special in _key_switchings(library):
            choice = Choice(style, technique or None, digits=digits, special=special, degrees=degrees)
            roomy = Family(
                SCALES, partial(_scaled, choice, None)
            )  # for values inside that exceed the results
            yield Family(SCALES, partial(_scaled, choice, above), roomy)


def _flooded(library: Library, degrees: Degrees) -> Iterator[Family]:
    """The library itself sets the scale."""
    for technique in library.techniques:
        style = library.style("ckks", technique or None)
        for digits, special in _key_switchings(library):
            choice = Choice(style, technique or None, digits=digits, special=special, degrees=degrees)
            yield Family((SCALE_BITS,), partial(_scaled, choice, None))


def _scaled(choice: Choice, above: int | None, scale: int) -> Choice:
    """With a first prime that is so many bits larger, or as large as it may be."""
    first = LARGEST_PRIME if above is None else min(scale + above, LARGEST_PRIME)
    return replace(choice, scale_bits=scale, first_bits=first)


def _above_scale(problem: Problem) -> int:
    """Bits by which the last prime must exceed the scale, to hold the largest output with its sign."""
    outputs = [problem.bounds[n] for _, n in problem.circuit.outputs]
    largest = max(max(abs(low), abs(high)) for low, high in outputs)
    return max(2, ceil(log2(max(largest, 1e-9)))) + 4


def _key_switchings(library: Library) -> tuple[tuple[int | None, int | None], ...]:
    """(digits, special primes)."""
    if library.name == "openfhe":
        return ((None, None), (2, None), (3, None), (4, None), (6, None))
    if library.name == "lattigo":
        return ((None, 1), (None, 2), (None, 3), (None, 4), (None, 6))
    return ((None, None),)


def _openfhe_exact(library: Library, scheme: str) -> Iterator[Choice]:
    techniques = library.techniques if scheme == "bgv" else (None,)
    for ring in RINGS:
        for technique in techniques:
            style = library.style(scheme, technique)
            for key_switching in ("hybrid", "bv"):
                for digits in (None, 2, 3, 4) if key_switching == "hybrid" else (None,):
                    for many in _COUNTS if scheme == "bgv" else (None,):  # BFV takes no counts beside a depth
                        yield Choice(
                            style, technique, digits=digits, key_switching=key_switching, many=many,
                            ring_dimension=ring,
                        )  # fmt: skip


def _bgv(library: Library) -> Iterator[Family]:
    style = library.style("bgv", None)
    for ring in RINGS:
        for _, special in _key_switchings(library):
            choice = Choice(style, special=special, ring_dimension=ring)
            for above in (0, 8, LARGEST_PRIME):
                yield Family(_LEVEL_BITS, partial(_leveled, choice, above))


def _leveled(choice: Choice, above: int, level_bits: int) -> Choice:
    return replace(choice, level_bits=level_bits, first_bits=min(level_bits + above, LARGEST_PRIME))


def _bfv(library: Library) -> Iterator[Family]:
    style = library.style("bfv", None)
    for ring in RINGS:
        for _, special in _key_switchings(library):
            found: Family | None = None
            for limbs in range(_MOST_LIMBS, 0, -1):  # more limbs only where fewer do not do
                choice = Choice(style, limbs=limbs, special=special, ring_dimension=ring)
                found = Family(_PRIME_BITS, partial(_leveled_bfv, choice), found)
            assert found is not None
            yield found


def _leveled_bfv(choice: Choice, level_bits: int) -> Choice:
    return replace(choice, level_bits=level_bits)


def request(
    choice: Choice, library: Library, security: int, quantum: bool, depth: int, t: int | None
) -> Request:
    """The choice as the library is asked."""
    scheme = choice.style.scheme.value
    return Request(
        scheme,
        depth,
        security,
        quantum,
        scale_bits=choice.scale_bits,
        first_bits=choice.first_bits if scheme == "ckks" else None,
        technique=choice.technique,
        plain_modulus=t,
        digits=choice.digits,
        key_switching=choice.key_switching,
        eval_add_count=choice.many,
        key_switch_count=choice.many,
        ring_dimension=choice.ring_dimension,
        prime_bits=_prime_bits(choice, scheme, depth),
        special_bits=_special_bits(choice, library),
    )


def _prime_bits(choice: Choice, scheme: str, depth: int) -> tuple[int, ...] | None:
    if choice.level_bits is None:
        return None
    if scheme == "bfv":
        return (choice.level_bits,) * (choice.limbs or 1)
    return (choice.first_bits or choice.level_bits, *(choice.level_bits,) * depth)


def _special_bits(choice: Choice, library: Library) -> tuple[int, ...] | None:
    """Special primes as large as the chain's largest, so that a digit's noise divides away."""
    if choice.special is None:
        return None
    largest = max(x for x in (choice.first_bits, choice.level_bits, choice.scale_bits) if x is not None)
    return (largest,) * choice.special
