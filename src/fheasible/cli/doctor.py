"""fheasible doctor: what works here, what does not, and the remedy."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from fheasible.cli.session import TerminalSession

if TYPE_CHECKING:
    from fheasible.measurement.suitability import Judgement

OK, WARNING, BROKEN = "ok", "warning", "broken"


@dataclass(frozen=True, slots=True)
class Finding:
    """The finding of one check. `state` is ok, warning (something is missing) or broken (something that is
    needed does not work)."""

    check: str
    state: str
    message: str
    remedy: str = ""


def doctor(session: TerminalSession) -> int:
    """Check this machine.

    It checks Python, tools, libraries, store and calibration, and whether the machine is fit to measure on:
    frequency, turbo, swap, the limits of a container, memory nodes, counters and load. It names the remedy
    for each fault.

    The exit code is 1 if something that is needed is broken.

    \b
    Example:
      fheasible doctor
      fheasible doctor --json
    """
    from fheasible.cli.tables import table

    with session.progress("examining") as step:
        found = list(_examined(session, step))
    healthy = all(f.state != BROKEN for f in found)
    rows = [(f.state, f.check, f.message) for f in found]
    shown = table(("state", "check", "finding"), rows, left=("state", "check", "finding"))
    remedies = [f"remedy for {f.check}: {f.remedy}" for f in found if f.remedy]
    session.answer({"healthy": healthy, "checks": [asdict(f) for f in found]}, [shown, *remedies])
    return 0 if healthy else 1


def _examined(session: TerminalSession, step: Callable[[str, int, int], None]) -> Iterator[Finding]:
    step("tools", 0, 0)
    yield _python()
    yield from _settings(session)
    hellos = {}
    for name in _names():
        step(name, 0, 0)
        hellos[name], finding = _worker(name)
        yield finding
    yield from _damaged()
    if not any(hellos.values()):
        yield Finding(
            "libraries",
            BROKEN,
            "no library's worker answers, so nothing can be run",
            "fheasible libraries install",
        )
    yield from _tools([name for name, hello in hellos.items() if hello is None])
    yield _exact_ring()
    step("store", 0, 0)
    yield from _store(session, {name: h.version for name, h in hellos.items() if h is not None})
    yield from _measuring()


def _names() -> Iterable[str]:
    """The libraries, and other builds of them where they are installed."""
    from fheasible.libraries.added import registered
    from fheasible.libraries.catalogue import BY_NAME
    from fheasible.libraries.lookup_catalogue import LOOKUP_LIBRARIES
    from fheasible.measurement.registry import command

    there = registered()
    own = [n for n, lib in BY_NAME.items() if not lib.build_of or n in there or command(n).installed]
    return own + [name for name, lib in LOOKUP_LIBRARIES.items() if lib.worker_of == name]


def _python() -> Finding:
    import platform

    return Finding("Python", OK, f"{platform.python_implementation()} {platform.python_version()}")


def _settings(session: TerminalSession) -> Iterator[Finding]:
    """The defaults that files set, or why they cannot be meant."""
    from fheasible.cli.settings import settings

    if session.unread is not None:
        yield Finding("settings", BROKEN, session.unread.message, session.unread.remedy)
    elif found := settings().values():
        yield Finding("settings", OK, "; ".join(setting.shown for setting in found))


def _worker(name: str) -> tuple[Any, Finding]:
    """The worker's hello, or None, and the finding. A library that is not installed is a warning; one that is
    installed and does not answer is broken."""
    from fheasible.cli.libraries import greet
    from fheasible.measurement.registry import command

    hello, error = greet(name)
    if error is None:
        return hello, Finding(name, OK, f"{hello.version} answers ({hello.runtime})")
    return None, Finding(name, BROKEN if command(name).installed else WARNING, error.message, error.remedy)


def _damaged() -> Iterator[Finding]:
    """The added libraries whose registration cannot be read."""
    from fheasible.libraries.added import damaged

    for name, what in damaged().items():
        yield Finding(name, BROKEN, what, f"fheasible libraries remove {name}")


def _tools(absent: list[str]) -> Iterator[Finding]:
    """The tools that installing needs. A missing tool is a warning only where a library that needs it is
    absent."""
    for tool, needed_by, find, remedy in _finders():
        place, missed = find(), [name for name in needed_by if name in absent]
        if place is not None:
            yield Finding(tool, OK, str(place))
        elif missed:
            yield Finding(tool, WARNING, f"not found, but needed to install {' and '.join(missed)}", remedy)
        else:
            yield Finding(tool, OK, "not found, but not needed: what it builds is already there")


def _finders() -> Iterator[tuple[str, list[str], Callable[[], object], str]]:
    """Each tool: its name, the libraries whose workers need it, how to find it, what to do without it."""
    from fheasible.libraries.catalogue import BY_NAME
    from fheasible.libraries.lookup_catalogue import LOOKUP_LIBRARIES
    from fheasible.measurement import install

    by_language: dict[str, list[str]] = {}
    by_python: dict[tuple[int, int], list[str]] = {}
    workers = {name: lib.worker for name, lib in BY_NAME.items()}
    workers |= {name: lib.worker for name, lib in LOOKUP_LIBRARIES.items() if lib.worker_of == name}
    for library, worker in workers.items():
        by_language.setdefault(worker.language, []).append(library)
        if worker.python is not None:
            by_python.setdefault(worker.python, []).append(library)
    yield "uv", by_language.get("python", []), _uv, "pip install uv, or let the installation fetch it"
    for name in by_language.get("go", []):
        yield "Go", [name], partial(_go, name), "install Go and put it on the PATH"
    for name in by_language.get("node", []):
        yield "Node", [name], partial(_node, name), "install Node and put it on the PATH"
    if by_language.get("rust"):
        yield "cargo", by_language["rust"], _cargo, "install Rust and put cargo on the PATH"
    for version, names in by_python.items():
        python = "CPython {}.{}".format(*version)
        yield python, names, partial(install.python_here, version), f"install {python}, or let uv fetch it"


def _exact_ring() -> Finding:
    """Whether the code that runs the ring schemes is built. Without it they can still be counted."""
    from importlib.util import find_spec

    from fheasible.rings.exact import REMEDY

    if find_spec("fheasible_native") is None:
        return Finding("exact ring", WARNING, "not built: ring schemes can be counted, but not run", REMEDY)
    return Finding("exact ring", OK, "built: ring schemes can be run")


def _uv() -> object:
    """Where uv is. It is not installed here."""
    from fheasible.measurement.uv import uv_here

    return uv_here()


def _go(name: str) -> object:
    from fheasible.errors import LibraryMissing
    from fheasible.measurement import install

    try:
        return install.go_path(name)
    except LibraryMissing:
        return None


def _cargo() -> object:
    import shutil

    return shutil.which("cargo")


def _node(name: str) -> object:
    from fheasible.errors import LibraryMissing
    from fheasible.measurement import install

    try:
        return install.node_path(name)
    except LibraryMissing:
        return None


def _store(session: TerminalSession, versions: dict[str, str]) -> Iterator[Finding]:
    from fheasible.calibration.profiles import of_this_machine
    from fheasible.errors import StoreError

    try:
        with session.store(reading=True) as store:
            count = store.count()
            profiles = of_this_machine(store, versions)
            yield Finding("store", OK, f"{store.place}: {count:,} measurements")
            remedy = "fheasible results check --repair"
            yield from (Finding("store", BROKEN, str(damage), remedy) for damage in store.check())
    except StoreError as error:
        yield Finding("store", BROKEN, error.message, error.remedy)
        return
    for name, version in versions.items():
        yield _profile(name, version, profiles.get(name))
    yield from _paced(profiles.values())


def _profile(name: str, version: str, profile: Any) -> Finding:
    from datetime import UTC, datetime

    check, remedy = f"{name} profile", f"fheasible calibrate --library {name}"
    if profile is None:
        return Finding(
            check,
            WARNING,
            "no profile of this machine: times are unknown, or only as rough as another machine's",
            remedy,
        )
    days = (datetime.now(UTC) - datetime.fromisoformat(profile.created)).days
    said = f"for {name} {profile.version}, {days} days old, error band {profile.error_band:.0%}"
    if profile.version != version:
        return Finding(check, WARNING, f"{said}; the installed version is {version}", remedy)
    return Finding(check, OK, said)


def _paced(profiles: Iterable[Any]) -> Iterator[Finding]:
    """How fast the machine is now, where a profile of this machine says how fast it can be."""
    from fheasible.measurement.pace import reference_loop
    from fheasible.measurement.suitability import pace

    least = [p.pace_seconds for p in profiles if p.pace_seconds is not None and not p.origin]
    if least:
        yield _judged(pace(reference_loop(), min(least)))


def _measuring() -> Iterator[Finding]:
    """Whether this machine is fit to measure on."""
    from fheasible.measurement.busyness import now
    from fheasible.measurement.conditions import conditions
    from fheasible.measurement.machine import load, this_machine
    from fheasible.measurement.suitability import busy, judgements

    cores = this_machine().cores
    yield from map(_judged, judgements(conditions(), cores))
    yield _counters()
    yield _judged(busy(now(load(), cores)))


def _judged(judgement: "Judgement") -> Finding:
    state = OK if judgement.fit else WARNING
    return Finding(judgement.what, state, judgement.said, judgement.remedy)


def _counters() -> Finding:
    """Whether --counters shows what the processor counts."""
    from fheasible.measurement.events import EVENTS, available, forbidden
    from fheasible.units import listing

    found = [name.replace("_", " ") for name in EVENTS if available(name)]
    if found:
        return Finding("counters", OK, f"the processor counts {listing(found)}")
    if forbidden():
        said, remedy = "the kernel lets nobody count", "sudo sysctl kernel.perf_event_paranoid=2"
        return Finding("counters", WARNING, said, remedy)
    return Finding("counters", OK, "not available here: the kernel gives none of the processor's counters")
