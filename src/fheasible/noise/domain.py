"""The worst case over an application's domain: inputs anywhere in their declared ranges.

An error grows with the values that it is multiplied by, and with the slopes of approximated functions, so
that the largest lies at the ends of the ranges, where operands cancel, or at a function's steepest place.
Such points are tried: the figure is the worst that was found, and no proof that there is no worse one.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from math import inf, log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fheasible.circuit.cleartext import evaluate, values
from fheasible.circuit.degrees import series_nodes
from fheasible.circuit.domain import DRAWN, ENDS, largest, once, tried
from fheasible.circuit.node import Chebyshev, Circuit, Node
from fheasible.errors import FheasibleError
from fheasible.libraries.parameters import Parameters
from fheasible.noise.achieved import Achieved
from fheasible.noise.ckks import precision
from fheasible.noise.decryption import REFUSED_BITS, copies
from fheasible.noise.elements import Apart, apart, degree, refusal_bits
from fheasible.noise.gains import Gains, gains_at
from fheasible.noise.headroom import headroom_bits
from fheasible.program.types import Program

_FEW = 64.0  # times more than the largest element an element may be bent that is small
_MEAN_SIZE = 0.8  # of normal noise, over its deviation: the root of 2 / pi
_MIXED = 3  # inputs at most that are made of others
_AT_AN_END = 2.0**-6  # of an interval's width: noise may take an argument beyond an end that is so near
_NEAR = 0.25  # of the way from the data to other inputs: noise bends a result there as on the data

Floats = NDArray[np.float64]
Data = Mapping[str, Floats]


@dataclass(frozen=True, slots=True, eq=False)
class Point:
    """Inputs in the domain, in words, with what belongs to them."""

    words: str
    data: Data
    gains: Gains
    truth: dict[str, Floats]


@dataclass(frozen=True, slots=True)
class WorstCase:
    """What all but one in a thousand encryptions reach wherever in the domain, by the worst inputs that were
    found; each figure of `assured` at its own. `at` are those with the largest error of any element. Bits
    are of the largest output of the domain. `beyond`: bits by which values outgrow their modulus at `at`,
    and results are worth nothing (an infinite error, 0 bits); 0 where all fit."""

    assured: Achieved
    at: Point
    beyond: float = 0.0

    @property
    def bits(self) -> float:
        return self.assured.bits

    @property
    def absolute_error(self) -> float:
        return self.assured.absolute

    @property
    def data(self) -> str:
        """The worst inputs, in words."""
        return self.at.words


_WORTHLESS = Achieved(0.0, 0.0, inf, inf)


@lru_cache(maxsize=8)
def worst_case(circuit: Circuit, program: Program, parameters: Parameters) -> WorstCase:
    """The worst of the domain's points at these parameters."""
    found = points(circuit, program)
    return worst_of(found, largest_output(found), program, parameters)


def worst_of(found: tuple[Point, ...], most: float, program: Program, parameters: Parameters) -> WorstCase:
    """The same of points that are known: one program's points serve all of its parameters. `most`: the size
    of the largest output of the domain."""
    rooms = [_room(program, parameters, p.gains) for p in found]
    if min(rooms) < 0:
        return WorstCase(_WORTHLESS, found[int(np.argmin(rooms))], -min(rooms))
    assured = [precision(program, parameters, p.gains, p.truth).assured for p in found]
    worst = int(np.argmax([a.absolute for a in assured]))
    error = assured[worst].absolute
    return WorstCase(
        Achieved(
            log2(most / error) if error else inf,
            min(a.mean for a in assured),
            error,
            max(a.relative for a in assured),
        ),
        found[worst],
    )


def _room(program: Program, p: Parameters, at: Gains) -> float:
    """Bits that values may still grow, or noise where a library may refuse it."""
    return float(min(headroom_bits(program, p, at), refusal_bits(program, p, at) - REFUSED_BITS))


def bend(circuit: Circuit, data: Data, still: Gains, program: Program, p: Parameters) -> dict[str, Floats]:
    """Of each element of an output what noise that multiplies noise leaves in it on the data, of the gains
    `still`: as much as a little beside them, in so far as they do not move it, as a square of what is 0. The
    least counts of two places."""
    names = [name for name, _ in circuit.outputs]
    lengths = [node.length for _, node in circuit.outputs]
    there, least = _by_element(program, p, still, sum(lengths)), np.full(sum(lengths), inf)
    there = [np.where(np.isnan(v), np.nanmax(v), v) for v in there]
    for point in _beside(circuit, data, program):
        beside = _by_element(program, p, point.gains, sum(lengths))
        moved = [v - own for v, own in zip(beside, there, strict=True)]
        size = np.concatenate([np.abs(point.truth[name]) for name in names])
        known = (size > 0) & ((moved[0] > 0) | (moved[1] > 0))
        more = Apart(*(np.maximum(v[known], 0.0) for v in moved))
        left = more.bend(size[known], degree(program), copies(program, p))
        least[known] = np.minimum(least[known], left)
    parts = np.split(np.where(least < inf, least, 0.0), np.cumsum(lengths)[:-1])
    return dict(zip(names, parts, strict=True))


