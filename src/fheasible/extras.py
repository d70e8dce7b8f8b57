"""Optional parts of Fheasible, the extras of its package: which are missing, and what to say then."""

import re
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version
from typing import Final

from fheasible.errors import ExtraMissing

_OWN: Final = "fheasible"
_OF_EXTRA: Final = re.compile(r"(?P<asked>[^;]+?)\s*;\s*extra\s*==\s*[\"'](?P<extra>[\w-]+)[\"']")
_NAME: Final = re.compile(r"[\w.-]+")


def need(extra: str, what: str) -> None:
    """Raises ExtraMissing where a package of that extra is not installed. `what` are those who need it, such
    as "figures"."""
    absent = [asked for asked in _asked(extra) if not _installed(_name(asked))]
    if absent:
        *names, last = map(_name, absent)
        quoted = " ".join(f'"{asked}"' for asked in absent)
        raise ExtraMissing(
            f"{what} need {', '.join(names)}{' and ' * bool(names)}{last}, which "
            f"{'are' if names else 'is'} not installed",
            f"install the extra {extra}: pip install {quoted}",
        )


def _asked(extra: str) -> Iterator[str]:
    """What Fheasible's metadata asks for in that extra, such as `pyarrow>=18.0`."""
    try:
        told = requires(_OWN) or []
    except PackageNotFoundError:  # sources that are not installed
        return
    for line in told:
        found = _OF_EXTRA.fullmatch(line)
        if found is not None and found["extra"] == extra:
            yield found["asked"]


def _name(asked: str) -> str:
    found = _NAME.match(asked)
    return found[0] if found else asked


def _installed(name: str) -> bool:
    try:
        version(name)
    except PackageNotFoundError:
        return False
    return True
