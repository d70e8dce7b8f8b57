"""What numpy's functions do with an encrypted vector: arithmetic works, all others raise an error that names
fh's own functions."""

from __future__ import annotations

from typing import Any, Never

from fheasible.circuit.declared import NoVector
from fheasible.circuit.refusals import fail

_ARITHMETIC = {
    "add": ("__add__", "__radd__"),
    "subtract": ("__sub__", "__rsub__"),
    "multiply": ("__mul__", "__rmul__"),
    "divide": ("__truediv__", "__rtruediv__"),
    "power": ("__pow__", "__rpow__"),
    "float_power": ("__pow__", "__rpow__"),
    "matmul": ("__matmul__", "__rmatmul__"),
    "floor_divide": ("__floordiv__", "__rfloordiv__"),
    "remainder": ("__mod__", "__rmod__"),
    "greater": ("__gt__", "__lt__"),
    "greater_equal": ("__ge__", "__le__"),
    "less": ("__lt__", "__gt__"),
    "less_equal": ("__le__", "__ge__"),
    "equal": ("__eq__", "__eq__"),
    "not_equal": ("__ne__", "__ne__"),
    "bitwise_and": ("__and__", "__rand__"),
    "bitwise_or": ("__or__", "__ror__"),
    "bitwise_xor": ("__xor__", "__rxor__"),
    "left_shift": ("__lshift__", "__rlshift__"),
    "right_shift": ("__rshift__", "__rrshift__"),
    "invert": ("__invert__", ""),
    "negative": ("__neg__", ""),
    "positive": ("__pos__", ""),
}
_INSTEAD = {
    "sum": "fh.sum(x)",
    "mean": "fh.mean(x)",
    "average": "fh.mean(x), or fh.inner_product(weights, x)",
    "var": "fh.var(x)",
    "std": "fh.std(x)",
    "bincount": "fh.sum_by(x, groups)",
    "dot": "fh.inner_product(x, y), or fh.matmul(matrix, x)",
    "inner": "fh.inner_product(x, y)",
    "outer": "fh.concatenate([x[i] * y for i in range(len(x))])",
    "kron": "fh.concatenate([x[i] * y for i in range(len(x))])",
    "vdot": "fh.inner_product(x, y)",
    "norm": "fh.sqrt(fh.inner_product(x, x), low=..., high=...)",
    "concatenate": "fh.concatenate([x, y])",
    "hstack": "fh.concatenate([x, y])",
    "append": "fh.concatenate([x, y])",
    "roll": "fh.rotate(x, steps), which moves elements to the left",
    "square": "x ** 2",
    "flip": "x[::-1]",
    "take": "x[indices]",
    "diff": "x[1:] - x[:-1]",
    "convolve": "fh.matmul(matrix, x)",
    "polyval": "fh.polynomial(x, [constant, linear, square])",
    "sqrt": "fh.sqrt(x, low=..., high=...)",
    "exp": "fh.exp(x, low=..., high=...)",
    "log": "fh.log(x, low=..., high=...)",
    "tanh": "fh.tanh(x, low=..., high=...)",
    "reciprocal": "fh.reciprocal(x, low=..., high=...)",
    "absolute": "fh.absolute(x)",
    "maximum": "fh.maximum(x, y)",
    "minimum": "fh.minimum(x, y)",
    "fmax": "fh.maximum(x, y)",
    "fmin": "fh.minimum(x, y)",
    "sign": "fh.sign(x, margin=...)",
    "argmax": "fh.argmax(x, margin=...)",
    "sort": "fh.sort(x)",
    "where": "fh.where(mask, x, y)",
}


def ufunc(name: str, method: str, operands: tuple[Any, ...], settings: dict[str, Any]) -> Any:
    """The result of numpy's arithmetic by Python's operators; CircuitError with a remedy for other calls."""
    if name in _ARITHMETIC and method == "__call__" and not settings:
        forward, reflected = _ARITHMETIC[name]
        first, *others = operands
        if hasattr(type(first), "node") or isinstance(first, NoVector):
            return getattr(first, forward)(*others)
        return getattr(others[0], reflected)(first)
    return _instead(name, _INSTEAD.get(name, f"fh.approximate(lambda v: np.{name}(v), low=..., high=...)(x)"))


def function(name: str) -> Never:
    """Raises CircuitError, which says what to write instead of numpy's function of that name."""
    ours = "it with + - * **, fh.sum, fh.mean, fh.rotate, fh.matmul, fh.concatenate and x[i:j]"
    _instead(name, _INSTEAD.get(name, ours))


def _instead(name: str, ours: str) -> Never:
    fail(f"numpy.{name} cannot compute on an encrypted vector", f"Write {ours}.")
