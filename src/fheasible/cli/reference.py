"""The text of docs/cli.md: every help text, as it is. `python -m fheasible.cli.reference > docs/cli.md`
writes it."""

from collections.abc import Iterator
from typing import Any

from typer.main import get_command

WIDTH = 100
_HEAD = """# The command line

Generated from the help texts by `make docs`; a test fails when it is stale.
"""


def reference() -> str:
    return "\n".join([_HEAD, *(f"## {path}\n\n```text\n{text}\n```\n" for path, text in pages(WIDTH))])


def pages(width: int) -> Iterator[tuple[str, str]]:
    """Each verb with its help text, of lines that are so wide."""
    from fheasible.cli.main import app

    yield from _pages(get_command(app), None, "fheasible", width)


def _pages(command: Any, parent: Any, name: str, width: int) -> Iterator[tuple[str, str]]:
    context = command.make_context(
        name, [], parent=parent, resilient_parsing=True, terminal_width=width, max_content_width=width
    )
    yield context.command_path, command.get_help(context).rstrip()
    for child in sorted(getattr(command, "commands", {})):
        yield from _pages(command.commands[child], context, child, width)


if __name__ == "__main__":
    print(reference(), end="")
