"""fh.emit and fh.report: what people take home, as files."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fheasible.api.answer import Answer
from fheasible.api.asking import typed
from fheasible.api.emitting import Emitted
from fheasible.api.emitting import emit as emitted
from fheasible.api.keywords import told_in_python
from fheasible.api.lookup_answer import LookupAnswer
from fheasible.api.options import options_of
from fheasible.api.platform import Silent
from fheasible.api.reporting import reported
from fheasible.api.ring_answer import RingAnswer
from fheasible.circuit.trace import App


@told_in_python()
def emit(
    app: App | str | Path,
    to: str,
    out: str | Path,
    params: Mapping[str, Any] | None = None,
    *,
    store: str | Path | None = None,
    **asked: Any,
) -> Emitted:
    """The application as code for a library, written into the folder `out`, as `fheasible emit` does it.

    `to`: the library and the language, such as "seal-python". `params`: the parameters; by default the set
    that `explore` recommends for that library. `asked`: what `explore` takes.

    Example:
        >>> app = fh.app(x=fh.reals(1000, low=0, high=1))(lambda x: x * x)
        >>> made = fh.emit(app, to="seal-python", out="squares", precision=15)
        >>> "parameters.json" in made.files
        True
    """
    return emitted(app, to, Path(out), options_of(asked), typed(params), Silent(store))


@told_in_python()
def report(
    app: Answer | LookupAnswer | RingAnswer | App | str | None = None,
    out: str | Path | None = None,
    *,
    figures: str | Path | None = None,
    store: str | Path | None = None,
) -> Path:
    """The page of an exploration, as `fheasible report` makes it, and where it is.

    `app`: an answer of `explore`, which is stored for this; or the name of an application that was explored
    and stored before, the newest one by default. `out`: where to write the page, APP.html by default;
    `figures`: a folder for each figure as SVG and PNG.

    Example:
        >>> app = fh.app(x=fh.reals(1000, low=0, high=1))(lambda x: x * x)
        >>> page = fh.report(fh.explore(app, library="seal"), out="squares.html")
        >>> page.name
        'squares.html'
    """
    talk = Silent(store)
    if isinstance(app, Answer | LookupAnswer | RingAnswer):
        talk = Silent(store if store is not None else app.place)
        app.prepare()
        app.keep(talk.store)
        found = app.exploration.problem if isinstance(app, Answer) else app.problem
        name: str | None = found.circuit.name
    else:
        name = app.name if isinstance(app, App) else app
    made = reported(talk, name)
    path = Path(out) if out is not None else Path(f"{made.name}.html")
    made.write(path)
    if figures is not None:
        made.write_figures(Path(figures))
    return path
