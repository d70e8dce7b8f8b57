"""Every run as a line, with a value for each column."""

from fheasible.trial.table import COLUMNS, rows
from trial.apps import found, run


def test_predictions_stand_beside_measurements() -> None:
    cpu = {"keygen": 1.0, "encrypt": 2.0, "evaluate": 3.0, "decrypt": 4.0, "total": 9.0}
    right = run(
        predicted={"cpu_seconds": cpu, "peak_bytes": 10, "error_band": 0.1},
        measured={
            "cpu_seconds": {k: 2 * v for k, v in cpu.items()},
            "peak_bytes": 20,
            "precision_bits": 15.5,
        },
        settings={"scale_bits": 40, "ring_dimension": 8192},
    )
    refused = run(outcome="refused", message="scale out of bounds", predicted={"cpu_seconds": None})
    first, second = (dict(zip(COLUMNS, row, strict=True)) for row in rows([found(3, right, refused)]))
    assert (first["application"], first["predicted_evaluate_seconds"]) == (3, 3.0)
    assert (first["measured_total_seconds"], first["measured_peak_bytes"]) == (18.0, 20)
    assert (first["predicted_precision_bits"], first["measured_precision_bits"]) == (None, 15.5)
    assert first["settings"] == "scale_bits=40 ring_dimension=8192"
    assert (second["outcome"], second["message"]) == ("refused", "scale out of bounds")
    assert second["measured_total_seconds"] is None
