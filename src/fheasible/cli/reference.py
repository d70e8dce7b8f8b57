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
    from fheasible.cli.main import app

    return "\n".join([_HEAD, *(section for section in _sections(get_command(app), None, "fheasible"))])


def _sections(command: Any, parent: Any, name: str) -> Iterator[str]:
    context = command.make_context(
        name, [], parent=parent, resilient_parsing=True, terminal_width=WIDTH, max_content_width=WIDTH
    )
    yield f"## {context.command_path}\n\n```text\n{command.get_help(context).rstrip()}\n```\n"
    for child in sorted(getattr(command, "commands", {})):
        yield from _sections(command.commands[child], context, child)


if __name__ == "__main__":
    print(reference(), end="")
