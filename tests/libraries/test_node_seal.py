"""SEAL as WebAssembly goes by the rules of the native SEAL, and its worker runs with what they make."""

import json
from dataclasses import replace

import numpy as np
import pytest

from fheasible.api.asking import libraries_of
from fheasible.errors import InfeasibleParameters, LibraryMissing
from fheasible.libraries.catalogue import CATALOGUE, library
from fheasible.libraries.layout import Task
from fheasible.libraries.parameters import Parameters, request_for
from fheasible.libraries.work import cell_of, counts, layout_of
from fheasible.measurement.registry import command
from fheasible.measurement.worker import Worker

NATIVE, PORTABLE = library("seal"), library("node-seal")
SETS = [
    request_for("ckks", 3, 128, scale_bits=40),
    request_for("ckks", 2, 192, scale_bits=30, ring_dimension=16384),
    request_for("bgv", 2, 128, plain_modulus=786_433),
    request_for("bfv", 2, 128, plain_modulus=786_433),
]


def both(index: int) -> tuple[Parameters, Parameters]:
    return NATIVE.parameters(SETS[index]), PORTABLE.parameters(SETS[index])


def test_it_is_meant_only_where_it_is_named() -> None:
    assert PORTABLE.name not in CATALOGUE
    assert [lib.name for lib in libraries_of(None)] == list(CATALOGUE)
    assert libraries_of("node-seal") == [PORTABLE]
    assert [lib.name for lib in libraries_of(("node-seal", "seal"), "bfv")] == ["node-seal", "seal"]


@pytest.mark.parametrize("index", range(len(SETS)))
def test_parameters_and_counts_are_those_of_the_native_library(index: int) -> None:
    native, portable = both(index)
    assert portable == replace(native, library="node-seal")
    assert PORTABLE.worker_parameters(portable) == NATIVE.worker_parameters(native)
    for action in ("mul", "relinearize", "rotate", "encrypt"):
        task = Task(action, native.limbs - 1)
        assert counts(layout_of(portable), task) == counts(layout_of(native), task)
        assert cell_of(layout_of(portable), task)._replace(library="seal") == cell_of(layout_of(native), task)


def test_what_the_native_library_refuses_is_refused() -> None:
    request = request_for("ckks", 40, 128, scale_bits=50)
    for found in (NATIVE, PORTABLE):
        with pytest.raises(InfeasibleParameters):
            found.parameters(request)


@pytest.mark.worker
@pytest.mark.parametrize("index", range(len(SETS)))
def test_both_workers_make_the_same_context_of_secure_parameters(index: int) -> None:
    """The limits on log QP that SEAL 4.1 enforces are those of 4.4."""
    found = []
    for p in both(index):
        try:
            with Worker(p.library) as worker:
                found.append(worker.describe(library(p.library).worker_parameters(p), timeout=60))
        except LibraryMissing as missing:
            pytest.skip(missing.message)
    assert found[0] == found[1]


@pytest.mark.worker
def test_its_hello_says_which_seal_it_is_and_what_its_clock_counts() -> None:
    if not command("node-seal").installed:
        pytest.skip("node-seal is not installed")
    with Worker("node-seal") as worker:
        build = worker.hello.build
    assert build["serialization"] == "4.1"
    assert build["target"] == "WebAssembly"
    assert build["cpu_clock"] in ("process", "thread")


def test_its_lock_has_hashes_and_no_addresses() -> None:
    packages = json.loads(command("node-seal").lock.read_text())["packages"]
    assert packages.pop("")["dependencies"] == {"node-seal": PORTABLE.version}
    assert list(packages) == ["node_modules/node-seal"]
    (only,) = packages.values()
    assert only["version"] == PORTABLE.version
    assert only["integrity"].startswith("sha512-")
    assert "resolved" not in only
    assert np.isfinite(PORTABLE.bare.baseline_bytes)
