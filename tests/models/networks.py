"""Small networks in ONNX, made of random weights."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

Array = NDArray[Any]
OPSET = 17


def saved(
    folder: Path,
    nodes: Sequence[Any],
    weights: Mapping[str, Array],
    inputs: Mapping[str, Sequence[int | str]],
    outputs: Sequence[str] = ("y",),
    name: str = "network.onnx",
) -> Path:
    """A file with that network, which the checker of ONNX accepts."""
    graph = helper.make_graph(
        list(nodes),
        "network",
        [helper.make_tensor_value_info(k, TensorProto.FLOAT, shape) for k, shape in inputs.items()],
        [helper.make_tensor_value_info(k, TensorProto.FLOAT, None) for k in outputs],
        [
            numpy_helper.from_array(v if v.dtype == np.int64 else v.astype(np.float32), k)
            for k, v in weights.items()
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=9)
    model = onnx.shape_inference.infer_shapes(model)
    onnx.checker.check_model(model)
    file = folder / name
    onnx.save(model, str(file))
    return file


def _kept(values: Array) -> Array:
    """The values as networks have them: weights in single precision, shapes whole."""
    return values if values.dtype == np.int64 else values.astype(np.float32)


def node(kind: str, inputs: Sequence[str], output: str, **attributes: Any) -> Any:
    return helper.make_node(kind, list(inputs), [output], name=f"{kind.lower()}_{output}", **attributes)


def drawn(seed: int) -> Callable[..., Array]:
    generator = np.random.default_rng(seed)
    return lambda *shape: generator.normal(size=shape, scale=0.5)


def perceptron(folder: Path, activation: str = "square") -> Path:
    """8 inputs, 6 hidden units, 3 scores; by Gemm and by MatMul with Add."""
    w = drawn(1)
    weights = {"w1": w(6, 8), "b1": w(6), "w2": w(6, 3), "b2": w(3)}
    hidden = node("Mul", ["h", "h"], "a") if activation == "square" else node(activation, ["h"], "a")
    nodes = [
        node("Gemm", ["x", "w1", "b1"], "h", transB=1, alpha=0.5),
        hidden,
        node("MatMul", ["a", "w2"], "m"),
        node("Add", ["m", "b2"], "y"),
    ]
    return saved(folder, nodes, weights, {"x": ["batch", 8]})


def convolutional(folder: Path) -> Path:
    """An image of 10 x 10: convolution, normalisation, square, pooling, convolution, square, scores."""
    w = drawn(2)
    weights = {
        "k1": w(3, 1, 3, 3), "c1": w(3), "k2": w(4, 3, 2, 2), "w": w(5, 36), "b": w(5),
        "scale": 1 + 0.1 * w(3), "shift": w(3), "mean": w(3), "variance": 1 + w(3) ** 2,
        "shape": np.array([0, -1]),
    }  # fmt: skip
    nodes = [
        node("Conv", ["x", "k1", "c1"], "h", pads=[1, 1, 1, 1]),
        node("BatchNormalization", ["h", "scale", "shift", "mean", "variance"], "n"),
        node("Mul", ["n", "n"], "s"),
        node("AveragePool", ["s"], "p", kernel_shape=[2, 2], strides=[2, 2]),
        node("Conv", ["p", "k2"], "h2", strides=[1, 1], pads=[0, 0, 0, 0], dilations=[2, 2]),
        node("Mul", ["h2", "h2"], "s2"),
        node("Reshape", ["s2", "shape"], "f"),
        node("Gemm", ["f", "w", "b"], "y", transB=1),
    ]
    return saved(folder, nodes, weights, {"x": [1, 1, 10, 10]})


def samples(shape: Sequence[int], count: int = 6, seed: int = 3) -> Array:
    return np.random.default_rng(seed).uniform(-1, 1, size=(count, *shape))
