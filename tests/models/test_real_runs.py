"""Models that are really run on encrypted data."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import fheasible as fh
from fheasible.errors import LibraryMissing

from .test_blif import ADDER, drawn, outputs_of, written


@pytest.mark.worker
@pytest.mark.parametrize("network", ["perceptron", "convolutional"])
def test_a_network_gives_what_onnx_says_of_the_sample(tmp_path: Path, network: str) -> None:
    pytest.importorskip("onnx")
    from onnx.reference import ReferenceEvaluator

    from . import networks

    file = getattr(networks, network)(tmp_path)
    shape = (8,) if network == "perceptron" else (1, 10, 10)
    data: NDArray[Any] = networks.samples(shape)
    found = fh.verify(
        str(file), repetitions=1, data={"x": data}, libraries="seal", precision=10,
        store=tmp_path / "results.sqlite",
    )  # fmt: skip
    (scores,) = ReferenceEvaluator(str(file)).run(None, {"x": data[:1].astype(np.float32)})
    result = found.result["y"]
    assert np.abs(result - scores.reshape(-1)).max() <= 2**-9 * np.abs(scores).max()


@pytest.mark.worker
@pytest.mark.parametrize("library", ["binfhe", "tfhe_rs"])
def test_a_full_adder_adds_encrypted_bits(tmp_path: Path, library: str) -> None:
    bits = written(tmp_path, "a,b,carry\n1,0,1\n", "bits.csv")
    assert run(written(tmp_path, ADDER), bits, library) == {"sum": 0, "over": 1}


@pytest.mark.worker
def test_a_random_circuit_of_wide_tables_runs(tmp_path: Path) -> None:
    text = drawn(12, tables=5)
    bits = {f"x[{i}]": i % 2 for i in range(4)}
    data = written(tmp_path, "x.0,x.1,x.2,x.3\n0,1,0,1\n", "bits.csv")
    assert run(written(tmp_path, text), data, "tfhe_rs") == outputs_of(text, bits)


def run(file: Path, data: Path, library: str) -> dict[str, int]:
    """The decrypted bits."""
    store = file.parent / "results.sqlite"
    try:
        found = fh.verify(str(file), repetitions=1, data=str(data), libraries=library, store=store)
    except LibraryMissing as error:
        pytest.skip(error.message)
    return {name: int(values[0]) for name, values in found.result.items()}
