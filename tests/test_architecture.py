"""Imports go one way: the order of the packages is the architecture."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "fheasible"
ORDER = (
    "circuit", "models", "program", "rings", "schemes", "security", "libraries", "noise", "lowering",
    "emission", "estimation", "store", "measurement", "calibration", "exploration", "auditing", "accuracy",
    "comparison", "reports", "studies", "api", "trial", "web", "cli",
)  # fmt: skip
EVERYWHERE = {"aliases", "errors", "extras", "heap", "system", "units"}
FIRST = "errors"  # what everybody imports may import this
FRONT = "circuit"  # what `import fheasible` itself imports, and all that it does
LATER = "api"  # what it imports once it is asked for
FILES = sorted(SOURCE.rglob("*.py"))


def package_of(file: Path) -> str:
    """'circuit' for circuit/node.py; 'errors' for errors.py."""
    first = file.relative_to(SOURCE).parts[0]
    return first.removesuffix(".py")


def imported(file: Path, source: str) -> Iterator[str]:
    """The packages of fheasible that a file imports, wherever in it, by absolute or relative names."""
    depth = len(file.relative_to(SOURCE).parts)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = _from(node, file, depth)
        else:
            continue
        for name in names:
            root, _, rest = name.partition(".")
            if root == "fheasible":
                first = rest.split(".")[0]
                yield first if first in {*ORDER, *EVERYWHERE} else FRONT


def _from(node: ast.ImportFrom, file: Path, depth: int) -> list[str]:
    if node.level == 0:
        base = node.module or ""
    else:
        parents = ("fheasible", *file.relative_to(SOURCE).parts[:-1])
        kept = parents[: len(parents) - node.level + 1]
        base = ".".join([*kept, *([node.module] if node.module else [])])
    if base == "fheasible":  # what is named may be a package
        return [f"fheasible.{alias.name}" for alias in node.names]
    return [base]


def allowed(package: str) -> set[str]:
    return {*ORDER[: ORDER.index(package) + 1], *EVERYWHERE}


def test_the_order_names_every_package_and_no_other() -> None:
    packages = {f.parent.name for f in SOURCE.glob("*/__init__.py")}
    modules = {f.stem for f in SOURCE.glob("*.py")} - {"__init__", "__main__"}
    assert packages == set(ORDER)
    assert modules == EVERYWHERE


@pytest.mark.parametrize("package", ORDER)
def test_a_package_imports_only_from_those_before_it(package: str) -> None:
    backwards = {
        f"{file.relative_to(SOURCE)} imports {name}"
        for file in FILES
        if package_of(file) == package
        for name in imported(file, file.read_text())
        if name not in allowed(package)
    }
    assert backwards == set()


WITHIN = {
    "noise": ("", "integers", "reach", "ckks", "tfhe"),
    "exploration": (
        "",
        "problem",
        "space",
        "judging",
        "search",
        "reasons",
        "proof",
        "lookups",
        "rings",
        "sweeps",
    ),
}
"""The folders within a package, in the order in which they may import each other."""


@pytest.mark.parametrize("package", WITHIN)
def test_folders_within_a_package_import_only_those_before(package: str) -> None:
    order = WITHIN[package]
    below = SOURCE / package
    assert {"", *(f.parent.name for f in below.glob("*/__init__.py"))} == {"", *order}
    backwards = set()
    for file in below.rglob("*.py"):
        own = "" if file.parent == below else file.parent.name
        for found in re.findall(rf"from fheasible\.{package}\.(\w+)(\.\w+)? import", file.read_text()):
            other = found[0] if found[1] else ""
            if other not in order or order.index(other) > order.index(own):
                backwards.add(f"{file.relative_to(SOURCE)} imports {other}")
    assert backwards == set()


@pytest.mark.parametrize("verb", ["explore", "verify", "run", "report", "sweep"])
def test_a_verb_of_every_platform_knows_no_platform(verb: str) -> None:
    """What it needs of schemes, libraries and searches it has from `api/platform.py`."""
    file = SOURCE / "cli" / f"{verb}.py"
    known = set(imported(file, file.read_text()))
    assert "api" in known
    assert known <= {"circuit", "models", "store", "reports", "api", "cli", *EVERYWHERE}


def modules() -> dict[str, set[str]]:
    """The modules of fheasible that each module imports, wherever in it."""
    names = {
        ".".join(("fheasible", *f.relative_to(SOURCE).with_suffix("").parts)).removesuffix(".__init__"): f
        for f in FILES
    }
    found: dict[str, set[str]] = {}
    for name, file in names.items():
        given: set[str] = set()
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module:
                given |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
            elif isinstance(node, ast.Import):
                given |= {alias.name for alias in node.names}
        found[name] = (given & names.keys()) - {name, "fheasible"}
    return found


def test_no_module_imports_itself_by_way_of_others() -> None:
    left = modules()
    while free := [name for name, needs in left.items() if not needs & left.keys()]:
        for name in free:
            del left[name]
    assert left == {}


def test_the_front_names_circuits_the_errors_and_the_python_api() -> None:
    found = set(imported(SOURCE / "__init__.py", (SOURCE / "__init__.py").read_text()))
    assert found == {FRONT, LATER, FIRST}


def test_the_front_imports_circuits_alone() -> None:
    code = "import sys, fheasible; print(*(m for m in sys.modules if m.startswith('fheasible.')))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert {name.split(".")[1] for name in loaded.split()} <= {FRONT, *EVERYWHERE}


@pytest.mark.parametrize(
    ("modules", "unneeded"),
    [
        (("cli.main",), ("rich", "scipy", "sqlalchemy", "pyarrow")),
        (("api.explore", "api.text", "exploration.reasons.recorded"), ("scipy", "pyarrow", "altair")),
    ],
)
def test_nobody_waits_for_what_he_does_not_need(modules: Sequence[str], unneeded: Sequence[str]) -> None:
    code = f"import sys, {', '.join(f'fheasible.{m}' for m in modules)}; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert not set(unneeded) & set(loaded.split())


@pytest.mark.parametrize("module", sorted(EVERYWHERE))
def test_what_everybody_imports_imports_only_errors(module: str) -> None:
    known = imported(SOURCE / f"{module}.py", (SOURCE / f"{module}.py").read_text())
    assert set(known) <= {FIRST} - {module}


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import fheasible.cli.main", ["cli"]),
        ("from fheasible.cli import main", ["cli"]),
        ("from fheasible import units, store", ["units", "store"]),
        ("from ..cli.main import app", ["cli"]),
        ("from . import types", ["program"]),
        ("from .types import Program", ["program"]),
        ("def f():\n    from fheasible.measurement.execute import execute", ["measurement"]),
        ("import numpy, fheasible", ["circuit"]),
        ("from fheasible import __version__", ["circuit"]),
        ("x = 'import fheasible.cli'", []),
    ],
)
def test_every_way_of_importing_is_seen(source: str, found: list[str]) -> None:
    assert list(imported(SOURCE / "program" / "types.py", source)) == found


# Where a library may be named: in its own folder, in the catalogues, and in published tables of security,
# which are named after who enforces them. A study names what its paper compares, an emission the library that
# its code is for, and an audit's forms are how people write sets for a library or its wrapper.
NAMED = (
    "libraries/openfhe/",
    "libraries/seal/",
    "libraries/lattigo/",
    "libraries/catalogue.py",
    "libraries/lookup_catalogue.py",
    "emission/targets/",
    "emission/static/",
    "security/",
    "studies/",
    "auditing/forms/",
)
NAMES = re.compile(r"openfhe|lattigo|(?<![a-z])seal(?![a-z])", re.IGNORECASE)


def naming(source: str) -> Iterator[str]:
    """What names a library in the code itself: names of all kinds and texts, but no docstring or comment."""
    tree = ast.parse(source)
    bodies = [n.body for n in ast.walk(tree) if isinstance(n, ast.Module | ast.ClassDef | ast.FunctionDef)]
    told = {id(body[0].value) for body in bodies if body and isinstance(body[0], ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told:
            found = node.value
        elif isinstance(node, ast.ImportFrom):
            found = node.module or ""
        else:
            found = next(
                (v for f in ("id", "attr", "name", "arg") if isinstance(v := getattr(node, f, None), str)), ""
            )
        if NAMES.search(found):
            yield found


def test_no_file_outside_its_own_folder_names_a_library() -> None:
    others = [file for file in FILES if not str(file.relative_to(SOURCE)).startswith(NAMED)]
    named = {str(file): list(naming(file.read_text())) for file in others}
    assert {file: names for file, names in named.items() if names} == {}
    assert len(others) > 100


def test_names_of_libraries_are_found_wherever_code_has_them() -> None:
    sources = (
        "x = 'seal'",
        "def lattigo(): pass",
        "import a.openfhe as o",
        "from a.seal import b",
        "f(OpenFHE)",
        "x.seal",
    )
    assert all(list(naming(source)) for source in sources)
    assert list(naming('"""Of OpenFHE."""\n# SEAL\nrevealed = sealed')) == []
