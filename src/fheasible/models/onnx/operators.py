"""The operators of ONNX that encrypted networks may use, each as a function of its attributes, its inputs and
the intervals in which the inputs lie."""

from collections.abc import Callable, Mapping
from math import prod
from typing import Any, Final

import numpy as np

from fheasible.aliases import Array
from fheasible.circuit import functions as fh
from fheasible.circuit.comparisons import relu
from fheasible.circuit.linear import matmul
from fheasible.circuit.refusals import fail
from fheasible.circuit.vector import Vector, selected
from fheasible.models.onnx.tensors import (
    Attributes,
    Bounds,
    Inputs,
    Operator,
    Tensor,
    Values,
    encrypted,
    plain,
)
from fheasible.models.onnx.windows import average_pool, convolution, global_average_pool

# -- products with matrices --------------------------------------------------------------------------


def _gemm(attributes: Attributes, given: Inputs, _: Bounds) -> Tensor:
    a, b, *rest = given
    a = _transposed(a) if attributes.get("transA", 0) else a
    b = _transposed(b) if attributes.get("transB", 0) else b
    found = _product(a, b, attributes.get("alpha", 1.0))
    added = rest[0] if rest else None
    if added is None:
        return found
    beta = attributes.get("beta", 1.0)
    if isinstance(added, Tensor):
        return _elementwise(lambda x, y: x + y * beta, found, added)
    return _elementwise(lambda x, y: x + y, found, beta * added)


def _matmul(_: Attributes, given: Inputs, __: Bounds) -> Tensor:
    return _product(given[0], given[1], 1.0)


def _product(a: Values | None, b: Values | None, alpha: float) -> Tensor:
    """alpha times the product of two matrices, one of which is plain."""
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        fail("a product of two encrypted matrices is not read", "Multiply by plain weights.")
    if isinstance(a, Tensor):
        rows, shared, weights = *_matrix(a.shape), np.atleast_2d(plain(b, "the second operand"))
        if weights.ndim != 2 or weights.shape[0] != shared:
            fail(f"a tensor of {a.shape} cannot be multiplied by weights of {weights.shape}")
        whole = np.kron(np.eye(rows), alpha * weights.T) if rows > 1 else alpha * weights.T
        return Tensor(matmul(whole, a.vector), (*a.shape[:-1], weights.shape[1]))
    right, weights = encrypted(b, "an operand"), plain(a, "the first operand")
    rows, columns = _matrix(right.shape)
    if weights.ndim != 2 or weights.shape[1] != rows:
        fail(f"weights of {weights.shape} cannot be multiplied by a tensor of {right.shape}")
    whole = np.kron(alpha * weights, np.eye(columns))
    return Tensor(matmul(whole, right.vector), (*right.shape[:-2], weights.shape[0], columns))


def _matrix(shape: tuple[int, ...]) -> tuple[int, int]:
    """(rows, columns) of a tensor, all of whose leading dimensions are rows."""
    return prod(shape[:-1]), shape[-1]


def _transposed(value: Values | None) -> Values | None:
    if isinstance(value, Tensor):
        return _permuted(value, tuple(reversed(range(len(value.shape)))))
    return None if value is None else value.T


# -- element by element ------------------------------------------------------------------------------


def _elementwise(compute: Callable[[Any, Any], Vector], a: Values | None, b: Values | None) -> Tensor:
    """The function of two tensors, element by element. A plain one is spread over the encrypted one."""
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        shape = np.broadcast_shapes(a.shape, b.shape)
        if not prod(a.shape) == prod(b.shape) == prod(shape):
            fail(f"encrypted tensors of {a.shape} and {b.shape} are not combined element by element")
        return Tensor(compute(a.vector, b.vector), shape)
    if isinstance(a, Tensor):
        return Tensor(compute(a.vector, _spread(plain(b, "an operand"), a.shape)), a.shape)
    right = encrypted(b, "an operand")
    return Tensor(compute(_spread(plain(a, "an operand"), right.shape), right.vector), right.shape)


def _spread(values: Array, shape: tuple[int, ...]) -> Array:
    """The plain values, one for each element of a tensor of that shape."""
    try:
        found: Array = np.broadcast_to(np.asarray(values, dtype=np.float64), shape)
    except ValueError:
        fail(f"plain values of {values.shape} cannot be spread over an encrypted tensor of {shape}")
    return found.reshape(-1)


def _add(_: Attributes, given: Inputs, __: Bounds) -> Tensor:
    return _elementwise(lambda x, y: x + y, *given)


def _sub(_: Attributes, given: Inputs, __: Bounds) -> Tensor:
    return _elementwise(lambda x, y: x - y, *given)


def _mul(_: Attributes, given: Inputs, __: Bounds) -> Tensor:
    return _elementwise(lambda x, y: x * y, *given)


def _div(_: Attributes, given: Inputs, __: Bounds) -> Tensor:
    divisor = plain(given[1], "the divisor")
    if not divisor.all():
        fail("a division by zero")
    return _elementwise(lambda x, y: x * y, given[0], 1.0 / np.asarray(divisor, dtype=np.float64))


def _neg(_: Attributes, given: Inputs, __: Bounds) -> Tensor:
    x = encrypted(given[0], "the operand")
    return Tensor(-x.vector, x.shape)


def _pow(_: Attributes, given: Inputs, __: Bounds) -> Tensor:
    x, exponent = encrypted(given[0], "the base"), plain(given[1], "the exponent")
    if exponent.size != 1:
        fail("the exponents of a tensor have to be one number")
    return Tensor(x.vector ** float(exponent.reshape(-1)[0]), x.shape)


