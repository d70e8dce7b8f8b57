"""fheasible report: a stored exploration as one page that opens from disk."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fheasible.aliases import Json
from fheasible.cli.session import TerminalSession

if TYPE_CHECKING:
    from fheasible.api.platform import Reported


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
    from fheasible.api.reporting import reported
    from fheasible.cli.streams import check

    check(out, drawn=True)
    made = reported(session, app)
    path = out or Path(f"{made.name}.html")
    made.write(path)
    pictures = made.write_figures(figures) if figures else []
    session.answer(_document(made, path, pictures), _rendered(made, path, pictures))


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
