"""fheasible explore: what could run the application, best first, and why."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fheasible.cli import options
from fheasible.cli.session import Session

if TYPE_CHECKING:
    from fheasible.estimation.profile import Profile
    from fheasible.exploration.search import Exploration
    from fheasible.libraries.catalogue import Library

Json = dict[str, Any]


def explore(
    session: Session,
    app: options.App,
    security: options.AnySecurity = 128,
    quantum: options.Quantum = False,
    precision: options.Precision = None,
    failure: options.Failure = None,
    shared_results: options.SharedResults = False,
    max_time: options.MaxTime = None,
    max_memory: options.MaxMemory = None,
    objective: options.AnyObjective = None,
    library: options.AnyLibraries = None,
    scheme: options.AnyScheme = None,
    data: options.Data = None,
    seed: options.Seed = 0,
    show_all: Annotated[
        bool, typer.Option("--all", help="Every feasible set, and not only the best of each kind.")
    ] = False,
    noise: options.RingNoise = None,
    as_written: options.AsWritten = False,
    ignore_security: options.IgnoreSecurity = False,
) -> int:
    """What could run it, best first, and why.

    Nothing is executed.

    All libraries are explored, whether they are installed or not. The exit code is 1 where nothing fits;
    the reasons are then the answer. With --library reference the ring schemes are explored instead.

    \b
    Example:
      fheasible explore examples/2_std_dev.py --security 128 --precision 15
      fheasible explore examples/1_sum_of_products.py --precision absolute:1e-3
      fheasible explore examples/4_inner_product.py --scheme bfv --objective memory --json
      fheasible explore examples/7_ten_products.py --library reference --objective compromise
    """
    from fheasible.cli import asking, explore_reference, which

    if which.REFERENCE in which.named(library):
        explore_reference.check_alone(which.named(library), precision)
        ring_wish = explore_reference.wish_of(
            security, quantum, max_time, max_memory, objective, noise, as_written, ignore_security
        )
        return explore_reference.answer(session, app, ring_wish, scheme, data, seed, show_all)
    explore_reference.refuse_others(noise, as_written, ignore_security)
    wish = asking.wish_of(
        security, quantum, precision, max_time, max_memory, objective or "time", failure, shared_results
    )
    libraries = which.libraries_of(library, scheme)
    problem = asking.problem_of(app, data, seed)
    profiles = which.profiles_of(session, libraries)
    found = asking.exploration_of(session, problem, wish, libraries, profiles)
    document = found.to_json() | {"libraries": availability(libraries, profiles)}
    session.answer(document, _rendered(app, found, profiles, show_all))
    return 0 if found.candidates else 1


def availability(libraries: "Iterable[Library]", profiles: "Mapping[str, Profile]") -> list[Json]:
    """Which of the libraries are installed and calibrated, and what to do about it."""
    from fheasible.measurement.registry import command

    return [
        {
            "library": lib.name,
            "installed": command(lib.name).installed,
            "calibrated": _calibrated(lib, profiles),
            "build": profiles[lib.name].build if lib.name in profiles else None,
            "remedy": _remedy(
                command(lib.name).installed, _calibrated(lib, profiles), command(lib.name).remedy
            ),
        }
        for lib in libraries
    ]


def _calibrated(lib: "Library", profiles: "Mapping[str, Profile]") -> bool:
    """Whether on this machine."""
    return lib.name in profiles and not profiles[lib.name].origin


def _remedy(is_installed: bool, calibrated: bool, install: str) -> str | None:
    if not is_installed:
        return install
    return None if calibrated else "fheasible calibrate"


def _rendered(
    app: str, found: "Exploration", profiles: "Mapping[str, Profile]", show_all: bool
) -> Iterator[Any]:
    from fheasible.cli import candidates
    from fheasible.cli.asking import remedies
    from fheasible.cli.tables import paragraph
    from fheasible.exploration.explain import explain

    yield from candidates.headline(found)
    yield ""
    if found.best is not None:
        yield from candidates.listed(found, show_all)
        yield ""
        why = explain(found, profiles.get(found.best.library))
        yield from (paragraph("why:", line) for line in why)
        yield from _builds(found, profiles)
    yield from (paragraph(head, reason) for head, reason in _why_not(found))
    if found.best is None:
        yield from (paragraph("remedy:", line) for line in remedies(found))
    yield from (paragraph("warning:", line) for line in found.problem.warnings)
    yield from _missing(found)
    yield from candidates.next_steps(app, found)


def _builds(found: "Exploration", profiles: "Mapping[str, Profile]") -> Iterator[str]:
    """Which builds of the libraries the ranking is of."""
    from fheasible.cli.tables import paragraph

    named = dict.fromkeys(c.library for c in found.candidates if c.estimate.timed)
    builds = [profiles[name].build for name in named if profiles[name].build]
    if builds:
        text = f"{', '.join(builds)}; compiled otherwise, a library may rank elsewhere."
        yield paragraph("times hold for these builds:", text)


def _why_not(found: "Exploration") -> Iterator[tuple[str, str]]:
    """(what, why not): each reason once, for all that it holds of."""
    from fheasible.cli.names import title
    from fheasible.units import listing

    reasons: dict[tuple[str, str], list[str]] = defaultdict(list)
    for r in found.rejected:
        reasons[r.scheme.upper(), r.reason].append(title(r.library))
    for (scheme, reason), libraries in reasons.items():
        yield f"why not {scheme} ({listing(libraries)}):", reason


def _missing(found: "Exploration") -> Iterator[str]:
    from fheasible.cli.names import title
    from fheasible.cli.which import installed

    explored = dict.fromkeys([*(c.library for c in found.candidates), *(r.library for r in found.rejected)])
    for name in explored:
        if not installed(name):
            yield f"not installed: {title(name)}. Remedy: fheasible libraries install {name}"
