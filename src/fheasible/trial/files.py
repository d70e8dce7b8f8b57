"""An application as files: the Python source, and the values of its inputs where they are given."""

import csv
from itertools import zip_longest
from pathlib import Path
from typing import Any

from fheasible.api import asking
from fheasible.trial.application import Application, values_of
from fheasible.units import MIB

_WISH = {
    "security": ("security", 1), "quantum": ("quantum", None), "failure": ("failure", 1.0),
    "shared-results": ("shared_results", None), "max-time": ("max_seconds", 1.0),
    "max-memory": ("max_bytes", MIB), "max-ciphertext": ("max_ciphertext_bytes", MIB),
    "max-keys": ("max_key_bytes", MIB), "objective": ("objective", None), "requests": ("requests", 1),
    "price-core-hour": ("price_core_hour", 1.0), "price-gib": ("price_gib", 1.0),
    "precision": ("precision", None),
}  # fmt: skip


def write(app: Application, folder: Path) -> tuple[Path, Path | None]:
    """The paths of the application and of its data; None where the tool draws the data itself."""
    source = folder / f"{app.name}.py"
    source.write_text(app.source)
    values = values_of(app)
    if values is None:
        return source, None
    data = folder / f"{app.name}.csv"
    with data.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(values)
        writer.writerows(
            zip_longest(*([repr(v) for v in column] for column in values.values()), fillvalue="")
        )
    return source, data


def wished(app: Application) -> dict[str, Any]:
    """The application's wish as arguments of `fh.explore`."""
    found: dict[str, Any] = {}
    for option, value in app.wish.items():
        name, unit = _WISH[option]
        found[name] = int(value * unit) if unit == MIB else value
    return found


def wish_of(app: Application) -> Any:
    return asking.wish_of(**{"precision": None} | wished(app))
