"""Lines of JSON between the server and the processes that it starts, and errors in them."""

import json
import os
import re
import threading
from collections.abc import Callable
from typing import IO

from fheasible.aliases import Json
from fheasible.errors import DataError, FheasibleError

Say = Callable[[Json], None]
_PLACED = r"(?:{file}):(?P<line>\d+): (?P<rest>.*)"


def own_pipes() -> tuple[IO[str], Say]:
    """The lines that come in, and a function that sends one. The user's code reaches neither: it reads from
    an empty file, and what it prints goes to standard error."""
    incoming = os.fdopen(os.dup(0), encoding="utf-8")
    outgoing = os.fdopen(os.dup(1), "w", encoding="utf-8")
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    os.dup2(2, 1)

    alone = threading.Lock()  # several threads have something to say

    def say(message: Json) -> None:
        with alone:
            outgoing.write(json.dumps(message, separators=(",", ":")) + "\n")
            outgoing.flush()

    return incoming, say


def told(error: FheasibleError) -> Json:
    return {"message": error.message, "remedy": error.remedy, "data": isinstance(error, DataError)}


def placed(error: Json, file: str) -> Json:
    """The error with the line of that file in which it is, where its message begins with one."""
    found = re.fullmatch(_PLACED.format(file=re.escape(file)), error["message"], re.DOTALL)
    if found is None:
        return {**error, "line": None}
    return {**error, "line": int(found["line"]), "message": found["rest"]}
