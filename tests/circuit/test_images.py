"""Convolution and pooling of images that lie in vectors, against sums that are written out."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import fheasible as fh
from fheasible.circuit.balance import normalise
from fheasible.circuit.cleartext import evaluate, values
from fheasible.circuit.data import random_data
from fheasible.circuit.depth import depth
from fheasible.circuit.node import Circuit, Op
from fheasible.errors import CircuitError

Array = NDArray[Any]


def expected(image: Array, kernel: Array, stride: tuple[int, int], padding: tuple[int, int]) -> Array:
    """The convolution, element by element; images are (channels, height, width)."""
    _, height, width = image.shape
    results, channels, rows, columns = kernel.shape
    down = (height + 2 * padding[0] - rows) // stride[0] + 1
    right = (width + 2 * padding[1] - columns) // stride[1] + 1
    found = np.zeros((results, down, right), dtype=image.dtype)
    for r, y, x in np.ndindex(results, down, right):
        for c, i, j in np.ndindex(channels, rows, columns):
            at = y * stride[0] + i - padding[0], x * stride[1] + j - padding[1]
            if 0 <= at[0] < height and 0 <= at[1] < width:
                found[r, y, x] += kernel[r, c, i, j] * image[c, at[0], at[1]]
    return found


def of_image(function: Any, length: int) -> Circuit:
    return fh.app(x=fh.reals(length, low=-1, high=1))(function).trace()


def both(circuit: Circuit, data: Mapping[str, Array]) -> tuple[Array, Array]:
    """The result as written, and that of the circuit that is lowered."""
    return evaluate(circuit, data)["result"], evaluate(normalise(circuit), data)["result"]


@settings(max_examples=40, deadline=None)
@given(
    channels=st.integers(1, 3),
    results=st.integers(1, 4),
    size=st.tuples(st.integers(3, 8), st.integers(3, 8)),
    taps=st.tuples(st.integers(1, 3), st.integers(1, 3)),
    stride=st.tuples(st.integers(1, 3), st.integers(1, 3)),
    padding=st.tuples(st.integers(0, 2), st.integers(0, 2)),
    seed=st.integers(0, 999),
)
def test_a_convolution_is_the_sum_that_it_stands_for(
    channels: int,
    results: int,
    size: tuple[int, int],
    taps: tuple[int, int],
    stride: tuple[int, int],
    padding: tuple[int, int],
    seed: int,
) -> None:
    kernel = np.random.default_rng(seed).normal(size=(results, channels, *taps))
    shape = (channels, *size)

    def app(x: fh.Vector) -> fh.Vector:
        return fh.conv2d(x, kernel, stride, padding, shape=shape)

    circuit = of_image(app, int(np.prod(shape)))
    data = random_data(circuit, seed)
    wanted = expected(data["x"].reshape(shape), kernel, stride, padding).reshape(-1)
    for found in both(circuit, data):
        np.testing.assert_allclose(found, wanted, atol=1e-12)


def network(x: fh.Vector) -> fh.Vector:
    """Two convolutions with squares, a pooling between them, and a matrix: all layouts follow each other."""
    generator = np.random.default_rng(1)
    first, second = generator.normal(size=(2, 1, 3, 3)), generator.normal(size=(2, 2, 2, 2))
    y = fh.conv2d(x, first, shape=(12, 12)) + np.repeat([0.5, -0.25], 100)
    y = fh.average_pool2d(y**2, 2, shape=(2, 10, 10))
    y = fh.conv2d(y, second, shape=(2, 5, 5)) ** 2
    return fh.matmul(generator.normal(size=(3, 32)), y)


def test_a_network_of_convolutions_keeps_its_value_and_its_depth() -> None:
    circuit = of_image(network, 144)
    written, lowered = both(circuit, random_data(circuit, 5))
    np.testing.assert_allclose(lowered, written, rtol=1e-9)
    assert depth(normalise(circuit), "ckks") == 6  # convolution, square, pooling, convolution, square, matrix


def test_each_tap_is_one_diagonal_where_the_selection_waits() -> None:
    circuit = normalise(of_image(network, 144))
    maps = [n.attribute for n in circuit.nodes() if n.op is Op.LINEAR]
    first = next(m for m in maps if m.shape[1] == 144)
    assert len(np.unique(first.columns - first.rows)) == 2 * 9  # nine taps to each of two channels


def test_a_selection_that_nothing_follows_is_merged() -> None:
    def app(x: fh.Vector) -> fh.Vector:
        return fh.conv2d(x, np.ones((3, 3)), shape=(8, 8)) ** 2

    circuit = normalise(of_image(app, 64))
    assert [n.op for n in circuit.nodes()].count(Op.LINEAR) == 1
    assert depth(circuit, "ckks") == 2


def test_a_series_that_does_not_take_zeros_sees_selected_elements_alone() -> None:
    def app(x: fh.Vector) -> fh.Vector:
        y = fh.conv2d(x, np.full((3, 3), 0.1), shape=(8, 8)) + 3.0
        return fh.sum(fh.log(y, low=1, high=5, degree=5))

    circuit = of_image(app, 64)
    data = random_data(circuit, 2)
    written, lowered = both(circuit, data)
    np.testing.assert_allclose(lowered, written, rtol=1e-9)
    found = values(normalise(circuit), data)
    (series,) = (n for n in found if n.op is Op.CHEBYSHEV)
    assert series.length == 36
    assert [n.op for n in found].count(Op.LINEAR) == 1  # and no level is lost


def test_a_series_that_takes_zeros_is_computed_before_the_selection() -> None:
    def app(x: fh.Vector) -> fh.Vector:
        y = fh.conv2d(x, np.full((3, 3), 0.1), shape=(8, 8)) + 0.05
        return fh.matmul(np.ones((3, 36)), fh.sigmoid(y, low=-1, high=1, degree=5))

    circuit = of_image(app, 64)
    data = random_data(circuit, 2)
    written, lowered = both(circuit, data)
    np.testing.assert_allclose(lowered, written, rtol=1e-9)
    (series,) = (n for n in normalise(circuit).nodes() if n.op is Op.CHEBYSHEV)
    assert series.length == 64


def test_the_sum_of_two_images_is_of_selected_elements() -> None:
    def app(x: fh.Vector) -> fh.Vector:
        y = fh.conv2d(x, np.ones((3, 3)), shape=(8, 8))
        return fh.matmul(np.ones((3, 36)), (y + x[:36]) ** 2)

    circuit = of_image(app, 64)
    written, lowered = both(circuit, random_data(circuit, 2))
    np.testing.assert_allclose(lowered, written, rtol=1e-9)
    assert depth(normalise(circuit), "ckks") == 3


def test_integers_are_convolved_exactly() -> None:
    @fh.app(x=fh.integers(25, low=-9, high=9))
    def app(x: fh.Vector) -> fh.Vector:
        return fh.conv2d(x, [[1, -2], [3, 4]], shape=(5, 5))

    data = random_data(app, 3)
    wanted = expected(data["x"].reshape(1, 5, 5), np.array([[[[1, -2], [3, 4]]]]), (1, 1), (0, 0))
    np.testing.assert_array_equal(evaluate(app.trace(), data)["result"], wanted.reshape(-1))


def test_an_encrypted_matrix_brings_its_shape_and_gives_a_matrix() -> None:
    kernel = np.array([[1.0, -1.0], [0.5, 2.0]])

    @fh.app(image=fh.reals((6, 5), low=-1, high=1))
    def app(image: Any) -> Any:
        found = fh.conv2d(image, kernel)
        assert found.shape == (5, 4)
        return fh.average_pool2d(found, (5, 2)).ravel()

    data = random_data(app, 6)
    image = data["image"].reshape(1, 6, 5)
    wanted = expected(image, kernel[None, None], (1, 1), (0, 0)).reshape(5, 2, 2).mean(axis=(0, 2))
    np.testing.assert_allclose(evaluate(app.trace(), data)["result"], wanted)


def test_the_mean_of_windows() -> None:
    circuit = of_image(lambda x: fh.average_pool2d(x, (2, 3), shape=(2, 4, 6)), 48)
    data = random_data(circuit, 4)
    wanted = data["x"].reshape(2, 2, 2, 2, 3).mean(axis=(2, 4)).reshape(-1)
    np.testing.assert_allclose(evaluate(circuit, data)["result"], wanted)


@pytest.mark.parametrize(
    ("call", "said", "remedy"),
    [
        (lambda x: fh.conv2d(x, [[1.0]]), "needs the shape of the image", "shape=(28, 28)"),
        (lambda x: fh.conv2d(x, [[1.0]], shape=(4, 5)), "has 20 elements, but the vector has 16", "shape"),
        (lambda x: fh.conv2d(x, [1.0, 2.0], shape=(4, 4)), "not one of shape (2,)", "kernel"),
        (lambda x: fh.conv2d(x, np.ones((1, 2, 2, 2)), shape=(4, 4)), "2 channels", "(results, channels"),
        (lambda x: fh.conv2d(x, np.ones((5, 5)), shape=(4, 4)), "larger than an image of 4 x 4", "padding="),
        (lambda x: fh.conv2d(x, np.ones((2, 2)), 0, shape=(4, 4)), "stride=0", "stride=1"),
        (lambda x: fh.conv2d(x, x, shape=(4, 4)), "is encrypted", "fh.conv2d"),
        (lambda x: fh.conv2d([1.0], [[1.0]], shape=(1, 1)), "takes an encrypted vector", "fh.conv2d"),
        (
            lambda x: fh.conv2d(fh.matrix(x, (4, 4)), [[1.0]], shape=4),
            "given with shape=4",
            "Leave shape= out",
        ),
        (
            lambda x: fh.conv2d(fh.matrix(x, (4, 4)), [[1.0]], shape=(2, 8)),
            "a matrix of (4, 4) was given with shape=(2, 8)",
            "Leave shape= out",
        ),
        (lambda x: fh.average_pool2d(x, "2", shape=(4, 4)), "size='2'", "size=1"),
    ],
)
def test_what_is_no_convolution_is_told_with_a_remedy(call: Any, said: str, remedy: str) -> None:
    with pytest.raises(CircuitError) as caught:
        of_image(call, 16)
    assert said in caught.value.message
    assert remedy in caught.value.remedy
    assert "test_images.py" in caught.value.message
