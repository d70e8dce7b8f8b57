"""Shows what came of a real run."""

from typing import TYPE_CHECKING

from fheasible.cli.session import TerminalSession

if TYPE_CHECKING:
    from fheasible.api.platform import Ran


def shown(session: TerminalSession, ran: "Ran") -> int:
    """The exit code, after the answer: 1, with the reason on stderr, where the run could not be stored."""
    from fheasible.api.text import TextPage
    from fheasible.cli.tables import width

    session.answer(ran.document, ran.lines(TextPage(width())))
    if ran.unstored is None:
        return ran.exit_code
    session.say(f"error: the result above was not stored: {ran.unstored.message}")
    session.say(f"remedy: {ran.unstored.remedy}")
    return ran.unstored.exit_code
