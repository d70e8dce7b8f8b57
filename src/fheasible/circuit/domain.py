"""Inputs anywhere in their declared ranges: the points that are tried, and those with the largest results.

A largest value is the largest that was found, at corners, at ends and by climbing along slopes. That is no
proof that no larger value exists.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fheasible.aliases import Floats
from fheasible.circuit.cleartext import values
from fheasible.circuit.drawn import random_data
from fheasible.circuit.node import Circuit, Input, Kind, Node
from fheasible.circuit.slopes import slopes
from fheasible.errors import FheasibleError

Data = Mapping[str, NDArray[Any]]

CORNERS = 16
LEVELS = (0.0, 0.25, 0.5, 0.75, 1.0)  # places in the ranges, the same for all inputs: 0 is the lower end
OUTPUTS = 4  # the number of outputs whose largest value is searched for
DRAWN, ENDS = "values drawn from the whole ranges", "each value at one end of its range"
DRAWS = 32  # more draws, where there are few integers
RARE_DRAWS = 1024  # still more, as long as an output is 0 at all inputs so far
_FEW = 1 << 10  # elements of all nodes together
_SEED = 0
_STEPS = (1.0, 0.5, 0.25, 1 / 16)  # parts of the way to the ends of the ranges
_WORK = 1 << 24  # elements of nodes that are computed while climbing, at most
_ROUNDS = 6
_GAIN = 1e-6  # relative to the value: a step that gains less gains nothing
_ENDS = {0.0: "the lower ends", 0.5: "the middle", 1.0: "the upper ends"}


@dataclass(frozen=True, slots=True, eq=False)
class Point:
    """A point of the domain: the inputs, in words and as data, and the values of every node there."""

    words: str
    data: Data
    values: Mapping[Node, NDArray[Any]]

    def largest(self, output: Node) -> float:
        return float(np.abs(np.asarray(self.values[output], dtype=np.float64)).max())


def tried(circuit: Circuit) -> Iterator[tuple[str, Data]]:
    """The inputs to try, each once, with a description in words.

    They are drawn at random, all at one level, at the ends (all values of an input at the same end, or each
    at an end of its own), and near the middle.
    """
    return once(_tried(circuit))


def once(inputs: Iterable[tuple[str, Data]]) -> Iterator[tuple[str, Data]]:
    """The inputs without repetitions: data that came before under another description are left out."""
    seen: set[tuple[bytes, ...]] = set()
    for words, data in inputs:
        key = tuple(values.tobytes() for values in data.values())
        if key not in seen:
            seen.add(key)
            yield words, data


def _tried(circuit: Circuit) -> Iterator[tuple[str, Data]]:
    yield DRAWN, random_data(circuit, _SEED)
    for level in LEVELS:
        words = f"all inputs at {_ENDS.get(level, f'{level:.0%}')} of their ranges"
        yield words, {i.name: _at(i, np.full(i.length, level)) for i in circuit.inputs}
    several = len(circuit.inputs) > 1
    for ends in islice(product((0.0, 1.0), repeat=len(circuit.inputs)), CORNERS if several else 0):
        at = dict(zip((i.name for i in circuit.inputs), ends, strict=True))
        words = ", ".join(f"{name} at its {'upper' if end else 'lower'} end" for name, end in at.items())
        yield words, {i.name: _at(i, np.full(i.length, at[i.name])) for i in circuit.inputs}
    draw = np.random.default_rng(_SEED)
    ends_of = {i.name: draw.integers(0, 2, i.length).astype(np.float64) for i in circuit.inputs}
    yield ENDS, {i.name: _at(i, ends_of[i.name]) for i in circuit.inputs}
    near = {i.name: 0.5 + 0.01 * (draw.random(i.length) - 0.5) for i in circuit.inputs}
    yield "values near the middle of their ranges", {i.name: _at(i, near[i.name]) for i in circuit.inputs}


@lru_cache(maxsize=4)
def largest(circuit: Circuit) -> tuple[Point, ...]:
    """For each of the first outputs, the inputs found at which its largest element is largest in magnitude.

    Inputs at which the circuit breaks a promise (an argument leaves the interval on which its function is
    approximated) do not count. Each point is there once.
    """
    inputs = chain(tried(circuit), _drawn(circuit, range(1, 1 + DRAWS)))
    starts = [point for point in (_point(circuit, words, data) for words, data in inputs) if point]
    starts += _rare(circuit, starts)
    if not starts:
        return ()
    found = []
    for _, output in circuit.outputs[:OUTPUTS]:
        first = max(starts, key=lambda point: point.largest(output))
        climbed = [_climbed(circuit, output, first, sign) for sign in (1.0, -1.0)]
        found.append(max((first, *climbed), key=lambda point: point.largest(output)))
    return tuple(dict.fromkeys(found))


def _drawn(circuit: Circuit, seeds: range) -> Iterator[tuple[str, Data]]:
    """More random inputs for small integer circuits: if a result is 0 nearly everywhere, no step climbs."""
    few = circuit.kind is Kind.INTEGER and sum(n.length for n in circuit.nodes()) <= _FEW
    for seed in seeds if few else ():
        yield DRAWN, random_data(circuit, seed)


def _rare(circuit: Circuit, starts: list[Point]) -> list[Point]:
    """Inputs drawn at random at which outputs are not 0 that are 0 at all points of `starts`."""
    zero = [n for _, n in circuit.outputs[:OUTPUTS] if not any(p.largest(n) for p in starts)]
    found: list[Point] = []
    for words, data in _drawn(circuit, range(1 + DRAWS, 1 + RARE_DRAWS)) if zero else ():
        point = _point(circuit, words, data)
        if point and any(point.largest(n) for n in zero):
            found.append(point)
            zero = [n for n in zero if not point.largest(n)]
        if not zero:
            break
    return found


def _point(circuit: Circuit, words: str, data: Data) -> Point | None:
    try:
        return Point(words, data, values(circuit, data))
    except FheasibleError:  # a broken promise, or a result that is not finite
        return None


def _climbed(circuit: Circuit, output: Node, start: Point, sign: float) -> Point:
    """The point reached from `start` by climbing, as long as the element largest with that sign grows.

    Inputs move towards those ends of their ranges that the slopes of this element point to.
    """
    left = max(_WORK // sum(n.length for n in circuit.nodes()), len(_STEPS))
    at = start
    for _ in range(_ROUNDS):
        place = int(np.argmax(sign * np.asarray(at.values[output], dtype=np.float64)))
        direction = np.zeros(output.length)
        direction[place] = sign
        uphill = slopes(circuit, at.values, output, direction)
        higher, tries = _step(circuit, output, at, uphill, place, sign)
        left -= tries
        if higher is None:
            break
        at = higher
        if left <= 0:
            break
    return at


def _step(
    circuit: Circuit, output: Node, at: Point, uphill: Mapping[str, Floats], place: int, sign: float
) -> tuple[Point | None, int]:
    """The first higher point, or None, and the number of steps that were tried, longer ones first."""
    here = sign * float(at.values[output][place])
    for tries, step in enumerate(_STEPS, start=1):
        data = {i.name: _towards(i, at.data[i.name], uphill[i.name], step) for i in circuit.inputs}
        point = _point(circuit, "the inputs with the largest result that was found", data)
        if point and sign * float(point.values[output][place]) > here + _GAIN * abs(here):
            return point, tries
    return None, len(_STEPS)


def _towards(i: Input, x: NDArray[Any], uphill: Floats, step: float) -> NDArray[Any]:
    ends = np.where(uphill > 0, i.high, np.where(uphill < 0, i.low, x))
    return _whole(i, x + step * (ends - x))


def _at(i: Input, levels: Floats) -> NDArray[Any]:
    return _whole(i, i.low + levels * (i.high - i.low))


def _whole(i: Input, x: Floats) -> NDArray[Any]:
    """x within the input's range, whatever rounding did, and as whole numbers if the input has integers."""
    x = np.clip(x, i.low, i.high)
    return np.rint(x).astype(np.int64) if i.kind is Kind.INTEGER else x
