"""Problems that no parameters can solve, reported with a remedy before anything is searched or run.

Such a problem is an error where the data themselves cause it, and a warning where only the declared ranges
allow it.
"""

from math import log2

import numpy as np

from fheasible.circuit.modulus import modulus
from fheasible.errors import FheasibleError, InfeasibleParameters
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.judging.secure import most
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.rings_and_moduli import RINGS, no_batching, plain_modulus_above
from fheasible.exploration.problem.wish import FAILURE_BITS, HALF, Wish
from fheasible.exploration.space.requests import SCALES
from fheasible.exploration.space.sizing import LEAST_ROOM
from fheasible.libraries.catalogue import BY_NAME
from fheasible.libraries.library import Library
from fheasible.libraries.parameters import CkksParameters, Parameters
from fheasible.lowering.plan import multiplicative_depth
from fheasible.noise.ckks.headroom import room_bits, tightest
from fheasible.noise.integers.budget import budget_bits
from fheasible.noise.reach.gains import Gains, SlotValues
from fheasible.noise.scales import scales_of
from fheasible.program.schedule import value_levels
from fheasible.program.types import Program
from fheasible.units import listing, power_of_two

_WELL_BELOW = 2  # a program that is so many times as deep as the circuit would still be within the limit
_DOUBLE_BITS = 1000.0  # larger powers of two may not fit a double
_ABOUT = 1.001  # within this factor, results are as large as the modulus, and read the same

_BOOTSTRAPS = listing([lib.title for lib in BY_NAME.values() if lib.bootstrap_method and not lib.build_of])
DEEPER = (
    "make the computation less deep, or bootstrap, which allows any depth: "
    f"{_BOOTSTRAPS} can, in CKKS on reals; no library here bootstraps BFV or BGV"
)
SMALLER = (
    "scale the inputs down by declaring and giving them in a larger unit, or give values more room with a "
    "larger first prime, a smaller scale or a spare level (--param first_bits=60, scale_bits=30, "
    "spare_levels=1)"
)


def overflowing(
    program: Program, p: CkksParameters, met: Gains | SlotValues, spare_bits: float = LEAST_ROOM
) -> str:
    """A clause on the largest value, and on the largest that the modulus holds with `spare_bits` left free,
    where it has the least room."""
    room, largest = tightest(program, p, met)
    bits = log2(p.scales[0])
    return (
        f"values reach {largest:.3g}, but at a scale of {bits:.0f} bits the remaining modulus holds only "
        f"{largest * 2 ** (room - spare_bits):.3g}"
    )


def hopeless(problem: Problem, library: Library, scheme: str, wish: Wish) -> FheasibleError | None:
    """Why no parameters of the scheme are enough, whatever is tried; None where some may be."""
    if scheme == "ckks":
        if library.bootstrap_method is not None:
            return None
        if problem.bootstraps:
            return InfeasibleParameters(
                f"{library.title} has no bootstrapping, which fh.bootstrap asks for",
                f"choose among {_BOOTSTRAPS}, or leave fh.bootstrap out",
            )
        return _too_deep(problem, library, scheme, wish)
    try:
        problem.plain_modulus(RINGS[0])
    except InfeasibleParameters as error:
        return error
    return _too_deep(problem, library, scheme, wish)


def _too_deep(problem: Problem, library: Library, scheme: str, wish: Wish) -> InfeasibleParameters | None:
    """The error where the depth alone takes more modulus than the largest ring allows; None where it does
    not. A level takes at least the bits of the smallest scale; in BFV, each product multiplies the noise by
    t."""
    n = library.largest_ring
    bfv = scheme == "bfv"
    each = log2(problem.plain_modulus(RINGS[0])) if bfv else float(SCALES[0])
    limit = most(n, wish.security, wish.quantum)
    degrees = problem.degrees_to_try(wish.least)[0] if scheme == "ckks" else ()
    if _WELL_BELOW * problem.depth(scheme, degrees) * each <= limit:
        return None  # no program need be made for the largest ring
    program = _shallowest(problem, library, scheme, n, wish)
    levels = multiplicative_depth(program) if bfv else program.levels
    if levels * each <= limit:
        return None
    return InfeasibleParameters(
        f"a depth of {levels} with at least {each:.0f} bits per level takes log2 Q = {levels * each:.0f}, "
        f"but N = {power_of_two(n)}, the largest ring here, allows {limit:.0f} with {wish.security}-bit "
        "security",
        DEEPER,
    )


def _shallowest(problem: Problem, library: Library, scheme: str, n: int, wish: Wish) -> Program:
    style = library.style(scheme, library.techniques[0] or None)
    degrees = () if style.exact else problem.degrees_to_try(wish.least)[0]
    return problem.lowerings(degrees, style.exact).program(style, n)


