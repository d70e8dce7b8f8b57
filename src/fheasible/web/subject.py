"""What the page asks about: the code of an application, and a file with its data on this machine."""

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Subject:
    """Code, and the data file that the page names; None for random data. `changed` is when the file was
    written last, so that a file that was changed is another subject."""

    source: str
    data: str | None = None
    changed: int = 0

    @property
    def place(self) -> str | None:
        """The data file, wherever a process runs: names count from the folder of the server."""
        return None if self.data is None else str(Path(self.data).absolute())


def subject(source: str, data: str = "") -> Subject:
    """That code with the file of that name, if there is one, as it is now."""
    if not data.strip():
        return Subject(source)
    named = Path(data.strip())
    with suppress(RuntimeError):  # of a user that there is not
        named = named.expanduser()
    changed = 0
    with suppress(OSError, ValueError):
        changed = named.stat().st_mtime_ns
    return Subject(source, str(named), changed)
