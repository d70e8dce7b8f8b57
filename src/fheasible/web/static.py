"""The page as static files, for any web host: the examples, with a table of answers for all stops of the
sliders, which is made beforehand."""

import gzip
import json
from base64 import b64encode
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, chdir
from dataclasses import asdict
from pathlib import Path
from typing import Final

from fheasible.aliases import Json
from fheasible.errors import UsageError
from fheasible.measurement.environment import now
from fheasible.measurement.machine import this_machine
from fheasible.measurement.shipped import shipped
from fheasible.reports import files
from fheasible.units import GIB, listing
from fheasible.web.answers import drawing
from fheasible.web.controls import Settings, by_precision, count, few
from fheasible.web.examples import FOLDER, Example, examples
from fheasible.web.page import rendered
from fheasible.web.searching import Searching

PAGE: Final = "index.html"
MOST_BYTES: Final = 4 * GIB  # there is no other process
Told = Callable[[str, int, int], None]  # the example, how many answers there are, and of how many


def chosen(names: Sequence[str]) -> tuple[Example, ...]:
    """The examples with these names or numbers; all where none is named. UsageError for others."""
    known = {key: e for e in examples() for key in (e.called, e.file, e.file.partition("_")[0])}
    wrong = [name for name in names if name not in known]
    if wrong:
        raise UsageError(
            f"there is no example {listing(wrong)}", f"choose among {', '.join(e.called for e in examples())}"
        )
    return tuple(dict.fromkeys(known[name] for name in names)) or examples()


def write(folder: Path, which: Sequence[Example], place: str | None, told: Told = lambda *_: None) -> Path:
    """The file of the page, written into that folder with the answers for these examples. `told` is called
    after each answer; `place`: the store whose profiles count. UsageError where it cannot be written."""
    traced = {example: _traced(example, place) for example in which}
    many = sum(count(few(searching.sliders)) for searching in traced.values())
    table: Json = {}
    for example in which:
        searching = traced.pop(example)  # with all that it keeps, which is over with its answers
        before = sum(len(one["answers"]) for one in table.values())

        def further(name: str, number: int, before: int = before) -> None:
            told(name, before + number, many)

        table[example.called] = answers(example, searching, further)
    path = folder / PAGE
    files.write(path, page(which, table).encode())
    return path


def _traced(example: Example, place: str | None) -> Searching:
    if place is not None and "://" not in place:
        place = str(Path(place).absolute())
    with _among_examples():
        return Searching(Path(example.called), example.called, place, most_bytes=MOST_BYTES)


def _among_examples() -> AbstractContextManager[None]:
    """In the folder from which reasons name lines of the examples as people know them."""
    return chdir(shipped(FOLDER).parent)


def answers(example: Example, searching: Searching, told: Callable[[str, int], None]) -> Json:
    """All answers for an example by the stops of its sliders, and the sliders."""
    sliders, found = few(searching.sliders), {}
    with _among_examples():
        for number, stops in enumerate(by_precision(sliders), start=1):
            parts = searching.answer(stops, sliders=sliders)
            found[_key(stops)] = {name: value for part in parts for name, value in part.items()}
            told(example.called, number)
    return {"sliders": [slider.document for slider in sliders], "answers": found}


def _key(stops: Settings) -> str:
    return ",".join(map(str, stops))


def page(which: Sequence[Example], table: Json) -> str:
    """The page with that table in it."""
    packed = gzip.compress(json.dumps(table, separators=(",", ":")).encode(), mtime=0)
    machine = this_machine()
    return rendered(
        {
            "static": True,
            "made": f"on {now()[:10]} on {machine.cpu}",
            "drawing": drawing(),
            "examples": [asdict(example) for example in which],
            "table": b64encode(packed).decode(),
        }
    )
