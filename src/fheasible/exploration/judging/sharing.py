"""Results that are shown to others than the owner of the secret key.

CKKS results hold noise that gives the key away [LM21]. A library must drown that noise when it decrypts,
which takes the largest scale, a level to hold it, and precision. Integers give nothing away while every
decryption is right [CCPSS24], [CSBB24], both in BFV and BGV and where CKKS rounds them.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from fheasible.circuit.degrees import Degrees
from fheasible.errors import InfeasibleParameters
from fheasible.exploration.problem.problem import Problem
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.libraries.library import Library
from fheasible.libraries.parameters import CkksParameters, CkksRequest, Parameters
from fheasible.lowering.plan import SPARES, plan
from fheasible.noise.ckks.domain import InputPoint, points
from fheasible.noise.ckks.elements import whole_variance
from fheasible.noise.ckks.flooding import QUERIES, noise_estimate
from fheasible.noise.ckks.headroom import headroom_bits
from fheasible.noise.reach.gains import Gains, content, gains
from fheasible.program.style import Style
from fheasible.program.types import Program, Scheme

_SOME = 1.0  # in place of an estimate that cannot be made yet: the chain is the same for all
_ROOM = 1.0  # bits, for the sign
_RING = 1 << 14  # ring dimension of the program by which the loudest inputs are found
_FLOODING = " or ".join(lib.title for lib in CATALOGUE.values() if not lib.leaks)
REMEDY = (
    "leave --shared-results out if only the key's owner sees the results, "
    f"or take {_FLOODING}, which floods them with noise"
)


def floods(problem: Problem, scheme: str, shared: bool) -> bool:
    """Whether decryption must add noise."""
    return shared and scheme == "ckks" and problem.real


def leak(problem: Problem, library: Library, scheme: str, shared: bool) -> str:
    """Why the library's results cannot be shown to others; empty where they can."""
    if not floods(problem, scheme, shared) or not library.leaks:
        return ""
    return f"shared results would reveal the secret key: {library.leaks}"


def asked_to_flood(request: CkksRequest) -> CkksRequest:
    return replace(request, noise_estimate=_SOME)


def planned(
    problem: Problem,
    degrees: Degrees,
    style: Style,
    ask: Callable[[int, int | None], Parameters],
    ring_dimension: int | None,
    slots: int | None = None,
) -> tuple[Program, Parameters]:
    """A program and the parameters that it fits, as from `plan`. Flooded results keep levels where the first
    prime, which is twice the scale, holds too little."""
    lowerings = problem.lowerings(degrees, style.exact)
    program, p = plan(lowerings, style, ask, ring_dimension, slots)
    for spare in SPARES:
        if p.scheme != "ckks" or not p.flooding:
            break
        if headroom_bits(program, p, problem.expected(program)) >= _ROOM:
            break
        if spare > style.spare:
            program, p = plan(lowerings, replace(style, spare=spare), ask, ring_dimension, slots)
    return program, p


def drowning(
    problem: Problem, degrees: Degrees, library: Library, program: Program, p: CkksParameters
) -> Parameters:
    """The parameters `p` with the flooding that the results need; InfeasibleParameters where that leaves no
    precision."""
    assert p.request is not None
    return library.parameters(replace(p.request, noise_estimate=needed(problem, degrees, program, p)))


def needed(problem: Problem, degrees: Degrees, program: Program, p: CkksParameters) -> float:
    """The noise estimate that the results need, for these data and for the inputs in the declared ranges at
    which noise was found to grow the most."""
    known = [problem.gains(program)]
    loudest = _loudest(problem, degrees)
    if loudest is not None:
        known.append(_gains_at(problem, program, loudest))
    return max(float(noise_estimate(program, p, whole_variance(program, p, found))) for found in known)


def _loudest(problem: Problem, degrees: Degrees) -> InputPoint | None:
    """The inputs at which noise grows the most; None where the data are trusted to stand for all inputs. They
    are the same for all libraries: they are found by one program of the circuit, as if all of its operations
    brought the same noise."""
    if problem.trusted:
        return None

    def found() -> InputPoint | None:
        lowerings = problem.lowerings(degrees)
        there = points(lowerings.circuit, lowerings.program(Style(Scheme.CKKS), _RING))
        return max(there, key=lambda at: float(at.gains.whole.sum()), default=None)

    point: InputPoint | None = problem.once(("loudest", degrees), found)
    return point


def _gains_at(problem: Problem, program: Program, at: InputPoint) -> Gains:
    key = "gains at the loudest", at.words, content(program)
    found: Gains = problem.once(key, partial(gains, program, at.data))
    return found


def check_drowned(problem: Problem, degrees: Degrees, program: Program, p: CkksParameters) -> None:
    """Raises InfeasibleParameters where the flooding that was asked for leaves noise to be seen."""
    least, given = needed(problem, degrees, program, p), p.request.noise_estimate if p.request else None
    if given is None or given < least:
        raise InfeasibleParameters(
            f"flooding for a noise of {given} bits does not drown the noise of this result in {QUERIES:,} "
            "results",
            f"give --param noise_estimate={least:.1f} or more, or leave noise_estimate out",
        )


def who_may_see(problem: Problem, scheme: str, shared: bool, failure_bits: float) -> str:
    """A sentence on who may see the results, and what is assumed of them."""
    on_data = " on data like these" * (scheme == "ckks")  # integers in CKKS are judged on the data alone
    wrong = f"once in 2^{failure_bits:g} runs at most{on_data}"
    if floods(problem, scheme, shared):
        return (
            "Results may be shown to others, if these choose neither data nor computation: decryption "
            f"drowns as much noise as was found in the declared ranges, for {QUERIES:,} results under one "
            "key."
        )
    if shared:
        rounded = "rounded to integers, " if scheme == "ckks" else ""
        return (
            f"Results may be shown to others: {rounded}they are wrong {wrong}, and right results "
            "reveal nothing."
        )
    if scheme == "ckks" and problem.real:
        return (
            "Results must not be shown to others after decryption, because their noise reveals the secret "
            "key; give --shared-results if they will be shown."
        )
    return (
        f"Results are wrong {wrong}. A wrong result that others see reveals something about the key; give "
        "--shared-results if results will be shown to others."
    )
