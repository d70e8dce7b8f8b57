"""What a run used of the processor and the system, as a table."""

from collections.abc import Iterator

from fheasible import units
from fheasible.api.busy import share
from fheasible.api.layout import WIDTH, Listing, Part, paragraph
from fheasible.measurement.counters import COUNTED, SYSTEM, Counters
from fheasible.measurement.events import EVENTS

_DERIVED = ("cpu_utilisation", "instructions_per_cycle")
_NAMES = (_DERIVED[0], *SYSTEM, *EVENTS, _DERIVED[1])


def counted(counters: Counters | None, width: int = WIDTH) -> Iterator[Part]:
    """The median of each counter in each phase. What the kernel does not count is named below the table."""
    if counters is None:
        yield paragraph("counters:", "not available here: the worker kept no marks", width)
        return
    typical = {phase: counters.typical(phase) for phase in COUNTED}
    values = {name: [typical[phase].get(name) for phase in COUNTED] for name in _NAMES}
    known = {name: row for name, row in values.items() if any(value is not None for value in row)}
    rows = [(_title(name), *(_shown(name, value) for value in row)) for name, row in known.items()]
    yield Listing(("used, median", *COUNTED), rows, left=("used, median",))
    absent = [_title(name) for name in _NAMES if name not in known]
    if absent:
        yield paragraph("not available here:", units.listing(absent), width)


def _title(name: str) -> str:
    return name.replace("cpu", "CPU").replace("_", " ")


def _shown(name: str, value: float | None) -> str:
    if value is None:
        return units.ABSENT
    if name == _DERIVED[0]:
        return share(value)
    return f"{value:.2f}" if name == _DERIVED[1] else f"{value:,.0f}"
