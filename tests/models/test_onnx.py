"""Networks in ONNX give what the reference evaluator of ONNX gives."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

pytest.importorskip("onnx")

from onnx import TensorProto
from onnx.reference import ReferenceEvaluator

from fheasible import extras
from fheasible.api.asking import name_of
from fheasible.circuit.balance import normalise
from fheasible.circuit.cleartext import evaluate
from fheasible.circuit.node import Op
from fheasible.errors import CircuitError, DataError, ExtraMissing, UsageError
from fheasible.models.load import is_model, load_model, name_in

from .networks import convolutional, drawn, node, perceptron, samples, saved

Array = NDArray[Any]


def reference(file: Path, inputs: Mapping[str, Array]) -> list[Array]:
    """What ONNX itself says of one sample."""
    given = {name: value.astype(np.float32) for name, value in inputs.items()}
    return [np.asarray(v) for v in ReferenceEvaluator(str(file)).run(None, given)]


def compared(file: Path, data: Array, shape: Sequence[int], tolerance: float = 1e-5) -> None:
    """The circuit as written and as it is lowered, beside the reference, on the first sample."""
    model = load_model(file, {"x": data})
    circuit = model.app.trace()
    assert model.data is not None
    (wanted,) = reference(file, {"x": data[0].reshape(shape)})
    for found in (evaluate(circuit, model.data), evaluate(normalise(circuit), model.data)):
        (values,) = found.values()
        np.testing.assert_allclose(values, wanted.reshape(-1), atol=tolerance * max(1, np.abs(wanted).max()))


def test_a_perceptron(tmp_path: Path) -> None:
    compared(perceptron(tmp_path), samples([8]), [1, 8])


@pytest.mark.parametrize("activation", ["Sigmoid", "Tanh", "Relu"])
def test_activations_are_approximated_in_the_intervals_of_the_samples(
    tmp_path: Path, activation: str
) -> None:
    compared(perceptron(tmp_path, activation), samples([8], 40), [1, 8], tolerance=0.02)


def test_a_convolutional_network(tmp_path: Path) -> None:
    compared(convolutional(tmp_path), samples([1, 10, 10]), [1, 1, 10, 10], tolerance=1e-4)


W = drawn(5)
CONVOLUTIONS: list[tuple[dict[str, Any], tuple[int, ...]]] = [
    ({"strides": [2, 1]}, (3, 2, 3, 3)),
    ({"pads": [0, 1, 2, 0]}, (3, 2, 3, 3)),
    ({"auto_pad": "SAME_UPPER", "strides": [2, 2]}, (3, 2, 2, 3)),
    ({"auto_pad": "SAME_LOWER"}, (1, 2, 2, 2)),
    ({"group": 2}, (4, 1, 3, 3)),
    ({"dilations": [2, 3]}, (2, 2, 2, 2)),
]


@pytest.mark.parametrize(("attributes", "kernel"), CONVOLUTIONS)
def test_a_convolution_with_every_attribute(
    tmp_path: Path, attributes: dict[str, Any], kernel: tuple[int, ...]
) -> None:
    nodes = [node("Conv", ["x", "k"], "y", **attributes)]
    compared(saved(tmp_path, nodes, {"k": W(*kernel)}, {"x": [1, 2, 7, 8]}), samples([2, 7, 8]), [1, 2, 7, 8])


Case = tuple[str, list[Any], dict[str, Array], list[int]]
WHOLE = {"s": np.array([3, 4])}
AXES = {"a": np.array([0, 2]), "b": np.array([-1, 0])}
POOLED = {"kernel_shape": [3, 2], "pads": [1, 0, 1, 1], "strides": [2, 1]}
ZEROS = {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "count_include_pad": 1}
TWICE = [node("Add", ["x", "c"], "h"), node("Sub", ["h", "x"], "d"), node("Add", ["d", "x"], "y")]
LEFT = [node("Reshape", ["x", "s"], "r"), node("MatMul", ["c", "r"], "y")]
TURNED = [node("Reshape", ["x", "s"], "r"), node("Gemm", ["r", "c", "d"], "y", transA=1, beta=2.0)]
BATCHED = [node("MatMul", ["c", "x"], "l"), node("Flatten", ["l"], "f"), node("MatMul", ["f", "d"], "y")]
BACK = [node("Flatten", ["x"], "f", axis=-1), node("MatMul", ["f", "c"], "y")]
SQUEEZED = [node("Squeeze", ["x", "a"], "h"), node("Unsqueeze", ["h", "b"], "y")]
SHAPED = [node("Shape", ["x"], "s"), node("Gather", ["s", "i"], "g"), node("Reshape", ["x", "g"], "y")]
ALONE: list[Case] = [
    ("Sub from plain", [node("Sub", ["c", "x"], "y")], {"c": W(1, 4)}, [1, 4]),
    ("Mul by channel", [node("Mul", ["x", "c"], "y")], {"c": W(2, 1, 1)}, [1, 2, 3, 3]),
    ("Div", [node("Div", ["x", "c"], "y")], {"c": np.array(4.0)}, [1, 4]),
    ("Neg", [node("Neg", ["x"], "y")], {}, [1, 4]),
    ("Pow", [node("Pow", ["x", "c"], "y")], {"c": np.array(3.0)}, [1, 4]),
    ("encrypted with encrypted", TWICE, {"c": W(4)}, [1, 4]),
    ("Transpose", [node("Transpose", ["x"], "y", perm=[0, 2, 3, 1])], {}, [1, 2, 3, 4]),
    ("MatMul of rows", [node("MatMul", ["x", "c"], "y")], {"c": W(4, 2)}, [1, 3, 4]),
    ("MatMul from the left", LEFT, {"c": W(2, 3)} | WHOLE, [1, 12]),
    ("MatMul from the left of one sample", BATCHED, {"c": W(5, 3), "d": W(20, 2)}, [1, 3, 4]),
    ("Gemm of the transposed", TURNED, {"c": W(3, 2), "d": W(2)} | WHOLE, [1, 12]),
    ("Flatten", [node("Flatten", ["x"], "y", axis=2)], {}, [1, 2, 3, 4]),
    ("Flatten from the back", BACK, {"c": W(4, 2)}, [1, 2, 3, 4]),
    ("Squeeze and Unsqueeze", SQUEEZED, AXES, [1, 2, 1, 4]),
    ("Dropout, Identity", [node("Dropout", ["x"], "h"), node("Identity", ["h"], "y")], {}, [1, 4]),
    ("AveragePool with zeros", [node("AveragePool", ["x"], "y", **ZEROS)], {}, [1, 2, 5, 5]),
    ("AveragePool without zeros", [node("AveragePool", ["x"], "y", **POOLED)], {}, [1, 2, 5, 5]),
    ("GlobalAveragePool", [node("GlobalAveragePool", ["x"], "y")], {}, [1, 3, 4, 4]),
    ("a shape that is computed", SHAPED, {"i": np.array([1, 0])}, [1, 6]),
]


@pytest.mark.parametrize(
    ("nodes", "weights", "shape"), [case[1:] for case in ALONE], ids=[case[0] for case in ALONE]
)
def test_an_operator_alone(
    tmp_path: Path, nodes: list[Any], weights: dict[str, Array], shape: list[int]
) -> None:
    compared(saved(tmp_path, nodes, weights, {"x": shape}), samples(shape[1:]), shape)


def test_several_inputs_and_outputs_keep_their_names(tmp_path: Path) -> None:
    nodes = [node("Add", ["in/a:0", "b"], "/s"), node("Mul", ["/s", "b"], "p")]
    file = saved(tmp_path, nodes, {}, {"in/a:0": [1, 3], "b": [1, 3]}, ["/s", "p"])
    data = {"in/a:0": samples([3], seed=1), "b": samples([3], seed=2)}
    model = load_model(file, data)
    assert [i.name for i in model.app.inputs] == ["in_a_0", "b"]
    found = evaluate(model.app.trace(), model.data or {})
    wanted = reference(file, {name: rows[0].reshape(1, 3) for name, rows in data.items()})
    for (name, values), expected in zip(found.items(), wanted, strict=True):
        assert name in ("s", "p")
        np.testing.assert_allclose(values, expected.reshape(-1), atol=1e-6)


def test_the_ranges_are_those_of_all_samples(tmp_path: Path) -> None:
    data = samples([8], 50)
    np.save(tmp_path / "calib.npy", data)
    model = load_model(perceptron(tmp_path), tmp_path / "calib.npy")
    (declared,) = model.app.inputs
    assert (declared.low, declared.high) == (data.min(), data.max())
    assert model.source.startswith("sample 1 of 50 in ")
    np.testing.assert_array_equal((model.data or {})["x"], data[0])


def test_operators_that_cannot_be_used_are_named_with_those_that_can(tmp_path: Path) -> None:
    file = saved(tmp_path, [node("Abs", ["x"], "h"), node("Sin", ["h"], "y")], {}, {"x": [1, 4]})
    with pytest.raises(CircuitError, match="uses Abs and Sin") as caught:
        load_model(file, {"x": samples([4])})
    assert "AveragePool" in caught.value.remedy
    assert "Gemm" in caught.value.remedy


@pytest.mark.parametrize(
    ("nodes", "remedy"),
    [
        ([node("Softmax", ["x"], "y")], "before its Softmax"),
        ([node("MaxPool", ["x"], "y", kernel_shape=[2, 2])], "AveragePool instead"),
    ],
)
def test_usual_operators_have_a_remedy_of_their_own(tmp_path: Path, nodes: list[Any], remedy: str) -> None:
    file = saved(tmp_path, nodes, {}, {"x": [1, 1, 4, 4]})
    with pytest.raises(CircuitError) as caught:
        load_model(file, {"x": samples([1, 4, 4])})
    assert remedy in caught.value.remedy


def test_what_an_operator_does_not_take_names_its_node(tmp_path: Path) -> None:
    file = saved(tmp_path, [node("Pow", ["x", "c"], "y")], {"c": np.array(0.5)}, {"x": [1, 4]})
    with pytest.raises(CircuitError, match=r"network\.onnx, pow_y \(Pow\): .*not to 0\.5"):
        load_model(file, {"x": np.abs(samples([4]))}).app.trace()


OUTER = [node("Transpose", ["x"], "t"), node("Add", ["x", "t"], "y")]
WHOLE_NUMBERS = [
    node("Cast", ["x"], "h", to=TensorProto.INT64),
    node("Cast", ["h"], "y", to=TensorProto.FLOAT),
]


@pytest.mark.parametrize(
    ("nodes", "said"),
    [
        (OUTER, "encrypted tensors of (1, 4) and (4, 1) are not combined"),
        (WHOLE_NUMBERS, "Cast to INT64 drops what follows the point"),
    ],
)
def test_what_would_be_another_tensor_is_refused(tmp_path: Path, nodes: list[Any], said: str) -> None:
    file = saved(tmp_path, nodes, {}, {"x": [1, 4]})
    with pytest.raises(CircuitError, match=re.escape(said)):
        load_model(file, {"x": samples([4])}).app.trace()


WRONG_DATA: list[tuple[Any, str]] = [
    (None, "have no declared ranges"),
    ("absent.npy", "does not exist"),
    ({"x": np.zeros((3, 5))}, "one sample is 8"),
    ({"z": np.zeros((3, 8))}, "lack the input x"),
    ({"x": np.full((3, 8), np.nan)}, "NaN"),
    ({"x": np.array([["a"] * 8])}, "no numbers"),
    ("calib.csv", "neither .npy nor .npz"),
]


@pytest.mark.parametrize(("data", "said"), WRONG_DATA)
def test_data_that_do_not_fit_are_told(tmp_path: Path, data: Any, said: str) -> None:
    (tmp_path / "calib.csv").write_text("x\n1\n")
    given = tmp_path / data if isinstance(data, str) else data
    with pytest.raises(DataError) as caught:
        load_model(perceptron(tmp_path), given)
    assert said in caught.value.message
    assert caught.value.remedy


def test_files_that_are_no_networks_are_told(tmp_path: Path) -> None:
    (tmp_path / "text.onnx").write_text("no network")
    with pytest.raises(UsageError, match="is not a network in ONNX"):
        load_model(tmp_path / "text.onnx", {"x": samples([4])})
    file = saved(tmp_path, [node("Neg", ["x"], "y")], {}, {"x": [3, 4]})
    with pytest.raises(UsageError, match="one sample has to have a known shape") as caught:
        load_model(file, {"x": samples([4])})
    assert "batch of one" in caught.value.remedy


def test_the_package_is_told_where_it_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "_installed", lambda name: name != "onnx")
    with pytest.raises(ExtraMissing, match="networks in ONNX need onnx") as caught:
        load_model(perceptron(tmp_path), {"x": samples([8])})
    assert "pip install" in caught.value.remedy


def test_names_of_files(tmp_path: Path) -> None:
    assert is_model("a/my-net.onnx")
    assert is_model("circuit.BLIF")
    assert not is_model("app.py")
    assert name_in("a/my-net.onnx") == "my_net"


def test_the_name_of_a_node_cannot_become_code(tmp_path: Path) -> None:
    """Emitted code has it in a comment."""
    named = node("Neg", ["x"], "y")
    named.name = "a\nimport os"
    model = load_model(saved(tmp_path, [named], {}, {"x": [1, 4]}), {"x": samples([4])})
    (where,) = {n.where for n in model.app.trace().nodes() if n.op is not Op.INPUT}
    assert where == "network.onnx, a_import_os (Neg)"


def test_the_command_that_is_shown_has_the_samples(tmp_path: Path) -> None:
    file = perceptron(tmp_path)
    np.save(tmp_path / "calib.npy", samples([8]))
    assert name_of(str(file), str(tmp_path / "calib.npy")) == f"{file} --data {tmp_path / 'calib.npy'}"
    assert name_of("circuit.blif", "bits.csv") == "circuit.blif"
