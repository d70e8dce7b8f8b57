"""What a set that was found in a file can do: its parameters by the library's own rules, the depth that they
allow, and how precise the result of so deep a computation is.

The computation is the plainest there is: values in [-1, 1], squared again and again.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from math import log2
from typing import Any

import numpy as np

import fheasible as fh
from fheasible.auditing.found import Bits, Found
from fheasible.errors import FheasibleError
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.judging.chosen import chosen
from fheasible.exploration.problem.problem import Problem
from fheasible.libraries.catalogue import library
from fheasible.libraries.chain import plain_candidates
from fheasible.libraries.parameters import Parameters, Request, request_for
from fheasible.noise.ckks.precision import precision
from fheasible.noise.integers.budget import budget_bits

VALUES = 256  # elements of the vector that is squared
MOST_PRODUCTS = 40  # successive products of integers that are tried


@dataclass(frozen=True, slots=True)
class Capability:
    """`depth` counts squarings one after the other; None where it could not be judged, and `why` says it.

    `bits` is the precision of CKKS after them, as `fheasible explore` counts it; `budget` the bits that noise
    leaves in BFV and BGV.
    """

    depth: int | None
    bits: float | None = None
    budget: float | None = None
    peak_bytes: int | None = None
    why: str = ""


def bits_of(found: Found) -> tuple[Bits | None, Bits | None]:
    """The sizes of Q's and of P's primes, rounded where the file has the primes themselves."""
    q = found.prime_bits or (rounded(found.primes) if found.primes else None)
    p = found.special_bits
    if p is None and found.special_primes is not None:
        p = rounded(found.special_primes)
    return q, p


def rounded(primes: Bits) -> Bits:
    """The size of each prime: log2, rounded, as libraries name the size that is asked for."""
    return tuple(round(log2(prime)) for prime in primes)


def request_of(found: Found, **other: Any) -> Request:
    """What the file asks of the library; `other` settings take the place of its own."""
    q, p = bits_of(found)
    own = library(found.library).own_primes is not None
    given: dict[str, Any] = {
        "depth": found.depth if own and found.depth is not None else 0, "security": found.security,
        "quantum": found.quantum, "ring_dimension": found.ring_dimension,
        "scale_bits": None if found.scale_bits is None else round(found.scale_bits),
        "plain_modulus": found.plain_modulus if found.scheme != "ckks" else None,
        "prime_bits": q, "special_bits": p, "secret": found.secret if own else None,
    }  # fmt: skip
    assert found.scheme is not None
    return request_for(found.scheme, **(given | dict(found.settings) | other))


def parameters_of(found: Found, **other: Any) -> Parameters:
    """What the library makes of it, whether it is secure or not. FheasibleError where it makes nothing.

    A plaintext modulus without slots is replaced by the next one that has them: see `batching`.
    """
    request = request_of(found, **other)
    n = request.ring_dimension
    if n is not None:
        request = request.having(security=None)
    if request.scheme != "ckks" and request.plain_modulus is not None and n is not None:
        request = replace(request, plain_modulus=batching(request.plain_modulus, n))
    made = library(found.library).parameters(request)
    if found.primes and not other:
        made = replace(made, q=found.primes, p=found.special_primes or ())
    return made


def batching(t: int, n: int) -> int:
    """The plaintext modulus itself where it gives slots, or else the next larger one that does."""
    return plain_candidates(t, n)[0]


def refusal_of(found: Found) -> str:
    """Why the library refuses the set with the check that the file asks for; empty where it takes it."""
    if not found.checked:
        return ""
    request = request_of(found)
    if request.scheme != "ckks" and request.plain_modulus is not None and found.ring_dimension is not None:
        request = replace(request, plain_modulus=batching(request.plain_modulus, found.ring_dimension))
    try:
        library(found.library).parameters(request)
    except FheasibleError as error:
        return error.message
    return ""


def capability(found: Found, p: Parameters) -> Capability:
    """The depth that the set allows, and the precision or the noise budget after it."""
    if not p.p and p.key_switching != "bv":
        return Capability(0, why="without a special prime, products cannot be relinearised")
    if library(found.library).own_primes is not None:
        return _after(found, p, found.depth or 0)
    if p.scheme == "ckks":
        return _deepest(found, p, p.levels)
    most = p.levels if p.scheme == "bgv" else MOST_PRODUCTS
    return _most_products(found, p, most)


def _most_products(found: Found, p: Parameters, most: int) -> Capability:
    """The greatest depth, sought from below, since the noise of a larger one need not be computed."""
    last = _after(found, p, 0)
    for depth in range(1, most + 1):
        tried = _after(found, p, depth)
        if tried.depth is None:
            break
        last = tried
    return last


def _deepest(found: Found, p: Parameters, most: int) -> Capability:
    """The greatest depth, sought from above, since most chains allow all their levels."""
    first = _after(found, p, most)
    if first.depth is not None or most == 0:
        return first
    for depth in range(most - 1, -1, -1):
        tried = _after(found, p, depth)
        if tried.depth is not None:
            return replace(tried, why=first.why)
    return first


def _after(found: Found, p: Parameters, depth: int) -> Capability:
    """What is left after so many squarings; with a depth of None where the set cannot do so many."""
    try:
        made = _tried(found, p, depth)
        if p.scheme == "ckks":
            problem = _problem(depth, True)
            judged = precision(made.program, made.ckks, problem.gains(made.program), problem.truth)
            return Capability(depth, bits=float(judged.bits), peak_bytes=made.estimate.peak_bytes)
        assert made.parameters.scheme != "ckks"
        budget = float(budget_bits(made.program, made.parameters))
    except FheasibleError as error:
        return Capability(None, why=error.message)
    if budget < 0:
        why = f"after {depth} products in succession the noise is {-budget:.1f} bits too large"
        return Capability(None, budget=budget, why=why)
    return Capability(depth, budget=budget, peak_bytes=made.estimate.peak_bytes)


def _tried(found: Found, p: Parameters, depth: int) -> Candidate:
    lib = library(found.library)
    assert p.request is not None
    request = p.request.having(security=None, ring_dimension=p.ring_dimension)
    return chosen(_problem(depth, p.scheme == "ckks"), lib, request, None)


@cache
def _problem(depth: int, real: bool) -> Problem:
    """Squarings one after the other, of values from -1 to 1 (the integers -1, 0 and 1)."""
    kind = fh.reals(VALUES, low=-1, high=1) if real else fh.integers(VALUES, low=-1, high=1)

    @fh.app(x=kind)
    def squarings(x: Any) -> Any:
        for _ in range(depth):
            x = x * x
        return x if depth else x + x

    data: Mapping[str, Any] = {"x": np.linspace(-1, 1, VALUES) if real else np.arange(VALUES) % 3 - 1}
    return Problem(squarings.trace(), data, f"values from -1 to 1, squared {depth} times", trusted=True)
