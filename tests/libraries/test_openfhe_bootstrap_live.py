"""Our rules for OpenFHE's bootstrapping against the live library, and programs that its worker bootstraps."""

import json
import os
import random
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fheasible.errors import FheasibleError, WorkerRefused
from fheasible.estimation.memory import needs, physical, resident_set
from fheasible.estimation.sizes import rotation_key_count, sizes
from fheasible.libraries.bootstrapping import BootstrapRequest
from fheasible.libraries.catalogue import library
from fheasible.libraries.openfhe import bootstrap, rules
from fheasible.libraries.openfhe import sizes as written
from fheasible.libraries.openfhe.refresh import LEAST_LEVEL, method
from fheasible.libraries.parameters import CkksParameters, CkksRequest, Parameters
from fheasible.measurement.execute import RunPlan, execute_on
from fheasible.measurement.records import Measurement
from fheasible.measurement.worker import Worker
from fheasible.noise.ckks.precision import precision
from fheasible.noise.reach.gains import gains
from fheasible.program.types import Action, Operation, Packed, Program, Scheme
from fheasible.schemes.rns.bootstrap.factors import rotations

from .asking_openfhe import PYTHON, differences, needs_openfhe

pytestmark = [pytest.mark.worker, needs_openfhe]
SCRIPT = Path(__file__).with_name("live_openfhe_bootstrap.py")
Answer = dict[str, Any]


