"""Lattigo's worker as a live library: what it says of parameters, and programs that it runs."""

import json
import subprocess
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from fheasible.aliases import Json
from fheasible.libraries.bootstrapping import BootstrapRequest
from fheasible.libraries.lattigo import bootstrap, rules
from fheasible.libraries.parameters import CkksParameters, CkksRequest
from fheasible.program.serial import to_message
from fheasible.program.types import Action, Operation, Packed, Program, Scheme

WORKER = Path(__file__).resolve().parents[2] / "workers" / "lattigo" / "bin" / "lattigo_worker"
Array = NDArray[np.float64]


def _answers(requests: Sequence[Json], timeout: float = 120) -> list[Json]:
    if not WORKER.exists():
        pytest.skip("Lattigo is not installed")
    done = subprocess.run(
        [WORKER], input="".join(json.dumps(each) + "\n" for each in requests), capture_output=True,
        text=True, timeout=timeout, check=True,
    )  # fmt: skip
    lines = [json.loads(line) for line in done.stdout.splitlines()[1:]]
    return [line for line in lines if line["type"] != "progress"]


def ask(parameters: Sequence[Json]) -> list[Json]:
    """The worker's answers to `describe`."""
    return _answers([{"type": "describe", "id": str(i), "parameters": p} for i, p in enumerate(parameters)])


def literally(request: CkksRequest) -> Json:
    """The worker's parameters where Lattigo itself shall find all primes, from what its user would set."""
    asked, n = request.bootstrap, request.ring_dimension
    assert asked is not None
    assert n is not None
    assert request.prime_bits is not None
    slots = asked.slots or n // 2
    given = {
        name: value for name, value in asdict(asked).items() if name not in ("encode_bits", "decode_bits")
    }
    if asked.encode_bits or asked.encode_levels:
        given["encode_bits"] = bootstrap.encoding(asked, slots).bits
    if asked.decode_bits or asked.decode_levels:
        given["decode_bits"] = bootstrap.decoding(asked, slots).bits
    iterations = asked.iterations or 1
    iterated = {"iterations": iterations, "iteration_bits": asked.iteration_bits or bootstrap.ITERATION_BITS}
    if iterations > 1:
        iterated["reserved_bits"] = sum(bootstrap.reserved(asked, n))
    return {
        "scheme": "ckks", "ring_dimension": n, "log_q": request.prime_bits, "log_p": request.special_bits,
        "log_default_scale": request.scale_bits, "bootstrap": {"asked": given | iterated},
    }  # fmt: skip


def parameters(log_n: int, q: tuple[int, ...], p: tuple[int, ...], scale: int, **own: Any) -> CkksParameters:
    """INSECURE: parameters with these primes and a bootstrap with these settings."""
    made = rules.parameters(request(log_n, q, p, scale, **own))
    assert isinstance(made, CkksParameters)
    return made


def request(log_n: int, q: tuple[int, ...], p: tuple[int, ...], scale: int, **own: Any) -> CkksRequest:
    return CkksRequest(
        "ckks", len(q) - 1, None, prime_bits=q, special_bits=p, scale_bits=scale, ring_dimension=1 << log_n,
        bootstrap=BootstrapRequest(**own),
    )  # fmt: skip


def refreshed(levels: int, slots: int, squares: int = 0, level: int | None = None) -> Program:
    """x^(2^squares) by squarings, bootstrapped as `fresh`, and squared once more as `square`."""
    at = levels if level is None else level
    made = [Operation(Action.ENCRYPT, 0, (), at, source="x")]
    for _ in range(squares):
        made += _square(len(made), at)
        at -= 1
    made.append(Operation(Action.BOOTSTRAP, len(made), (len(made) - 1,), levels))
    fresh = len(made) - 1
    if levels:
        made += _square(len(made), levels)
    outputs = (Packed("fresh", slots, (fresh,)), Packed("square", slots, (len(made) - 1,)))
    return Program(
        Scheme.CKKS, slots, levels, tuple(made), (), (Packed("x", slots, (0,)),), outputs[: 1 + (levels > 0)]
    )


def dropped(levels: int, slots: int, level: int) -> Program:
    """x, dropped to a level and bootstrapped there as `fresh`."""
    made = (
        Operation(Action.ENCRYPT, 0, (), levels, source="x"),
        Operation(Action.DROP, 1, (0,), level),
        Operation(Action.BOOTSTRAP, 2, (1,), levels),
    )
    inputs, outputs = (Packed("x", slots, (0,)),), (Packed("fresh", slots, (2,)),)
    return Program(Scheme.CKKS, slots, levels, made, (), inputs, outputs)


def _square(of: int, level: int) -> list[Operation]:
    """The operations that make x^2 at the level below of the value before them."""
    return [
        Operation(Action.SQUARE, of, (of - 1,), level),
        Operation(Action.RELINEARIZE, of + 1, (of,), level),
        Operation(Action.RESCALE, of + 2, (of + 1,), level - 1),
    ]


def run(
    p: CkksParameters, program: Program, x: Array, folder: Path, threads: int = 1, timeout: float = 120
) -> tuple[Json, dict[str, Array]]:
    """The answer to `run`, and each output's slots."""
    given, results = folder / "in", folder / "out"
    given.mkdir(parents=True)
    results.mkdir()
    np.save(given / "x.npy", x[None])
    message = {
        "type": "run", "id": "1", "parameters": rules.worker_parameters(p),
        "program": to_message(program, given), "inputs": {"x": str(given / "x.npy")}, "folder": str(results),
        "plan": {"repetitions": 1, "warmup": 0, "threads": threads},
    }  # fmt: skip
    (answer,) = _answers([message], timeout)
    return answer, {name: np.load(path)[0] for name, path in answer.get("outputs", {}).items()}


def precision_bits(found: Array, wanted: Array) -> float:
    """-log2 of the mean error of a slot."""
    return float(-np.log2(np.abs(found - wanted).mean()))
