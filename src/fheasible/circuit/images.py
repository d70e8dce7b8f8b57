"""Convolution and pooling of encrypted images that lie channel by channel, row by row, in one vector.

A convolution is two linear maps. The first leaves each element of the result near the elements that it is
made of, in the layout of the image: each tap of the kernel is then one rotation for all elements. The second
picks these elements out. Where another linear map follows, the second one waits for it (`waiting.py`), and
costs nothing.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fheasible.aliases import Array
from fheasible.circuit.encrypted_matrix import EncryptedMatrix
from fheasible.circuit.functions import FORMS, encrypted
from fheasible.circuit.limits import checked_elements, checked_entries
from fheasible.circuit.matrix import Matrix
from fheasible.circuit.node import Kind, Node, Op
from fheasible.circuit.plain import is_whole, number_type, numbers, unmasked
from fheasible.circuit.refusals import fail
from fheasible.circuit.vector import Vector, derive

_FORM = FORMS["conv2d"]
_POOLED = FORMS["average_pool2d"]
Pair = tuple[int, int]
_ELEMENTWISE = (Op.ADD, Op.SUBTRACT, Op.NEGATE, Op.MULTIPLY, Op.POWER, Op.POLYNOMIAL, Op.CHEBYSHEV)


class Images(NamedTuple):
    """Channels, height and width of an image."""

    channels: int
    height: int
    width: int

    @property
    def elements(self) -> int:
        return self.channels * self.height * self.width


class Window(NamedTuple):
    """How a kernel moves over an image: the steps down and to the right, and the zeros above and to the left
    of the image, and below and to the right of it."""

    stride: Pair
    before: Pair
    after: Pair

    def result(self, image: Images, kernel: Pair, channels: int) -> Images:
        """The size of the result. CircuitError where the kernel is larger than the image."""
        sizes = [
            (size + first + last - taps) // step + 1
            for size, first, last, taps, step in zip(
                image[1:], self.before, self.after, kernel, self.stride, strict=True
            )
        ]
        if min(sizes) < 1:
            fail(
                f"a kernel of {kernel[0]} x {kernel[1]} is larger than an image of {image.height} x "
                f"{image.width} with the zeros around it",
                "Give a smaller kernel, or more padding=.",
            )
        return Images(channels, *sizes)


def conv2d(
    image: Any,
    kernel: Any,
    stride: int | Pair = 1,
    padding: int | Pair = 0,
    *,
    shape: tuple[int, ...] | None = None,
) -> Any:
    """The convolution of an encrypted image with a plain kernel, as neural networks have it (not flipped).

    The image is an encrypted matrix, or it lies row by row in one vector; `shape` is then (height, width), or
    (channels, height, width) with channel after channel. The kernel is (height, width), or (results,
    channels, height, width). Zeros surround the image, `padding` on each side, and the kernel moves by
    `stride`. The result is an image of (size + 2 padding - kernel) // stride + 1 rows and columns: a matrix
    where the image is one and the kernel has one result, else a vector, row by row, channel after channel.

    Example:
        >>> edges = [[1, -1]]
        >>> app = fh.app(x=fh.reals(6, low=0, high=9))(lambda x: fh.conv2d(x, edges, shape=(2, 3)))
        >>> app(x=[1, 2, 4, 5, 5, 9])
        array([-1., -2.,  0., -4.])
    """
    x, shape = _elements(image, shape, "conv2d")
    taps = _kernel(kernel, x.node.kind)
    size = _image(x, shape, "conv2d", _FORM)
    if size.channels != taps.shape[1]:
        fail(
            f"a kernel for {taps.shape[1]} channels cannot be moved over an image of {size.channels}",
            "Give a kernel of shape (results, channels, height, width).",
        )
    zeros = _pair("padding", padding, 0)
    return _like(image, x, size, taps, Window(_pair("stride", stride, 1), zeros, zeros))


def average_pool2d(
    image: Any,
    size: int | Pair,
    stride: int | Pair | None = None,
    padding: int | Pair = 0,
    *,
    shape: tuple[int, ...] | None = None,
) -> Any:
    """The mean of each window of `size` of an encrypted image of reals, channel by channel.

    The image and its `shape` are as in `conv2d`. Windows are `stride` apart, by default side by side; the
    zeros of the padding count as elements.

    Example:
        >>> app = fh.app(x=fh.reals(8, low=0, high=9))(lambda x: fh.average_pool2d(x, 2, shape=(2, 4)))
        >>> app(x=[1, 2, 4, 5, 5, 8, 9, 2])
        array([4., 5.])
    """
    x, shape = _elements(image, shape, "average_pool2d")
    if x.node.kind is Kind.INTEGER:
        fail("the mean of integers is not an integer", "Declare the image with fh.reals.")
    rows, columns = _pair("size", size, 1)
    there = _image(x, shape, "average_pool2d", _POOLED)
    steps = (rows, columns) if stride is None else _pair("stride", stride, 1)
    zeros = _pair("padding", padding, 0)
    one = np.full((rows, columns), 1 / (rows * columns))
    taps = np.eye(there.channels)[:, :, None, None] * one
    return _like(image, x, there, taps, Window(steps, zeros, zeros))


def _elements(
    image: Any, shape: tuple[int, ...] | None, function: str
) -> tuple[Vector, tuple[int, ...] | None]:
    """The elements of the image with its shape, which an encrypted matrix has itself."""
    if not isinstance(image, EncryptedMatrix):
        return encrypted(image, function), shape
    if shape is not None and not (isinstance(shape, tuple | list) and tuple(shape) == image.shape):
        fail(f"a matrix of {image.shape} was given with shape={shape!r}", "Leave shape= out.")
    return image.ravel(), image.shape


def _like(image: Any, x: Vector, size: Images, taps: Array, window: Window) -> Any:
    """The convolution: a matrix where the image is one, and the kernel has one result."""
    found = convolved(x, size, taps, window)
    if not isinstance(image, EncryptedMatrix) or taps.shape[0] != 1:
        return found
    result = window.result(size, (taps.shape[2], taps.shape[3]), 1)
    return EncryptedMatrix(found, (result.height, result.width))


# -- what is given -----------------------------------------------------------------------------------


def _kernel(values: Any, kind: Kind) -> Array:
    """The kernel as an array of results, channels, rows and columns."""
    unmasked(values)
    if isinstance(values, Vector):
        fail("the kernel of fh.conv2d is plain, and this one is encrypted", f"Write {_FORM}.")
    try:
        array = np.asarray(values)
    except ValueError:
        array = np.zeros(0)
    if array.dtype.kind not in "biuf" or array.ndim not in (2, 4) or not array.size:
        fail(
            "a kernel is a plain array of (height, width) or (results, channels, height, width), not one of "
            f"shape {array.shape}",
            f"Write {_FORM}.",
        )
    checked = numbers(array.reshape(-1), kind).array.reshape(array.shape)
    return checked[None, None] if array.ndim == 2 else checked


def _image(x: Vector, shape: tuple[int, ...] | None, function: str, form: str) -> Images:
    """The size of the image. CircuitError where the shape is missing or is not that of the vector."""
    given = tuple(shape) if isinstance(shape, tuple | list) else ()
    whole = all(is_whole(s) and s > 0 for s in given)
    if len(given) not in (2, 3) or not whole:
        told = "none is given" if shape is None else f"given: shape={shape!r}"
        fail(
            f"fh.{function} needs the shape of the image, (height, width) or (channels, height, width); "
            f"{told}",
            f"Write {form}.",
        )
    found = Images(*(int(s) for s in (given if len(given) == 3 else (1, *given))))
    if found.elements != len(x):
        fail(
            f"an image of shape {given} has {found.elements:,} elements, but the vector has {len(x):,}",
            f"Write {form} with the shape of the image.",
        )
    return found


def _pair(name: str, value: Any, least: int) -> Pair:
    pair = tuple(value) if isinstance(value, tuple | list) else (value, value)
    whole = all(is_whole(v) and v >= least for v in pair)
    if len(pair) != 2 or not whole:
        fail(
            f"{name}={value!r} is not a whole number of at least {least}, or a pair of them",
            f"Write {name}={least}.",
        )
    return int(pair[0]), int(pair[1])


# -- the linear maps ---------------------------------------------------------------------------------


class _Terms(NamedTuple):
    """The products that make up a result: element `rows` gets value times the image's element `columns`."""

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    values: Array