def ask(requests: list[CkksRequest]) -> list[Answer]:
    asked = json.dumps([rules.worker_parameters(request) for request in requests])
    done = subprocess.run(
        [PYTHON, SCRIPT],
        input=asked,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr[-2000:]
    answers: list[Answer] = json.loads(done.stdout)
    return answers


def some_requests(count: int, seed: int) -> list[CkksRequest]:
    """Random feasible requests for small insecure rings, every secret and technique among them."""
    dice, found = random.Random(seed), []
    while len(found) < count:
        request = _some(dice, len(found))
        try:
            rules.parameters(request)
        except FheasibleError:
            continue
        found.append(request)
    return found


def _some(dice: random.Random, number: int) -> CkksRequest:
    n = dice.choice([256, 512, 512, 1024, 2048])
    slots = dice.choice([1 << k for k in range(n.bit_length() - 1)] if n < 2048 else [1, 8, 64])
    most, scale = bootstrap.stages(slots), dice.choice([40, 45, 50, 55, 59])
    encode, decode = (dice.randint(1 if slots < 256 else 2, min(most, 5)) for _ in range(2))
    iterations = dice.choice([1, 1, 2])
    return CkksRequest(
        "ckks",
        dice.randint(1, 4),
        None,
        ring_dimension=n,
        technique=rules.TECHNIQUES[number % 4],
        secret=[*bootstrap.SECRETS][number % 3],
        scale_bits=scale,
        first_bits=min(60, scale + dice.choice([0, 1, 4, 6, 8])),
        digits=dice.choice([None, None, 2, 4]),
        bootstrap=BootstrapRequest(
            slots, encode, decode, iterations, 8 * (iterations - 1) or None, dice.choice([None, None, 9, 12])
        ),
    )


def parts(request: CkksRequest, theirs: Answer) -> list[str]:
    """Where our rules and the live library's bootstrap part."""
    p = made(request)
    assert p.bootstrap is not None
    own, none = p.bootstrap.procedure, frozenset[int]()
    others = [-4, -2, -1] if own.ephemeral else [-1]
    pairs = {
        "rotations": (sorted(rotations(own, p.ring_dimension, method(own))), theirs["rotations"]),
        "others": (others, theirs["others"]),
        "correction factor": (own.message_bits, theirs["correction"]),
        "level": (p.levels, theirs["level"]),
        "bytes": (written.bootstrap_keys(p, none, True), theirs["alone"]),
        "all bytes": (written.bootstrap_keys(p, none, True), theirs["all_keys"]),
        "keys": (written.bootstrap_key_count(p, none), len(theirs["rotations"]) + len(theirs["others"])),
    }
    different = [f"{what}: {ours}, live {live}" for what, (ours, live) in pairs.items() if ours != live]
    return [f"{request}: {line}" for line in different] + differences(request, theirs)


def made(request: CkksRequest) -> CkksParameters:
    p = rules.parameters(request)
    assert p.scheme == "ckks"
    return p


def agree(requests: list[CkksRequest]) -> list[str]:
    answers = zip(requests, ask(requests), strict=True)
    return [line for request, theirs in answers for line in parts(request, theirs)]


def test_primes_levels_rotations_and_bytes_of_keys_equal_the_live_librarys() -> None:
    assert agree(some_requests(12, seed=17)) == []


@pytest.mark.slow
def test_many_sets_equal_the_live_librarys() -> None:
    assert agree(some_requests(150, seed=1717)) == []


@pytest.mark.slow
@pytest.mark.parametrize(("n", "slots"), [(1 << 14, None), (1 << 15, 256)])
def test_larger_rings_equal_the_live_librarys(n: int, slots: int | None) -> None:
    large = CkksRequest(
        "ckks",
        2,
        None,
        ring_dimension=n,
        secret="sparse_ternary",
        technique="flexibleauto",
        scale_bits=55,
    )
    budget = BootstrapRequest(slots, encode_levels=4, decode_levels=4)
    assert agree([replace(large, bootstrap=budget)]) == []


def refreshed_square(p: CkksParameters) -> Program:
    """The square of a bootstrapped value, rotated by one slot; the input is at the lowest level possible."""
    assert p.bootstrap is not None
    slots, levels, below = p.bootstrap.procedure.slots, p.levels, p.levels - 1
    operations = (
        Operation(Action.ENCRYPT, 0, level=LEAST_LEVEL, source="x"),
        Operation(Action.BOOTSTRAP, 1, (0,), levels, frees=(0,)),
        Operation(Action.SQUARE, 2, (1,), levels, frees=(1,)),
        Operation(Action.RELINEARIZE, 3, (2,), levels, frees=(2,)),
        Operation(Action.RESCALE, 4, (3,), below, frees=(3,)),
        Operation(Action.ROTATE, 5, (4,), below, steps=1, frees=(4,)),
    )
    packed = Packed("x", slots, (0,)), Packed("result", slots, (5,))
    automatic = p.technique != "fixedmanual"
    return Program(Scheme.CKKS, slots, levels, operations, (), packed[:1], packed[1:], automatic)


def ran(worker: Worker, p: CkksParameters, values: Any) -> Measurement:
    return tried(worker, p, refreshed_square(p), values)


def tried(worker: Worker, p: Parameters, program: Program, values: Any) -> Measurement:
    told = library("openfhe").worker_parameters(p)
    return execute_on(worker, program, told, {"x": values}, RunPlan(repetitions=1, warmup=0))


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    with Worker("openfhe") as running:
        yield running


CASES = [
    (technique, secret, *((16, 1), (16, 2), (256, 1))[(i + j) % 3])
    for i, technique in enumerate(rules.TECHNIQUES)
    for j, secret in enumerate(bootstrap.SECRETS)
]


@pytest.mark.parametrize(("technique", "secret", "slots", "iterations"), CASES)
def test_a_program_goes_on_with_a_bootstrapped_value(
    worker: Worker, technique: str, secret: str, slots: int, iterations: int
) -> None:
    own = BootstrapRequest(slots, 2, 2, iterations, 8 * (iterations - 1) or None)
    request = CkksRequest(
        "ckks", 2, None, ring_dimension=512, technique=technique, secret=secret, bootstrap=own
    )
    p = made(replace(request, scale_bits=55))
    values, program = np.random.default_rng(slots).uniform(-1, 1, slots), refreshed_square(p)
    truth = {"result": np.roll(values**2, -1)}
    found = ran(worker, p, values)
    error = np.abs(found.outputs["result"] - truth["result"]).max()
    assert error < precision(program, p, gains(program, {"x": values}), truth).assured_absolute
    assert found.context.q == p.q
    assert found.context.p == p.p
    assert found.context.scales == p.scales
    predicted, told = sizes(program, p), found.sizes
    assert told.evaluation_key_bytes == predicted.evaluation_key_bytes
    assert told.rotation_key_count == rotation_key_count(program, p)
    assert (told.public_key_bytes, told.secret_key_bytes) == (
        predicted.public_key_bytes,
        predicted.secret_key_bytes,
    )
    assert told.ciphertext_bytes == predicted.ciphertext_bytes


def test_what_cannot_be_bootstrapped_is_refused_and_the_worker_lives(worker: Worker) -> None:
    own = BootstrapRequest(16, 2, 2)
    p = made(CkksRequest("ckks", 2, None, ring_dimension=512, bootstrap=own))
    program, values = refreshed_square(p), np.ones(16)
    low = replace(program, operations=(replace(program.operations[0], level=0), *program.operations[1:]))
    short = replace(program, levels=1)
    for wrong, words in ((low, "level 0"), (short, "the program has 1 levels")):
        with pytest.raises(WorkerRefused, match=words):
            tried(worker, p, wrong, values)
    other = made(replace(p.request, bootstrap=replace(own, slots=32)))  # type: ignore[type-var]
    with pytest.raises(WorkerRefused, match="a bootstrap of 32 slots in a program of 16"):
        tried(worker, other, program, values)
    bare = rules.parameters(replace(p.request, bootstrap=None, depth=20))  # type: ignore[type-var]
    with pytest.raises(WorkerRefused, match="the parameters have no bootstrap"):
        tried(worker, bare, program, values)
    assert ran(worker, p, values).outputs["result"][0] == pytest.approx(np.ones(16), abs=0.1)


SMALL = [(1 << 12, 16, "sparse_ternary", "fixedauto", 2, 2)]
LARGE = [
    (1 << 12, 2048, "uniform_ternary", "flexibleauto", 4, 2),
    (1 << 13, 256, "sparse_encapsulated", "flexibleautoext", 3, 2),
    (1 << 13, 256, "sparse_ternary", "fixedmanual", 1, 1),
    (1 << 14, 8192, "sparse_ternary", "fixedauto", 4, 4),
]


@pytest.mark.parametrize(
    ("n", "slots", "secret", "technique", "encode", "decode"),
    [*SMALL, *(pytest.param(*case, marks=pytest.mark.slow) for case in LARGE)],
)
def test_the_resident_set_is_predicted_within_a_tenth(
    n: int, slots: int, secret: str, technique: str, encode: int, decode: int
) -> None:
    """Of a worker's first run, after each phase and at the peak."""
    p = made(
        CkksRequest(
            "ckks",
            2,
            None,
            ring_dimension=n,
            secret=secret,
            technique=technique,
            scale_bits=55,
            bootstrap=BootstrapRequest(slots, encode, decode),
        )
    )
    predicted = resident_set(physical("openfhe"), needs(refreshed_square(p), p))
    with Worker("openfhe") as fresh:
        found = ran(fresh, p, np.linspace(-1, 1, slots)).memory
    for name in ("context_bytes", "keys_bytes", "peak_bytes"):
        assert getattr(predicted, name) == pytest.approx(getattr(found, name), rel=0.1), name


def test_a_single_bootstrap_is_timed_from_every_level_that_it_takes(worker: Worker, tmp_path: Path) -> None:
    p = made(CkksRequest("ckks", 2, None, ring_dimension=512, bootstrap=BootstrapRequest(16, 2, 2)))
    vectors = {name: np.linspace(-1, 1, 16) for name in ("x", "y")}
    for name, vector in vectors.items():
        np.save(tmp_path / f"{name}.npy", vector)
    (tmp_path / "out").mkdir()
    reply = worker.measure(
        {
            "parameters": library("openfhe").worker_parameters(p),
            "slots": 16,
            "automatic": True,
            "items": [{"operation": "bootstrap", "level": level} for level in (0, 1, 2)],
            "inputs": {name: str(tmp_path / f"{name}.npy") for name in vectors},
            "scalar": 0.5,
            "folder": str(tmp_path / "out"),
            "plan": {"repetitions": 2, "warmup": 0, "threads": 1},
        }
    )
    low, *others = reply["items"]
    assert "level 0" in low["refused"]
    for item in others:
        assert item["refused"] is None
        assert len(item["seconds"]) == 2
        assert np.load(item["values"]) == pytest.approx(vectors["x"], abs=0.02)
    assert reply["sizes"]["bootstrap_keys"] == written.bootstrap_keys(p, frozenset(), True)