def _kinked(circuit: Circuit, smooth: Floats, spread: Floats) -> Floats:
    """What is left where the curve has a kink, as that of max(x, 0): the more, the shorter the kink is, as a
    part of its interval, and the mean size of the noise itself at most. Series are as long as kinks are
    short."""
    longest = max((len(n.attribute.coefficients) for n in series_nodes(circuit)), default=0)
    return np.asarray(np.minimum(longest * smooth, _MEAN_SIZE * np.sqrt(spread)))


def bend_at_most(circuit: Circuit, at: Point, program: Program, p: Parameters) -> float:
    """About: what it may leave in any element, by the largest results at one point."""
    most = max(float(np.abs(v).max()) for v in at.truth.values())
    found = apart(program, p, at.gains)
    left = found.bend(np.full_like(found.spread, most or 1.0), degree(program), copies(program, p))
    return _FEW * float(np.maximum(left, _kinked(circuit, left, found.spread)).max())


def _beside(circuit: Circuit, data: Data, program: Program) -> tuple[Point, ...]:
    """A quarter of the way from the data to values drawn from the whole ranges, and to their ends."""
    inputs = (
        (words, {name: v + _NEAR * (far[name] - v) for name, v in data.items()})
        for words, far in tried(circuit)
        if words in (DRAWN, ENDS)
    )
    return _points_of(circuit, program, inputs)


def _by_element(program: Program, p: Parameters, gains: Gains, count: int) -> list[Floats]:
    """`apart` of all elements; NaN of those that are not judged."""
    found = []
    for v in apart(program, p, gains):
        of_all = np.full(count, np.nan)
        of_all[gains.judged.elements] = v
        found.append(of_all)
    return found


@lru_cache(maxsize=4)
def points(circuit: Circuit, program: Program) -> tuple[Point, ...]:
    """Those of the tried inputs, and of those with the largest results, at which the circuit keeps its
    promises (an argument of a function that is approximated on an interval may leave it elsewhere)."""
    extremes = ((p.words, p.data) for p in largest(circuit))
    return _points_of(circuit, program, once(chain(tried(circuit), extremes)))


def _points_of(circuit: Circuit, program: Program, inputs: Iterable[tuple[str, Data]]) -> tuple[Point, ...]:
    """Of inputs in words, where the circuit keeps its promises."""
    kept: list[tuple[str, Data, dict[str, Floats]]] = []
    for words, data in inputs:
        try:
            kept.append((words, data, evaluate(circuit, data)))
        except FheasibleError:  # an argument leaves its function's interval
            continue
    found = gains_at(program, [data for _, data, _ in kept])
    return tuple(Point(words, data, at, truth) for (words, data, truth), at in zip(kept, found, strict=True))


@lru_cache(maxsize=4)
def at_the_ends(circuit: Circuit, program: Program) -> tuple[Point, ...]:
    """The point at which most arguments of approximated functions lie at an end of their interval, and others
    that have next to each other what all those points have where some do. Noise takes arguments beyond the
    end, where a series outgrows every slope that it has inside."""
    functions = series_nodes(circuit)
    if not functions:
        return ()
    counted = [(_at_ends(circuit, functions, p), p) for p in points(circuit, program)]
    there = [p for count, p in sorted(counted, key=lambda each: -each[0]) if count]
    mixed = _points_of(circuit, program, _mixed([p.data for p in there]))
    return (*there[:1], *mixed)


def _mixed(found: list[Data]) -> Iterator[tuple[str, Data]]:
    """Of so many inputs one element of each in turn, until all have been or that is enough."""
    shortest = min((len(v) for data in found for v in data.values()), default=1)
    for first in range(0, len(found), shortest)[:_MIXED] if len(found) > 1 else ():
        yield (
            "ends of the ranges side by side",
            {name: _in_turn([data[name] for data in found], first) for name in found[0]},
        )


def _in_turn(vectors: list[NDArray[Any]], first: int) -> NDArray[Any]:
    places = np.arange(len(vectors[0]))
    return np.array(vectors)[(places + first) % len(vectors), places]


def _at_ends(circuit: Circuit, functions: tuple[Node, ...], point: Point) -> int:
    """How many arguments of these functions are there."""
    known = values(circuit, point.data)
    return sum(int((_to_an_end(n.attribute, known[n.args[0]]) < _AT_AN_END).sum()) for n in functions)


def _to_an_end(series: Chebyshev, argument: Floats) -> Floats:
    """How far it is to the nearer end of the interval, in widths of it."""
    return np.minimum(argument - series.low, series.high - argument) / (series.high - series.low)


def largest_output(found: tuple[Point, ...]) -> float:
    """The size of the largest output at these points; 1 where all are zero. (Intervals fear more: hundreds of
    bits more, where a value meets itself again and again.)"""
    return max(float(np.abs(v).max()) for p in found for v in p.truth.values()) or 1.0
