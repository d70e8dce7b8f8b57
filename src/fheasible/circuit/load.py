"""Loads an application from a Python file."""

import importlib.util
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType, ModuleType

from fheasible.circuit.files import no_file
from fheasible.circuit.guest import LOAD_SECONDS, guest
from fheasible.circuit.numbers_named import Number, with_numbers
from fheasible.circuit.trace import App, explained
from fheasible.circuit.where import at, place, raised_at
from fheasible.errors import CircuitError, FheasibleError, UsageError

_PACKAGES = {"sklearn": "scikit-learn", "scipy": "scipy", "pandas": "pandas"}  # by names of modules


def load(path: str, numbers: Mapping[str, Number] = MappingProxyType({})) -> App:
    """The application in `file.py` if it holds just one; for `file.py:name`, the one of that name. `numbers`
    take the place of those that the file names at its top.

    UsageError if the file, the application or such a name does not exist, CircuitError for a file that cannot
    be run.
    """
    file, name = _split(path)
    return _choose(file, name, _apps(_module(file, numbers)))


def _split(path: str) -> tuple[Path, str]:
    before, colon, after = path.rpartition(":")
    file, name = (before, after) if colon and after.isidentifier() else (path, "")
    missing = no_file(file) if file else "has no name"
    if missing:
        raise UsageError(
            f"the application file {file} {missing}".replace("  ", " "),
            "Give a Python file, such as path/to/app.py.",
        )
    if Path(file).suffix != ".py":
        raise UsageError(
            f"{file} is not a Python file",
            "Give a Python file, such as path/to/app.py, or a model that ends in .onnx or .blif.",
        )
    return Path(file), name


def _module(file: Path, numbers: Mapping[str, Number]) -> ModuleType:
    absolute = str(file.resolve())
    name = f"fheasible_app_{sha256(absolute.encode()).hexdigest()[:12]}"
    spec = importlib.util.spec_from_file_location(name, absolute)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with (
        _importable(file.resolve().parent),
        _explained(file, absolute),
        guest(f"loading {file}", LOAD_SECONDS),
    ):
        if numbers:
            exec(with_numbers(file, numbers), vars(module))
        else:
            spec.loader.exec_module(module)
    return module


@contextmanager
def _importable(folder: Path) -> Iterator[None]:
    """A block in which the file may import its neighbours, as it does when Python runs it."""
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        if str(folder) in sys.path:  # which the file may have changed, too
            sys.path.remove(str(folder))


@contextmanager
def _explained(file: Path, absolute: str) -> Iterator[None]:
    """A block in which whatever goes wrong in the user's file becomes one line that names the place."""
    try:
        yield
    except FheasibleError:
        raise
    except SyntaxError as error:
        where = place(error.filename or absolute, error.lineno or 1)
        raise CircuitError(
            at(where, f"this is not valid Python: {error.msg}"), "Correct the line."
        ) from error
    except ModuleNotFoundError as error:
        where = raised_at(error.__traceback__, absolute) or str(file)
        package = _PACKAGES.get((error.name or "").partition(".")[0])
        remedy = (
            f"`pip install {package}` installs it." if package else "Install the package that contains it."
        )
        raise CircuitError(at(where, str(error)), remedy) from error
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        where = raised_at(error.__traceback__, absolute) or str(file)
        raise explained(error, where, f"`python {file}` shows the whole traceback.") from error


def _apps(module: ModuleType) -> dict[str, App]:
    found: dict[str, App] = {}
    for value in vars(module).values():
        if isinstance(value, App):
            found.setdefault(value.name, value)
    return found


def _choose(file: Path, name: str, apps: dict[str, App]) -> App:
    if not apps:
        raise UsageError(
            f"{file} holds no application", "Put @fh.app(x=fh.reals(1000, low=0, high=1)) above a function."
        )
    remedy = f"Write {file}:{next(iter(apps))}."
    if name and name not in apps:
        raise UsageError(f"{file} holds no application {name}; it holds: {', '.join(apps)}", remedy)
    if not name and len(apps) > 1:
        raise UsageError(f"{file} holds {len(apps)} applications: {', '.join(apps)}", remedy)
    return apps[name] if name else next(iter(apps.values()))
