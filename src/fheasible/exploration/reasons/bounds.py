"""What limits the precision of the recommendation, and what a little less precision would gain."""

from collections.abc import Sequence
from math import ceil, log2

import numpy as np

from fheasible.circuit.composition import Composition
from fheasible.circuit.degrees import Approximation, Degree, levels, of_levels, open_nodes
from fheasible.circuit.modulus import modulus
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.judging.impossible import results
from fheasible.exploration.judging.secure import posed_at
from fheasible.exploration.problem.wish import HALF
from fheasible.exploration.search.declared_ranges import domain
from fheasible.exploration.search.search import Exploration
from fheasible.noise.ckks.headroom import headroom_bits
from fheasible.noise.ckks.precision import Precision, precision
from fheasible.noise.doubles import OF_DOUBLES
from fheasible.noise.reach.gains import Gains
from fheasible.units import listing, power_of_two


def bounds(e: Exploration, best: Candidate) -> list[str]:
    """Sentences on the precision of the best candidate: on the scale, the approximations and the first
    modulus of a CKKS set, and on exact results and their primes for BFV and BGV."""
    p = best.parameters
    if p.scheme != "ckks":
        t, own = p.plain_modulus, modulus(e.problem.circuit)
        said = (
            "is large enough for every intermediate value"
            if own is None
            else "is the modulus at which the application wraps around"
        )
        return [f"Integers are exact: t = {t} {said}.", *_before_rounded(e, best), *_least_primes(best)]
    return [
        _scale(e, best), *_worst_case(e, best), *_approximations(e, best), _first_modulus(e, best),
        *_smaller_ring(e, best),
    ]  # fmt: skip


def _before_rounded(e: Exploration, best: Candidate) -> list[str]:
    """A sentence that an exact set leads although one that rounds may be better; none where that is not
    so."""
    goal = e.wish.goal
    rounded = min((c.cost(goal) for c in e.candidates if c.rounded), default=best.cost(goal))
    if rounded >= best.cost(goal):
        return []
    share = rounded / best.cost(goal)
    return [
        f"Exact results are preferred to those that CKKS rounds. CKKS would take {share:.2f} times the "
        f"{goal.said()}, a difference within the error of prediction."
    ]


def _least_primes(best: Candidate) -> list[str]:
    """A sentence on why the primes of BFV and BGV are no smaller; none where no reason is known."""
    chain = best.request.prime_bits
    if not (best.limit and chain):
        return []
    return [f"Primes of {chain[-1] - 1} bits instead of {chain[-1]} are too small: {best.limit}."]


def _scale(e: Exploration, best: Candidate) -> str:
    gains = e.problem.gains(best.program)
    found = precision(best.program, best.ckks, gains, e.problem.truth, e.wish.failure_bits)
    scale = best.request.scale_bits or 0
    told = best.estimate.precision_bits
    if told is not None and told < found.bits:
        text = (
            f"Precision: {told:.1f} bits are expected at a scale of {scale} bits. When the program is run "
            f"on plain slots with this noise and rounded numbers, results lose {found.bits - told:.1f} "
            "more bits than these errors cost one by one"
        )
    else:
        text = (
            f"Precision: {found.bits:.1f} bits are expected at a scale of {scale} bits, and "
            f"{found.assured_bits:.1f} can be relied on. {bound(e, best)} limits it"
        )
    return f"{text}; a scale of {scale - 1} bits is too small: {best.limit}." if best.limit else f"{text}."


def _worst_case(e: Exploration, best: Candidate) -> list[str]:
    if best.estimate.worst_case_bits is None:
        return []
    found = domain(e, best)
    holds = f"That holds for {e.problem.source}."
    if found.beyond:
        return [
            f"{holds} Other inputs in the declared ranges are worse: with {found.data}, values outgrow their "
            f"modulus by {found.beyond:.1f} bits, and results are worthless. If such inputs can occur, give "
            "them with --data."
        ]
    return [
        f"{holds} The worst case found in the declared ranges, {found.data}, "
        f"leaves errors up to {found.absolute_error:.1e}{_beside_the_largest(e, found.absolute_error)}"
        f"{'' if e.problem.real or found.absolute_error < HALF else ', and some integer rounds to another'}."
    ]


def _beside_the_largest(e: Exploration, error: float) -> str:
    """How large an error is compared with the largest result that was found, as the end of a sentence. The
    bounds of interval arithmetic alone may be larger than any result by hundreds of bits."""
    largest = max(e.problem.largest_result(name) for name, _ in e.problem.circuit.outputs)
    if error <= largest * OF_DOUBLES:
        return ", which is as small as the error of doubles"
    if error >= largest:
        return f", and the largest result found there is {largest:.1e}"
    return f", or {log2(largest / error):.1f} bits relative to the largest result"


def bound(e: Exploration, c: Candidate) -> str:
    """What limits the precision of a CKKS candidate, in words."""
    if c.program.bootstraps:
        return "The error of its bootstraps"
    gains = e.problem.gains(c.program)
    found = precision(c.program, c.ckks, gains, e.problem.truth, e.wish.failure_bits)
    return _bound(e, gains, found)


def _bound(e: Exploration, gains: Gains, found: Precision) -> str:
    """The source of the largest part of the error, in words."""
    if found.noise >= found.approximation:
        return "Encryption noise"
    functions = np.concatenate([gains.outputs[k] - e.problem.truth[k] for k in gains.outputs])
    of_functions = float(np.sqrt(np.mean(functions**2)))
    return (
        "Approximation"
        if 2 * of_functions >= found.approximation
        else "Rounding of plain factors to the scale"
    )