def _batch_normalisation(attributes: Attributes, given: Inputs, _: Bounds) -> Tensor:
    """The network is trained, so that mean and variance are plain: a factor and a sum for each channel."""
    x = encrypted(given[0], "the operand")
    scale, shift, mean, variance = (np.asarray(plain(v, "a parameter"), np.float64) for v in given[1:5])
    factor = scale / np.sqrt(variance + attributes.get("epsilon", 1e-5))
    spread = (1, -1, *(1 for _ in x.shape[2:]))
    scaled = x.vector * _spread(factor.reshape(spread), x.shape)
    return Tensor(scaled + _spread((shift - mean * factor).reshape(spread), x.shape), x.shape)


# -- functions of one variable -----------------------------------------------------------------------


def _relu(_: Attributes, given: Inputs, bounds: Bounds) -> Tensor:
    x = encrypted(given[0], "the operand")
    low, high = _interval(bounds)
    if low >= 0:
        return x
    return Tensor(relu(x.vector, low=low, high=max(high, -low * 1e-6)), x.shape)


def _activation(function: Callable[..., Vector]) -> Operator:
    def operator(_: Attributes, given: Inputs, bounds: Bounds) -> Tensor:
        x = encrypted(given[0], "the operand")
        low, high = _interval(bounds)
        return Tensor(function(x.vector, low=low, high=high), x.shape)

    return operator


def _interval(bounds: Bounds) -> tuple[float, float]:
    """The interval of the argument, on the samples."""
    return bounds[0]


# -- shapes ------------------------------------------------------------------------------------------


def _same(_: Attributes, given: Inputs, __: Bounds) -> Tensor:
    return encrypted(given[0], "the operand")


def _cast(attributes: Attributes, given: Inputs, _: Bounds) -> Tensor:
    import onnx

    to = attributes["to"]
    if onnx.helper.tensor_dtype_to_np_dtype(to).kind in "biu":
        fail(
            f"a Cast to {onnx.TensorProto.DataType.Name(to)} drops what follows the point",
            "Keep real numbers: export the network without this Cast.",
        )
    return encrypted(given[0], "the operand")


def _flatten(attributes: Attributes, given: Inputs, _: Bounds) -> Tensor:
    x = encrypted(given[0], "the operand")
    axis = attributes.get("axis", 1)  # a negative one as in a slice
    return Tensor(x.vector, (prod(x.shape[:axis]), prod(x.shape[axis:])))


def _reshape(attributes: Attributes, given: Inputs, _: Bounds) -> Tensor:
    x = encrypted(given[0], "the operand")
    asked = [int(size) for size in plain(given[1], "the shape").reshape(-1)]
    if not attributes.get("allowzero", 0):
        asked = [x.shape[i] if size == 0 else size for i, size in enumerate(asked)]
    if asked.count(-1) == 1:
        rest = prod(size for size in asked if size != -1)
        asked[asked.index(-1)] = prod(x.shape) // max(rest, 1)
    if prod(asked) != prod(x.shape):
        fail(f"a tensor of {x.shape} cannot take the shape {tuple(asked)}")
    return Tensor(x.vector, tuple(asked))


def _squeeze(attributes: Attributes, given: Inputs, _: Bounds) -> Tensor:
    x = encrypted(given[0], "the operand")
    axes = _axes(attributes, given, len(x.shape))
    gone = [i for i, size in enumerate(x.shape) if size == 1] if axes is None else axes
    return Tensor(x.vector, tuple(size for i, size in enumerate(x.shape) if i not in gone))


def _unsqueeze(attributes: Attributes, given: Inputs, _: Bounds) -> Tensor:
    x = encrypted(given[0], "the operand")
    found = list(x.shape)
    axes = _axes(attributes, given, len(x.shape) + _count(attributes, given)) or []
    for axis in sorted(axes):
        found.insert(axis, 1)
    return Tensor(x.vector, tuple(found))


def _count(attributes: Attributes, given: Inputs) -> int:
    axes = _axes(attributes, given, 1 << 10)
    return len(axes) if axes else 0


def _axes(attributes: Attributes, given: Inputs, rank: int) -> list[int] | None:
    """The axes that are named, by an attribute or by an input, counted from 0."""
    named = attributes.get("axes")
    if len(given) > 1 and given[1] is not None:
        named = plain(given[1], "the axes").reshape(-1).tolist()
    return None if named is None else [int(axis) % rank for axis in named]


def _transpose(attributes: Attributes, given: Inputs, _: Bounds) -> Tensor:
    x = encrypted(given[0], "the operand")
    return _permuted(x, tuple(attributes.get("perm", reversed(range(len(x.shape))))))


def _permuted(x: Tensor, order: tuple[int, ...]) -> Tensor:
    places = np.arange(prod(x.shape)).reshape(x.shape).transpose(order)
    flat = places.reshape(-1)
    moved = not bool((flat == np.arange(len(flat))).all())
    return Tensor(selected(x.vector, flat) if moved else x.vector, places.shape)


OPERATORS: Final[Mapping[str, Operator]] = {
    "Add": _add,
    "AveragePool": average_pool,
    "BatchNormalization": _batch_normalisation,
    "Cast": _cast,
    "Conv": convolution,
    "Div": _div,
    "Dropout": _same,
    "Exp": _activation(fh.exp),
    "Flatten": _flatten,
    "Gemm": _gemm,
    "GlobalAveragePool": global_average_pool,
    "Identity": _same,
    "MatMul": _matmul,
    "Mul": _mul,
    "Neg": _neg,
    "Pow": _pow,
    "Relu": _relu,
    "Reshape": _reshape,
    "Sigmoid": _activation(fh.sigmoid),
    "Squeeze": _squeeze,
    "Sub": _sub,
    "Tanh": _activation(fh.tanh),
    "Transpose": _transpose,
    "Unsqueeze": _unsqueeze,
}
