"""The application of a network in ONNX, with the samples that it is judged on."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from fheasible.aliases import Array
from fheasible.circuit.declared import reals
from fheasible.circuit.trace import App, app
from fheasible.circuit.vector import Vector
from fheasible.errors import CircuitError
from fheasible.extras import need
from fheasible.models.model import Data, Model
from fheasible.models.names import unique
from fheasible.models.onnx.graph import Graph, read
from fheasible.models.onnx.naming import network_name
from fheasible.models.onnx.operators import OPERATORS
from fheasible.models.onnx.samples import said, samples
from fheasible.models.onnx.tensors import Tensor, Values
from fheasible.units import listing

_LEAST_WIDTH: Final = 1e-6  # of a range whose samples are all alike


def load_onnx(file: Path, data: Data) -> Model:
    """The network as an application on one sample, in the ranges of the samples.

    ExtraMissing without the package onnx, CircuitError for operators that cannot be expressed, DataError for
    samples that do not fit.
    """
    need("onnx", "networks in ONNX")
    graph = read(file)
    _refuse_operators(graph)
    rows = samples(data, graph.inputs)
    names = dict(zip((i.name for i in graph.inputs), unique(i.name for i in graph.inputs), strict=True))
    made = _application(graph, rows, names)
    first = {names[name]: values[0] for name, values in rows.items()}
    return Model(made, first, said(data, rows))


def _refuse_operators(graph: Graph) -> None:
    unknown = sorted({n.op_type for n in graph.encrypted_nodes() if n.op_type not in OPERATORS})
    if unknown:
        remedy = _REMEDIES.get(unknown[0], f"the operators that can be used are {listing(sorted(OPERATORS))}")
        raise CircuitError(f"{graph.file} uses {listing(unknown)}, which no encrypted network has", remedy)


_REMEDIES: Final[Mapping[str, str]] = {
    "Softmax": "end the network before its Softmax: the largest score stays the largest",
    "LogSoftmax": "end the network before its LogSoftmax: the largest score stays the largest",
    "ArgMax": "end the network before its ArgMax, and take the largest decrypted score",
    "MaxPool": "train the network with AveragePool instead of MaxPool: sums need no comparison",
}


def _application(graph: Graph, rows: Mapping[str, Array], names: Mapping[str, str]) -> App:
    intervals = graph.intervals(rows)

    def network(**vectors: Vector) -> dict[str, Vector]:
        known: dict[str, Values] = dict(graph.plain)
        for i in graph.inputs:
            known[i.name] = Tensor(vectors[names[i.name]], i.shape)
        for n in graph.nodes:
            graph.compute(n, known, intervals)
        results = {name: _result(graph, name, known[name]) for name in graph.outputs}
        return dict(zip(unique(graph.outputs), results.values(), strict=True))

    network.__name__ = network_name(graph.file)
    specs: dict[str, Any] = {names[i.name]: _spec(i.elements, rows[i.name]) for i in graph.inputs}
    made = app(**specs)(network)
    return App(made.name, made.inputs, network, where=str(graph.file))


def _result(graph: Graph, name: str, value: Values) -> Vector:
    if isinstance(value, Tensor):
        return value.vector
    raise CircuitError(
        f"{graph.file}: the output {name} does not depend on any input", "leave it out of the network"
    )


def _spec(elements: int, values: Array) -> Any:
    low, high = float(values.min()), float(values.max())
    wider = max(0.0, _LEAST_WIDTH * max(1.0, abs(low)) - (high - low))
    return reals(elements, low=low, high=high + wider)