def _approximations(e: Exploration, best: Candidate) -> list[str]:
    """A sentence on each approximated function: its error on the whole interval, and where exactly one degree
    was open, the precision that one level less would leave. Functions of one name and degree, on several
    intervals, share a sentence."""
    alike: dict[tuple[str, Degree, float], list[Approximation]] = {}
    for a in e.problem.approximations(best.degrees):
        alike.setdefault((a.function, a.degree, a.margin), []).append(a)
    return [_approximated(found) + _shorter(e, best) for found in alike.values()]


def _approximated(alike: Sequence[Approximation]) -> str:
    a = alike[0]
    intervals = sorted({(each.low, each.high) for each in alike}, key=lambda ends: ends[1] - ends[0])
    (low, high), (lowest, highest) = intervals[0], intervals[-1]
    where = f"on [{low:g}, {high:g}]"
    if len(intervals) > 1:
        between = "to" if len(intervals) > 2 else "and"
        where = f"on {len(intervals)} intervals, [{low:g}, {high:g}] {between} [{lowest:g}, {highest:g}],"
    largest = max(each.largest_error for each in alike)
    average = max(each.average_error for each in alike)
    within = f"at least {a.margin:g} away from 0" if a.margin else f"on {_this(len(intervals))}"
    return (
        f"{a.function} {where} is approximated by {_by_what(a.degree)}; the error is at most {largest:.1e} "
        f"{within}, and {average:.1e} on average there."
    )


def _this(intervals: int) -> str:
    return "this interval" if intervals == 1 else "these intervals"


def _by_what(degree: Degree) -> str:
    if not isinstance(degree, Composition):
        return f"a series of degree {degree}"
    said = f"polynomials of degree {listing([str(d) for d in degree])}, each of the result of the one before"
    what = said if len(degree) > 1 else f"a polynomial of degree {degree[0]}"
    return f"{what}, in {degree.levels} levels and {degree.relinearisations} relinearisations"


def _shorter(e: Exploration, best: Candidate) -> str:
    if len(best.degrees) != 1:  # with several open degrees, one of them says little
        return ""
    (found,) = open_nodes(e.problem.as_approximated)
    shorter = of_levels(found.attribute, levels(best.degrees[0]) - 1)
    if shorter is None:
        return ""
    asked = e.problem.rounded(e.wish.least)
    left = e.problem.reached(asked, (shorter,))
    return f" Degree {shorter} takes one level less and would leave {asked.said(left)} on these data."


def _smaller_ring(e: Exploration, best: Candidate) -> list[str]:
    """A sentence on how much less modulus half the ring allows, and what that would take from each prime, or
    from the levels that a bootstrap leaves; none where half the ring is enough, or where results are
    flooded."""
    p, scale = best.ckks, best.request.scale_bits or 0
    half = posed_at(best, p.ring_dimension // 2, e.wish.quantum).allowed(e.wish.security)
    primes = p.limbs + len(p.p)
    fewer = ceil((p.log_qp - half) / primes)
    if fewer <= 0 or p.flooding:  # flooding takes the largest scale whatever the precision
        return []
    if best.program.bootstraps:
        return [_fewer_levels(best, half)]
    text = (
        f"Security requires this ring for this many primes. Half the ring would leave {half / primes:.0f} "
        f"bits for each of the {primes} primes, instead of {p.log_qp / primes:.0f} on average"
    )
    if fewer > min(scale / 2, best.estimate.precision_bits or 0.0):
        return [f"{text}: too few for any precision."]
    return [f"{text}, and precision would be lower by about {fewer} bit{'s' * (fewer > 1)}."]


def _fewer_levels(best: Candidate, half: float) -> str:
    """A sentence on the levels that a bootstrap would leave with a modulus of so many bits."""
    p = best.ckks
    levels = float(np.log2(np.array(p.q[1:], dtype=np.float64)).sum())
    own, ring = p.log_qp - levels, power_of_two(p.ring_dimension // 2)
    if own >= half:
        return f"A bootstrap and key switching alone take log2 QP = {own:.0f}, more than N = {ring} allows."
    left = int((half - own) / (levels / p.levels))
    return (
        f"A bootstrap and key switching alone take log2 QP = {own:.0f}. With N = {ring}, a bootstrap "
        f"would leave about {left} level{'s' * (left != 1)} instead of {p.levels}."
    )


def _first_modulus(e: Exploration, best: Candidate) -> str:
    """A sentence on the results that the remaining modulus holds, how large results were found to be, and
    what interval arithmetic does not exclude."""
    p, problem = best.ckks, e.problem
    room = headroom_bits(best.program, p, problem.expected(best.program))
    of_all = results(problem, best.program, p)
    name = max(of_all, key=lambda k: of_all[k][0] / of_all[k][1])
    end, most = of_all[name][0], 2 * of_all[name][1]  # with the bit that `results` spares
    feared = max(map(abs, problem.bounds[dict(problem.circuit.outputs)[name]]))
    note = (
        ""
        if feared <= max(most, 1.001 * end)
        else f" Interval arithmetic alone cannot exclude results up to {feared:.3g}."
    )
    seen = "on these data" if problem.trusted else "in the declared ranges"
    level = best.program.result_levels
    left = float(np.log2(np.array(p.q[: level + 1], dtype=np.float64)).sum())
    modulus = "remaining modulus" if level else "first modulus"
    return (
        f"The {modulus} has {left:.0f} bits and holds results up to {most:.3g}; the largest result found "
        f"{seen} is {end:.3g}. Every modulus has {room:.1f} bits to spare.{note}"
    )