def refuse_depth(library: Library, p: Parameters) -> None:
    """Raises InfeasibleParameters where the chain takes a larger ring than there is."""
    most = library.largest_ring
    if p.ring_dimension > most:
        raise InfeasibleParameters(
            f"log2 QP = {p.log_qp:.0f} takes N = {power_of_two(p.ring_dimension)}, but "
            f"{power_of_two(most)} is the largest ring here",
            DEEPER,
        )


def refuse_wrapping(problem: Problem, p: Parameters) -> None:
    """Raises InfeasibleParameters where t packs no vectors, or does not distinguish the results on these
    data."""
    if p.scheme == "ckks":
        return
    t = p.plain_modulus
    unpacked = no_batching(t, p.ring_dimension)
    if unpacked:
        raise unpacked
    name, largest = _largest_result(problem)
    if modulus(problem.circuit) is None and largest > t // 2:
        raise InfeasibleParameters(
            f"{name} reaches {largest:,} on these data, but t = {t} holds values only up to {t // 2:,}",
            f"leave plain_modulus out, or give {plain_modulus_above(2 * largest + 1, p.ring_dimension)}",
        )


def _largest_result(problem: Problem) -> tuple[str, int]:
    found = {name: int(np.abs(values).max()) for name, values in problem.truth.items()}
    name = max(found, key=lambda k: found[k])
    return name, found[name]


def doubts(problem: Problem, c: Candidate, failure_bits: float = FAILURE_BITS) -> list[str]:
    """What may go wrong in the candidate's run, one sentence each."""
    found = _wrapping(problem, c.parameters) + _overflowing(problem, c.program, c.parameters)
    return [*problem.warnings, *found, *_noisy(problem, c, failure_bits)]


def _wrapping(problem: Problem, p: Parameters) -> list[str]:
    """A sentence on each output whose largest result found in the declared ranges is too large for t."""
    if p.scheme == "ckks" or modulus(problem.circuit) is not None:
        return []
    t = p.plain_modulus
    ends = {name: problem.largest_result(name) for name, _ in problem.circuit.outputs}
    return [
        f"{name} can reach {end:,.0f} in the declared ranges, but t = {t} holds values only up to {t // 2:,}"
        for name, end in ends.items()
        if end > t // 2
    ]


def _overflowing(problem: Problem, program: Program, p: Parameters) -> list[str]:
    """A sentence on each CKKS output whose largest result found in the declared ranges is beyond what the
    remaining modulus holds; else one on the value with the least room, where it leaves less room than the
    search keeps."""
    if p.scheme != "ckks":
        return []
    beyond = [
        f"{name} can reach {end:.3g} in the declared ranges, but the remaining modulus holds only {most:.3g}"
        for name, (end, most) in results(problem, program, p, spare_bits=0.0).items()
        if end > _ABOUT * most
    ]
    return beyond or _narrow(p, *tightest(program, p, problem.expected(program)))


def is_narrow(problem: Problem, c: Candidate) -> bool:
    """Whether the values of these data leave less room in a modulus of CKKS than the search keeps."""
    p = c.parameters
    return p.scheme == "ckks" and tightest(c.program, p, problem.gains(c.program))[0] < LEAST_ROOM


def _narrow(p: CkksParameters, room: float, largest: float) -> list[str]:
    """A sentence where the largest value leaves less than `LEAST_ROOM` bits of room."""
    if room >= LEAST_ROOM:
        return []
    holds = f"at a scale of {log2(p.scales[0]):.0f} bits the remaining modulus holds {largest * 2**room:.3g}"
    return [
        f"values can reach {largest:.3g} in the declared ranges, and {holds}: a larger value decrypts to "
        f"garbage, and the search would keep {LEAST_ROOM:g} bit free"
    ]


def results(
    problem: Problem, program: Program, p: CkksParameters, spare_bits: float = LEAST_ROOM
) -> dict[str, tuple[float, float]]:
    """For each CKKS output, how large it was found to be in the declared ranges, and the largest value that
    the modulus left to it holds with `spare_bits` left free."""
    levels, scales = value_levels(program), scales_of(program)
    rooms = {o.name: min(room_bits(p, levels[v], scales[v]) for v in o.values) for o in program.outputs}
    return {
        name: (problem.largest_result(name), 2.0 ** min(room - spare_bits, _DOUBLE_BITS))
        for name, room in rooms.items()
    }


def _noisy(problem: Problem, c: Candidate, failure_bits: float) -> list[str]:
    program, p = c.program, c.parameters
    if p.scheme == "ckks":
        error = c.estimate.absolute_error
        wrong = not problem.real and error is not None and error >= HALF
        return [f"an error of up to {error:.2g} may round integers to wrong ones"] if wrong else []
    missing = -budget_bits(program, p, failure_bits)
    return (
        [f"the noise may reach the plaintext: {missing:.0f} bits of modulus are missing"]
        if missing > 0
        else []
    )
