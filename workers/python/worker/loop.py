"""The protocol: one JSON object per line, until stdin ends."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from worker.backend import Library
from worker.lookup_bench import LookupBench
from worker.lookup_program import is_of_lookups
from worker.lookups import run_lookups
from worker.measure import measure
from worker.refusal import BAD_REQUEST, Refusal
from worker.request import Json
from worker.run import describe, run

PROTOCOL = 1
Reply = Callable[..., None]


def claim_stdout() -> IO[str]:
    """The stdout this process was born with, for replies alone. Call it before the library is loaded."""
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    os.dup2(2, 1)  # what a native library prints lands with the log
    return replies


def serve(library: Library, replies: IO[str]) -> None:
    """Says hello, then answers each line of stdin."""
    _send(replies, {"type": "hello", "protocol": PROTOCOL, **library.greeting, "made_from": _made_from()})
    for line in sys.stdin.buffer:
        if line.strip():
            _answer(library, line, replies)


def _made_from() -> str:
    """The stamp that `fheasible libraries install` leaves in this environment; "" where there is none."""
    stamp = Path(sys.executable).with_name("installed")
    return stamp.read_text() if stamp.is_file() else ""


def _answer(library: Library, line: bytes, replies: IO[str]) -> None:
    request: Json = {}
    try:
        request = _read(line)
        _send(replies, {**_carry_out(library, request, replies), "id": request.get("id")})
    except Refusal as refusal:
        _send(
            replies,
            {"type": "refused", "id": request.get("id"), "kind": refusal.kind, "message": refusal.message},
        )


def _read(line: bytes) -> Json:
    try:
        request = json.loads(line)
    except ValueError as error:
        raise Refusal(BAD_REQUEST, f"not a line of JSON: {error}") from error
    if not isinstance(request, dict):
        raise Refusal(BAD_REQUEST, f"a request is an object, not {type(request).__name__}")
    return request


def _carry_out(library: Library, request: Json, replies: IO[str]) -> Json:
    kind = request.get("type")
    if library.lookups is not None and is_of_lookups(request):
        return _look_up(library.lookups, request, _progress(request, replies))
    if kind == "describe":
        return {"type": "described", **describe(library, request)}
    if kind == "run":
        return {"type": "measured", **run(library, request, _progress(request, replies))}
    if kind == "measure":
        return {"type": "timed", **measure(library, request, _progress(request, replies))}
    if kind in library.others:
        reply, carry_out = library.others[kind]
        return {"type": reply, **carry_out(request, _progress(request, replies))}
    known = " and ".join(("describe, run", ", ".join(("measure", *library.others))))
    raise Refusal(BAD_REQUEST, f"no request {kind!r}; there are {known}")


def _look_up(lookups: LookupBench, request: Json, progress: Callable[[str, int, int], None]) -> Json:
    """The same requests for table look-ups."""
    match request["type"]:
        case "run":
            return {"type": "measured", **run_lookups(lookups.open, request, progress)}
        case "measure":
            return {"type": "timed", **lookups(request, progress)}
        case _:
            return {"type": "described", **lookups.describe(request["parameters"])}


def _progress(request: Json, replies: IO[str]) -> Callable[[str, int, int], None]:
    def report(phase: str, done: int, total: int) -> None:
        progress: dict[str, Any] = {"phase": phase, "done": done, "total": total}
        _send(replies, {"type": "progress", "id": request.get("id"), **progress})

    return report


def _send(replies: IO[str], message: Json) -> None:
    replies.write(json.dumps(message) + "\n")
    replies.flush()
