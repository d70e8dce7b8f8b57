"""fheasible report: a stored exploration as one page that opens from disk."""

import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fheasible import units
from fheasible.aliases import Json
from fheasible.cli.session import TerminalSession
from fheasible.errors import StoreError

if TYPE_CHECKING:
    from fheasible.accuracy.evaluation import Evaluation
    from fheasible.estimation.profile import Profile
    from fheasible.reports.explored_page import Report
    from fheasible.store.rows import StoredExploration
    from fheasible.store.store import Store


def report(
    session: TerminalSession,
    app: Annotated[
        str | None,
        typer.Argument(
            metavar="APP", help="An application's name, or its file; by default the one explored last."
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE.html", help="Where the page goes; by default APP.html here.")
    ] = None,
    figures: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Write each figure as SVG and PNG into this folder, too."),
    ] = None,
) -> None:
    """Make a page of the newest exploration.

    It is made from stored data alone: the recommendation and its why, time against memory of every set that
    was kept, where time and memory go, other scales, runs beside their predictions, and the calibration. The
    page is one file that needs no network. Nothing is run.

    \b
    Example:
      fheasible report std_dev --out std_dev.html --figures figures
    """
    from fheasible.cli.streams import check
    from fheasible.reports import explored_page as page

    check(out)
    _check_stored(session.place, app)
    with session.store(reading=True) as store:
        stored = _newest(store, app)
        runs = store.measurements(stored.explored.app, outcome="measured")
        profiles = _profiles(store, stored)
        made = page.report(stored, runs, profiles, _accuracy(store, stored, profiles))
    path = out or Path(f"{_file_name(stored.explored.app)}.html")
    page.write(made, path)
    pictures = page.write_figures(made, figures) if figures else []
    session.answer(_document(made, path, pictures), _rendered(made, path, pictures))


def _file_name(app: str) -> str:
    """The application's name, made into the name of a file in this folder, because a store may come from
    anywhere."""
    return re.sub(r"[^\w-]", "_", app)[:100] or "report"


def _check_stored(place: str | None, app: str | None) -> None:
    """Raises StoreError where the results file does not exist: only a command that stores something makes
    it."""
    from fheasible.store.engine import to_url

    url = to_url(place)
    if url.drivername.startswith("sqlite") and url.database and not Path(url.database).exists():
        raise StoreError(f"there is no results file {url.database}", _exploring(app))


def _exploring(app: str | None) -> str:
    return f"fheasible explore {app if app and '.py' in app else 'path/to/app.py'}"


def _newest(store: "Store", app: str | None) -> "StoredExploration":
    """The newest exploration of the application, or of all where none is named. StoreError where none is
    stored."""
    name = None if app is None else _name(app)
    found = store.explorations(name, limit=1)
    if not found:
        of = "" if name is None else f" of {name}"
        raise StoreError(f"no exploration{of} is stored in {store.place}", _remedy(store, app))
    return found[0]


def _remedy(store: "Store", app: str | None) -> str:
    """A remedy: to explore the application by its file, or to name one that was explored."""
    known = store.explored_apps()
    return f"{_exploring(app)}; explored are {units.listing(known)}" if known else _exploring(app)


def _name(app: str) -> str:
    """The name of an application: 'std_dev' for 'std_dev', for 'file.py:std_dev', and for a file whose only
    application has that name."""
    file, colon, name = app.rpartition(":")
    if colon and file.endswith(".py"):
        return name
    if not app.endswith(".py"):
        return app
    from fheasible.circuit.load import load

    with redirect_stdout(sys.stderr):  # what the user's file prints is no part of an answer
        return load(app).name


def _profiles(store: "Store", stored: "StoredExploration") -> Mapping[str, "Profile"]:
    """The profiles by which the exploration ranked, as far as they are stored; shipped ones are not."""
    from fheasible.estimation.profile import Profile

    found = {}
    for library, told in stored.explored.content["profiles"].items():
        for row in store.profiles(told["machine"], library, told["version"], told["threads"]):
            if row.content.get("created") == told["created"] and (kept := Profile.from_json(row.content)):
                found[library] = kept
                break
    return found


def _accuracy(
    store: "Store", explored: "StoredExploration", profiles: Mapping[str, "Profile"]
) -> "Evaluation | None":
    """What campaigns on this machine have found about those profiles, in the schemes that the answer has;
    None where there were none."""
    from fheasible.accuracy.campaign import stored
    from fheasible.accuracy.evaluation import evaluate
    from fheasible.libraries.catalogue import CATALOGUE

    schemes: dict[str, dict[str, None]] = {name: {} for name in profiles}
    for c in explored.explored.content["candidates"]:
        schemes.get(c["library"], {})[c["scheme"]] = None
    libraries = [replace(CATALOGUE[name], schemes=tuple(of)) for name, of in schemes.items()]
    single, whole = (stored(kind, store, libraries) for kind in ("operations", "applications"))
    return evaluate(single, whole, profiles) if single or whole else None


def _document(made: "Report", path: Path, pictures: list[Path]) -> Json:
    told = made.told
    return {
        "app": told.app,
        "exploration": told.stored.id,
        "created": told.stored.created,
        "page": str(path),
        "figures": [str(picture) for picture in pictures],
        "sets": len(made.sets),
        "best": told.best,
        "why": told.content["why"],
    }


def _rendered(made: "Report", path: Path, pictures: list[Path]) -> Iterator[str]:
    told = made.told
    date = told.stored.created[:16].replace("T", " ")
    yield f"{path}: {told.app}, explored {date} UTC, {len(made.sets)} sets"
    if pictures:
        yield f"{pictures[0].parent}: {len(pictures) // 2} figures, each as SVG and PNG"
