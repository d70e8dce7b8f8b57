"""A request that is not carried out, with the reason; the worker stays healthy."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

UNSUPPORTED = "UnsupportedOperation"
INFEASIBLE = "InfeasibleParameters"
BAD_REQUEST = "BadRequest"

_BUILD_FOLDER = re.compile(r"^/\S*/(?=[\w.-]+:l\.\d+:)")  # where OpenFHE was compiled tells a user nothing


class Refusal(Exception):
    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message


@contextmanager
def reading(what: str) -> Iterator[None]:
    """Inside, whatever cannot be read as the protocol says is a bad request."""
    try:
        yield
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, OSError) as error:
        raise Refusal(BAD_REQUEST, f"{what}: {type(error).__name__}: {error}") from error


@contextmanager
def calling_library(doing: str) -> Iterator[None]:
    """Inside, an exception of the library is a refusal in the library's own words.

    The bindings raise these three for every C++ exception; anything else is a fault of the worker's.
    """
    try:
        yield
    except (RuntimeError, ValueError, IndexError) as error:
        words = _BUILD_FOLDER.sub("", str(error).strip())
        raise Refusal(_kind(words), f"{doing}: {words}") from error


def _kind(words: str) -> str:
    """SEAL will not give out a ciphertext that hides nothing (x - x): no parameters would change that."""
    return UNSUPPORTED if "transparent" in words else INFEASIBLE
