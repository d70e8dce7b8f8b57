"""Fheasible loads and runs on systems without POSIX: measured there, imported here."""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

from fheasible.libraries.catalogue import library
from fheasible.measurement import registry
from fheasible.store.store import Store
from without_posix import MODULES, ROOT

PRETENDER = ROOT / "tests" / "without_posix.py"
APP = """
import fheasible as fh

@fh.app(x=fh.reals(8, low=-1, high=1))
def squares(x):
    return fh.sum(x * x)
"""
ASKING = """
import builtins, os, pathlib, signal
for name in {names}:
    try:
        builtins.__import__(name, {{"__file__": {own!r}}})
    except ImportError as error:
        print(error.name)
print(hasattr(os, "fork"), hasattr(signal, "SIGKILL"))
exec(compile("print(not pathlib.Path('/proc/self').exists())", {own!r}, "exec"))
"""
EVERY_MODULE = """
import importlib, pathlib, sys
from fheasible import system
root = pathlib.Path(sys.argv[1])
names = [".".join(f.relative_to(root).with_suffix("").parts) for f in sorted(root.rglob("*.py"))]
for name in names:
    if not name.endswith("__main__") and ".emission.static." not in name:  # code as it is emitted
        importlib.import_module(name.removesuffix(".__init__"))
print(len(names), system.FORKS, system.ALARMS, system.address_limit(), system.data_bytes())
"""
# fheasible, whose workers in Python are on such a system as well
ALL_OF_IT = """
import sys
from dataclasses import replace
from fheasible.measurement import registry
import fheasible_start

made = registry._COMMANDS["python"]
def pretending(name, workers):
    found = made(name, workers)
    return replace(found, argv=(found.argv[0], *{pretender!r}, found.argv[1]))
registry._COMMANDS["python"] = pretending
sys.exit(fheasible_start.main())
"""


def pretended(folder: Path, code: str, *words: str) -> subprocess.CompletedProcess[str]:
    """A program that runs as if on a system without POSIX."""
    file = folder / "program.py"
    file.write_text(textwrap.dedent(code))
    run = [sys.executable, *pretender(folder), str(file), *words]
    return subprocess.run(run, capture_output=True, text=True, check=False, cwd=folder)


def pretender(folder: Path) -> tuple[str, str]:
    """The arguments of Python before a program's. A worker finds psutil, which it has outside Linux."""
    lent = folder / "lent"
    if not lent.is_dir():
        lent.mkdir()
        (lent / "psutil").symlink_to(Path(psutil.__file__).parent)
    return str(PRETENDER), str(lent)


def test_the_pretence_holds(tmp_path: Path) -> None:
    """A module of ours would not find what such a system lacks: the suite could not fail otherwise."""
    done = pretended(tmp_path, ASKING.format(names=sorted(MODULES), own=str(ROOT / "src" / "x.py")))
    assert done.stdout.split() == [*sorted(MODULES), "False", "False", "True"], done.stderr


@pytest.mark.long
def test_every_module_loads_where_there_is_no_posix(tmp_path: Path) -> None:
    done = pretended(tmp_path, EVERY_MODULE, str(ROOT / "src"))
    assert done.returncode == 0, done.stderr
    count, *told = done.stdout.split()
    assert int(count) > 300
    assert told == ["False", "False", "None", "None"]


def fheasible(folder: Path, *words: str) -> Any:
    done = pretended(folder, ALL_OF_IT.format(pretender=pretender(folder)), *words, "--json")
    assert done.returncode == 0, (done.stderr + done.stdout)[-3000:]
    return json.loads(done.stdout)


@pytest.mark.worker
def test_what_was_measured_without_posix_is_imported_here(tmp_path: Path) -> None:
    if not registry.command("seal").installed:
        pytest.skip("seal is not installed")
    (tmp_path / "squares.py").write_text(APP)
    there, here, file = (str(tmp_path / name) for name in ("there.sqlite", "here.sqlite", "there.jsonl"))
    toy = ("--library", "seal", "--param", "ring_dimension=2048")
    fheasible(tmp_path, "run", "squares.py", *toy, "--param", "security=none", "--counters", "--store", there)
    fheasible(
        tmp_path, "measure", "mul", "rotate", *toy, "--depth", "1", "--security", "none", "--store", there
    )
    fheasible(tmp_path, "export", "--out", file, "--store", there)
    program = str(Path(sys.executable).with_name("fheasible"))
    subprocess.run([program, "import", file, "--store", here], capture_output=True, check=True)
    with Store.open(there, reading=True) as measured, Store.open(here, reading=True) as imported:
        first, same = measured.show(1), imported.show(1)
        assert len(list(measured.lines())) == len(list(imported.lines())) > 1
    assert (same.entry, same.environment) == (first.entry, first.environment)
    assert first.environment["memory_bytes"] > 2**20
    assert first.entry.measurement is not None
    assert first.entry.measurement["peak_bytes"] > 2**20


@pytest.mark.worker
def test_a_worker_without_proc_asks_psutil_for_its_memory(tmp_path: Path) -> None:
    command = registry.command("seal")
    if not command.installed:
        pytest.skip("seal is not installed")
    script = tmp_path / "asking.py"
    script.write_text("from worker import memory; print(memory.resident(), memory.peak())")
    done = subprocess.run(
        [command.argv[0], *pretender(tmp_path), str(script)], capture_output=True, text=True, check=True,
        env=os.environ | {"PYTHONPATH": str(ROOT / "workers" / "python")},
    )  # fmt: skip
    resident, peak = map(int, done.stdout.split())
    assert resident > 2**20
    assert peak > 2**20


def test_the_portable_worker_is_a_build_of_the_native_library() -> None:
    portable = library("node-seal")
    native = library(portable.build_of)
    assert native.build_of == ""
    assert portable.family == native.family == native.name
    assert np.isclose(portable.encoding, native.encoding)
