"""Rust code for TFHE-rs, compiled, and run as client and server in two processes."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import fheasible as fh
from fheasible.circuit.trace import App
from fheasible.measurement.registry import command

from .running import Commands, check, emitted, example, run, secrets_are_kept

pytestmark = [
    pytest.mark.worker,
    pytest.mark.long,
    pytest.mark.skipif(not command("tfhe_rs").installed, reason="TFHE-rs is not built: make tfhe"),
]
SMALL = {"message": "4", "carry": "4", "set": "MESSAGE_2_CARRY_2_KS_PBS_TUNIFORM_2M128"}


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """What cargo compiled for the worker, as hard links: TFHE-rs itself takes minutes."""
    folder = tmp_path_factory.mktemp("cargo") / "target"
    shutil.copytree(command("tfhe_rs").folder / "target", folder, copy_function=os.link)
    yield folder
    shutil.rmtree(folder)


def ran(
    app: App | str, folder: Path, target: Path, params: dict[str, str] | None = None, **asked: object
) -> None:
    """The application gives the cleartext results."""
    made = emitted(app, "tfhe-rs", folder, params, **asked)
    build = folder / "Cargo.toml"
    # with libc's usual features, which the worker uses, cargo need not compile TFHE-rs anew
    build.write_text(build.read_text().replace("[dependencies]\n", '[dependencies]\nlibc = "0.2"\n'))
    cargo = ("env", f"CARGO_TARGET_DIR={target}", "cargo", "build", "--release", "--quiet", "--offline")
    binaries = target / "release"
    found = run(folder, Commands((str(binaries / "client"),), (str(binaries / "server"),), (cargo,)))
    if made.candidate["request"].get("fraction") is None:
        check(made, found)
    else:  # reals in fixed point, whose results are rounded
        for name, truth in made.facts.expected.items():
            np.testing.assert_allclose(
                found[name], truth, atol=2.0 ** -(made.candidate["request"]["fraction"] - 4)
            )
    secrets_are_kept(folder)


@fh.app(a=fh.integers(3, low=-9, high=9), b=fh.integers(3, low=0, high=30))
def several(a: fh.Vector, b: fh.Vector) -> dict[str, fh.Vector]:
    return {
        "less": a * 2 - b,
        "the larger": fh.maximum(a, b),
        "sum": fh.sum(a * 3),
        "turned": fh.rotate(a, 1) + 1,
    }


@fh.app(x=fh.integers(2, modulo=16), y=fh.integers(2, modulo=16))
def wraps(x: fh.Vector, y: fh.Vector) -> dict[str, fh.Vector]:
    """Some of the 16 residues of `all of them` are negative, whatever x is."""
    every = fh.concatenate([x[0] + k for k in range(16)])
    return {"product": x * y + 15, "all of them": every}


@fh.app(x=fh.reals(2, low=0, high=1))
def fixed(x: fh.Vector) -> fh.Vector:
    return x + 0.25


@pytest.mark.parametrize("app", [several, wraps], ids=lambda app: app.name)
def test_integers_are_exact(app: App, tmp_path: Path, target: Path) -> None:
    ran(app, tmp_path / "out", target, SMALL)


def test_reals_are_fixed_point(tmp_path: Path, target: Path) -> None:
    ran(fixed, tmp_path / "out", target, SMALL | {"fraction": "6"})


def test_bits_of_several_at_once(tmp_path: Path, target: Path) -> None:
    ran(
        several,
        tmp_path / "out",
        target,
        SMALL | {"set": "MULTI_BIT_GROUP_3_MESSAGE_2_CARRY_2_KS_PBS_GAUSSIAN_2M128"},
    )


def test_an_example_gives_the_oracles_result(tmp_path: Path, target: Path) -> None:
    ran(example(7), tmp_path / "out", target)


@pytest.mark.slow
@pytest.mark.parametrize("number", [11, 12])
def test_further_examples_give_the_oracles_result(number: int, tmp_path: Path, target: Path) -> None:
    ran(example(number), tmp_path / "out", target, threads="2")
