"""Circuits that are sent to another process."""

import pickle
from pathlib import Path

import pytest

from fheasible.circuit.flat import flat, restored
from fheasible.circuit.load import load
from fheasible.circuit.matrix import Matrix
from fheasible.circuit.node import Values

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("[0-9]*.py"))


@pytest.mark.long
@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_a_circuit_comes_back_as_the_same_nodes(file: Path) -> None:
    """Nodes are hash-consed, so that equal nodes of one process are one object."""
    pytest.importorskip("sklearn")
    cloudpickle = pytest.importorskip("cloudpickle")  # functions of the file itself are sent, too
    circuit = load(str(file)).trace()
    back = restored(pickle.loads(cloudpickle.dumps(flat(circuit))))
    assert back == circuit
    assert [n for _, n in back.outputs] == [n for _, n in circuit.outputs]


def test_plain_vectors_and_matrices_stay_read_only() -> None:
    values = pickle.loads(pickle.dumps(Values([1, 2])))
    assert values == Values([1, 2])
    assert not values.array.flags.writeable
    matrix = Matrix.dense(values.array.reshape(1, 2))
    matrix.known["worked out"] = object  # what was worked out is not sent
    assert pickle.loads(pickle.dumps(matrix)) == matrix
    assert not pickle.loads(pickle.dumps(matrix)).known
