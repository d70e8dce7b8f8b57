"""What all verbs have in common: how they answer, where they print messages, which store they use, and the
options for this."""

import inspect
import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, fields, is_dataclass
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fheasible.cli.progress import Pace

if TYPE_CHECKING:  # both cost a tenth of a second, and --help needs neither
    from rich.console import Console, RenderableType

    from fheasible.api.layout import Listing
    from fheasible.cli.progress import Bar
    from fheasible.errors import UsageError
    from fheasible.store.store import Store


@dataclass(slots=True)
class TerminalSession:
    """One call of the command line. Only the answer goes to stdout; messages go to stderr."""

    as_json: bool = False
    debug: bool = False
    place: str | None = None  # the store's place
    pace: Pace = field(default_factory=Pace)
    unread: "UsageError | None" = None  # why the defaults from files could not be read

    @staticmethod
    def of(arguments: Sequence[str]) -> "TerminalSession":
        """The session that the words ask for, before they are parsed, so that a usage error is answered in
        the form asked for, too."""
        words = arguments[: arguments.index("--")] if "--" in arguments else arguments
        return TerminalSession("--json" in words, "--debug" in words)

    def store(self, reading: bool = False) -> "Store":
        """The store of results; with `reading` also where it cannot be written. A warning names what is
        damaged there."""
        from fheasible.store.store import Store

        return Store.open(self.place, reading, lambda line: self.say(f"warning: {line}"))

    def answer(
        self, document: Mapping[str, Any] | Sequence[Any], rendered: "Iterable[RenderableType | Listing]"
    ) -> None:
        """Prints the one answer of the call: the document with --json, else what is rendered (and made only
        then)."""
        if self.as_json:
            print_json(document)
            return
        from rich.console import Console

        from fheasible.api.layout import WIDTH, Listing
        from fheasible.cli.tables import table

        on_terminal = Console()
        colourful = on_terminal.is_terminal and on_terminal.width >= WIDTH
        part: RenderableType
        for given in rendered:
            if isinstance(given, Listing):
                part = table(given.columns, given.rows, given.left, given.gap)
            else:
                part = given
            if isinstance(part, str):
                print(part)
            elif colourful:
                on_terminal.print(part)
            else:
                print(_flat(Console(width=WIDTH, color_system=None), part))

    def say(self, line: str) -> None:
        """Prints a message on stderr."""
        print(line, file=sys.stderr, flush=True)

    def progress(self, what: str) -> "AbstractContextManager[Bar]":
        """A bar on stderr for the length of a `with` block."""
        from fheasible.cli.progress import bar

        return bar(what, self.pace)

    def patience(self, what: str) -> "AbstractContextManager[Bar]":
        """Lines on stderr for the length of a `with` block, on a terminal too, for a block in which the
        user's code may print."""
        from fheasible.cli.progress import Lines

        return Lines(what, self.pace)


def _flat(console: "Console", part: "RenderableType") -> str:
    """The part as text, without the blanks that fill up a table's lines."""
    with console.capture() as captured:
        console.print(part)
    return "\n".join(line.rstrip() for line in captured.get().rstrip().splitlines())


def print_json(document: Mapping[str, Any] | Sequence[Any]) -> None:
    """Prints one JSON document on stdout; what JSON cannot express (NaN, infinity) becomes null."""
    from fheasible.store.rows import plain

    print(json.dumps(plain(document), indent=1))


def _keep_place(ctx: typer.Context, value: str | None) -> str | None:
    if value is not None:
        ctx.obj.place = value
    return value


_COMMON: dict[str, tuple[Any, Any]] = {
    "as_json": (
        Annotated[bool, typer.Option("--json", help="Print one JSON document, and nothing else, on stdout.")],
        False,
    ),
    "debug": (
        Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")],
        False,
    ),
    "store": (
        Annotated[
            str | None,
            typer.Option(
                "--store",
                metavar="PATH",
                callback=_keep_place,
                help="The results file, or the URL of a database; by default one in your home folder.",
            ),
        ],
        None,
    ),
}


def _options(bundle: Any) -> list[inspect.Parameter]:
    """An option for each field of a dataclass."""
    return [
        inspect.Parameter(f.name, inspect.Parameter.KEYWORD_ONLY, default=f.default, annotation=f.type)
        for f in fields(bundle)
    ]


def verb(function: Callable[..., int | None], unread: bool = False) -> Callable[..., int | None]:
    """The function in the form that typer takes. Its first parameter is filled with the session, and --json,
    --debug and --store are added to its own options. A parameter whose annotation is a dataclass stands for
    an option for each of its fields. The function returns the exit code, and None means 0. It is not
    called where the files of defaults could not be read, unless it may be called with these `unread`."""

    @wraps(function)
    def command(ctx: typer.Context, **given: Any) -> int | None:
        own = {name: value for name, value in given.items() if name not in _COMMON}
        bundles = {name: kind(**{f.name: own.pop(f.name) for f in fields(kind)}) for name, kind in bundled}
        first = ctx if wants_context else ctx.obj
        if ctx.obj.unread is not None and not unread:
            raise ctx.obj.unread
        return function(first, **own, **bundles)

    named = inspect.signature(function).parameters
    first, *declared = named.values()
    bundled: list[tuple[str, Any]] = [(p.name, p.annotation) for p in declared if is_dataclass(p.annotation)]
    own = [
        option for p in declared for option in (_options(p.annotation) if is_dataclass(p.annotation) else [p])
    ]
    wants_context = first.annotation is typer.Context
    context = inspect.Parameter("ctx", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)
    common = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        for name, (annotation, default) in _COMMON.items()
    ]
    parameters = [context, *(p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own), *common]
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.wishes = tuple(f.name for _, kind in bundled for f in fields(kind))  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in parameters}
    return command
