"""A sweep of a library's parameters as text: its first sets, where rings change, and how well it predicts."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fheasible import units
from fheasible.aliases import Json
from fheasible.api.layout import Part, paragraph, share
from fheasible.api.naming import setting, title
from fheasible.api.sweep_text import MOST_ROWS, fitted, more, sets
from fheasible.circuit.numbers_named import read_number
from fheasible.exploration.sweeps.cells import Grid
from fheasible.security.tables import STANDARD

if TYPE_CHECKING:
    from fheasible.estimation.profile import Profile
    from fheasible.exploration.judging.candidate import Candidate
    from fheasible.exploration.sweeps.cells import CellGrid
    from fheasible.exploration.sweeps.swept import SweptSet

_LEAST_FIRST = ("ciphertext", "peak memory", "log QP", "bits of security", "N")
MOST_LINES = 9  # combinations of the other settings that are told apart
MOST_REASONS = 4


def lines(
    app: str, wanted: "CellGrid", made: "Sequence[SweptSet]", tail: Json, executed: bool, width: int
) -> Iterator[Part]:
    """The answer to a sweep. `tail`: what its document says after the sets."""
    grid = wanted.grid
    fixed = "".join(f", {name} = {value}" for name, value in grid.fixed.items())
    yield f"{app}, {setting(wanted.library.name, wanted.scheme)}: {sets(len(wanted))}{fixed}"
    yield ""
    axes = [axis.name for axis in grid.axes]
    columns = [*axes, "N", "log QP", "bits of security", "precision", "CPU time", "peak memory", "ciphertext"]
    columns += ["outcome", "measured", "error", "measured precision"] if executed else []
    shown = [s for s in made if (s.run if executed else s.cell.candidate)][:MOST_ROWS]
    rows = [
        [*(s.cell.told[name] for name in axes), *_cells(s), *(_run(s) if executed else ())] for s in shown
    ]
    yield from fitted(columns, rows, _LEAST_FIRST, ("outcome",), width)
    yield from more(len(shown), len(made))
    yield ""
    yield from (paragraph("ring:", line, width) for line in tail["jumps"])
    yield from (paragraph("warning:", line, width) for line in tail["warnings"])
    if executed:
        yield from _errors(made, width)
        yield from _machines(made, width)
    yield from (f"drawn: {path}" for path in tail["figures"])
    rate = len(made) / tail["seconds"] if tail["seconds"] else 0
    yield f"{sets(len(made))} in {units.seconds(tail['seconds'])} ({rate:,.0f} per second)"


def _cells(s: "SweptSet") -> tuple[str, ...]:
    f = s.figures
    if not f:
        return ("-", "-", "-", "-", "-", "-", "-")
    return (
        units.power_of_two(f["ring_dimension"]),
        f"{f['log_qp']:.0f}",
        f"{int(f['security_bits'])}",
        "exact" if f["precision_bits"] is None else units.bits(f["precision_bits"]),
        units.seconds(f["cpu_seconds"]),
        units.size(f["peak_bytes"]),
        units.size(f["ciphertext_bytes"]),
    )


def _run(s: "SweptSet") -> tuple[str, ...]:
    if s.run is None:
        return ("-", "-", "-", "-")
    outcome = f"{s.run.outcome} before" if s.run.stored_before else s.run.outcome
    outcome = f"{outcome}, as predicted" if s.as_predicted else outcome
    found = s.found
    if not found:
        return (outcome, "-", "-", "-")
    bits = found.get("precision_bits")
    exact = "-" if bits is None else units.bits(bits)
    return outcome, units.seconds(found["cpu_seconds"]), units.percent(s.time_error), exact


def jumps(wanted: "CellGrid", made: "Sequence[SweptSet]") -> list[str]:
    """Where the ring grows along the longest axis of numbers: 'N = 2^15 for scale_bits = 26 to 38, 2^16 for
    39 to 59', for each combination of the other settings where they are few."""
    rings = {s.figures["ring_dimension"] for s in made if s.figures}
    if len(rings) == 1:
        return [f"N = {units.power_of_two(rings.pop())} in every set"]
    axes = [axis for axis in wanted.grid.axes if all(map(is_number, axis.values)) and len(axis.values) > 1]
    if not axes or not rings:
        return []
    axis = max(axes, key=lambda axis: len(axis.values))
    found, told = {key(s.cell.told): s for s in made}, []
    for part in wanted.grid.slices(axis.name, MOST_LINES):
        line = _jump(axis.name, [found[key(point)] for point in part.points()])
        others = named(wanted.grid, axis.name, part)
        told += [f"{line} ({others})" if others else line] if line else []
    return told


