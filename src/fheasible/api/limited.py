"""What a limit on memory did to a run, as a table."""

from collections.abc import Iterator

from fheasible import units
from fheasible.api.layout import Listing, Part
from fheasible.estimation.swapping import Swapping
from fheasible.measurement.limited.group import MACHINE
from fheasible.measurement.limited.usage import Usage
from fheasible.program.phases import PHASES

_ABSENT = "not available here"


def limited(usage: Usage | None, predicted: Swapping | None = None) -> Iterator[Part]:
    """The table and an empty line; nothing for a run without a limit. `predicted`: what was predicted that it
    moves."""
    if usage is not None:
        yield Listing(("limited memory", "during the run"), list(_rows(usage)), left=("limited memory",))
        yield ""
    if usage is not None and predicted is not None:
        yield _foretold(predicted)


def _foretold(p: Swapping) -> str:
    read, written = (sum(of[phase] for phase in PHASES[1:]) for of in (p.read_bytes, p.written_bytes))
    return (
        f"predicted for each run: {units.size(read)} read from swap and {units.size(written)} written, which "
        f"adds {units.seconds(p.repeated_seconds)} of wall time (within {p.band:.0%})"
    )


def _rows(u: Usage) -> Iterator[tuple[str, str]]:
    """(what, value)."""
    yield "limit", f"{units.size(u.memory_limit_bytes)}, swap {units.size(u.swap_limit_bytes)}"
    yield "most held, most in swap", f"{_size(u.most_held_bytes)}, {_size(u.most_swapped_bytes)}"
    yield "page faults, of them from disk", f"{_count(u.page_faults)}, {_count(u.major_faults)}"
    of = _of(u.swap_of)
    yield f"read from swap{of}", _size(u.swap_read_bytes)
    yield f"written to swap{of}", _size(u.swap_written_bytes)
    if u.traffic is not None and (u.swap_read_bytes or u.swap_written_bytes):
        read, written = (max(row[i] for row in u.traffic.bandwidth()) for i in (1, 2))
        yield "most in a second, read, written", f"{units.size(read)}, {units.size(written)}"
    waited = _seconds(u.pressure_some_seconds), _seconds(u.pressure_full_seconds)
    yield f"waited for memory, one, all processes{_of(u.pressure_of)}", ", ".join(dict.fromkeys(waited))


def _of(whose: str) -> str:
    return " (whole machine)" if whose == MACHINE else ""


def _size(value: int | None) -> str:
    return _ABSENT if value is None else units.size(value)


def _count(value: int | None) -> str:
    return _ABSENT if value is None else units.number(value)


def _seconds(value: float | None) -> str:
    return _ABSENT if value is None else units.seconds(value)
