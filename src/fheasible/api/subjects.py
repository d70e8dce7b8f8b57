"""Turns what was typed into what is counted: a function of a ring scheme, or an application with it."""

import sys
from contextlib import redirect_stdout
from typing import TYPE_CHECKING

from fheasible.errors import UsageError
from fheasible.models.load import is_model, load_model

if TYPE_CHECKING:
    from fheasible.exploration.sweeps.ring_analysis import Subject


def is_application(what: str) -> bool:
    """Whether the text names a file: app.py, app.py:name, or a model such as circuit.blif."""
    return what.partition(":")[0].endswith(".py") or is_model(what)


def said(chosen: "Subject") -> str:
    """What is counted, in words."""
    from fheasible.schemes.call import ALL

    return "each function once" if chosen.what == ALL and chosen.application is None else chosen.what


def subject(scheme: str, what: str, minimise_depth: bool | None = None) -> "Subject":
    """The function or application to count. UnknownName for a scheme or function that does not exist; for
    applications also the errors of `load` and `plan`."""
    from fheasible.exploration.sweeps.ring_analysis import Subject
    from fheasible.schemes.catalogue import scheme as named

    kind = named(scheme)
    if not is_application(what):
        if minimise_depth is not None:
            raise UsageError(
                f"{what} is a function, whose order is fixed",
                "give an application's file, or leave the option out",
            )
        return Subject.function(kind, what)
    from fheasible.circuit.load import load

    with redirect_stdout(sys.stderr):  # what the user's file prints is no part of an answer
        application = load_model(what).app if is_model(what) else load(what)
        return Subject.of_application(kind, application.trace(), minimise_depth)
