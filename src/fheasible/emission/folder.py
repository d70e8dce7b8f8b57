"""Writes the files into a folder, without touching what it has not written itself."""

import json
import os
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from fheasible.errors import UsageError

OWN = ".fheasible.json"  # which files were written, each with the hash of its content


def write(folder: Path, files: Mapping[str, bytes]) -> None:
    """Writes all files, or none: UsageError where one of them would replace a file that is not an earlier
    emission's own, or that has been changed since. Own files that are no longer needed are removed."""
    try:
        known = _known(folder)
        refuse(folder, files, known)
        for path in known.keys() - files.keys():
            if _hash_of(folder / path) == known[path]:
                (folder / path).unlink()
        for path, content in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)
        hashes = {path: sha256(content).hexdigest() for path, content in sorted(files.items())}
        (folder / OWN).write_text(json.dumps(hashes, indent=1) + "\n")
    except OSError as error:
        raise UsageError(
            f"{folder} cannot be written: {error.strerror or error}", "choose another folder with --out"
        ) from error


def check(folder: Path, files: Mapping[str, bytes]) -> None:
    """Raises UsageError where the folder surely cannot be written, or has a file in place of one of `files`:
    before a search, which may take a minute."""
    there = folder
    while not there.exists() and there != there.parent:
        there = there.parent
    if not there.is_dir():
        raise UsageError(f"{folder} cannot be written: {there} is a file", "choose another folder with --out")
    if not os.access(there, os.W_OK | os.X_OK):
        raise UsageError(
            f"{folder} cannot be written: {there} belongs to somebody else, or is read-only",
            "choose another folder with --out",
        )
    refuse(folder, files, _known(folder))


def refuse(folder: Path, files: Mapping[str, bytes], known: Mapping[str, str]) -> None:
    """Raises UsageError where a file that is not ours, or that was changed, stands in the way."""
    for path, content in files.items():
        there = _hash_of(folder / path)
        if there not in (None, known.get(path), sha256(content).hexdigest()):
            said = "was changed since it was written" if path in known else "is there, and is not ours"
            raise UsageError(
                f"{folder / path} {said}", "choose another folder with --out, or move the file away"
            )


def _known(folder: Path) -> dict[str, str]:
    """The files of an earlier emission into that folder, each with its hash."""
    own = folder / OWN
    if not own.is_file():
        return {}
    try:
        found = json.loads(own.read_text())
    except ValueError:
        return {}
    return {str(k): str(v) for k, v in found.items()} if isinstance(found, dict) else {}


def _hash_of(path: Path) -> str | None:
    """The hash of a file; None where nothing is there, and an empty text for what is not a file."""
    if not path.exists():
        return None
    return sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
