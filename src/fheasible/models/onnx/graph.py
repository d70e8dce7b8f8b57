"""A network as ONNX describes it: its inputs, its operators in their order, and what is plain."""

import re
from collections.abc import Iterator, Mapping, MutableMapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fheasible.aliases import Array
from fheasible.circuit.where import told
from fheasible.errors import CircuitError, FheasibleError, UsageError
from fheasible.models.onnx.operators import OPERATORS
from fheasible.models.onnx.samples import MOST_SAMPLES, Declared
from fheasible.models.onnx.tensors import Tensor, Values

Intervals = Mapping[str, tuple[float, float]]
_WIDER = 0.1  # of an interval: samples that are not among the given ones lie a little outside
_NOT_ONNX = "give a network that was exported in ONNX, such as torch.onnx.export writes it"


@dataclass(frozen=True, slots=True)
class Graph:
    """A network. `plain` are its weights by name."""

    file: Path
    model: Any
    inputs: tuple[Declared, ...]
    outputs: tuple[str, ...]
    plain: Mapping[str, Array]

    @property
    def nodes(self) -> Iterator[Any]:
        yield from self.model.graph.node

    def encrypted_nodes(self) -> Iterator[Any]:
        """The nodes that compute on something encrypted."""
        encrypted = {i.name for i in self.inputs}
        for n in self.nodes:
            if encrypted & set(n.input) and n.op_type != "Shape":
                encrypted.update(n.output)
                yield n

    def intervals(self, rows: Mapping[str, Array]) -> Intervals:
        """The least and the largest value of every tensor, on the first samples, by the reference evaluator
        of ONNX; a little wider, except for the inputs."""
        from onnx.reference import ReferenceEvaluator

        names = list(dict.fromkeys(name for n in self.nodes for name in n.output if name))
        evaluator = ReferenceEvaluator(_with_outputs(self.model, names))
        found: dict[str, tuple[float, float]] = {}
        for k in range(min(len(next(iter(rows.values()))), MOST_SAMPLES)):
            given = {
                i.name: rows[i.name][k].reshape(i.shape).astype(_kind(self, i.name)) for i in self.inputs
            }
            for name, value in zip(names, _evaluated(self, evaluator, given), strict=True):
                array = np.asarray(value)
                if array.dtype.kind in "biuf" and array.size:
                    low, high = found.get(name, (np.inf, -np.inf))
                    found[name] = min(low, float(array.min())), max(high, float(array.max()))
        return {name: _wider(*ends) for name, ends in found.items()} | {
            i.name: (float(rows[i.name].min()), float(rows[i.name].max())) for i in self.inputs
        }

    def compute(self, n: Any, known: MutableMapping[str, Values], intervals: Intervals) -> None:
        """Adds the results of a node to what is known."""
        given = [known.get(name) if name else None for name in n.input]
        named = re.sub(r"[^\w./:-]", "_", n.name or n.output[0])[:80]
        where = f"{self.file.name}, {named} ({n.op_type})"
        with told(where):
            try:
                made = self._made(n, given, intervals)
            except FheasibleError:
                raise
            except (ValueError, IndexError, TypeError, KeyError) as error:
                raise CircuitError(f"{where}: {error}", "check the network with onnx.checker") from error
        known.update({name: value for name, value in zip(n.output, made, strict=False) if name})

    def _made(self, n: Any, given: list[Values | None], intervals: Intervals) -> list[Values]:
        if n.op_type == "Shape" and isinstance(given[0], Tensor):
            return [np.array(given[0].shape)]
        if not any(isinstance(v, Tensor) for v in given):
            return self._folded(n, given)
        bounds = {k: intervals[name] for k, name in enumerate(n.input) if name in intervals}
        return [OPERATORS[n.op_type](_attributes(n), given, bounds)]

    def _folded(self, n: Any, given: list[Values | None]) -> list[Values]:
        """The results of a node that depends on no input, by the reference evaluator of ONNX."""
        import onnx
        from onnx.reference import ReferenceEvaluator

        there = {name: v for name, v in zip(n.input, given, strict=True) if name}
        kinds = [onnx.ValueInfoProto(name=name) for name in there]
        results = [onnx.ValueInfoProto(name=name) for name in n.output if name]
        graph = onnx.helper.make_graph([n], "plain", kinds, results)
        alone = onnx.helper.make_model(graph, opset_imports=self.model.opset_import)
        found: list[Any] = ReferenceEvaluator(alone).run(None, there)
        return [np.asarray(v) for v in found]


def read(file: Path) -> Graph:
    """The network in that file. UsageError where there is none, or one that cannot be read."""
    import onnx

    try:
        model = onnx.load(str(file))
        onnx.checker.check_model(model)
    except Exception as error:  # of protobuf, of the checker, of the file system
        said = " ".join(str(error).split())[:200]
        raise UsageError(f"{file} is not a network in ONNX: {said}", _NOT_ONNX) from error
    plain = {t.name: onnx.numpy_helper.to_array(t) for t in model.graph.initializer}
    inputs = tuple(_declared(file, i) for i in model.graph.input if i.name not in plain)
    if not inputs:
        raise UsageError(f"{file} has no inputs", _NOT_ONNX)
    return Graph(file, model, inputs, tuple(o.name for o in model.graph.output), plain)


def _declared(file: Path, given: Any) -> Declared:
    """An input with the shape of one sample. The first dimension is that of the samples."""
    dims = given.type.tensor_type.shape.dim
    shape = tuple(d.dim_value if d.HasField("dim_value") else 0 for d in dims)
    first, *rest = shape or (1,)
    if first > 1 or not all(rest):
        told = " x ".join(str(d) if d else "?" for d in shape)
        raise UsageError(
            f"{file}: the input {given.name} is {told}, but one sample has to have a known shape",
            "export the network for a batch of one sample, with all other dimensions given",
        )
    return Declared(given.name, (1, *rest))


def _kind(graph: Graph, name: str) -> Any:
    import onnx

    (declared,) = (i for i in graph.model.graph.input if i.name == name)
    return onnx.helper.tensor_dtype_to_np_dtype(declared.type.tensor_type.elem_type)


def _with_outputs(model: Any, names: list[str]) -> Any:
    """The network with every tensor as an output."""
    import onnx

    whole = onnx.ModelProto()
    whole.CopyFrom(model)
    del whole.graph.output[:]
    whole.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names)
    return whole


def _evaluated(graph: Graph, evaluator: Any, given: Mapping[str, Array]) -> list[Any]:
    try:
        found: list[Any] = evaluator.run(None, given)
    except Exception as error:  # of any operator
        said = " ".join(str(error).split())[:200]
        raise CircuitError(
            f"{graph.file} cannot be evaluated on the samples: {type(error).__name__}: {said}",
            "check the network with onnx.checker, and the shape of the samples",
        ) from error
    return found


def _wider(low: float, high: float) -> tuple[float, float]:
    more = _WIDER * max(high - low, 1e-3 * max(abs(low), abs(high)), 1e-9)
    return low - more, high + more


def _attributes(n: Any) -> dict[str, Any]:
    import onnx

    found = {a.name: onnx.helper.get_attribute_value(a) for a in n.attribute}
    return {name: v.decode() if isinstance(v, bytes) else v for name, v in found.items()}
