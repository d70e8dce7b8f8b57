"""C++ code for SEAL, compiled and run as client and server in two processes, and for OpenFHE, whose calls are
compared with those that its wheel has."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from fheasible.circuit.trace import App
from fheasible.measurement.registry import command

from . import applications
from .running import Commands, check, emitted, example, run, secrets_are_kept

CMAKE = shutil.which("cmake")
pytestmark = pytest.mark.skipif(CMAKE is None, reason="there is no CMake on the PATH")
CRATE = "sealy"  # on crates.io: it ships SEAL's sources
OPTIONS = ("DEPS", "USE_MSGSL", "USE_ZLIB", "USE_ZSTD", "USE_INTEL_HEXL")


@pytest.fixture(scope="module")
def seal(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Where CMake finds SEAL: where it is installed, or else as it was built from the sources in a crate."""
    folder = tmp_path_factory.mktemp("seal")
    (folder / "CMakeLists.txt").write_text("project(p LANGUAGES CXX)\nfind_package(SEAL REQUIRED)\n")
    if _done("cmake", "-S", str(folder), "-B", str(folder / "found")):
        return os.environ.get("CMAKE_PREFIX_PATH", "")
    sources = _sources(folder)
    off = [f"-DSEAL_{'BUILD_' if name == 'DEPS' else ''}{name}=OFF" for name in OPTIONS]
    installed = folder / "installed"
    built = (
        _done("cmake", "-S", str(sources), "-B", str(folder / "build"), "-DCMAKE_BUILD_TYPE=Release", *off,
              f"-DCMAKE_INSTALL_PREFIX={installed}")
        and _done("cmake", "--build", str(folder / "build"), "--parallel", "2")
        and _done("cmake", "--install", str(folder / "build"))
    )  # fmt: skip
    if not built:
        pytest.skip("SEAL's C++ library is neither installed, nor can it be built")
    return str(installed)


def _sources(folder: Path) -> Path:
    """SEAL's sources, which cargo fetches."""
    (folder / "src").mkdir()
    (folder / "src" / "lib.rs").write_text("")
    manifest = f'[package]\nname = "sources"\nversion = "0.1.0"\n[dependencies]\n{CRATE} = "=0.2.0"\n'
    (folder / "Cargo.toml").write_text(manifest)
    home = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))
    fetched = shutil.which("cargo") and _done("cargo", "fetch", "--manifest-path", str(folder / "Cargo.toml"))
    found = list((home / "registry" / "src").glob(f"*/{CRATE}-0.2.0/SEAL")) if fetched else []
    if not found:
        pytest.skip("SEAL's C++ library is not installed, and its sources cannot be had")
    return found[0]


def _done(*words: str) -> bool:
    return subprocess.run(words, capture_output=True, timeout=3000).returncode == 0


def ran(
    app: App | str, folder: Path, seal: str, params: dict[str, str] | None = None, **asked: object
) -> None:
    """The application gives the cleartext results."""
    made = emitted(app, "seal-cpp", folder, params, **asked)
    configure = ("cmake", "-S", ".", "-B", "build", f"-DCMAKE_PREFIX_PATH={seal}")
    found = run(
        folder, Commands(("build/client",), ("build/server",), (configure, ("cmake", "--build", "build")))
    )
    check(made, found)
    secrets_are_kept(folder)


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
def test_integers_are_exact(scheme: str, tmp_path: Path, seal: str) -> None:
    ran(applications.several, tmp_path / "out", seal, scheme=scheme)


@pytest.mark.slow
def test_both_rows_of_a_full_ciphertext_are_summed(tmp_path: Path, seal: str) -> None:
    ran(applications.both_rows, tmp_path / "out", seal, applications.TWO_ROWS, scheme="bfv")


@pytest.mark.slow
@pytest.mark.parametrize("layout", applications.LAYOUTS)
def test_joined_inputs_are_read_column_by_column(layout: str, tmp_path: Path, seal: str) -> None:
    ran(applications.of_columns, tmp_path / "out", seal, {"layout": layout}, precision=15)
    assert applications.joins(tmp_path / "out")


@pytest.mark.slow
def test_constants_keep_full_precision(tmp_path: Path, seal: str) -> None:
    ran(applications.constants, tmp_path / "out", seal, precision=30)
    text = (tmp_path / "out" / "server" / "evaluate.cpp").read_text()
    literals = {float(number) for number in re.findall(r"_real\(\w+, ([-+.e\d]+), \d+\)", text)}
    vectors = np.fromfile(tmp_path / "out" / "server" / "constants.bin", "<f8")
    assert applications.TINY in literals | set(vectors.tolist())
    assert all(w * applications.TINY in vectors for w in applications.WEIGHTS)


@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 2, 3, 4, 5, 6])
def test_every_example_gives_the_oracles_result(number: int, tmp_path: Path, seal: str) -> None:
    ran(example(number), tmp_path / "out", seal)


CALLS = re.compile(
    r"\b(?:context|context_|own|ContextImpl|wanted|x|plain|made|ciphertext)(?:->|::|\.)([A-Z]\w+)\("
)
KNOWN = """
import openfhe
kinds = (openfhe.CryptoContext, openfhe.Ciphertext, openfhe.Plaintext, openfhe.CCParamsCKKSRNS)
print(*{name for kind in kinds for name in dir(kind)})
"""
OTHERWISE = {"GetRealPackedValue": "GetRealPackedValueArray"}  # C++'s vector is numpy's array there


@pytest.mark.worker
@pytest.mark.parametrize(
    ("app", "scheme", "technique"),
    [
        (applications.constants, "ckks", "fixedmanual"),
        (applications.constants, "ckks", "flexibleauto"),
        (applications.several, "bgv", "fixedmanual"),
        (applications.several, "bfv", "none"),
    ],
)
def test_openfhe_has_every_call_of_the_code_in_cpp(
    app: App, scheme: str, technique: str, tmp_path: Path
) -> None:
    pinned = {"ring_dimension": "4096", "security": "none", "technique": technique}
    made = emitted(app, "openfhe-cpp", tmp_path / "out", pinned, scheme=scheme)
    code = [path.read_text() for path in (tmp_path / "out").rglob("*") if path.suffix in (".h", ".cpp")]
    called = {name for text in code for name in CALLS.findall(text)}
    assert len(called) > 30
    python = command("openfhe").argv[0]
    known = subprocess.run([python, "-c", KNOWN], capture_output=True, text=True, check=True).stdout.split()
    assert {OTHERWISE.get(name, name) for name in called} <= set(known)
    assert "has not been run" in (tmp_path / "out" / "README.md").read_text()
    assert made.document["target"] == "openfhe-cpp"