def convolved(x: Vector, image: Images, taps: Array, window: Window) -> Vector:
    """The convolution with a checked kernel of (results, channels, rows, columns)."""
    result = window.result(image, (taps.shape[2], taps.shape[3]), taps.shape[0])
    checked_elements(result.elements)
    checked_entries(1, int(np.count_nonzero(taps)) * result.height * result.width)
    terms = _terms(image, taps, window, result)
    places = _places(x.node, image, window.stride, result)
    if places is None:
        matrix = Matrix((result.elements, image.elements), *terms)
        return derive(Op.LINEAR, x, attribute=matrix, length=result.elements)
    at, length = places
    matrix = Matrix((length, image.elements), at[terms.rows], terms.columns, terms.values)
    wide = derive(Op.LINEAR, x, attribute=matrix, length=length)
    if length == result.elements and bool((at == np.arange(length)).all()):
        return wide
    picked = Matrix.selecting(at, length, number_type(x.node.kind))
    return derive(Op.LINEAR, wide, attribute=picked, length=result.elements)


def _terms(image: Images, taps: Array, window: Window, result: Images) -> _Terms:
    """All products of a tap with an element of the image, in the layout of dense images."""
    own = np.arange(result.elements).reshape(result)
    pixels = np.arange(image.elements).reshape(image)
    (down, right), (above, left), _ = window
    parts = []
    for to, of, i, j in np.argwhere(taps).tolist():
        row = np.arange(result.height) * down + i - above
        column = np.arange(result.width) * right + j - left
        rows = np.flatnonzero((row >= 0) & (row < image.height))
        columns = np.flatnonzero((column >= 0) & (column < image.width))
        inside = own[to][np.ix_(rows, columns)].reshape(-1)
        met = pixels[of][np.ix_(row[rows], column[columns])].reshape(-1)
        parts.append((inside, met, np.full(len(inside), taps[to, of, i, j])))
    if not parts:
        return _Terms(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, taps.dtype))
    return _Terms(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _places(x: Node, image: Images, stride: Pair, result: Images) -> tuple[NDArray[np.int64], int] | None:
    """(where the elements of the result lie, the length of the vector) if each lies where the image has its
    element (row * stride, column * stride); None where the image is too small for that."""
    (down, right), (held, length) = stride, _layout(x)
    if (result.height - 1) * down >= image.height or (result.width - 1) * right >= image.width:
        return None
    blocks = -(-result.channels // image.channels)
    if blocks * length > 2 * max(result.elements, image.elements, 1 << 12):
        return None  # the gaps would take more than the results
    channel = np.arange(result.channels)
    seen = held.reshape(image)[:, ::down, ::right][:, : result.height, : result.width]
    at = seen[channel % image.channels] + (length * (channel // image.channels))[:, None, None]
    return at.reshape(-1).astype(np.int64), blocks * length


def _layout(x: Node) -> tuple[NDArray[np.int64], int]:
    """(where each element lies in the vector that it was picked from, the length of that vector), by way of
    functions of each element; the elements themselves where they were not picked."""
    n = x
    while n.op in _ELEMENTWISE:
        operands = {a for a in n.args if a.op is not Op.CONSTANT}
        if len(operands) != 1:
            break
        (n,) = operands
    if n.length == x.length and n.op is Op.LINEAR and n.args[0].op is Op.LINEAR:
        matrix: Matrix = n.attribute
        if matrix.selects and len(matrix) == n.length:
            return matrix.columns, matrix.shape[1]
    return np.arange(x.length), x.length
