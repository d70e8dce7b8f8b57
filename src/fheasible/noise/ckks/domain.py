"""The worst case over an application's domain: inputs anywhere in their declared ranges.

An error grows with the values that it is multiplied by, and with the slopes of approximated functions. The
largest error therefore lies at the ends of the ranges, where operands cancel, or at a function's steepest
place. Such points are tried. The figure is the worst that was found; it does not prove that there is no worse
one.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from math import inf, log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fheasible.aliases import Floats
from fheasible.circuit.cleartext import evaluate, values
from fheasible.circuit.degrees import series_nodes
from fheasible.circuit.domain import DRAWN, ENDS, largest, once, tried
from fheasible.circuit.node import Chebyshev, Circuit, Node
from fheasible.errors import FheasibleError
from fheasible.libraries.parameters import CkksParameters
from fheasible.noise.achieved import Achieved
from fheasible.noise.ckks.decryption import REFUSED_BITS, copies
from fheasible.noise.ckks.elements import Apart, apart, degree, refusal_bits
from fheasible.noise.ckks.headroom import headroom_bits
from fheasible.noise.ckks.precision import precision
from fheasible.noise.reach.gains import Gains, gains_at
from fheasible.program.types import Program

_FEW = 64.0  # a small element may be bent so many times as much as the largest element
_MEAN_SIZE = 0.8  # mean size of normal noise over its deviation: the root of 2 / pi
_MIXED = 3  # the most inputs that are made by mixing others
_AT_AN_END = 2.0**-6  # fraction of an interval's width: noise may take an argument beyond an end this near
_NEAR = 0.25  # fraction of the way from the data to other inputs: noise bends a result as on the data

Data = Mapping[str, Floats]


@dataclass(frozen=True, slots=True, eq=False)
class InputPoint:
    """Inputs in the domain: a description in words, the data, the gains, and the true results."""

    words: str
    data: Data
    gains: Gains
    truth: dict[str, Floats]


@dataclass(frozen=True, slots=True)
class WorstCase:
    """What all but one in a thousand encryptions reach anywhere in the domain, at the worst inputs that were
    found. Each figure of `assured` is that of its own worst inputs; `at` are those with the largest error of
    any element. Bits are relative to the largest output of the domain.

    `beyond`: the bits by which values at `at` outgrow their modulus, or noise outgrows what the library
    decrypts. Results are then worth nothing (an infinite error, 0 bits). It is 0 where nothing is outgrown.
    """

    assured: Achieved
    at: InputPoint
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


def worst_case(circuit: Circuit, program: Program, parameters: CkksParameters) -> WorstCase:
    """The worst case over the domain's points at these parameters."""
    found = points(circuit, program)
    return worst_of(found, largest_output(found), program, parameters)


def worst_of(
    found: tuple[InputPoint, ...], most: float, program: Program, parameters: CkksParameters
) -> WorstCase:
    """The worst case over points that are known: the points of one program serve all of its parameters.
    `most`: the size of the largest output of the domain."""
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


def _room(program: Program, p: CkksParameters, at: Gains) -> float:
    """Bits by which values may still grow, or by which noise may grow before the library may refuse it: the
    fewer of the two."""
    return float(min(headroom_bits(program, p, at), refusal_bits(program, p, at) - REFUSED_BITS))


def bend(
    circuit: Circuit, data: Data, still: Gains, program: Program, p: CkksParameters
) -> dict[str, Floats]:
    """What products of noise with noise leave in each element of an output on the data, whose gains are
    `still`. It is taken from two points a little beside the data, by as much as first-order noise exceeds
    that on the data: the square of a value that is 0 on the data has noise only beside it. The lesser of both
    counts."""
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
    """What noise leaves in a function that has a kink, such as max(x, 0). It is more, the shorter the kink is
    as a fraction of its interval, but at most the mean size of the noise itself. The length of the longest
    series stands for how short kinks are."""
    longest = max((n.attribute.degree + 1 for n in series_nodes(circuit)), default=0)
    return np.asarray(np.minimum(longest * smooth, _MEAN_SIZE * np.sqrt(spread)))


def bend_at_most(circuit: Circuit, at: InputPoint, program: Program, p: CkksParameters) -> float:
    """An approximate limit of what products of noise with noise (`bend`) leave in any element, from the
    largest results at one point."""
    most = max(float(np.abs(v).max()) for v in at.truth.values())
    found = apart(program, p, at.gains)
    left = found.bend(np.full_like(found.spread, most or 1.0), degree(program), copies(program, p))
    return _FEW * float(np.maximum(left, _kinked(circuit, left, found.spread)).max())


