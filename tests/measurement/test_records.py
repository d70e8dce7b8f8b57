import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fheasible.measurement.records import (
    Hello,
    Measurement,
    measurement_from_json,
    measurement_from_message,
)

HELLO = Hello("seal", "4.4.0", "seal-python 4.4.0", {"threads": 1}, "CPython", ("ckks",), ("add",))
BIG_PRIME = 2**60 - 2**14 + 1


def message(folder: Path) -> dict[str, Any]:
    """What a worker says of two repetitions of three operations."""
    np.save(folder / "r.npy", np.arange(8.0).reshape(2, 4))
    np.save(folder / "samples.npy", np.arange(12.0).reshape(2, 3, 2))
    (folder / "inputs_after").mkdir()
    np.save(folder / "inputs_after" / "x.npy", np.ones((2, 4)))
    return {
        "ring_dimension": 8192,
        "q": [str(BIG_PRIME), "1099511480321"],
        "p": ["1152921504606830593"],
        "digits": 2,
        "outputs": {"r": str(folder / "r.npy")},
        "samples": str(folder / "samples.npy"),
        "phases": {
            "context": [[0.5, 0.6]],
            "keygen": [[1.0, 1.5]],
            "encrypt": [[0.1, 0.2], [0.3, 0.4]],
            "evaluate": [[1.0, 2.0], [3.0, 4.0]],
            "decrypt": [[0.01, 0.02], [0.03, 0.04]],
        },
        "sizes": {
            "ciphertext": 10,
            "public_key": 20,
            "secret_key": 30,
            "relinearization_key": 400,
            "rotation_keys": 5000,
            "rotation_key_count": 5,
        },
        "memory": {"baseline_bytes": 1, "context_bytes": 2, "keys_bytes": 3, "peak_bytes": 4},
    }


@pytest.fixture
def measurement(tmp_path: Path) -> Measurement:
    return measurement_from_message(message(tmp_path), HELLO, tmp_path)


def test_the_total_of_a_repetition_is_its_encryption_evaluation_and_decryption(
    measurement: Measurement,
) -> None:
    figures = measurement.to_json()
    assert figures["cpu_seconds"]["total"]["samples"] == pytest.approx([1.11, 3.33])
    assert figures["wall_seconds"]["total"]["samples"] == pytest.approx([2.22, 4.44])
    assert figures["wall_seconds"]["keygen"]["samples"] == [1.5]


def test_evaluation_keys_are_relinearisation_and_all_rotations(measurement: Measurement) -> None:
    figures = measurement.to_json()
    assert figures["evaluation_key_bytes"] == 5400
    assert figures["rotation_key_count"] == 5
    assert (figures["ciphertext_bytes"], figures["public_key_bytes"], figures["secret_key_bytes"]) == (
        10,
        20,
        30,
    )
    assert figures["peak_bytes"] == 4


def test_an_unknown_size_leaves_the_sum_unknown(tmp_path: Path) -> None:
    told = message(tmp_path)
    told["sizes"]["rotation_keys"] = None
    assert measurement_from_message(told, HELLO, tmp_path).sizes.evaluation_key_bytes is None


def test_the_arrays_of_the_results_are_read(measurement: Measurement) -> None:
    assert measurement.outputs["r"].tolist() == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert measurement.inputs_after["x"].shape == (2, 4)
    assert measurement.operations is not None
    assert measurement.operations.shape == (2, 3, 2)
    assert measurement.repetitions == 2


def test_a_measurement_comes_back_whole_from_json(measurement: Measurement) -> None:
    stored = json.loads(json.dumps(measurement.to_json(operations=True)))
    again = measurement_from_json(stored)
    assert again.to_json(operations=True) == measurement.to_json(operations=True)
    assert again.context.q[0] == BIG_PRIME
    assert again.hello == HELLO


def test_samples_of_operations_are_told_only_when_asked_for(measurement: Measurement) -> None:
    assert "operation_seconds" not in measurement.to_json()
    assert np.shape(measurement.to_json(operations=True)["operation_seconds"]) == (2, 3, 2)
