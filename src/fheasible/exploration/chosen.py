"""The candidate of a request that the user made, instead of the search."""

from dataclasses import fields, replace
from typing import Any

from fheasible.errors import UsageError
from fheasible.estimation.estimate import work
from fheasible.estimation.profile import Profile
from fheasible.exploration.candidate import Candidate
from fheasible.exploration.judge import judged_estimate
from fheasible.exploration.problem import Problem
from fheasible.libraries.catalogue import Library
from fheasible.libraries.parameters import Parameters, Request
from fheasible.lowering.plan import plan
from fheasible.noise.ckks import precision

_LISTS = ("prime_bits", "special_bits")
_WORDS = ("technique", "key_switching", "secret")
_FIXED = ("scheme", "depth")


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


def chosen(problem: Problem, library: Library, request: Request, profile: Profile | None) -> Candidate:
    """The candidate that `request` makes, its depth (and, for integers, plaintext modulus) filled in.

    InfeasibleParameters where the library refuses it, UnsupportedOperation where the scheme cannot
    express the problem.
    """
    style = library.style(request.scheme, request.technique)

    def ask(depth: int, n: int | None) -> Parameters:
        t = request.plain_modulus
        if style.exact and t is None:
            t = problem.plain_modulus(n or 1 << 16)
        return library.parameters(replace(request, depth=depth, ring_dimension=n, plain_modulus=t))

    program, p = plan(problem.lowerings, style, ask, request.ring_dimension)
    bits = None if style.exact else precision(program, p, problem.gains(program), problem.truth).bits
    covering = profile if profile and profile.covers(request.scheme) else None
    judged = judged_estimate(program, p, covering, bits, request.quantum)
    return Candidate(library.name, request.scheme, p.request or request, p, program, judged, work(program, p))
