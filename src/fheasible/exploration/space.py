"""The parameter sets that are tried: requests to each library, for a ring that is given or left to it."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, log2

from fheasible.exploration.problem import Problem
from fheasible.libraries.catalogue import Library
from fheasible.libraries.parameters import Request
from fheasible.program.style import Style

SCALES = tuple(range(26, 60, 3))
LARGEST_PRIME = 60
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


def choices(problem: Problem, library: Library, scheme: str) -> Iterator[Choice]:
    """The space of one library and scheme."""
    if scheme == "ckks":
        yield from _ckks(problem, library)
    elif library.name == "openfhe":
        yield from _openfhe_exact(library, scheme)
    elif scheme == "bgv":
        yield from _bgv(problem, library)
    else:
        yield from _bfv(problem, library)


def _ckks(problem: Problem, library: Library) -> Iterator[Choice]:
    for technique in library.techniques:
        style = library.style("ckks", technique or None)
        for scale in SCALES:
            for first in _first_bits(problem, scale):
                for digits, special in _key_switchings(library):
                    yield Choice(style, technique or None, scale, first, digits=digits, special=special)


def _first_bits(problem: Problem, scale: int) -> tuple[int, ...]:
    """The last prime must hold the largest output with its sign; the library's maximum beside it."""
    outputs = [problem.bounds[n] for _, n in problem.circuit.outputs]
    largest = max(max(abs(low), abs(high)) for low, high in outputs)
    least = scale + max(2, ceil(log2(max(largest, 1e-9)))) + 4
    return tuple(sorted({min(least, LARGEST_PRIME), LARGEST_PRIME}))


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


def _bgv(problem: Problem, library: Library) -> Iterator[Choice]:
    style = library.style("bgv", None)
    for ring in RINGS:
        for level_bits in range(26, LARGEST_PRIME + 1, 2):
            for first in (level_bits, min(level_bits + 8, LARGEST_PRIME), LARGEST_PRIME):
                for _, special in _key_switchings(library):
                    yield Choice(
                        style, first_bits=first, level_bits=level_bits, special=special, ring_dimension=ring
                    )


def _bfv(problem: Problem, library: Library) -> Iterator[Choice]:
    style = library.style("bfv", None)
    for ring in RINGS:
        for level_bits in (40, 45, 50, 55, 60):
            for limbs in range(1, 21):
                for _, special in _key_switchings(library):
                    yield Choice(
                        style, level_bits=level_bits, limbs=limbs, special=special, ring_dimension=ring
                    )


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
