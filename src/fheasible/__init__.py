"""Is it FHEasible? Describe a computation on encrypted data once; see what it costs; run it."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from fheasible.circuit.comparisons import (
    absolute,
    argmax,
    greater,
    maximum,
    minimum,
    relu,
    sign,
    where,
)
from fheasible.circuit.declared import VectorSpec, integers, reals
from fheasible.circuit.declared_table import Table, table
from fheasible.circuit.encrypted_matrix import EncryptedMatrix, matrix
from fheasible.circuit.functions import (
    approximate,
    bootstrap,
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
from fheasible.circuit.images import average_pool2d, conv2d
from fheasible.circuit.integer_functions import lookup
from fheasible.circuit.linear import columns, concatenate, matmul
from fheasible.circuit.refusals import in_place_of
from fheasible.circuit.sorting import sort
from fheasible.circuit.statistics import std, sum_by, var
from fheasible.circuit.trace import App, app
from fheasible.circuit.vector import Vector
from fheasible.errors import FheasibleError

if TYPE_CHECKING:
    from fheasible.api.answer import Answer
    from fheasible.api.explore import explore
    from fheasible.api.security import security
    from fheasible.api.take_home import emit, report
    from fheasible.api.verify import run, verify

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "App",
    "EncryptedMatrix",
    "FheasibleError",
    "Table",
    "Vector",
    "VectorSpec",
    "absolute",
    "app",
    "approximate",
    "argmax",
    "average_pool2d",
    "bootstrap",
    "columns",
    "concatenate",
    "conv2d",
    "emit",
    "exp",
    "explore",
    "greater",
    "inner_product",
    "integers",
    "log",
    "lookup",
    "matmul",
    "matrix",
    "maximum",
    "mean",
    "minimum",
    "polynomial",
    "power",
    "reals",
    "reciprocal",
    "relu",
    "report",
    "rotate",
    "run",
    "security",
    "sigmoid",
    "sign",
    "sort",
    "sqrt",
    "square",
    "std",
    "sum",
    "sum_by",
    "table",
    "tanh",
    "var",
    "verify",
    "where",
]

_LATER = {  # imported only when they are used; `security` is a folder that can be called
    "Answer": "answer", "explore": "explore", "verify": "verify", "run": "verify", "emit": "take_home",
    "report": "take_home",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name == "security":
        return import_module("fheasible.security")
    if name in _LATER:
        return getattr(import_module(f"fheasible.api.{_LATER[name]}"), name)
    raise AttributeError(f"fheasible has no {name}{in_place_of(name, __all__)}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
