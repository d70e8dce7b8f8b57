"""What comes with Fheasible beside its code, in a clone and in an installed package, and where what is made
of it is kept."""

from pathlib import Path
from typing import Final

from fheasible.system import data_folder

_PACKAGE: Final = Path(__file__).resolve().parents[1]
_INSIDE: Final = _PACKAGE / "_shipped"  # only an installed package has this folder


def clone() -> Path | None:
    """The root of the clone that Fheasible runs from; None where the package is installed without one."""
    root = _PACKAGE.parents[1]
    return root if not _INSIDE.is_dir() and (root / "workers" / "PROTOCOL.md").is_file() else None


def shipped(name: str) -> Path:
    """A file or folder of the repository's root that every installation has: workers, examples, a part of
    benchmarks, and what pins uv."""
    return (clone() or _INSIDE) / name


def kept(folder: Path) -> Path:
    """The folder for what is made of a shipped one, such as the environment of a worker: in a clone the
    shipped folder itself, and else one of the user's own, because a package may not be writable."""
    if folder.is_relative_to(_INSIDE):
        return data_folder() / folder.relative_to(_INSIDE)
    return folder
