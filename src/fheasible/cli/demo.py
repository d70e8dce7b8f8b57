"""fheasible demo: from nothing to a verified result."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import typer

from fheasible.aliases import Json
from fheasible.cli.examples import with_examples
from fheasible.cli.session import TerminalSession

if TYPE_CHECKING:
    from rich.console import RenderableType

    from fheasible.api.layout import Listing

_ASKED = ("examples/2_std_dev.py", "--security", "128", "--precision", "15")


@dataclass(slots=True)
class _Collecting(TerminalSession):
    """A session whose answers become parts of one document."""

    documents: list[Any] = field(default_factory=list)

    def answer(
        self,
        document: Mapping[str, Any] | Sequence[Any],
        rendered: "Sequence[RenderableType | Listing] | Any",
    ) -> None:
        self.documents.append(document)


def demo(ctx: typer.Context) -> int:
    """Install the libraries, calibrate, explore an example, and run the choice on real data.

    The example is the standard deviation of 1,461 lengths of days. A library that cannot be installed is left
    out. The first time this takes some minutes, and later only as long as the run.

    \b
    Example:
      fheasible demo
    """
    session: TerminalSession = ctx.obj
    steps: list[Json] = []
    code = 0
    for words in _calls():
        code = _called(ctx, session, words, steps)
        if words[0] == "libraries" and code != 0:
            session.say("going on with the libraries that are there")
        elif code != 0:
            break
    if session.as_json:
        session.answer({"steps": steps}, [])
    return code


def _calls() -> list[list[str]]:
    """What is typed, in its order."""
    return [
        ["libraries", "install"],
        ["calibrate", "--if-missing"],
        ["explore", *_ASKED],
        ["verify", *_ASKED, "--data", "examples/data/day_length.csv"],
    ]


def _called(ctx: typer.Context, session: TerminalSession, words: list[str], steps: list[Json]) -> int:
    """The exit code of one call, which is made as if it were typed."""
    if not session.as_json:
        print(f"\n$ {shlex.join(['fheasible', *words])}", flush=True)
    own = _Collecting if session.as_json else TerminalSession
    step = own(session.as_json, session.debug, session.place, session.pace)
    root = ctx.find_root()
    code = root.command.main(
        with_examples(words),
        prog_name="fheasible",
        standalone_mode=False,
        obj=step,
        default_map=root.default_map,
    )
    found = step.documents if isinstance(step, _Collecting) else []
    steps.append({"command": ["fheasible", *words], "exit_code": code or 0, "answer": found})
    return int(code or 0)
