"""What bounds the precision of the recommendation, and what a little less of it would do."""

from dataclasses import replace
from math import ceil, log2

import numpy as np

from fheasible.circuit.degrees import Approximation
from fheasible.exploration.candidate import Candidate
from fheasible.exploration.degrees import reached
from fheasible.exploration.search import Exploration
from fheasible.noise.ckks import Precision, precision
from fheasible.noise.domain import WorstCase, worst_case
from fheasible.noise.headroom import headroom_bits
from fheasible.security.lookup import allowed_log_q


def bounds(e: Exploration, best: Candidate) -> list[str]:
    """Sentences on the scale, the approximations and the first modulus; of integers that they are exact."""
    if best.scheme != "ckks":
        t = best.parameters.plain_modulus
        return [f"Integers are exact: t = {t} tells every intermediate value apart.", *_least_primes(best)]
    return [
        _scale(e, best), *_worst_case(e, best), *_approximations(e, best), _first_modulus(e, best),
        *_smaller_ring(e, best),
    ]  # fmt: skip


def _least_primes(best: Candidate) -> list[str]:
    """Why the primes of integers are as large as they are."""
    chain = best.request.prime_bits
    if not (best.limit and chain):
        return []
    return [f"Primes of {chain[-1] - 1} bits instead of {chain[-1]} are too small: {best.limit}."]


def _scale(e: Exploration, best: Candidate) -> str:
    gains = e.problem.gains(best.program)
    found = precision(best.program, best.parameters, gains, e.problem.truth)
    functions = np.concatenate([gains.outputs[k] - e.problem.truth[k] for k in gains.outputs])
    scale = best.request.scale_bits or 0
    text = (
        f"Precision: {found.bits:.1f} bits expected at a scale of {scale} bits, {found.assured_bits:.1f} "
        f"to rely on. {_bound(found, float(np.sqrt(np.mean(functions**2))))} bounds it"
    )
    return f"{text}; a scale of {scale - 1} bits is too small: {best.limit}." if best.limit else f"{text}."


def over_the_domain(e: Exploration) -> Exploration:
    """The exploration with the worst case of its best candidate: where its data were drawn, not given."""
    best = e.best
    if best is None or best.scheme != "ckks" or not e.problem.drawn:
        return e
    found = _domain(e, best)
    told = replace(best, estimate=replace(best.estimate, worst_case_bits=found.bits))
    front, ties = (frozenset(told if c is best else c for c in group) for group in (e.front, e.ties))
    return replace(e, candidates=(told, *e.candidates[1:]), front=front, ties=ties)


def _domain(e: Exploration, best: Candidate) -> WorstCase:
    return worst_case(e.problem.lowerings(best.degrees).circuit, best.program, best.parameters)


def _worst_case(e: Exploration, best: Candidate) -> list[str]:
    if best.estimate.worst_case_bits is None:
        return []
    found = _domain(e, best)
    return [
        f"That holds for inputs drawn from the whole of their ranges. The worst found in them, {found.data}, "
        f"leaves errors up to {found.absolute_error:.1e}: {found.bits:.1f} bits of the largest result."
    ]


def _bound(found: Precision, of_functions: float) -> str:
    """What the largest part of the error comes from."""
    if found.noise >= found.approximation:
        return "Encryption noise"
    return (
        "Approximation"
        if 2 * of_functions >= found.approximation
        else "Rounding of plain factors to the scale"
    )


def _approximations(e: Exploration, best: Candidate) -> list[str]:
    """The error of each on its whole interval; what a level less would leave where the degree was open."""
    found = e.problem.approximations(best.degrees)
    return [_series(a) + _shorter(e, best) * (len(found) == 1) for a in found]


def _series(a: Approximation) -> str:
    return (
        f"{a.function} on [{a.low:g}, {a.high:g}] is a series of degree {a.degree}, off by at most "
        f"{a.largest_error:.1e} anywhere there and by {a.average_error:.1e} on average."
    )


def _shorter(e: Exploration, best: Candidate) -> str:
    if not best.degrees or best.degrees[0] < 2:
        return ""
    shorter = (1 << best.degrees[0].bit_length() - 1) - 1
    left = reached(e.problem.approximated, e.problem.truth, e.wish.least, (shorter,))
    return f" Degree {shorter}, a level less, would leave {e.wish.least.said(left)} on these data."


def _smaller_ring(e: Exploration, best: Candidate) -> list[str]:
    """How much less modulus half the ring allows, and what that would take from the scale."""
    p, scale = best.parameters, best.request.scale_bits or 0
    half = allowed_log_q(p.ring_dimension // 2, p.secret, e.wish.security, e.wish.quantum)
    primes = p.limbs + len(p.p)
    fewer = ceil((p.log_qp - half) / primes)
    if fewer <= 0:
        return []
    text = (
        f"Security asks for this ring: half of it would leave each of the {primes} primes {fewer} bits less"
    )
    if fewer > scale / 2:
        return [f"{text}, more than any lower precision gives."]
    return [f"{text}, and about as many bits less of precision."]


def _first_modulus(e: Exploration, best: Candidate) -> str:
    room = headroom_bits(best.program, best.parameters, e.problem.gains(best.program))
    outputs = [e.problem.bounds[n] for _, n in e.problem.circuit.outputs]
    largest = max(max(abs(low), abs(high)) for low, high in outputs)
    return (
        f"The first modulus, of {log2(best.parameters.q[0]):.0f} bits, holds results up to {largest:.3g}; "
        f"on these data every modulus has {room:.0f} bits to spare."
    )