def _beside(circuit: Circuit, data: Data, program: Program) -> tuple[InputPoint, ...]:
    """The points a quarter of the way from the data to values drawn from the whole ranges, and to ends of the
    ranges."""
    inputs = (
        (words, {name: v + _NEAR * (far[name] - v) for name, v in data.items()})
        for words, far in tried(circuit)
        if words in (DRAWN, ENDS)
    )
    return _points_of(circuit, program, inputs)


def _by_element(program: Program, p: CkksParameters, gains: Gains, count: int) -> list[Floats]:
    """The variances `apart` of all elements; NaN for elements that are not judged."""
    found = []
    for v in apart(program, p, gains):
        of_all = np.full(count, np.nan)
        of_all[gains.judged.elements] = v
        found.append(of_all)
    return found


@lru_cache(maxsize=8)
def points(circuit: Circuit, program: Program) -> tuple[InputPoint, ...]:
    """The points at which the circuit keeps its promises, out of the tried inputs and those with the largest
    results. (Elsewhere an argument of a function that is approximated on an interval may leave this
    interval.)"""
    extremes = ((p.words, p.data) for p in largest(circuit))
    return _points_of(circuit, program, once(chain(tried(circuit), extremes)))


def _points_of(
    circuit: Circuit, program: Program, inputs: Iterable[tuple[str, Data]]
) -> tuple[InputPoint, ...]:
    """The points of inputs that are described in words, without those at which the circuit breaks its
    promises."""
    kept: list[tuple[str, Data, dict[str, Floats]]] = []
    for words, data in inputs:
        try:
            kept.append((words, data, evaluate(circuit, data)))
        except FheasibleError:  # an argument leaves its function's interval
            continue
    found = gains_at(program, [data for _, data, _ in kept])
    return tuple(
        InputPoint(words, data, at, truth) for (words, data, truth), at in zip(kept, found, strict=True)
    )


@lru_cache(maxsize=8)
def at_the_ends(circuit: Circuit, program: Program) -> tuple[InputPoint, ...]:
    """The point at which the most arguments of approximated functions lie at an end of their interval, and
    further points that mix the elements of all points where some arguments do. Noise takes arguments beyond
    the end, where a series outgrows every slope that it has inside."""
    functions = series_nodes(circuit)
    if not functions:
        return ()
    counted = [(_at_ends(circuit, functions, p), p) for p in points(circuit, program)]
    there = [p for count, p in sorted(counted, key=lambda each: -each[0]) if count]
    mixed = _points_of(circuit, program, _mixed([p.data for p in there]))
    return (*there[:1], *mixed)


def _mixed(found: list[Data]) -> Iterator[tuple[str, Data]]:
    """Inputs that take one element from each of the `found` inputs in turn. Each of them starts with a
    different one, until all have been used or there are `_MIXED` of them."""
    shortest = min((len(v) for data in found for v in data.values()), default=1)
    for first in range(0, len(found), shortest)[:_MIXED] if len(found) > 1 else ():
        yield (
            "ends of the ranges side by side",
            {name: _in_turn([data[name] for data in found], first) for name in found[0]},
        )


def _in_turn(vectors: list[NDArray[Any]], first: int) -> NDArray[Any]:
    places = np.arange(len(vectors[0]))
    return np.array(vectors)[(places + first) % len(vectors), places]


def _at_ends(circuit: Circuit, functions: tuple[Node, ...], point: InputPoint) -> int:
    """The number of arguments of these functions that lie at an end of their interval."""
    known = values(circuit, point.data)
    return sum(int((_to_an_end(n.attribute, known[n.args[0]]) < _AT_AN_END).sum()) for n in functions)


def _to_an_end(series: Chebyshev, argument: Floats) -> Floats:
    """The distance of each argument from the nearer end of the interval, in widths of the interval."""
    return np.minimum(argument - series.low, series.high - argument) / (series.high - series.low)


def largest_output(found: tuple[InputPoint, ...]) -> float:
    """The size of the largest output at these points; 1 where all are zero. (A bound from intervals is
    larger: by hundreds of bits where a value meets itself again and again.)"""
    return max(float(np.abs(v).max()) for p in found for v in p.truth.values()) or 1.0
