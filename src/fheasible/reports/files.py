"""Files that appear whole or not at all."""

import os
from pathlib import Path

from fheasible.errors import UsageError


def write(path: Path, content: bytes) -> None:
    """Writes a file with that content, and makes its folder where that is missing. An older file stays until
    the new one is complete. UsageError where it cannot be written."""
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(content)  # a pipe or a terminal takes bytes, but cannot be replaced
        else:
            _replace(path.resolve(), content)  # resolved, so that a link stays a link
    except OSError as error:
        remedy = "Name a file in a folder that you may write to, on a disk with free space."
        raise UsageError(f"{path} cannot be written: {error.strerror or error}", remedy) from error


def _replace(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(
        f".{path.name[:200]}.{os.getpid()}.part"
    )  # in the same folder, because a rename stays on one disk
    try:
        part.write_bytes(content)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
