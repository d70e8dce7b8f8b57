"""Which line of the user's program is being traced."""

import os
import sys
from types import FrameType, TracebackType

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def here() -> str:
    """`file:line` of the innermost running line that is not fheasible's own, "" if there is none."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and _ours(frame.f_code.co_filename):
        frame = frame.f_back
    return place(frame.f_code.co_filename, frame.f_lineno) if frame else ""


def raised_at(trace: TracebackType | None, file: str) -> str:
    """`file:line` of the innermost frame of a traceback that lies in `file`, "" if none does."""
    found = ""
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            found = place(file, trace.tb_lineno)
        trace = trace.tb_next
    return found


def place(file: str, line: int) -> str:
    """`file:line`, the file relative to the working directory where it lies below it."""
    absolute = os.path.abspath(file)
    below = absolute.startswith(os.getcwd() + os.sep)
    return f"{os.path.relpath(absolute) if below else file}:{line}"


def at(where: str, message: str) -> str:
    """`message`, led by the place it speaks of."""
    return f"{where}: {message}" if where else message


def _ours(file: str) -> bool:
    return os.path.abspath(file).startswith(_PACKAGE)
