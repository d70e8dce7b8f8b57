"""Models on the command line, and in Python."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fheasible as fh
from fheasible.cli.main import main

from .test_blif import ADDER, written


@pytest.fixture
def network(tmp_path: Path) -> list[str]:
    """The words that name a network with its samples, and a store."""
    pytest.importorskip("onnx")
    from . import networks

    np.save(tmp_path / "calib.npy", networks.samples([8]))
    file = networks.perceptron(tmp_path)
    return [str(file), "--data", str(tmp_path / "calib.npy"), "--store", str(tmp_path / "results.sqlite")]


def test_a_network_is_explored_reported_and_emitted(
    network: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explore", *network, "--precision", "10", "--library", "seal", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["app"] == "network"
    assert found["data"].startswith("sample 1 of 6 in ")
    words = ["--to", "seal-python", "--precision", "10", "--out", str(tmp_path / "code")]
    assert main(["emit", *network, *words]) == 0
    code = (tmp_path / "code" / "server" / "evaluate.py").read_text()
    assert "# network.onnx: gemm_h (Gemm)" in code
    assert "--data" in (tmp_path / "code" / "README.md").read_text()


def test_a_network_is_swept(network: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--library", "seal", "--scheme", "ckks", "--vary", "scale_bits=30,35", "--json"]
    assert main(["sweep", *network, *words]) == 0
    assert json.loads(capsys.readouterr().out)["count"] == 2


def test_samples_are_refused_where_nothing_takes_them(
    network: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["sweep", "fv", *network[1:], "--vary", "log_q=100:120:10", "--fix", "n=4096"]) == 2
    assert "sweeps of ring schemes have no --data" in capsys.readouterr().err
    assert main(["sweep", *network, "--library", "seal", "--cluster", "tcp://a:1", "--execute"]) == 2
    assert "--data stays on this machine" in capsys.readouterr().err


def test_a_network_without_samples_is_told_what_it_needs(
    network: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explore", network[0], *network[3:]]) != 0
    said = capsys.readouterr().err
    assert "have no declared ranges" in said
    assert "--data calib.npy" in said


def test_a_circuit_of_bits_is_explored_in_python(tmp_path: Path) -> None:
    answer: Any = fh.explore(
        str(written(tmp_path, ADDER)), libraries="tfhe_rs", store=tmp_path / "results.sqlite"
    )
    assert answer.exploration.problem.circuit.name == "adder"
    assert answer.best is not None
    assert answer.best.encoded.lookups == 2
