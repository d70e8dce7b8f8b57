"""Is it FHEasible? Describe a computation on encrypted data once; see what it costs; run it."""

from fheasible.circuit.functions import (
    absolute,
    approximate,
    exp,
    inner_product,
    log,
    mean,
    polynomial,
    power,
    reciprocal,
    rotate,
    sigmoid,
    sqrt,
    square,
    sum,
    tanh,
)
from fheasible.circuit.trace import App, VectorSpec, app, integers, reals
from fheasible.circuit.vector import Vector

__version__ = "0.1.0"

__all__ = [
    "App",
    "Vector",
    "VectorSpec",
    "absolute",
    "app",
    "approximate",
    "exp",
    "inner_product",
    "integers",
    "log",
    "mean",
    "polynomial",
    "power",
    "reals",
    "reciprocal",
    "rotate",
    "sigmoid",
    "sqrt",
    "square",
    "sum",
    "tanh",
]
