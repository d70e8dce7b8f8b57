"""What a candidate does to results beyond first order, on the data: found by rehearsing it, where products of
noise, numbers that are rounded, and functions' kinks show what no derivative tells."""

from collections.abc import Callable, Mapping
from math import log, log2, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fheasible.exploration.candidate import Candidate
from fheasible.exploration.foresee import HALF
from fheasible.exploration.kinks import shifts
from fheasible.exploration.problem import Problem
from fheasible.exploration.wish import Asked, Measure
from fheasible.noise import mixture
from fheasible.noise.achieved import Achieved, Vectors, achieved, largest_value, reference
from fheasible.noise.ckks import ONCE_IN_A_THOUSAND, precision
from fheasible.noise.decryption import copies
from fheasible.noise.domain import Point, bend, bend_at_most
from fheasible.noise.elements import apart, degree
from fheasible.noise.offsets import RARE
from fheasible.noise.rehearsal import PAIRS, Rehearsed, rehearsed

_OF_NORMAL_BITS = 0.92  # by which -log2 of normal errors exceeds that of their deviation, on average
_HARDLY_BENT = 0.1  # an error of integers: what multiplies it by itself is a tenth of it at most
_FAINT = 2.0**-3  # times a library's noise: much less would be lost in the rounding of doubles
_MOST_AT_ONCE = 2.0**6  # times less error is asked for next; what is still off then asks for the rest
_TAME = 4  # the degree up to which noise three times as large moves results by less than modulus is left
_FALLS = 2.0 ** np.arange(1, 6)  # of less


def needed(problem: Problem, c: Candidate, asked: Asked, at: Point) -> Asked | None:
    """The error to ask for at inputs drawn from the ranges, `at`; None where no result on the data is off by
    more than is asked. First order has no error on the data that a search could lower, as of the square of
    what is 0 there. At drawn inputs it has one, E, and what is off on the data falls at least as fast."""

    def rehearse(louder: float) -> Mapping[str, Rehearsed]:
        return problem.rehearsed(c.program, c.parameters, louder)

    fall = _with_modulus(problem, c, rehearse, _fall(rehearse, asked, problem.truth))
    return _less(c, at, max(_by_degree(problem, c, asked, at), fall))


def needed_at(problem: Problem, c: Candidate, asked: Asked, at: Point) -> Asked | None:
    """The error allowed at these inputs, where a rehearsal is off by more there than is asked."""

    def rehearse(louder: float) -> Mapping[str, Rehearsed]:
        return rehearsed(c.program, c.parameters, at.data, at.gains, louder)

    return _less(c, at, _with_modulus(problem, c, rehearse, _fall(rehearse, asked, at.truth)))


def _with_modulus(
    problem: Problem, c: Candidate, rehearse: Callable[[float], Mapping[str, Rehearsed]], fall: float
) -> float:
    """By how many times the error must fall for no value to outgrow its modulus; `fall`: for all else. Series
    do where noise as large as one encryption in a thousand has it in some copy of a short vector takes
    arguments beyond the interval, and maps that are unstable outside a range: that spoils all elements."""
    if fall > 1 or degree(c.program) <= (1 if problem.approximates else _TAME):
        return fall
    rare = _rare_in_a_copy(c)

    def outgrown(times: float) -> bool:
        return any(each.outgrown for each in rehearse(times * rare).values())

    if not outgrown(1.0):
        return fall
    return next((t for t in _FALLS.tolist() if t < rare and not outgrown(1 / t)), rare)


def _rare_in_a_copy(c: Candidate) -> float:
    """How far noise is out in one slot of some copy, once in a thousand encryptions, over where it is the
    largest of the executions of a rehearsal."""
    of_all = ONCE_IN_A_THOUSAND - log2(copies(c.program, c.parameters))
    return float(
        mixture.tail(of_all, mixture.ONE_SLOT)[0] / mixture.tail(-log2(2 * PAIRS), mixture.NORMAL)[0]
    )


def off(problem: Problem, c: Candidate, asked: Asked) -> float:
    """The error of a rehearsal on the data, over what is asked."""
    return _beyond(problem.rehearsed(c.program, c.parameters), asked, problem.truth)


def left(problem: Problem, c: Candidate) -> Achieved:
    """What the results of a rehearsal on the data reach: half of its executions the bits, and all of them the
    errors."""
    found, truth = problem.rehearsed(c.program, c.parameters), problem.truth
    errors = {name: found[name].errors(exact) for name, exact in truth.items()}
    executions = min(len(each) for each in errors.values())
    reached = [
        achieved({name: exact + errors[name][i] for name, exact in truth.items()}, truth)
        for i in range(executions)
    ]
    return Achieved(
        float(np.median([each.bits for each in reached])),
        float(np.mean([each.mean for each in reached])),
        max(each.absolute for each in reached),
        max(each.relative for each in reached),
    )