def without_effect(wanted: "CellGrid", made: "Sequence[SweptSet]") -> list[str]:
    """The settings whose values all give the same sets; none where one reason leaves no set at all."""
    if len({s.cell.refused for s in made}) == 1 and made[0].cell.refused:
        return []
    found = {key(s.cell.told): (s.cell.refused, s.figures) for s in made}
    idle = []
    for axis in wanted.grid.axes:
        parts = wanted.grid.slices(axis.name, len(made))
        alike = all(len({str(found[key(point)]) for point in part.points()}) == 1 for part in parts)
        idle += [axis.name] if alike and len(axis.values) > 1 else []
    return idle


def named(grid: Grid, axis: str, part: Grid) -> str:
    """The settings that vary beside that axis, as a slice of the grid has them."""
    return ", ".join(f"{a.name} = {part.fixed[a.name]}" for a in grid.axes if a.name != axis)


def _jump(axis: str, made: "Sequence[SweptSet]") -> str:
    runs: list[tuple[int, str, str]] = []  # ring, first value, last value
    for s in made:
        if not s.figures:
            continue
        ring, value = s.figures["ring_dimension"], s.cell.told[axis]
        if runs and runs[-1][0] == ring:
            runs[-1] = (ring, runs[-1][1], value)
        else:
            runs.append((ring, value, value))
    if not runs:
        return ""
    ranges = [
        f"{units.power_of_two(ring)} for {axis if i == 0 else ''}{' = ' if i == 0 else ''}"
        f"{first}{'' if first == last else f' to {last}'}"
        for i, (ring, first, last) in enumerate(runs)
    ]
    return f"N = {', '.join(ranges)}"


def warnings(wanted: "CellGrid", made: "Sequence[SweptSet]", profile: "Profile | None") -> list[str]:
    """What is not to be trusted, and why sets are missing."""
    said = []
    short = [s for s in made if s.cell.candidate and s.figures["security_bits"] < _asked(s.cell.candidate)]
    if short:
        least = min(short, key=lambda s: s.figures["security_bits"])
        said.append(
            f"less security than was asked for, by our estimate: {sets(len(short))}; for example, "
            f"{int(least.figures['security_bits'])} bits for "
            f"{', '.join(f'{name} = {value}' for name, value in least.cell.told.items())}"
        )
    said += _narrow(made)
    said += [f"{name} changes nothing here" for name in without_effect(wanted, made)]
    reasons = Counter(s.cell.refused for s in made if s.cell.refused)
    for reason, count in reasons.most_common(MOST_REASONS):
        said.append(f"no set: {sets(count)}; {reason}")
    if len(reasons) > MOST_REASONS:
        rest = sum(reasons.values()) - sum(c for _, c in reasons.most_common(MOST_REASONS))
        said.append(f"no set: {sets(rest)} for other reasons; --csv FILE has them")
    failed = [s.run for s in made if s.run and s.run.outcome != "measured" and not s.as_predicted]
    for outcome, count in Counter(run.outcome for run in failed).items():
        example = next(run.message for run in failed if run.outcome == outcome)
        said.append(f"{outcome}: {sets(count)}; for example, {example}")
    if profile is None:
        said.append(
            f"{title(wanted.library.name)} has no profile here, so no time is predicted; remedy: "
            "fheasible calibrate"
        )
    elif profile.origin:
        said.append(f"times are those of another machine ({profile.origin}); remedy: fheasible calibrate")
    return said


def _narrow(made: "Sequence[SweptSet]") -> list[str]:
    """A sentence on the sets whose values fit their moduli with less room than a search would keep."""
    from fheasible.exploration.judging.impossible import is_narrow

    found = [s.cell for s in made if s.cell.candidate and is_narrow(s.cell.problem, s.cell.candidate)]
    if not found:
        return []
    example = ", ".join(f"{name} = {value}" for name, value in found[0].told.items())
    return [f"values fit with less than a bit to spare: {sets(len(found))}; for example, {example}"]


def _asked(c: "Candidate") -> int:
    return c.request.security or STANDARD


def _errors(made: "Sequence[SweptSet]", width: int) -> Iterator[str]:
    errors = np.abs([e for s in made if (e := s.time_error) is not None])
    if len(errors):
        median, most = share(float(np.median(errors))), share(float(errors.max()))
        off = f"off by {median} in the median and {most} at most, over {sets(len(errors))}"
        yield paragraph("predicted times:", off, width)


def _machines(made: "Sequence[SweptSet]", width: int) -> Iterator[str]:
    """Which hosts of a cluster ran how many sets."""
    counts = Counter(s.run.machine for s in made if s.run and s.run.machine)
    if counts:
        told = ", ".join(f"{machine} ({sets(count)})" for machine, count in counts.most_common())
        yield paragraph("machines:", told, width)


def key(told: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """The settings, whatever their order, as a key of a dictionary."""
    return tuple(sorted(told.items()))


def is_number(value: str) -> bool:
    """Whether a setting's value is a number."""
    return read_number(value) is not None
