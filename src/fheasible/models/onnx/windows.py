"""Convolutions and pooling of ONNX: kernels that move over an image."""

from math import prod
from typing import Any

import numpy as np

from fheasible.aliases import Array
from fheasible.circuit.images import Images, Pair, Window, convolved
from fheasible.circuit.plain import numbers
from fheasible.circuit.refusals import fail
from fheasible.models.onnx.tensors import Attributes, Bounds, Inputs, Tensor, encrypted, plain


def convolution(attributes: Attributes, given: Inputs, _: Bounds) -> Tensor:
    x, weights = encrypted(given[0], "the image"), plain(given[1], "the kernel")
    image = _image(x)
    if weights.ndim != 4:
        fail(f"a kernel of shape {weights.shape} does not move over an image of two dimensions")
    taps = _dilated(_ungrouped(weights, attributes.get("group", 1), image.channels), attributes)
    window = _window(attributes, image, (taps.shape[2], taps.shape[3]))
    found = _moved(x, image, taps, window)
    bias = given[2] if len(given) > 2 else None
    if bias is None:
        return found
    added = np.repeat(plain(bias, "the bias").astype(np.float64), prod(found.shape[2:]))
    return Tensor(found.vector + added, found.shape)


def average_pool(attributes: Attributes, given: Inputs, _: Bounds) -> Tensor:
    x = encrypted(given[0], "the image")
    if attributes.get("ceil_mode", 0):
        fail("AveragePool with ceil_mode=1 is not read", "Export the network with ceil_mode=0.")
    return _averaged(x, attributes, tuple(attributes["kernel_shape"]))


def global_average_pool(_: Attributes, given: Inputs, __: Bounds) -> Tensor:
    x = encrypted(given[0], "the image")
    return _averaged(x, {}, x.shape[2:])


def _averaged(x: Tensor, attributes: Attributes, size: tuple[int, ...]) -> Tensor:
    """The means of windows. Zeros around the image count where `count_include_pad` says so."""
    image = _image(x)
    if len(size) != 2:
        fail(f"windows of {size} do not move over an image of two dimensions")
    ones = _dilated(np.ones((1, 1, *size)), attributes)
    window = _window(attributes, image, (ones.shape[2], ones.shape[3]))
    taps = np.eye(image.channels)[:, :, None, None] * (ones[0, 0] / prod(size))
    found = _moved(x, image, taps, window)
    if attributes.get("count_include_pad", 0) or not any((*window.before, *window.after)):
        return found
    share = _inside(image, ones[0, 0], window).reshape(-1) / prod(size)
    return Tensor(found.vector * np.tile(1.0 / share, image.channels), found.shape)


def _inside(image: Images, ones: Array, window: Window) -> Array:
    """How many elements of each window lie in the image."""
    there = np.pad(
        np.ones((image.height, image.width)),
        tuple(zip(window.before, window.after, strict=True)),
    )
    result = window.result(image, (ones.shape[0], ones.shape[1]), 1)
    (down, right), found = window.stride, np.zeros((result.height, result.width))
    for i, j in np.argwhere(ones).tolist():
        rows = slice(i, i + (result.height - 1) * down + 1, down)
        columns = slice(j, j + (result.width - 1) * right + 1, right)
        found += there[rows, columns]
    return found


def _image(x: Tensor) -> Images:
    if len(x.shape) != 4 or x.shape[0] != 1:
        fail(f"a tensor of shape {x.shape} is no image (1, channels, height, width)")
    return Images(*x.shape[1:])


def _moved(x: Tensor, image: Images, taps: Array, window: Window) -> Tensor:
    checked = numbers(taps.reshape(-1).astype(np.float64), x.vector.node.kind).array.reshape(taps.shape)
    found = window.result(image, (taps.shape[2], taps.shape[3]), taps.shape[0])
    return Tensor(convolved(x.vector, image, checked, window), (1, *found))


def _ungrouped(weights: Array, groups: int, channels: int) -> Array:
    """The kernel for all channels, with zeros between groups."""
    results, own, *_ = weights.shape
    if own * groups != channels or results % groups:
        fail(f"a kernel of {weights.shape} in {groups} groups does not fit an image of {channels} channels")
    if groups == 1:
        return weights
    whole = np.zeros((results, channels, *weights.shape[2:]), weights.dtype)
    each = results // groups
    for g in range(groups):
        part = slice(g * each, (g + 1) * each)
        whole[part, g * own : (g + 1) * own] = weights[part]
    return whole


def _dilated(taps: Array, attributes: Attributes) -> Array:
    """The kernel with zeros between its taps."""
    down, right = attributes.get("dilations", (1, 1))
    rows, columns = ((size - 1) * step + 1 for size, step in zip(taps.shape[2:], (down, right), strict=True))
    whole = np.zeros((*taps.shape[:2], rows, columns), taps.dtype)
    whole[:, :, ::down, ::right] = taps
    return whole


def _window(attributes: Attributes, image: Images, kernel: Pair) -> Window:
    """The strides and the zeros around the image, given or so many that the result is as large."""
    stride = _pair(attributes.get("strides", (1, 1)))
    auto = attributes.get("auto_pad", "NOTSET")
    if auto in ("SAME_UPPER", "SAME_LOWER"):
        return _same_size(image, kernel, stride, lower=auto == "SAME_LOWER")
    top, left, bottom, right = attributes.get("pads", (0, 0, 0, 0)) if auto == "NOTSET" else (0, 0, 0, 0)
    return Window(stride, (int(top), int(left)), (int(bottom), int(right)))


def _same_size(image: Images, kernel: Pair, stride: Pair, lower: bool) -> Window:
    sizes = (image.height, image.width)
    needed = [
        max((-(-size // step) - 1) * step + taps - size, 0)
        for size, taps, step in zip(sizes, kernel, stride, strict=True)
    ]
    less, more = [n // 2 for n in needed], [n - n // 2 for n in needed]
    before, after = (more, less) if lower else (less, more)
    return Window(stride, _pair(before), _pair(after))


def _pair(values: Any) -> Pair:
    first, second = values
    return int(first), int(second)
