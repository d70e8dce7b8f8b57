"""Makes the environments of the workers, for `fheasible libraries install` and the Makefile."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from fheasible.errors import DataError, FheasibleError, LibraryMissing
from fheasible.libraries.added import registered
from fheasible.measurement import adding
from fheasible.measurement.records import Hello
from fheasible.measurement.registry import WorkerCommand, command, with_worker
from fheasible.measurement.uv import uv
from fheasible.measurement.worker import Worker

Say = Callable[[str], None]
"""A function that receives messages, one line at a time."""

_GO_PLACES = ("go", "/usr/local/go/bin/go", "/usr/lib/go/bin/go", "/snap/bin/go")
_OLDEST_NODE = 18  # the first with all that the worker uses
_LONG_SECONDS = 300  # the limit of a step that may fail
_RUNS = "import sys; print('%d.%d' % sys.version_info[:2]); print(sys.executable)"


def install_all(names: Iterable[str], say: Say) -> dict[str, FheasibleError | None]:
    """Installs each library that is not installed; gives, by name, the error of the installation or None."""
    return {name: _attempt(name, say) for name in names}


def install(library: str, say: Say) -> Hello | None:
    """The hello that proves the installation of `library`; None when it was installed already.

    Raises LibraryMissing with the reason where it cannot be installed.
    """
    target = command(library)
    if target.library in registered():
        return None if adding.is_current(target.library) else adding.rebuild(target.library, say)
    if target.installed and target.stamp.is_file() and target.stamp.read_text() == target.made_from:
        return None
    say(f"installing {target.library}")
    target.stamp.unlink(missing_ok=True)
    _build(target, say)
    hello = _greeted(target)
    say(f"{target.library} {hello.version} answers ({hello.runtime})")
    return hello


def _attempt(name: str, say: Say) -> FheasibleError | None:
    try:
        install(name, say)
    except (LibraryMissing, DataError) as error:
        say(f"{name} cannot be installed: {error.message}")
        return error
    return None


def _greeted(target: WorkerCommand) -> Hello:
    """The hello of the new worker.

    A worker without a hello keeps no stamp, and is made anew the next time.
    """
    target.stamp.write_text(target.made_from)  # a worker in Python reads the stamp and says it in its hello
    try:
        with Worker(target) as worker:
            return worker.hello
    except BaseException:
        target.stamp.unlink(missing_ok=True)
        raise


def _build(target: WorkerCommand, say: Say) -> None:
    made_of = with_worker(target.library).worker
    if made_of.language == "go":
        _build_go(target)
    elif made_of.language == "node":
        _build_node(target)
    elif made_of.language == "rust":
        _build_rust(target, say)
    elif made_of.shared:
        _share_python(target)
    elif made_of.python is not None:
        _build_python(target, _python_of(target, made_of.python, say), say)
    else:
        _build_python(target, Path(sys.executable), say)


def _build_python(target: WorkerCommand, python: Path, say: Say) -> None:
    """Makes a virtual environment of `python` with exactly what the lock says."""
    maker, folder = uv(say), target.environment.parent.parent
    shutil.rmtree(folder, ignore_errors=True)
    _do(target, [maker, "venv", "--quiet", "--python", python, folder])
    sync: list[str | Path] = [maker, "pip", "sync", "--quiet", "--compile-bytecode", "--require-hashes"]
    _do(target, [*sync, "--python", target.environment, target.lock])


def _share_python(target: WorkerCommand) -> None:
    """Makes a virtual environment of this Python that finds the packages of this environment."""
    folder = target.environment.parent.parent
    shutil.rmtree(folder, ignore_errors=True)
    venv.create(folder, symlinks=True)
    packages = Path(sysconfig.get_path("purelib", "venv", {"base": str(folder)}))
    own = sorted({sysconfig.get_path(kind) for kind in ("purelib", "platlib")})
    lines = [f"import site; site.addsitedir({path!r})\n" for path in own]
    (packages / "shared.pth").write_text("".join(lines))


def _build_go(target: WorkerCommand) -> None:
    """Builds with modules whose hashes go.sum holds."""
    target.environment.parent.mkdir(parents=True, exist_ok=True)
    told = ["-trimpath", "-buildvcs=false", "-ldflags", f"-X main.madeFrom={target.made_from}"]
    _do(target, [go_path(target.library), "build", *told, "-o", target.environment, "."])


def _build_rust(target: WorkerCommand, say: Say) -> None:
    """Builds exactly what the lock says, which takes minutes the first time."""
    title = with_worker(target.library).title
    cargo = shutil.which("cargo")
    if cargo is None or _run([cargo, "--version"]) is None:
        raise LibraryMissing(
            f"{title}'s worker is built with Rust's cargo, which is not installed",
            f"install Rust (1.91 or later), put cargo on the PATH, then run {target.remedy}",
        )
    say(f"building {title} with cargo, which takes some minutes")
    told = {"FHEASIBLE_MADE_FROM": target.made_from}
    made: list[str | Path] = ["--target-dir", target.environment.parent.parent]
    _do(target, [cargo, "build", "--quiet", "--release", "--locked", *made], told)


def _build_node(target: WorkerCommand) -> None:
    """Installs exactly what the lock says, and runs no script of a package."""
    node_path(target.library)
    npm = shutil.which("npm")
    if npm is None:
        title = with_worker(target.library).title
        raise LibraryMissing(
            f"{title} is installed with npm, which is missing", "install npm, which comes with Node"
        )
    place = target.environment.parent.parent
    place.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json") if place != target.folder else ():
        shutil.copyfile(target.folder / name, place / name)
    quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    _do(target, [npm, "ci", "--prefix", place, *quiet])


def _python_of(target: WorkerCommand, version: tuple[int, int], say: Say) -> Path:
    """A CPython of that version: one that is here and runs, else one that uv fetches."""
    wanted, python = "{}.{}".format(*version), python_here(version)
    if python is None:
        say(f"there is no CPython {wanted} here; fetching one")
        _run([uv(say), "python", "install", "--quiet", wanted])
        found = _run([uv(say), "python", "find", "--managed-python", wanted])
        python = first_python(version, [found.strip()] if found else [])
    if python is None:
        title = with_worker(target.library).title
        raise LibraryMissing(
            f"{title}'s package needs CPython {wanted}, which was not found and could not be fetched",
            f"install CPython {wanted}, put it on the PATH, then run {target.remedy}",
        )
    return python


def python_here(version: tuple[int, int]) -> Path | None:
    """A CPython of that version that runs, on the PATH or among pyenv's; None where there is none."""
    wanted = "{}.{}".format(*version)
    return first_python(version, pythons(f"python{wanted}", f"{wanted}*"))


