"""fheasible calibrate: measure what each library's operations cost on this machine."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fheasible.aliases import Json
from fheasible.cli import options
from fheasible.cli.session import TerminalSession
from fheasible.errors import FheasibleError, LibraryMissing, UsageError

if TYPE_CHECKING:
    from fheasible.estimation.lookup_profile import LookupProfile
    from fheasible.estimation.profile import Profile
    from fheasible.estimation.ring_profile import RingProfile
    from fheasible.libraries.library import Library
    from fheasible.store.store import Store

    AnyProfile = Profile | RingProfile | LookupProfile
    Add = Callable[[Library, Profile, Callable[[str, float, float], None]], Profile]


@dataclass(frozen=True, slots=True)
class CalibrationSpan:
    """How a library is calibrated."""

    threads: int
    thorough: bool
    anew: bool
    bootstrapping: bool = False


@dataclass(slots=True)
class _Outcome:
    """The profiles `made` now and `kept` from before, and the libraries that have none, with the reason."""

    made: list["AnyProfile"] = field(default_factory=list)
    kept: list["AnyProfile"] = field(default_factory=list)
    missing: dict[str, LibraryMissing] = field(default_factory=dict)
    failed: dict[str, FheasibleError] = field(default_factory=dict)


def calibrate(
    session: TerminalSession,
    library: options.Libraries = None,
    if_missing: Annotated[
        bool,
        typer.Option(
            "--if-missing", help="Calibrate only libraries whose installed version has no profile yet."
        ),
    ] = False,
    thorough: Annotated[
        bool,
        typer.Option("--thorough", help="Make more and larger runs: under ten minutes for all libraries."),
    ] = False,
    anew: Annotated[
        bool, typer.Option("--anew", help="Ignore earlier calibrations, because the machine has changed.")
    ] = False,
    threads: Annotated[
        int,
        typer.Option(
            min=1,
            max=options.MOST_THREADS,
            metavar="N",
            help="Also measure what N threads gain, which takes some minutes. It stays with the profile.",
        ),
    ] = 1,
    bootstrapping: Annotated[
        bool,
        typer.Option(
            "--bootstrapping",
            help="Also measure what bootstraps cost, within three minutes. It stays with the profile.",
        ),
    ] = False,
    swap: Annotated[
        bool,
        typer.Option(
            "--swap",
            help="Measure how fast this machine swaps, and no library. It takes seconds, and needs root.",
        ),
    ] = False,
    fhew: Annotated[
        int | None,
        typer.Option(
            "--fhew",
            metavar="BITS",
            help="With --switching: FHEW parameters of so many bits of security. At 128, keys take 5 GB.",
        ),
    ] = None,
    gates: Annotated[
        bool,
        typer.Option(
            "--gates",
            help="Measure only bootstraps of bits and small integers. Their prices stay with the profile.",
        ),
    ] = False,
    switching: Annotated[
        bool,
        typer.Option(
            "--switching",
            help="Measure only comparisons by scheme switching. Their prices stay with the profile.",
        ),
    ] = False,
) -> int:
    """Measure what operations cost on this machine.

    This takes about a minute for all libraries. The ring schemes and libraries of table look-ups are
    calibrated only where they are named: reference, which takes half a minute, and tfhe_rs and binfhe, which
    take some minutes each.

    Calibration makes the few runs that determine predictions best, and fits a price to each kernel of the
    libraries' algorithms. A library that is not installed is left out. A library that fails does not stop
    the others from getting a profile.

    The machine should be idle. Other processes only make times longer, so runs are repeated until times stop
    falling; if they never do, a notice says so. The least times of this calibration and the one before it
    count.

    \b
    Example:
      fheasible calibrate
      fheasible calibrate --library seal --library lattigo --thorough
      fheasible calibrate --library reference
      fheasible calibrate --library tfhe_rs
      fheasible calibrate --bootstrapping
      fheasible calibrate --swap
      fheasible calibrate --switching
      fheasible calibrate --gates
    """
    from fheasible.api.asking import named
    from fheasible.cli.which import REFERENCE, libraries_of
    from fheasible.libraries.lookup_catalogue import LOOKUP_LIBRARIES

    if swap:
        return _calibrate_swap(session, bool(library))
    if gates:
        return _calibrate_gates(session, libraries_of(library, None))
    if switching:
        return _calibrate_switching(session, libraries_of(library, None), fhew)
    tables = [name for name in named(library) if name in LOOKUP_LIBRARIES]
    others = [name for name in named(library) if name != REFERENCE and name not in tables]
    rings = REFERENCE in named(library)
    libraries = [] if (rings or tables) and not others else libraries_of(others or None, None)
    if tables and (threads != 1 or bootstrapping or thorough):
        raise UsageError(
            f"{tables[0]} is calibrated in one way", "leave --threads, --thorough and --bootstrapping out"
        )
    if rings and threads != 1:
        raise UsageError(f"{REFERENCE} runs in one thread, not in {threads}", "leave --threads out")
    with session.store() as store:
        outcome = _calibrate_all(
            session, store, libraries, if_missing, CalibrationSpan(threads, thorough, anew, bootstrapping)
        )
        _calibrate_tables(session, store, tables, if_missing, outcome)
        if rings:
            _calibrate_rings(session, store, if_missing, outcome)
    if not (outcome.made or outcome.kept) or (library and outcome.missing):
        errors = [*outcome.failed.values(), *outcome.missing.values()]
        raise errors[0]
    session.answer(_document(outcome), _rendered(outcome))
    return 1 if outcome.failed else 0


def _calibrate_swap(session: TerminalSession, of_a_library: bool) -> int:
    from fheasible.calibration.swap import calibrate_swap
    from fheasible.units import size

    if of_a_library:
        raise UsageError("the speed of swap is that of the machine, not of a library", "leave --library out")
    with session.store() as store, session.patience("measuring the speed of swap"):
        found = calibrate_swap(store)
    told = [("read", found.read_seconds), ("written", found.written_seconds)]
    lines = [f"{what}: {size(1 / s)} per second" for what, s in told if s > 0]
    session.answer({"swap": found.to_json()}, [f"swap on this machine ({found.machine})", *lines])
    return 0


def _calibrate_switching(session: TerminalSession, libraries: list["Library"], fhew: int | None) -> int:
    """Measures scheme switching in each of the libraries that has it and a profile of this machine."""
    from fheasible.calibration.switching import calibrate_switching

    able = [lib for lib in libraries if lib.switching_levels and not lib.build_of]
    if not able:
        raise UsageError("none of these libraries switches schemes", "leave --library out")
    outcome = _added(session, able, lambda lib, known, step: calibrate_switching(lib, known, step, fhew))
    session.answer(_document(outcome), _switched(outcome.made))
    return 0


def _calibrate_gates(session: TerminalSession, libraries: list["Library"]) -> int:
    """Measures bootstraps of bits in each of the libraries that has them and a profile of this machine."""
    from fheasible.calibration.gates import calibrate_gates

    able = [lib for lib in libraries if lib.gates is not None and not lib.build_of]
    if not able:
        raise UsageError("none of these libraries bootstraps single bits", "leave --library out")
    outcome = _added(session, able, calibrate_gates)
    session.answer(_document(outcome), [f"{lib.title}: bootstraps of bits are calibrated." for lib in able])
    return 0


def _added(session: TerminalSession, able: list["Library"], add: "Add") -> _Outcome:
    """The profiles of this machine with what `add` measures, each of which is stored at once."""
    from fheasible.calibration.profiles import of_this_machine, save

    outcome = _Outcome()
    with session.store() as store, session.progress("calibrating") as step:
        known = of_this_machine(store, [lib.name for lib in able])
        for lib in able:
            if lib.name not in known:
                raise UsageError(f"{lib.name} has no profile of this machine", "fheasible calibrate first")
            found = add(lib, known[lib.name], step)
            save(store, found)
            outcome.made.append(found)
    return outcome


def _switched(made: "Sequence[AnyProfile]") -> Iterator[str]:
    from fheasible.api.naming import title
    from fheasible.estimation.profile import Profile
    from fheasible.units import seconds, size

    for p in made:
        for level, model in p.switching.items() if isinstance(p, Profile) else ():
            yield (
                f"{title(p.library)} compares by FHEW (security {level}): {seconds(model.sign_seconds)} for "
                f"each sign, and {model.returning:.1f} times the relinearisations of all levels on the "
                f"way back; its keys took up to {size(model.key_bytes)}"
            )


def _calibrate_all(
    session: TerminalSession,
    store: "Store",
    libraries: list["Library"],
    if_missing: bool,
    effort: "CalibrationSpan",
) -> _Outcome:
    """The outcome of calibrating each library by itself. Each profile is stored at once."""
    from fheasible.calibration.calibrate import calibrate as measure
    from fheasible.calibration.profiles import of_this_machine, save

    outcome = _Outcome()
    todo = [lib for lib in libraries if _needed(store, lib, if_missing, effort, outcome)]
    with session.progress("calibrating") as step:
        for lib in todo:
            try:
                earlier = {} if effort.anew else of_this_machine(store, [lib.name])
                known = earlier.get(lib.name)
                profile = measure(
                    lib, store, effort.threads, step, effort.thorough, known, effort.bootstrapping
                )
                save(store, profile)
                outcome.made.append(profile)
            except LibraryMissing as error:
                outcome.missing[lib.name] = error
            except FheasibleError as error:
                outcome.failed[lib.name] = error
    return outcome


def _calibrate_tables(
    session: TerminalSession, store: "Store", names: list[str], if_missing: bool, outcome: _Outcome
) -> None:
    """Calibrates the libraries of table look-ups of those names, each of which is stored at once."""
    from fheasible.calibration.lookup_profiles import of_this_machine, save
    from fheasible.calibration.lookups import calibrate_lookups
    from fheasible.libraries.lookup_catalogue import lookup_library

    there = of_this_machine(store, names)
    for name in names:
        known, lib = there.get(name), lookup_library(name)
        if if_missing and known is not None and known.version == lib.version:
            outcome.kept.append(known)
            continue
        try:
            with session.progress("calibrating") as step:
                found = calibrate_lookups(lib, step)
            save(store, found)
            outcome.made.append(found)
        except LibraryMissing as error:
            outcome.missing[name] = error
        except FheasibleError as error:
            outcome.failed[name] = error


def _calibrate_rings(session: TerminalSession, store: "Store", if_missing: bool, outcome: _Outcome) -> None:
    """Calibrates the exact ring, and stores its profile."""
    from fheasible.calibration.ring_profile import calibrate_rings, of_this_machine, save
    from fheasible.cli.which import REFERENCE
    from fheasible.measurement.environment import observe
    from fheasible.measurement.ring_run import hello

    there = of_this_machine(store)
    if if_missing and there is not None and there.version == hello().version:
        outcome.kept.append(there)
        return
    with session.progress("calibrating") as step:
        try:
            profile = calibrate_rings(observe(REFERENCE), step)
        except FheasibleError as error:
            outcome.failed[REFERENCE] = error
            return
    save(store, profile)
    outcome.made.append(profile)


def _knows(profile: "Profile", lib: "Library", effort: CalibrationSpan) -> bool:
    """Whether what is asked for was measured: what threads gain where the library uses them, and bootstraps
    where it has them."""
    from fheasible.libraries.library import Parallelism

    threads = effort.threads
    if effort.bootstrapping and lib.bootstrap_method is not None and profile.bootstraps is None:
        return False
    if threads == 1 or lib.threading.parallelism is Parallelism.NONE:
        return True
    return profile.parallel is not None and threads in profile.parallel.threads


def _needed(
    store: "Store", lib: "Library", if_missing: bool, effort: CalibrationSpan, outcome: _Outcome
) -> bool:
    from fheasible.calibration.profiles import of_this_machine
    from fheasible.measurement.registry import command

    there = of_this_machine(store, [lib.name]).get(lib.name)
    if if_missing and there is not None and there.version == lib.version and _knows(there, lib, effort):
        outcome.kept.append(there)
        return False
    if not command(lib.name).installed:
        outcome.missing[lib.name] = LibraryMissing(f"{lib.name} is not installed", command(lib.name).remedy)
        return False
    return True


def _document(outcome: _Outcome) -> Json:
    return {
        "profiles": [_profile(p, p in outcome.made) for p in outcome.made + outcome.kept],
        "missing": [_reason(name, error) for name, error in outcome.missing.items()],
        "failed": [_reason(name, error) for name, error in outcome.failed.items()],
    }


def _profile(p: "AnyProfile", new: bool) -> Json:
    from fheasible.estimation.profile import Profile

    own = {name: getattr(p, name) for name in ("library", "version", "machine", "threads", "created")}
    told = ("build", "unsteady", "nanoseconds")
    priced = {name: getattr(p, name) for name in told} if isinstance(p, Profile) else {}
    if isinstance(p, Profile) and p.bootstraps is not None:
        b = p.bootstraps
        priced["bootstraps"] = {"created": b.created, "error_band": b.error_band, "points": len(b.points)}
    return own | {"error_band": p.error_band, "points": len(p.points), "new": new} | priced


def _reason(name: str, error: FheasibleError) -> Json:
    return {"library": name, "kind": error.kind, "message": error.message, "remedy": error.remedy}


def _rendered(outcome: _Outcome) -> Iterator[Any]:
    from fheasible.api.layout import share
    from fheasible.api.naming import title
    from fheasible.cli.tables import table

    states = [(p, "new") for p in outcome.made] + [(p, "kept") for p in outcome.kept]
    rows = [
        (title(p.library), p.version, share(p.error_band), f"{len(p.points)}", p.created[:16], state)
        for p, state in states
    ]
    columns = ("library", "version", "error band", "points", "date (UTC)", "profile")
    yield table(columns, rows, left=("library", "version", "date (UTC)", "profile"))
    yield from _disturbed(outcome.made)
    yield from _bootstraps([p for p, _ in states])
    yield from _prices([p for p, _ in states])
    for name, error in {**outcome.missing, **outcome.failed}.items():
        remedy = f". Remedy: {error.remedy}" if error.remedy else ""
        yield f"no profile of {title(name)}: {error.message}{remedy}"


def _disturbed(made: "Sequence[AnyProfile]") -> Iterator[str]:
    """A notice on the libraries whose times were still falling at the end; the error band includes this."""
    from fheasible.api.layout import share
    from fheasible.api.naming import title
    from fheasible.estimation.profile import Profile

    falling = [p for p in made if isinstance(p, Profile) and p.unsteady > NOTABLE]
    if falling:
        each = ", ".join(f"{title(p.library)} by {share(p.unsteady)}" for p in falling)
        yield f"The machine was busy: times were still falling when calibration ended ({each})."
        yield "Calibrate again when it is idle: the least times of both calibrations count."


def _bootstraps(profiles: "Sequence[AnyProfile]") -> Iterator[str]:
    """A line for each library whose bootstraps were measured."""
    from fheasible.api.layout import share
    from fheasible.api.naming import title
    from fheasible.estimation.profile import Profile

    for p in profiles:
        if isinstance(p, Profile) and (own := p.bootstraps) is not None:
            band, date = share(own.error_band), own.created[:16]
            yield f"bootstraps of {title(p.library)}: error band {band}, measured {date} UTC."


NOTABLE = 0.01  # share of the times of a library's runs
KERNELS_SHOWN = (
    "forward",
    "inverse",
    "products",
    "constant_products",
    "conversion_products",
    "uniform_samples",
)


def _prices(profiles: "Sequence[AnyProfile]") -> Iterator[Any]:
    """A table of what the commonest kernels cost in each library, which shows why one library is faster than
    another."""
    from fheasible.api.naming import title
    from fheasible.cli.tables import table
    from fheasible.estimation.profile import Profile
    from fheasible.rings.rns.kernels import KERNELS

    listed = [p for p in profiles if isinstance(p, Profile)]
    if not listed:
        return
    yield ""
    yield "nanoseconds per step (a butterfly for transforms), to compare the libraries:"
    rows = [
        (name.replace("_", " "), *(_price(p, name) for p in listed), KERNELS[name]) for name in KERNELS_SHOWN
    ]
    yield table(("kernel", *(title(p.library) for p in listed), "meaning"), rows, left=("kernel", "meaning"))
    yield "These times hold for these builds: " + ", ".join(p.build or title(p.library) for p in listed) + "."


def _price(p: "Profile", kernel: str) -> str:
    found = p.nanoseconds.get(kernel)
    return "-" if found is None else f"{found:.2f}"
