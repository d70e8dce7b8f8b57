"""The factors that a value's noise is multiplied by a second time: they make squares, which have a mean."""

from collections.abc import Iterable
from functools import lru_cache, reduce
from operator import or_
from typing import Any

from fheasible.noise.integers.plain_kin import families
from fheasible.program.types import Action, Operation, Program, Scheme

PRODUCTS = (Action.MUL, Action.SQUARE)

_KEEP = (Action.ADD_PLAIN, Action.ADD_SCALAR, Action.NEG)
_FIRST_PLAIN = -1  # plain factors are numbered downwards from here; the numbers of values are not negative

Values = frozenset[int]
Met = tuple[Values, Values]  # values that met a factor, with rows not swapped since; and with rows swapped
_NONE: Met = (frozenset(), frozenset())


@lru_cache(maxsize=64)
def secrets(program: Program) -> dict[int, int]:
    """For each value, the first value that has the same polynomial beside the secret, up to the sign. x + 1
    and -x have the polynomial of x, and therefore its noise and its quotient by the modulus."""
    found: dict[int, int] = {}
    for o in program.operations:
        found[o.out] = found[o.args[0]] if o.action in _KEEP else o.out
    return found


def factors(o: Operation, program: Program) -> list[int]:
    """The factors by which the operation multiplies noise: values, and plain vectors as negative numbers. The
    first of several values, or plain vectors, that may have one polynomial stands for all of them."""
    if o.action is Action.MUL_PLAIN:
        plain = o.plain or 0
        return [_FIRST_PLAIN - _kin(program).get(plain, plain)]
    known = secrets(program)
    return sorted({known[a] for a in o.args}) if o.action in PRODUCTS else []


@lru_cache(maxsize=64)
def _kin(program: Program) -> dict[int, int]:
    """The family of each plain vector that is in one product with another plain vector."""
    met: dict[int, int] = {}  # a bit for each plain vector
    related = 0
    for o in program.operations:
        behind = reduce(or_, [met[a] for a in o.args], 0)
        met[o.out] = behind
        if o.action is Action.MUL_PLAIN:
            met[o.out] |= 1 << (o.plain or 0)
            related |= met[o.out] if behind else 0
        _forget(met, o.frees)
    return families({i: v for i, v in enumerate(program.plains) if related >> i & 1}, program.two_rows)


@lru_cache(maxsize=64)
def returning(program: Program) -> frozenset[int]:
    """The factors that some noise is multiplied by a second time."""
    place: dict[int, int] = {}
    met: dict[int, int] = {}  # a bit for each factor
    found: set[int] = set()
    for o in program.operations:
        behind = reduce(or_, [met[a] for a in o.args], 0)
        bits = {f: 1 << place.setdefault(f, len(place)) for f in factors(o, program)}
        found |= {f for f, bit in bits.items() if behind & bit}
        met[o.out] = reduce(or_, bits.values(), behind)
        _forget(met, o.frees)
    return frozenset(found)


@lru_cache(maxsize=64)
def before_squares(program: Program) -> dict[int, Values]:
    """For each operation that makes a square of a factor, the values as they were before they met that
    factor.

    Slots that repeat in both rows make polynomials with real embeddings, whose squares have a mean. For other
    polynomials it is the product with their conjugate that has a mean; it arises where a factor comes again
    that was there before the rows were swapped. BFV multiplies by the quotients of ciphertexts by the
    modulus, which have no real embeddings.
    """
    again = returning(program)
    found: dict[int, Values] = {}
    met: dict[int, dict[int, Met]] = {}
    for o in program.operations if again else ():
        now = _joined([met[a] for a in o.args])
        for f in again.intersection(factors(o, program)):
            own, other = now.get(f, _NONE)
            before = other if program.two_rows else own
            if before and (program.scheme is Scheme.BGV or o.action is Action.MUL_PLAIN):
                found[o.out] = found.get(o.out, frozenset()) | before
            now[f] = own | frozenset(o.args), other
        met[o.out] = {f: (y, x) for f, (x, y) in now.items()} if o.action is Action.SWAP_ROWS else now
        _forget(met, o.frees)
    return found


def _joined(behind: Iterable[dict[int, Met]]) -> dict[int, Met]:
    found: dict[int, Met] = {}
    for one in behind:
        for f, (own, other) in one.items():
            a, b = found.get(f, _NONE)
            found[f] = a | own, b | other
    return found


def _forget(known: dict[int, Any], values: Iterable[int]) -> None:
    for v in values:
        del known[v]
