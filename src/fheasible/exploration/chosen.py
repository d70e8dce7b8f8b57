"""The candidate of a request that the user made, instead of the search."""

from dataclasses import fields, replace
from typing import Any

from fheasible.errors import InfeasibleParameters, UnsupportedOperation, UsageError
from fheasible.estimation.profile import Profile
from fheasible.exploration.candidate import Candidate
from fheasible.exploration.judge import judged_estimate, wrong
from fheasible.exploration.problem import Problem
from fheasible.libraries.catalogue import Library
from fheasible.libraries.parameters import Parameters, Request
from fheasible.lowering.plan import plan
from fheasible.noise.ckks import precision
from fheasible.program.types import Program

_LISTS = ("prime_bits", "special_bits")
_WORDS = ("technique", "key_switching", "secret")
_FIXED = ("scheme", "depth")
_RINGS = tuple(1 << k for k in range(10, 18))


def request_from(
    scheme: str, settings: dict[str, str], security: int | None, quantum: bool = False
) -> Request:
    """A request from `key=value` settings. UsageError for an unknown key or a value of another type."""
    known = [f.name for f in fields(Request) if f.name not in _FIXED]
    values: dict[str, Any] = {}
    for key, text in settings.items():
        name = key.replace("-", "_")
        if name not in known:
            raise UsageError(f"there is no parameter {key!r}", f"choose among {', '.join(known)}")
        values[name] = _value(name, text)
    return Request(scheme, 0, **({"security": security, "quantum": quantum} | values))


def _value(name: str, text: str) -> Any:
    if text.lower() in ("none", "null", ""):
        return None
    if name in _WORDS:
        return text.lower()
    if name == "quantum":
        return text.lower() in ("1", "true", "yes")
    try:
        return tuple(int(x) for x in text.split(",")) if name in _LISTS else int(text)
    except ValueError:
        kind = "whole numbers with commas between" if name in _LISTS else "a whole number"
        raise UsageError(f"{name}={text!r} is not {kind}", f"write {name}=50") from None


def chosen(
    problem: Problem, library: Library, request: Request, profile: Profile | None, composites: bool = False
) -> Candidate:
    """The candidate that `request` makes, its depth (and, for integers, plaintext modulus) filled in.
    `composites`: sums and Chebyshev series by the library's own functions instead of primitive operations.

    InfeasibleParameters where the library refuses it, UnsupportedOperation where the scheme cannot
    express the problem.
    """
    unsuited = problem.unsuited(request.scheme)
    if unsuited:
        raise UnsupportedOperation(unsuited, f"choose among {', '.join(_suited(problem, library))}")
    style = library.style(request.scheme, request.technique, composites)

    def ask(depth: int, n: int | None) -> Parameters:
        return _asked(problem, library, replace(request, depth=depth, ring_dimension=n))

    program, p = plan(problem.lowerings, style, ask, request.ring_dimension)
    _refuse_overflow(problem, program, p)
    bits = None if style.exact else precision(program, p, problem.gains(program), problem.truth).bits
    covering = profile if profile and profile.covers(request.scheme) else None
    judged = judged_estimate(program, p, covering, bits, request.quantum)
    return Candidate(library.name, request.scheme, p.request or request, p, program, judged)


def _suited(problem: Problem, library: Library) -> list[str]:
    return [scheme for scheme in library.schemes if not problem.unsuited(scheme)]


def _refuse_overflow(problem: Problem, program: Program, p: Parameters) -> None:
    """A CKKS value beyond its modulus decrypts to garbage. (BFV's and BGV's noise is the user's to see.)"""
    found = wrong(problem, program, p) if p.scheme == "ckks" else None
    if found:
        raise InfeasibleParameters(
            f"{problem.circuit.name}: {found.reason}", "raise first_bits, or lower scale_bits"
        )


def _asked(problem: Problem, library: Library, request: Request) -> Parameters:
    """What the library makes of the request, with a plaintext modulus that batches in the ring it picks."""
    if request.scheme == "ckks" or request.plain_modulus is not None:
        return library.parameters(request)
    refused = InfeasibleParameters(f"no ring up to N = {_RINGS[-1]} is large enough")
    for ring in _RINGS if request.ring_dimension is None else (request.ring_dimension,):
        try:
            found = library.parameters(replace(request, plain_modulus=problem.plain_modulus(ring)))
        except InfeasibleParameters as error:  # be it that it picked a larger ring, where t does not batch
            refused = error
        else:
            if found.ring_dimension <= ring:
                return found
    raise refused
