"""fheasible report: a stored exploration as one page that opens from disk."""

import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fheasible import units
from fheasible.aliases import Json
from fheasible.cli.session import TerminalSession
from fheasible.errors import StoreError

if TYPE_CHECKING:
    from fheasible.api.platform import Reported
    from fheasible.store.rows import StoredExploration
    from fheasible.store.store import Store


def report(
    session: TerminalSession,
    app: Annotated[
        str | None,
        typer.Argument(
            metavar="APP", help="Name or file of an application; by default the one explored last."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.html", help="Where to write the page; by default APP.html in this folder."
        ),
    ] = None,
    figures: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Also write each figure as SVG and PNG into this folder."),
    ] = None,
) -> None:
    """Make an HTML page of the newest exploration.

    The page is made from stored data alone, and nothing is run. It shows the recommendation with its
    reasons, time against memory for every set that was kept, where time and memory go, other scales, runs
    beside their predictions, and the calibration. It is one file that needs no network.

    \b
    Example:
      fheasible report std_dev --out std_dev.html --figures figures
    """
    from fheasible.api.platforms import platform_of
    from fheasible.cli.streams import check

    check(out, drawn=True)
    _check_stored(session.place, app)
    with session.store(reading=True) as store:
        stored = _newest(store, app)
        made = platform_of([stored.explored.content.get("platform", "")]).report(stored, store)
    path = out or Path(f"{made.name}.html")
    made.write(path)
    pictures = made.write_figures(figures) if figures else []
    session.answer(_document(made, path, pictures), _rendered(made, path, pictures))


def _check_stored(place: str | None, app: str | None) -> None:
    """Raises StoreError where the results file does not exist: only a command that stores something makes
    it."""
    from fheasible.store.engine import is_missing_file, to_url

    url = to_url(place)
    if is_missing_file(url):
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
    return f"{_exploring(app)}; explored so far: {units.listing(known)}" if known else _exploring(app)


def _name(app: str) -> str:
    """The name of an application: 'std_dev' for 'std_dev', for 'file.py:std_dev', and for a file whose only
    application has that name; for a model, that of its application."""
    file, colon, name = app.rpartition(":")
    if colon and file.endswith(".py"):
        return name
    from fheasible.models.load import is_model, name_in

    if is_model(app):
        return name_in(app)
    if not app.endswith(".py"):
        return app
    from fheasible.circuit.load import load

    with redirect_stdout(sys.stderr):  # what the user's file prints is no part of an answer
        return load(app).name


def _document(made: "Reported", path: Path, pictures: list[Path]) -> Json:
    stored = made.stored
    return {
        "app": stored.explored.app,
        "exploration": stored.id,
        "created": stored.created,
        "page": str(path),
        "figures": [str(picture) for picture in pictures],
        "sets": made.sets,
        "best": made.best,
        "why": stored.explored.content["why"],
    }


def _rendered(made: "Reported", path: Path, pictures: list[Path]) -> Iterator[str]:
    stored = made.stored
    date = stored.created[:16].replace("T", " ")
    yield f"{path}: {stored.explored.app}, explored {date} UTC, {made.sets} sets"
    if pictures:
        yield f"{pictures[0].parent}: {len(pictures) // 2} figures, each as SVG and PNG"
