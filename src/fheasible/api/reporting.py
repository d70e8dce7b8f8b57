"""Which stored exploration a page is made of."""

import sys
from contextlib import redirect_stdout
from pathlib import Path

from fheasible import units
from fheasible.api.platform import Reported, Talk
from fheasible.api.platforms import platform_of
from fheasible.circuit.load import load
from fheasible.errors import StoreError
from fheasible.models.load import is_model, name_in
from fheasible.store.engine import is_missing_file, to_url
from fheasible.store.rows import StoredExploration
from fheasible.store.store import Store


def reported(talk: Talk, app: str | None) -> Reported:
    """The page of the newest exploration of that application, given by its name or its file; of all, where
    none is named. StoreError where none is stored."""
    _check_stored(talk.place, app)
    with talk.store(reading=True) as store:
        stored = _newest(store, app)
        return platform_of([stored.explored.content.get("platform", "")]).report(stored, store)


def _check_stored(place: str | Path | None, app: str | None) -> None:
    """Raises StoreError where the results file does not exist: only a command that stores something makes
    it."""
    url = to_url(place)
    if is_missing_file(url):
        raise StoreError(f"there is no results file {url.database}", _exploring(app))


def _exploring(app: str | None) -> str:
    return f"fheasible explore {app if app and '.py' in app else 'path/to/app.py'}"


def _newest(store: Store, app: str | None) -> StoredExploration:
    """The newest exploration of the application, or of all where none is named. StoreError where none is
    stored."""
    name = None if app is None else _name(app)
    found = store.explorations(name, limit=1)
    if not found:
        of = "" if name is None else f" of {name}"
        raise StoreError(f"no exploration{of} is stored in {store.place}", _remedy(store, app))
    return found[0]


def _remedy(store: Store, app: str | None) -> str:
    """A remedy: to explore the application by its file, or to name one that was explored."""
    known = store.explored_apps()
    return f"{_exploring(app)}; explored so far: {units.listing(known)}" if known else _exploring(app)


def _name(app: str) -> str:
    """The name of an application: 'std_dev' for 'std_dev', for 'file.py:std_dev', and for a file whose only
    application has that name; for a model, that of its application."""
    file, colon, name = app.rpartition(":")
    if colon and file.endswith(".py"):
        return name
    if is_model(app):
        return name_in(app)
    if not app.endswith(".py"):
        return app
    with redirect_stdout(sys.stderr):  # what the user's file prints is no part of an answer
        return load(app).name
