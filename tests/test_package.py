"""What is published is whole: the wheel, in an environment of its own, does all that a clone does."""

import json
import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import fheasible
from fheasible.measurement.install import python_here
from fheasible.measurement.uv import uv

ROOT = Path(__file__).parents[1]
MOST_MIB = 250  # of an installation without extras
WHERE = "fheasible/_shipped/"
OTHERS = ("benchmarks/peers", "benchmarks/correlated.py", "requirements-uv.lock")
ASTRAY = ("PYTHONPATH", "VIRTUAL_ENV")  # variables that would lead another Python to packages of this one


@dataclass(frozen=True, slots=True)
class Built:
    wheel: Path
    source: Path

    def names(self) -> set[str]:
        with zipfile.ZipFile(self.wheel) as file:
            return set(file.namelist())


def build(folder: Path, into: Path) -> Built:
    """The wheel and the source distribution of a folder."""
    run = [sys.executable, "-m", "hatchling", "build", "-d", str(into)]
    subprocess.run(run, cwd=folder, check=True, capture_output=True)
    (wheel,), (source,) = into.glob("*.whl"), into.glob("*.tar.gz")
    return Built(wheel, source)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return build(ROOT, tmp_path_factory.mktemp("dist"))


def tracked(*folders: str) -> list[str]:
    done = subprocess.run(["git", "ls-files", *folders], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_the_wheel_has_all_code_every_worker_and_every_example_and_nothing_that_was_made(
    built: Built,
) -> None:
    shipped = tracked(
        "workers", "examples", "benchmarks/peers", "benchmarks/correlated.py", "requirements-uv.lock"
    )
    left_out = tuple(tracked("benchmarks/peers/tools"))
    wanted = {WHERE + name for name in shipped if not name.endswith("_test.go") and name not in left_out}
    wanted |= {name.removeprefix("src/") for name in tracked("src")}
    found = {name for name in built.names() if ".dist-info/" not in name and ".data/" not in name}
    new = {name for name in found - wanted if "__pycache__" not in name}
    assert wanted <= found
    assert not [name for name in new if name.startswith(WHERE)]


def test_the_version_is_written_alike_everywhere() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    native = tomllib.loads((ROOT / "native" / "pyproject.toml").read_text())["project"]["version"]
    crate = tomllib.loads((ROOT / "native" / "Cargo.toml").read_text())["package"]["version"]
    assert project == fheasible.__version__
    assert native == crate


def test_the_files_do_not_depend_on_when_they_are_made(built: Built, tmp_path: Path) -> None:
    again = build(ROOT, tmp_path)
    assert again.wheel.read_bytes() == built.wheel.read_bytes()
    assert again.source.read_bytes() == built.source.read_bytes()


def test_the_wheel_has_the_manual_page(built: Built) -> None:
    assert [name for name in built.names() if name.endswith("/share/man/man1/fheasible.1")]


def test_the_source_distribution_gives_the_same_wheel(built: Built, tmp_path: Path) -> None:
    with tarfile.open(built.source) as file:
        file.extractall(tmp_path, filter="data")
    (folder,) = tmp_path.iterdir()
    again = build(folder, tmp_path / "dist")
    with zipfile.ZipFile(again.wheel) as second, zipfile.ZipFile(built.wheel) as first:
        assert second.namelist() == first.namelist()
        assert [n for n in first.namelist() if first.read(n) != second.read(n)] == []


def test_the_source_distribution_has_tests_and_documents(built: Built) -> None:
    with tarfile.open(built.source) as file:
        tops = {name.split("/")[1] for name in file.getnames()}
    assert {"tests", "docs", "native", "Makefile", "requirements.lock", "NOTICE", "LICENSE"} <= tops


@dataclass(frozen=True, slots=True)
class Installed:
    """An environment with Fheasible, outside the clone, with folders of its own."""

    folder: Path

    def call(self, *words: str) -> subprocess.CompletedProcess[str]:
        kept = {
            name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")
        }
        own = {"XDG_DATA_HOME": str(self.folder / "data"), "XDG_CONFIG_HOME": str(self.folder / "config")}
        run = [str(self.folder / "env" / "bin" / "fheasible"), *words]
        return subprocess.run(
            run, cwd=self.folder, env=kept | own, capture_output=True, text=True, check=False
        )

    def json(self, *words: str) -> Any:
        done = self.call(*words, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    @property
    def packages(self) -> Path:
        (found,) = (self.folder / "env" / "lib").glob("python*/site-packages")
        return found

    def example(self, name: str) -> str:
        return str(self.packages / "fheasible" / "_shipped" / "examples" / name)


def install(package: Path, version: tuple[int, int], folder: Path) -> Installed:
    """The package with nothing but what it asks for. It skips the test where there is no such Python."""
    python = python_here(version)
    if python is None:
        pytest.skip("CPython {}.{} is not here".format(*version))
    maker, env = str(uv(print)), str(folder / "env")
    _run([maker, "venv", "--quiet", "--python", str(python), env])
    _run([maker, "pip", "install", "--quiet", "--python", f"{env}/bin/python", str(package)])
    return Installed(folder)


def _run(words: Sequence[str]) -> None:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def installed(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return install(built.wheel, (3, 12), tmp_path_factory.mktemp("installed"))


@pytest.mark.long
def test_without_extras_it_is_small(installed: Installed) -> None:
    """Without the bytecode that Python makes of it."""
    files = [f for f in installed.packages.rglob("*") if f.is_file() and f.suffix != ".pyc"]
    assert sum(f.stat().st_size for f in files) < MOST_MIB * 2**20
    names = {folder.name for folder in installed.packages.iterdir()}
    assert not names & {"pyarrow", "altair", "sklearn", "vl_convert", "matplotlib", "pandas"}


@pytest.mark.long
def test_nothing_has_to_be_installed_for_what_executes_nothing(installed: Installed) -> None:
    found = installed.json("explore", installed.example("1_sum_of_products.py"), "--library", "seal")
    assert found["feasible"] > 0
    assert not any(lib["installed"] for lib in found["libraries"])
    assert installed.json("security", "--n", "16384", "--log-q", "438")
    assert installed.json("params", "seal", "ckks", "--depth", "3")["library"] == "seal"
    assert installed.json(
        "count", "fv", "multiply", "--n", "4096", "--log-q", "300", "--log-w", "2", "--t", "2"
    )
    app = installed.example("2_std_dev.py")
    swept = ("sweep", app, "--library", "seal", "--vary", "scale_bits=30:40:5", "--predict-only")
    assert len(installed.json(*swept)["sets"]) == 3
    assert installed.call("new", "app.py").returncode == 0
    assert installed.json("explore", "app.py", "--library", "lattigo")["feasible"] > 0


IN_PYTHON = """
import fheasible as fh
answer = fh.explore("examples.py", libraries="seal")
print(answer.best.library, answer.feasible > 0, "<table" in answer._repr_html_())
try:
    answer.to_arrow()
except Exception as error:
    print(type(error).__name__)
"""


@pytest.mark.long
def test_python_explores_without_extras(installed: Installed) -> None:
    shutil.copy(installed.example("1_sum_of_products.py"), installed.folder / "examples.py")
    run = [str(installed.folder / "env" / "bin" / "python"), "-c", IN_PYTHON]
    done = subprocess.run(run, cwd=installed.folder, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["seal", "True", "True", "ExtraMissing"], done.stderr


@pytest.mark.long
@pytest.mark.parametrize(
    ("words", "said", "extra"),
    [
        (
            ("report", "--out", "page.html"),
            "pages and figures need altair, jinja2 and vl-convert-python",
            "report",
        ),
        (("security", "--n", "4096", "--sweep"), "pages and figures need altair", "report"),
        (("explore", "APP", "--csv", "sets.csv"), "tables of all sets need pyarrow", "arrow"),
        (("export", "--out", "results.parquet"), "Parquet files need pyarrow", "arrow"),
    ],
    ids=["report", "sweep", "csv", "parquet"],
)
def test_what_an_extra_is_needed_for_is_told_with_the_remedy(
    installed: Installed, words: Sequence[str], said: str, extra: str
) -> None:
    app = installed.example("1_sum_of_products.py")
    installed.call("explore", app, "--library", "seal")
    done = installed.call(*(app if word == "APP" else word for word in words))
    assert done.returncode == 1
    assert said in done.stderr
    assert f"remedy: install the extra {extra}: pip install" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.long
def test_running_names_what_to_install(installed: Installed) -> None:
    done = installed.call("run", installed.example("1_sum_of_products.py"), "--library", "seal")
    assert done.returncode == 1
    assert "fheasible libraries install seal" in done.stderr


def demonstrated(there: Installed) -> None:
    """demo ends with a verified result, of workers that it has installed into the user's data."""
    done = there.call("demo")
    assert done.returncode == 0, done.stderr[-2000:]
    assert "$ fheasible verify" in done.stdout
    assert "the decrypted result is right" in done.stdout
    assert (there.folder / "data" / "fheasible" / "workers" / "seal" / ".venv").is_dir()
    assert (there.folder / "data" / "fheasible" / "results.sqlite").is_file()


@pytest.mark.worker
@pytest.mark.long
def test_demo_runs_outside_the_clone(installed: Installed) -> None:
    demonstrated(installed)


@pytest.mark.slow
@pytest.mark.parametrize("version", [(3, 11), (3, 13)], ids=["3.11", "3.13"])
@pytest.mark.parametrize("kind", ["wheel", "source"])
def test_demo_runs_with_each_python(
    built: Built, version: tuple[int, int], kind: str, tmp_path: Path
) -> None:
    there = install(built.wheel if kind == "wheel" else built.source, version, tmp_path)
    demonstrated(there)