def first_python(version: tuple[int, int], candidates: Iterable[str]) -> Path | None:
    """The first of `candidates` that runs and has `version`; a pyenv shim may exist and still fail."""
    wanted = "{}.{}".format(*version)
    for candidate in candidates:
        told = (_run([candidate, "-c", _RUNS]) or "").split("\n")
        if told[0] == wanted:
            return Path(told[1])
    return None


def pythons(name: str, pyenv: str) -> Iterator[str]:
    """Each `name` on the PATH, then pyenv's versions."""
    for folder in os.get_exec_path():
        if (path := Path(folder, name)).is_file():
            yield str(path)
    yield from sorted(map(str, Path.home().glob(f".pyenv/versions/{pyenv}/bin/python")), reverse=True)


def go_path(name: str) -> str:
    """Go's program. LibraryMissing, with what the library of that name needs it for, where there is none."""
    for place in _GO_PLACES:
        if _run([place, "version"]) is not None:
            return place
    raise LibraryMissing(
        f"{with_worker(name).title}'s worker is built with Go, which is not installed",
        f"install Go (1.21 or later), put it on the PATH, then run {command(name).remedy}",
    )


def node_path(name: str) -> str:
    """Node's program. LibraryMissing, with what the library of that name needs it for, where there is none
    that is new enough."""
    version = re.match(r"v(\d+)\.", _run(["node", "--version"]) or "")
    if version is not None and int(version[1]) >= _OLDEST_NODE:
        return shutil.which("node") or "node"
    found = "is not installed" if version is None else f"is too old here (version {version[1]})"
    raise LibraryMissing(
        f"{with_worker(name).title}'s worker runs in Node, which {found}",
        f"install Node {_OLDEST_NODE} or later, put it on the PATH, then run {command(name).remedy}",
    )


def _do(target: WorkerCommand, argv: Sequence[str | Path], told: Mapping[str, str] | None = None) -> None:
    """Runs a step in the worker's folder, with `told` among its environment variables.

    Raises LibraryMissing with the step's last words where it fails.
    """
    variables = os.environ | (told or {})
    try:
        subprocess.run(argv, cwd=target.folder, check=True, capture_output=True, text=True, env=variables)
    except subprocess.CalledProcessError as error:
        words = (error.stderr or error.stdout).strip()[-1500:]
        step = " ".join(map(str, argv[:3]))
        raise LibraryMissing(f"`{step} ...` failed: {words}", target.remedy) from error
    except OSError as error:
        raise LibraryMissing(f"{argv[0]} cannot be run: {error}", target.remedy) from error


def _run(argv: Sequence[str | Path]) -> str | None:
    """What a command printed; None where it failed, took too long or does not exist."""
    try:
        done = subprocess.run(
            argv, check=True, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=_LONG_SECONDS
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout
