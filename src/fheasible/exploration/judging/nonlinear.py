"""What noise does to a candidate's results beyond first order. A rehearsal of the program on plain slots
finds it, where products of noise, rounded numbers and the kinks of functions have effects that no derivative
shows.

To first order, no noise moves max(x, 0) where x is below 0; noise that carries x above 0 does. A result is
the mean of the copies that the ring has of it, each with noise of its own (`shifts`).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import inf, log, log2, sqrt
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fheasible.aliases import Floats
from fheasible.circuit.chebyshev import evaluate_series, evaluate_slope
from fheasible.circuit.cleartext import of_reals, values_by
from fheasible.circuit.degrees import series_nodes
from fheasible.circuit.node import Circuit, Node, Op
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import HALF, Asked, Measure
from fheasible.noise.achieved import Achieved, Vectors, achieved, largest_value, reference
from fheasible.noise.ckks import mixture
from fheasible.noise.ckks.decryption import copies
from fheasible.noise.ckks.domain import InputPoint, bend, bend_at_most
from fheasible.noise.ckks.elements import apart, degree
from fheasible.noise.ckks.offsets import RARE
from fheasible.noise.ckks.precision import ONCE_IN_A_THOUSAND, Precision, precision
from fheasible.noise.ckks.rehearsal import PAIRS, Rehearsed, rehearsed

_OF_NORMAL_BITS = 0.92  # by which the average -log2 of normal errors exceeds -log2 of their deviation
_HARDLY_BENT = 0.1  # an error of integers so small that its square is a tenth of it at most
_FAINT = 2.0**-3  # times a library's noise: much fainter noise would be lost in the rounding of doubles
_MOST_AT_ONCE = 2.0**6  # the error falls by at most this factor in one step; the next step asks for the rest
_TAME = 4  # up to this degree, noise three times as large moves results by less than the modulus has left
_RARER = 1.2  # times the offsets of one key in a thousand: one key in 20,000 has them
_FAR_BEYOND = 4.0  # times the error that is asked
_FALLS = 2.0 ** np.arange(1, 6)  # the factors of less noise that are tried
_RARE_BITS = (12.0, 9.0, 6.0)  # log2 of how many copies there are for each whose noise is looked at
_SURELY = 0.5  # of what is allowed: the rarest noise moves results a little less than other noise by chance

_DEVIATIONS = 3.1  # of a normal mean of the copies, exceeded once in a thousand times
_AT, _WEIGHTS = np.polynomial.hermite_e.hermegauss(40)  # quadrature over a normal variable


Found = Mapping[str, Rehearsed]


class Rehearse(Protocol):
    """Rehearsals of one set at one input, as `rehearsal.rehearsed` makes them."""

    def __call__(self, louder: float, offsets: bool = True, beside: Found | None = None) -> Found: ...


def needed(problem: Problem, c: Candidate, asked: Asked, at: InputPoint) -> Asked | None:
    """The error to ask for at inputs `at`, drawn from the ranges, so that the results on the data are right;
    None where no result on the data is off by more than is asked, and no value outgrows its modulus.

    First order shows no error on the data that a search could lower, for example where a value that is 0
    there is squared. At drawn inputs it shows an error, and what is off on the data falls at least as fast as
    that error.
    """

    def rehearse(louder: float, offsets: bool = True, beside: Found | None = None) -> Found:
        return problem.rehearsed(c.program, c.ckks, louder, offsets, beside)

    fall = _with_modulus(problem, c, rehearse, asked, problem.truth)
    return _less(c, at, max(_by_degree(problem, c, asked, at), fall))


def needed_at(problem: Problem, c: Candidate, asked: Asked, at: InputPoint) -> Asked | None:
    """The error to allow at the inputs `at`; None where a rehearsal there is not off by more than is asked,
    and no value outgrows its modulus."""

    def rehearse(louder: float, offsets: bool = True, beside: Found | None = None) -> Found:
        return rehearsed(c.program, c.ckks, at.data, at.gains, louder, offsets=offsets, beside=beside)

    key = "rehearsed", c.program, c.ckks, at, asked
    if key not in problem.kept:
        problem.kept[key] = _with_modulus(problem, c, rehearse, asked, at.truth)
    return _less(c, at, problem.kept[key])


def _with_modulus(problem: Problem, c: Candidate, rehearse: Rehearse, asked: Asked, truth: Vectors) -> float:
    """The factor by which the error must fall: where results are as precise as asked, so that no value
    outgrows its modulus, and that offsets a little rarer than one key in a thousand has them do not make
    results far worse than asked. (What a long series makes of an offset may grow a hundredfold within a tenth
    more of it.)

    Values outgrow their modulus where noise takes the argument of a series beyond its interval, and in maps
    that are unstable outside a range. The noise is as large as in one encryption in a thousand, in some copy
    of a short vector. One such value spoils all elements.
    """
    usual = rehearse(1.0)
    fall = _fall(rehearse, usual, asked, truth)
    if fall > 1 or degree(c.program) <= (1 if problem.approximates else _TAME):
        return fall
    rare = _rare_in_a_copy(c)

    def outgrown(times: float) -> bool:
        return any(each.outgrown for each in rehearse(times * rare, offsets=False).values())

    if not outgrown(1.0):
        spoiled = _beyond(rehearse(_RARER, beside=usual), asked, truth) > _FAR_BEYOND
        return max(fall, _RARER) if spoiled else fall
    return next((t for t in _FALLS.tolist() if t < rare and not outgrown(1 / t)), rare)


def _rare_in_a_copy(c: Candidate) -> float:
    """How far out noise is in one slot of some copy, once in a thousand encryptions, as a multiple of the
    largest noise among the executions of a rehearsal."""
    of_all = ONCE_IN_A_THOUSAND - log2(copies(c.program, c.ckks))
    return float(
        mixture.tail(of_all, mixture.ONE_SLOT)[0] / mixture.tail(-log2(2 * PAIRS), mixture.NORMAL)[0]
    )


def off(problem: Problem, c: Candidate, asked: Asked) -> float:
    """The error of a rehearsal on the data, as a multiple of what is asked."""
    return _beyond(problem.rehearsed(c.program, c.ckks), asked, problem.truth)


def left(problem: Problem, c: Candidate) -> Achieved:
    """What the results of a rehearsal on the data reach: the median of the bits of its executions, the
    average of their means, and the largest of their errors."""
    found, truth = problem.rehearsed(c.program, c.ckks), problem.truth
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
    """The error to ask for of integers in CKKS, on the data of the problem `on`. None where noise as large as
    in only one of 2^failure_bits encryptions rounds no integer to another. A rehearsal shows what such noise
    does when it is multiplied by itself and added to the error that all encryptions have in common."""
    found = precision(c.program, c.ckks, on.gains(c.program), on.truth, failure_bits)
    told = found.worst_error
    may_outgrow = _may_outgrow(on, c, failure_bits)
    on.rehearse(c.program, c.ckks, _loudnesses(on, c, failure_bits, found, may_outgrow))
    if may_outgrow and _outgrown(on, c, failure_bits):
        return Asked(Measure.ABSOLUTE, min(sqrt(told * HALF / _MOST_AT_ONCE), told / 2))
    if on.approximates and (fall := _fall_of_copies(on, c, failure_bits, HALF - told)) > 1:
        fixed = found.assured_without_noise
        return Asked(Measure.ABSOLUTE, fixed + max(told - fixed, 0.0) / fall)
    if told < _HARDLY_BENT:
        return None
    beside = _largest(on, c, _FAINT, 0.0) - found.largest_alike
    bending = _bending(on, c, found.rarer(2 * PAIRS)) if degree(c.program) > 1 else 1.0
    times = min(max(bending, 1 + beside / told), _MOST_AT_ONCE)
    return None if told * times < HALF else Asked(Measure.ABSOLUTE, sqrt(told * HALF / times))


def _loudnesses(
    on: Problem, c: Candidate, failure_bits: float, found: Precision, may_outgrow: bool
) -> Iterator[float]:
    """How loud the rehearsals are of which `needed_to_round` usually asks."""
    if degree(c.program) == 1:
        return
    if may_outgrow:
        yield _of_offsets(failure_bits)
    if on.approximates:
        yield _of_copies(log2(copies(c.program, c.ckks)) + failure_bits)
    if found.worst_error >= _HARDLY_BENT:
        yield _FAINT
        yield _while_bending(c, found.rarer(2 * PAIRS))


def _fall_of_copies(on: Problem, c: Candidate, failure_bits: float, left: float) -> float:
    """The factor by which noise must fall so that what polynomials make of the noise of single copies, be it
    rare or not, stays below `left` in the mean of all copies; 1 where it does. Beside its interval, a
    polynomial of a comparison is steep: one copy in thousands whose noise takes it there decides the mean.

    Less noise than the rarest moves results no farther, which usually decides for all of it at once."""

    def spoils(fall: float) -> bool:
        if max(share.values()) * _moved_by_rare(on, c, rarest, fall) < _SURELY * left:
            return False
        return any(share[bits] * _moved_by_rare(on, c, bits, fall) >= left for bits in share)

    of_all = log2(copies(c.program, c.ckks))
    rarest, *others = of_all + failure_bits, *(bits for bits in _RARE_BITS if bits < of_all)
    share = {bits: max(2.0**-bits, 2.0**-of_all) for bits in (rarest, *others)}
    if not spoils(1.0):
        return 1.0
    falls: list[float] = _FALLS.tolist()
    return next((t for t in falls if not spoils(t)), falls[-1])


def _moved_by_rare(on: Problem, c: Candidate, bits: float, fall: float) -> float:
    """How far noise that one copy in 2^bits has moves a result, where all noise is less by the factor `fall`;
    infinite where it makes a value outgrow its modulus."""
    found = on.rehearsed(c.program, c.ckks, _of_copies(bits) / fall).values()
    if any(each.outgrown for each in found):
        return inf
    with np.errstate(over="ignore", invalid="ignore"):
        moved = [np.abs(each.even) + np.abs(each.odd) for each in found if len(each.even)]
    return max((float(np.nan_to_num(m, nan=inf, posinf=inf).max()) for m in moved), default=0.0)


def _of_copies(bits: float) -> float:
    """How loud noise is that one copy in 2^bits has."""
    usual = mixture.tail(-log2(2 * PAIRS), mixture.NORMAL)[0]
    return float(mixture.tail(-bits, mixture.ONE_SLOT)[0] / usual)


def _outgrown(on: Problem, c: Candidate, failure_bits: float) -> bool:
    """Whether the offsets of a key, as large as in only one of 2^failure_bits keys, round an integer to
    another. The mean over many copies holds little of the one slot that has such offsets, unless a polynomial
    of that slot outgrows all others."""
    found = on.rehearsed(c.program, c.ckks, _of_offsets(failure_bits))
    return any(each.lost or float(np.abs(each.apart).max()) >= HALF for each in found.values())


def _may_outgrow(on: Problem, c: Candidate, failure_bits: float) -> bool:
    """Whether such offsets are so large that `_outgrown` has to be asked."""
    offset = apart(c.program, c.ckks, on.gains(c.program)).offset
    return degree(c.program) > 1 and _of_offsets(failure_bits) * RARE * sqrt(float(offset.max())) >= HALF


def _of_offsets(failure_bits: float) -> float:
    """How loud the offsets are that one key in 2^failure_bits has."""
    return sqrt(2 * log(2) * failure_bits) / RARE


def _bending(on: Problem, c: Candidate, rarer: float) -> float:
    """The largest error as a multiple of what first order predicts, where noise is `rarer` times as large. It
    compares rehearsals with the same noise: one as loud as that, and one so faint that hardly any noise is
    multiplied by noise."""
    louder = _while_bending(c, rarer)
    loud, faint = (_largest(on, c, times, rarer / times) for times in (louder, _FAINT))
    return max(loud / faint, 1.0) if faint else 1.0


def _while_bending(c: Candidate, rarer: float) -> float:
    """How loud the noise of each copy is where that of their mean is `rarer` times as large as usual: what is
    rare in the mean of the copies is little in one of them."""
    return sqrt(1 + (rarer**2 - 1) / copies(c.program, c.ckks))


def _largest(on: Problem, c: Candidate, louder: float, rarer: float) -> float:
    """The largest error of a rehearsal with `louder` times a library's noise; what differs between its
    executions counts `rarer` times."""
    found = on.rehearsed(c.program, c.ckks, louder)
    return max(float(found[name].off(exact, rarer).max()) for name, exact in on.truth.items())


def _less(c: Candidate, at: InputPoint, beyond: float) -> Asked | None:
    """The error to ask for at `at`, whose part from noise is smaller by the factor `beyond` (at most
    `_MOST_AT_ONCE`); None where it need not be smaller."""
    if beyond <= 1:
        return None
    found = precision(c.program, c.ckks, at.gains, at.truth)
    error, fixed = found.assured_absolute, found.assured_without_noise  # no scale makes it smaller
    return Asked(Measure.ABSOLUTE, fixed + max(error - fixed, 0.0) / min(beyond, _MOST_AT_ONCE))


def _allowed(asked: Asked, exact: NDArray[Any]) -> NDArray[np.float64]:
    """The error that each element of an output may have to meet what is asked."""
    if asked.measure is Measure.ABSOLUTE:
        return np.full(len(exact), asked.value)
    if asked.measure is Measure.RELATIVE:
        return asked.value * reference(exact)
    return np.full(len(exact), 2.0**-asked.value * largest_value(exact))


def _by_degree(problem: Problem, c: Candidate, asked: Asked, at: InputPoint) -> float:
    """The factor by which the error must fall so that noise multiplied by noise, and noise at the kinks of
    functions, leave no more than is allowed. The former falls with the square of the error, the latter with
    the error itself. 0 where there is too little of both to matter."""
    program, p, circuit = c.program, c.ckks, problem.lowerings(c.degrees).circuit
    allowed = {name: _allowed(asked, exact) for name, exact in problem.truth.items()}
    least = min(float(each.min()) for each in allowed.values())
    if degree(program) == 1 or bend_at_most(circuit, at, program, p) <= least:
        return 0.0
    left, kinked = bend(circuit, problem.data, problem.gains(program), program, p), shifts(problem, c)
    smooth = max(float((left[name] / most).max()) for name, most in allowed.items())
    by_kink = [float((v / allowed[name]).max()) for name, v in kinked.items()]
    return max([sqrt(smooth), *by_kink])


def _fall(rehearse: Rehearse, found: Found, asked: Asked, truth: Vectors) -> float:
    """The factor by which the error must fall, of which a rehearsal `found` so much: usually the error as a
    multiple of what is asked. An error that a polynomial makes of offsets falls much faster, and so does one
    that is off by `_MOST_AT_ONCE` times or more. For these it is the least factor with which a rehearsal with
    less noise is good enough."""
    beyond = _beyond(found, asked, truth)
    without = {name: r._replace(apart=np.zeros((1, 1))) for name, r in found.items()}
    if beyond <= 1 or 1 < _beyond(without, asked, truth) < _MOST_AT_ONCE:
        return beyond
    enough = (t for t in _FALLS if t < beyond and _beyond(rehearse(1 / t), asked, truth) <= 1)
    return next(enough, beyond)


def _beyond(found: Found, asked: Asked, truth: Vectors) -> float:
    """The error of a rehearsal, as a multiple of what is asked."""
    if asked.measure is Measure.MEAN:
        usual = achieved({name: exact + found[name].usual(exact) for name, exact in truth.items()}, truth)
        return float(2.0 ** (asked.value - usual.mean - _OF_NORMAL_BITS))
    return max(float((found[name].off(e) / _allowed(asked, e)).max()) for name, e in truth.items())


def shifts(problem: Problem, c: Candidate) -> dict[str, Floats]:
    """How far the noise in the arguments of approximated functions moves each element of every output on the
    problem's data, beyond first order; empty where there are no such functions."""
    circuit = problem.lowerings(c.degrees).circuit
    moved = {n: _moved(n, problem, c, circuit) for n in series_nodes(circuit)}
    if not moved:
        return {}
    exact, *others = (_outputs(circuit, problem.data, moved, sign) for sign in (0.0, 1.0, -1.0))
    return {
        name: np.max([np.abs(other[name] - values) for other in others], axis=0)
        for name, values in exact.items()
    }


def _moved(n: Node, problem: Problem, c: Candidate, circuit: Circuit) -> Floats:
    """How far the function's value moves for each element of its argument, beyond what its slope there
    predicts. The slope's part is counted with all other noise."""
    variance, argument, copies = _noise(n.args[0], problem, c, circuit)
    noise = np.sqrt(variance)[:, None] * _AT
    by_slope = evaluate_series(n.attribute, argument)[:, None] + (
        evaluate_slope(n.attribute, argument)[:, None] * noise
    )
    moved = evaluate_series(n.attribute, argument[:, None] + noise) - by_slope
    weights = _WEIGHTS / _WEIGHTS.sum()
    mean = moved @ weights
    spread = np.maximum(moved**2 @ weights - mean**2, 0.0)
    return np.asarray(np.abs(mean) + _DEVIATIONS * np.sqrt(spread / copies))


def _noise(argument: Node, problem: Problem, c: Candidate, circuit: Circuit) -> tuple[Floats, Floats, float]:
    """The variance of each element of the argument in one copy, the elements' values, and the number of
    copies. They are those of a program that computes the argument alone, with the same parameters."""
    nodes = set(Circuit(circuit.name, circuit.inputs, (("argument", argument),)).nodes())
    inputs = tuple(i for i in circuit.inputs if any(n.op is Op.INPUT and n.attribute == i for n in nodes))
    alone = Circuit(circuit.name, inputs, (("argument", argument),), circuit.minimise_depth)
    own = Problem(alone, {i.name: problem.data[i.name] for i in inputs}, problem.source, trusted=True)
    style = replace(c.style, spare=0)
    own_levels = own.lowerings().program(style, c.parameters.ring_dimension, c.slots).levels
    # the argument is computed first, and the levels of what follows are still there
    style = replace(style, spare=max(c.program.fresh_levels - own_levels, 0))
    program, p = own.lowerings().program(style, c.parameters.ring_dimension, c.slots), c.ckks
    gains = own.gains(program)
    found = apart(program, p, gains)
    variance = np.full(argument.length, float(found.spread.max()))
    variance[gains.judged.elements] = found.spread
    return variance, own.truth["argument"], float(copies(program, p))


def _outputs(
    circuit: Circuit, data: Mapping[str, NDArray[Any]], moved: Mapping[Node, Floats], sign: float
) -> dict[str, Floats]:
    """The outputs, with all functions' values moved to the side that `sign` gives."""

    def result(n: Node, operands: Sequence[NDArray[Any]]) -> NDArray[Any]:
        values = of_reals(n, [o.astype(np.float64) for o in operands])
        return values + sign * moved[n] if n in moved else values

    found = values_by(result, circuit, data)
    return {name: found[n] for name, n in circuit.outputs}
