"""The worst case over an application's domain: inputs anywhere in their declared ranges.

An error grows with the values that it is multiplied by, and with the slopes of approximated functions, so
that the largest lies at the ends of the ranges, where operands cancel, or at a function's steepest place.
Such points are tried: the figure is the worst that was found, and no proof that there is no worse one.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, product
from math import inf, log2

import numpy as np
from numpy.typing import NDArray

from fheasible.circuit.cleartext import evaluate
from fheasible.circuit.data import random_data
from fheasible.circuit.node import Circuit, Input, Kind
from fheasible.circuit.ranges import intervals
from fheasible.errors import FheasibleError
from fheasible.libraries.parameters import Parameters
from fheasible.noise.ckks import precision
from fheasible.noise.gains import Gains, gains
from fheasible.noise.headroom import headroom_bits
from fheasible.program.types import Program

Floats = NDArray[np.float64]
Data = Mapping[str, Floats]

CORNERS = 16
LEVELS = (0.0, 0.25, 0.5, 0.75, 1.0)  # of all inputs alike, from the lower bound to the upper one


@dataclass(frozen=True, slots=True)
class WorstCase:
    """`absolute_error`: what no element's error exceeds in all but one in a thousand encryptions, at the
    worst inputs that were found, said by `data`. `bits`: -log2 of that over the largest output of the
    domain. `beyond`: bits by which values outgrow their modulus there, and results are worth nothing (an
    infinite error, 0 bits); 0 where all fit."""

    absolute_error: float
    bits: float
    data: str
    beyond: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Point:
    """Inputs in the domain, in words, with what belongs to them."""

    words: str
    gains: Gains
    truth: dict[str, Floats]


def worst_case(circuit: Circuit, program: Program, parameters: Parameters, seed: int = 0) -> WorstCase:
    """The worst of the domain's points at these parameters."""
    return worst_of(circuit, points(circuit, program, seed), program, parameters)


def worst_of(
    circuit: Circuit, found: tuple[Point, ...], program: Program, parameters: Parameters
) -> WorstCase:
    """The same of points that are known: one program's points serve all of its parameters."""
    rooms = [float(headroom_bits(program, parameters, p.gains)) for p in found]
    if min(rooms) < 0:
        return WorstCase(inf, 0.0, found[int(np.argmin(rooms))].words, -min(rooms))
    errors = [precision(program, parameters, p.gains, p.truth).assured_absolute for p in found]
    worst = int(np.argmax(errors))
    largest = _largest(circuit, found)
    return WorstCase(
        errors[worst], log2(largest / errors[worst]) if errors[worst] else inf, found[worst].words
    )


@lru_cache(maxsize=4)
def points(circuit: Circuit, program: Program, seed: int = 0) -> tuple[Point, ...]:
    """Those of the tried inputs at which the circuit keeps its promises (an argument of a function that is
    approximated on an interval may leave it elsewhere)."""
    found = []
    for words, data in _tried(circuit, seed):
        try:
            truth = evaluate(circuit, data)
        except FheasibleError:
            continue
        found.append(Point(words, gains(program, data), truth))
    return tuple(found)


def _largest(circuit: Circuit, found: tuple[Point, ...]) -> float:
    """Of the outputs, by the declared ranges; by what was seen where those say nothing."""
    ranges = intervals(circuit)
    declared = max(max(abs(x) for x in ranges[node]) for _, node in circuit.outputs)
    seen = max(float(np.abs(v).max()) for p in found for v in p.truth.values())
    return declared if 0 < declared < inf else seen or 1.0


_ENDS = {0.0: "the lower ends", 0.5: "the middle", 1.0: "the upper ends"}


def _tried(circuit: Circuit, seed: int) -> Iterator[tuple[str, Data]]:
    yield "values drawn from the whole ranges", random_data(circuit, seed)
    for level in LEVELS:
        words = f"all inputs at {_ENDS.get(level, f'{level:.0%}')} of their ranges"
        yield words, {i.name: _at(i, np.full(i.length, level)) for i in circuit.inputs}
    several = len(circuit.inputs) > 1
    for ends in islice(product((0.0, 1.0), repeat=len(circuit.inputs)), CORNERS if several else 0):
        at = dict(zip((i.name for i in circuit.inputs), ends, strict=True))
        words = ", ".join(f"{name} at its {'upper' if end else 'lower'} end" for name, end in at.items())
        yield words, {i.name: _at(i, np.full(i.length, at[i.name])) for i in circuit.inputs}
    draw = np.random.default_rng(seed)
    ends_of = {i.name: draw.integers(0, 2, i.length).astype(np.float64) for i in circuit.inputs}
    yield "each value at one end of its range", {i.name: _at(i, ends_of[i.name]) for i in circuit.inputs}
    near = {i.name: 0.5 + 0.01 * (draw.random(i.length) - 0.5) for i in circuit.inputs}
    yield "values near the middle of their ranges", {i.name: _at(i, near[i.name]) for i in circuit.inputs}


def _at(i: Input, levels: Floats) -> Floats:
    values = i.low + levels * (i.high - i.low)
    return np.rint(values).astype(np.int64) if i.kind is Kind.INTEGER else values
