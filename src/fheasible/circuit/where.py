"""Finds the line of the user's program that is being traced."""

import os
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from types import FrameType, TracebackType

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


_FOREIGN = ("stdlib", "platstdlib", "purelib", "platlib", "scripts")
_INSTALLED = tuple(
    {os.path.abspath(path) + os.sep for name, path in sysconfig.get_paths().items() if name in _FOREIGN}
)


_told: ContextVar[str] = ContextVar("told", default="")


@contextmanager
def told(where: str) -> Iterator[None]:
    """A block that stands for that place in the user's file, which is not one of Python."""
    before = _told.set(where)
    try:
        yield
    finally:
        _told.reset(before)


def here() -> str:
    """`file:line` of the innermost running line that is the user's own, or what was `told`; "" if there is
    none.

    Lines of fheasible and of installed packages (numpy calls back) are not the user's own.
    """
    return _told.get() or user_frame(sys._getframe(1))


def user_frame(frame: FrameType | None) -> str:
    """`file:line` of the innermost line, from that frame outwards, that is the user's own; "" if none is."""
    while frame is not None and (_ours(frame.f_code.co_filename) or _of_a_package(frame)):
        frame = frame.f_back
    return place(frame.f_code.co_filename, frame.f_lineno) if frame else ""


def _of_a_package(frame: FrameType) -> bool:
    """Whether the line belongs to an installed package, or to code that one generated (dataclasses does)."""
    file, caller = frame.f_code.co_filename, frame.f_back
    written = file == "<string>" and caller is not None and _installed(caller.f_code.co_filename)
    return written or _installed(file)


def raised_at(trace: TracebackType | None, file: str) -> str:
    """`file:line` of the innermost frame of a traceback that lies in `file`, "" if none does."""
    found = ""
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            found = place(file, trace.tb_lineno)
        trace = trace.tb_next
    return found


def place(file: str, line: int) -> str:
    """`file:line`, with the file relative to the working directory if it lies below that."""
    return f"{_shown(file, os.getcwd())}:{line}"


@cache
def _shown(file: str, folder: str) -> str:
    absolute = os.path.abspath(file)
    return os.path.relpath(absolute) if absolute.startswith(folder + os.sep) else file


def at(where: str, message: str) -> str:
    """`message`, preceded by the place that it is about."""
    return f"{where}: {message}" if where else message


@cache
def _ours(file: str) -> bool:
    return os.path.abspath(file).startswith(_PACKAGE)


@cache
def _installed(file: str) -> bool:
    return file.startswith(("<frozen", "<__array_function__")) or os.path.abspath(file).startswith(_INSTALLED)
