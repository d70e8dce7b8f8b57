"""Comparisons, and what is made of them: exact results, errors as promised, margins, refusals."""

import re
from collections.abc import Callable
from itertools import permutations
from math import log2
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import fheasible as fh
from fheasible.circuit import jumps
from fheasible.circuit.cleartext import evaluate
from fheasible.circuit.composition import RELINEARISATIONS, Composition
from fheasible.circuit.drawn import random_data
from fheasible.circuit.node import Circuit, Op
from fheasible.circuit.ranges import intervals, warnings
from fheasible.circuit.sorting import layers
from fheasible.errors import CircuitError, PromiseBroken

BOUNDS = st.floats(0.01, 100)
BITS = st.floats(2, 12)


def traced(function: Callable[..., Any], *inputs: tuple[int, float, float]) -> Circuit:
    names = ("x", "y", "z")[: len(inputs)]
    specs = {
        name: fh.reals(n, low=low, high=high) for name, (n, low, high) in zip(names, inputs, strict=True)
    }
    call = {1: lambda x: function(x), 2: lambda x, y: function(x, y), 3: lambda x, y, z: function(x, y, z)}
    return fh.app(**specs)(call[len(inputs)]).trace()


def results(circuit: Circuit, exact: bool = True, **data: Any) -> np.ndarray:
    return evaluate(circuit, {k: np.asarray(v, dtype=float) for k, v in data.items()}, exact=exact)["result"]


X, Y, Z = [-2.0, -0.5, 0.25, 3.0], [1.0, -1.0, 0.5, 2.5], [0.0, 4.0, -3.0, 0.1]


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda x, y: fh.sign(x, margin=0.1), np.sign(X)),
        (lambda x, y: fh.greater(x, y, margin=0.1), np.greater(X, Y)),
        (lambda x, y: fh.greater(0.4, y, margin=0.05), np.greater(0.4, Y)),
        (lambda x, y: fh.maximum(x, y), np.maximum(X, Y)),
        (lambda x, y: fh.maximum(x, 0.3), np.maximum(X, 0.3)),
        (lambda x, y: fh.minimum(x, y), np.minimum(X, Y)),
        (lambda x, y: fh.minimum(np.array(Z), y), np.minimum(Z, Y)),
        (lambda x, y: fh.relu(x), np.maximum(X, 0)),
        (lambda x, y: fh.absolute(x - y), np.abs(np.subtract(X, Y))),
        (lambda x, y: fh.where(fh.greater(x, y, margin=0.1), x, 7.0), np.where(np.greater(X, Y), X, 7.0)),
        (lambda x, y: fh.where([1, 0, 1, 0], x, y), np.where([1, 0, 1, 0], X, Y)),
        (lambda x, y: fh.argmax(x, margin=0.1), [0, 0, 0, 1]),
        (lambda x, y: fh.sort(x), np.sort(X)),
        (lambda x, y: fh.sort([x, y, np.array(Z)])[1], np.sort([X, Y, Z], axis=0)[1]),
    ],
)
def test_the_oracle_is_exact(function: Callable[..., Any], expected: Any) -> None:
    circuit = traced(function, (4, -4, 4), (4, -4, 4))
    np.testing.assert_allclose(results(circuit, x=X, y=Y), np.asarray(expected, dtype=float), atol=1e-12)


@settings(max_examples=20)
@given(low=BOUNDS, high=BOUNDS, bits=BITS, share=st.floats(0.002, 0.5))
def test_a_comparison_is_as_right_as_its_bits_beyond_the_margin(
    low: float, high: float, bits: float, share: float
) -> None:
    margin = share * min(low, high)
    assume(margin / max(low, high) > 2e-5)
    x = np.concatenate([np.linspace(-low, -margin, 997), np.linspace(margin, high, 998)])
    n = len(x)
    sign = traced(lambda x: fh.sign(x, margin=margin, bits=bits), (n, -low, high))
    assert np.abs(results(sign, exact=False, x=x) - np.sign(x)).max() <= 2.0**-bits * (1 + 1e-6)
    more = traced(lambda x: fh.greater(x, 0.0, margin=margin, bits=bits), (n, -low, high))
    assert np.abs(results(more, exact=False, x=x) - (x > 0)).max() <= 2.0**-bits * (1 + 1e-6)


@settings(max_examples=20)
@given(low=BOUNDS, high=BOUNDS, bits=BITS)
def test_a_kink_is_as_right_as_its_bits_everywhere(low: float, high: float, bits: float) -> None:
    x, bound = np.linspace(-low, high, 2001), max(low, high)
    for function, exact in ((fh.relu, np.maximum(x, 0)), (fh.absolute, np.abs(x))):
        found = traced(lambda x, f=function: f(x, bits=bits), (len(x), -low, high))
        assert np.abs(results(found, exact=False, x=x) - exact).max() <= 2.0**-bits * bound * (1 + 1e-6)