def needed_to_round(on: Problem, c: Candidate, failure_bits: float) -> Asked | None:
    """The error to ask for of integers in CKKS, on the data of that problem; None where noise as large as
    comes in one of 2^failure_bits encryptions alone rounds none to another: multiplied by itself, and beside
    what all encryptions have alike, as a rehearsal shows it."""
    found = precision(c.program, c.parameters, on.gains(c.program), on.truth, failure_bits)
    told = found.worst_error
    if _outgrown(on, c, failure_bits):
        return Asked(Measure.ABSOLUTE, min(sqrt(told * HALF / _MOST_AT_ONCE), told / 2))
    if told < _HARDLY_BENT:
        return None
    beside = _largest(on, c, _FAINT, 0.0) - found.largest_alike
    bending = _bending(on, c, found.rarer(2 * PAIRS)) if degree(c.program) > 1 else 1.0
    times = min(max(bending, 1 + beside / told), _MOST_AT_ONCE)
    return None if told * times < HALF else Asked(Measure.ABSOLUTE, sqrt(told * HALF / times))


def _outgrown(on: Problem, c: Candidate, failure_bits: float) -> bool:
    """Whether offsets of one of 2^failure_bits keys alone round an integer to another. The mean over many
    copies has little of the one slot that has them, unless a polynomial of that slot outgrows all others."""
    rare = sqrt(2 * log(2) * failure_bits)
    offset = apart(c.program, c.parameters, on.gains(c.program)).offset
    if degree(c.program) == 1 or rare * sqrt(float(offset.max())) < HALF:
        return False
    found = on.rehearsed(c.program, c.parameters, rare / RARE)
    return any(each.lost or float(np.abs(each.apart).max()) >= HALF for each in found.values())


def _bending(on: Problem, c: Candidate, rarer: float) -> float:
    """How many times what first order tells the largest error is where noise is so many times as large: by
    rehearsals with the same noise, as loud as that and so faint that it hardly multiplies any."""
    # in each copy: what is rare in their mean is little in one
    louder = sqrt(1 + (rarer**2 - 1) / copies(c.program, c.parameters))
    loud, faint = (_largest(on, c, times, rarer / times) for times in (louder, _FAINT))
    return max(loud / faint, 1.0) if faint else 1.0


def _largest(on: Problem, c: Candidate, louder: float, rarer: float) -> float:
    """The largest error of a rehearsal with noise so many times as loud, and then so many times as large."""
    found = on.rehearsed(c.program, c.parameters, louder)
    return max(float(found[name].off(exact, rarer).max()) for name, exact in on.truth.items())


def _less(c: Candidate, at: Point, beyond: float) -> Asked | None:
    """An error there that is so many times less; None where it need not be less."""
    if beyond <= 1:
        return None
    found = precision(c.program, c.parameters, at.gains, at.truth)
    error, fixed = found.assured_absolute, found.assured_without_noise  # which no scale makes smaller
    return Asked(Measure.ABSOLUTE, fixed + max(error - fixed, 0.0) / min(beyond, _MOST_AT_ONCE))


def _allowed(asked: Asked, exact: NDArray[Any]) -> NDArray[np.float64]:
    """The error of each element of an output that meets what is asked."""
    if asked.measure is Measure.ABSOLUTE:
        return np.full(len(exact), asked.value)
    if asked.measure is Measure.RELATIVE:
        return asked.value * reference(exact)
    return np.full(len(exact), 2.0**-asked.value * largest_value(exact))


def _by_degree(problem: Problem, c: Candidate, asked: Asked, at: Point) -> float:
    """By how many times the error must fall for what noise leaves of noise, with its square, and at a kink of
    a function with it."""
    program, p, circuit = c.program, c.parameters, problem.lowerings(c.degrees).circuit
    allowed = {name: _allowed(asked, exact) for name, exact in problem.truth.items()}
    least = min(float(each.min()) for each in allowed.values())
    if degree(program) == 1 or bend_at_most(circuit, at, program, p) <= least:
        return 0.0
    left, kinked = bend(circuit, problem.data, problem.gains(program), program, p), shifts(problem, c)
    smooth = max(float((left[name] / most).max()) for name, most in allowed.items())
    by_kink = [float((v / allowed[name]).max()) for name, v in kinked.items()]
    return max([sqrt(smooth), *by_kink])


def _fall(rehearse: Callable[[float], Mapping[str, Rehearsed]], asked: Asked, truth: Vectors) -> float:
    """By how many times the error must fall: as it is over what is asked. What a polynomial makes of offsets
    falls much faster, and so does what is off by so much: there by as little as rehearsals with less noise
    show to be enough."""
    found = rehearse(1.0)
    beyond = _beyond(found, asked, truth)
    without = {name: r._replace(apart=np.zeros((1, 1))) for name, r in found.items()}
    if beyond <= 1 or 1 < _beyond(without, asked, truth) < _MOST_AT_ONCE:
        return beyond
    enough = (t for t in _FALLS if t < beyond and _beyond(rehearse(1 / t), asked, truth) <= 1)
    return next(enough, beyond)


def _beyond(found: Mapping[str, Rehearsed], asked: Asked, truth: Vectors) -> float:
    """The error of a rehearsal, over what is asked."""
    if asked.measure is Measure.MEAN:
        usual = achieved({name: exact + found[name].usual(exact) for name, exact in truth.items()}, truth)
        return float(2.0 ** (asked.value - usual.mean - _OF_NORMAL_BITS))
    return max(float((found[name].off(e) / _allowed(asked, e)).max()) for name, e in truth.items())