@given(values=st.lists(st.floats(-1, 1), min_size=5, max_size=5), bits=st.floats(6, 10))
@settings(max_examples=20)
def test_sorted_values_are_off_by_the_errors_of_the_layers(values: list[float], bits: float) -> None:
    found = results(traced(lambda x: fh.sort(x, bits=bits), (5, -1, 1)), exact=False, x=values)
    each = 2.0**-bits * 2 * (1 + 2.0**-5)  # as a part of the range of differences
    assert np.abs(found - np.sort(values)).max() <= len(layers(5)) * each * 1.1


@pytest.mark.parametrize("n", range(2, 8))
def test_a_network_sorts_every_order(n: int) -> None:
    for order in permutations(range(n)):
        values = list(order)
        for layer in layers(n):
            assert len({place for pair in layer for place in pair}) == 2 * len(layer)
            for i, j in layer:
                values[i], values[j] = min(values[i], values[j]), max(values[i], values[j])
        assert values == sorted(order)


def test_a_network_of_a_power_of_two_has_as_few_layers_as_batchers() -> None:
    assert [len(layers(2**k)) for k in range(1, 7)] == [k * (k + 1) // 2 for k in range(1, 7)]
    assert [sum(map(len, layers(n))) for n in (4, 8, 16)] == [5, 19, 63]  # [Bat68]


def test_ranges_stay_those_of_the_values_that_are_compared() -> None:
    x, y = (4, -3.0, 5.0), (4, 1.0, 7.0)
    for function, expected in [
        (fh.maximum, (1.0, 7.0)),
        (fh.minimum, (-3.0, 5.0)),
        (lambda x, y: fh.maximum(fh.minimum(x, y), 0.5 * x), (-1.5, 5.0)),
        (lambda x, y: fh.sort(x) + 0 * y, (-3.0, 5.0)),
        (lambda x, y: fh.relu(x), (0.0, 5.0)),
    ]:
        circuit = traced(function, x, y)
        found = intervals(circuit)[circuit.outputs[0][1]]
        assert found == pytest.approx(expected, abs=0.02)
        assert not warnings(circuit)


def test_what_is_never_negative_stays_as_it_is() -> None:
    @fh.app(x=fh.reals(4, low=0, high=1))
    def application(x: fh.Vector) -> fh.Vector:
        return fh.relu(x) + fh.absolute(x)

    assert all(n.op is not Op.CHEBYSHEV for n in application.trace().nodes())


def test_data_within_the_margin_are_named_with_the_remedy() -> None:
    circuit = traced(lambda x, y: fh.greater(x, y, margin=0.5), (4, -4, 4), (4, -4, 4))
    with pytest.raises(
        PromiseBroken, match=r"margin=0\.5.* 1 of 4 that are nearer, the nearest 0\.25 away"
    ) as e:
        results(circuit, x=X, y=Y)
    assert "smaller margin" in e.value.remedy


def test_a_margin_that_the_declared_inputs_need_not_keep_is_a_warning() -> None:
    near = traced(lambda x: fh.sign(x, margin=0.5), (4, -4, 4))
    assert any("at least 0.5 away from 0" in w for w in warnings(near))
    assert not warnings(traced(lambda x: fh.sign(x, margin=0.5), (4, 0.5, 4)))


def test_what_compares_often_in_a_line_is_warned_of_once_and_by_its_name() -> None:
    (said,) = warnings(traced(lambda x: fh.argmax(x, margin=0.5), (8, -4, 4)))
    assert "argmax is right for arguments at least 0.5 away from 0" in said


@settings(max_examples=15)
@given(seed=st.integers(0, 99), share=st.floats(0.01, 0.2))
def test_random_data_keep_margins(seed: int, share: float) -> None:
    def both(x: fh.Vector, y: fh.Vector) -> fh.Vector:
        return fh.greater(x, y, margin=share) * fh.argmax(x, margin=share / 4)

    circuit = traced(both, (6, -1, 1), (6, -1, 1))
    data = random_data(circuit, seed)
    evaluate(circuit, data)  # raises PromiseBroken where they do not
    assert all(np.abs(v).max() <= 1 for v in data.values())


def test_of_plain_numbers_comparisons_select_plainly() -> None:
    """An edit distance, whose first row and column are plain."""

    @fh.app(a=fh.integers(3, low=0, high=25), b=fh.integers(2, low=0, high=25))
    def distance(a: fh.Vector, b: fh.Vector) -> Any:
        row: list[Any] = [0, 1, 2]
        for i in range(3):
            new: list[Any] = [i + 1]
            for j in range(2):
                least = fh.minimum(fh.minimum(row[j + 1] + 1, new[j] + 1), row[j] + 1 - (a[i] == b[j]))
                new.append(least)
            row = new
        return row[2]

    assert distance(a=[2, 0, 19], b=[0, 19]) == 1  # cat, at
    assert distance(a=[2, 0, 19], b=[1, 1]) == 3
    assert fh.maximum(1, 2) == 2
    assert fh.where([1, 0], [3, 4], 5).tolist() == [3, 5]


@pytest.mark.parametrize(
    ("function", "match"),
    [
        (lambda x, y: fh.greater(x, y), "needs the margin"),
        (lambda x, y: fh.greater(x, y, margin=9), "below 8"),
        (lambda x, y: fh.sign(x, margin=-1), "above 0"),
        (lambda x, y: fh.sign(x - x, margin=1), "0 for all inputs"),
        (lambda x, y: fh.sign([1.0], margin=1), "takes an encrypted vector"),
        (lambda x, y: fh.greater(1, 2, margin=0.5), "neither is encrypted"),
        (lambda x, y: fh.relu(x, bits=5, degrees=[7]), "both degrees= and bits="),
        (lambda x, y: fh.relu(x, degrees=[4]), "degrees of a composition"),
        (lambda x, y: fh.relu(x, degrees=[31] * 9), "in up to 24 levels"),
        (lambda x, y: fh.relu(x, low=1), "needs the interval"),
        (lambda x, y: fh.sort([x]), "2 to 64 vectors"),
        (lambda x, y: fh.argmax(x[0], margin=1), "2 to 64 elements"),
        (lambda x, y: fh.argmax(x), r"fh\.argmax needs the margin"),
        (
            lambda x, y: fh.sign(x, margin=4e-6, bits=12),
            "sign the 12 bits .* margin of 4e-06: the best",
        ),
        (lambda x, y: fh.relu(x, bits=50), r"the best has 23(.|\n)*bits=23\S* or fewer\."),
        (lambda x, y: fh.where([1, 0, 2, 1], x, y), "zeros and ones, or truth values, not 2"),
        (lambda x, y: fh.sign(x, margin=0.1, low=2, high=1), r"low=-1, high=1\)"),
        (lambda x, y: x > y, r"fh\.greater\(x, y, margin="),
        (lambda x, y: np.maximum(x, y), r"fh\.maximum"),
    ],
)
def test_a_comparison_that_cannot_be_says_what_can(function: Callable[..., Any], match: str) -> None:
    with pytest.raises(CircuitError) as e:
        traced(function, (4, -4, 4), (4, -4, 4))
    assert re.search(match, f"{e.value} {e.value.remedy}")


def test_integers_need_no_approximation_and_take_no_settings_of_one() -> None:
    @fh.app(x=fh.integers(4, low=-4, high=4))
    def application(x: fh.Vector) -> fh.Vector:
        return fh.relu(x, bits=10)

    with pytest.raises(CircuitError, match="is exact, and takes no bits"):
        application.trace()


def test_degrees_that_are_given_are_those_of_the_circuit() -> None:
    circuit = traced(lambda x: fh.relu(x, degrees=[7, 15]), (4, -1, 1))
    (n,) = (n for n in circuit.nodes() if n.op is Op.CHEBYSHEV)
    assert [len(c) - 1 for c in n.attribute.stages] == [7, 15]
    assert not n.attribute.open


@settings(max_examples=25)
@given(
    shape=st.sampled_from([jumps.GREATER, jumps.SIGN_OF_INTEGER, jumps.RELU_OF_INTEGER, jumps.RELU]),
    bound=BOUNDS,
    closeness=st.floats(1.0, 9.0),
    bits=BITS,
)
def test_the_table_leaves_out_no_composition_that_is_good_enough(
    shape: jumps.Shape, bound: float, closeness: float, bits: float
) -> None:
    """None of fewer levels, and of as many levels none of fewer relinearisations."""
    margin = bound * 2.0**-closeness if shape.promised else 0.0
    found = jumps.for_bits(shape, bound, margin, bits)
    assert jumps.relative_error(found) <= 2.0**-bits
    degrees = Composition(len(stage) - 1 for stage in (found.coefficients, *found.then))
    cheaper = [*jumps.compositions(found, degrees.levels)]
    cheaper = cheaper[: cheaper.index(degrees)]
    if degrees.levels > jumps.LEAST_LEVELS:
        cheaper.append(jumps.compositions(found, degrees.levels - 1)[-1])
    for each in cheaper:
        assert jumps.relative_error(jumps.of_degrees(found, each)) > 2.0**-bits


def test_bits_take_the_fewest_levels_and_then_the_fewest_relinearisations() -> None:
    """A composition of one level less, or of the same levels and fewer relinearisations, is not good
    enough."""
    from fheasible.circuit.jumps import GREATER, compositions, for_bits, of_degrees, relative_error

    for bits in (3, 7, 11):
        found = for_bits(GREATER, 1.0, 0.01, bits)
        degrees = [len(c) - 1 for c in found.stages]
        levels, cost = sum(d.bit_length() for d in degrees), sum(RELINEARISATIONS[d] for d in degrees)
        less = compositions(found, levels - 1)
        cheaper = [c for c in compositions(found, levels) if c.relinearisations < cost]
        assert all(-log2(relative_error(of_degrees(found, c))) < bits for c in (*less, *cheaper))
