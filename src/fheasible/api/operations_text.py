"""Measured operations as text: a table of predicted beside measured, and why figures are missing."""

from collections.abc import Iterator, Sequence

from fheasible import units
from fheasible.api.layout import Listing, Part, paragraph
from fheasible.api.limited import limited
from fheasible.api.naming import setting, title
from fheasible.api.operations import MeasuredOperations
from fheasible.api.operations_tables import tables
from fheasible.exploration.sweeps.operations import OperationRow, not_available, not_predicted
from fheasible.exploration.sweeps.switching import fhew_bytes
from fheasible.measurement.least import CONFIDENCE
from fheasible.measurement.operation_passes import JobPasses

HEAD = ("library and scheme", "operation", "level", "slots", "predicted", "measured", "error", "interval", "")
_OBJECTS = {
    "plaintext": "plaintext",
    "ciphertext": "ciphertext",
    "public_key": "public key",
    "secret_key": "secret key",
    "relinearization_key": "relinearisation key",
    "rotation_key": "key of one rotation",
    "switching_key": "key to another key",
}


def lines(found: MeasuredOperations, width: int) -> Iterator[Part]:
    """The answer."""
    yield Listing(HEAD, [_cells(row) for row in found.rows if not row.refused], left=(HEAD[0], HEAD[1]))
    yield ""
    for known in found.jobs:
        yield from _job(known, width)
        yield from limited(known.runs[-1].limited if known.runs else None)
    for reason, rows in not_available(found.rows).items():
        settings = dict.fromkeys(setting(row.job.library, row.job.scheme) for row in rows)
        yield paragraph("not available:", f"{_names(rows)} ({', '.join(settings)}): {reason}", width)
    for reason, rows in not_predicted(found.rows).items():
        yield paragraph("not predicted:", f"{_names(rows)}: {reason}", width)
    if any(row.noise for row in found.rows):
        yield paragraph(
            "noise:", "the result is not the one of the cleartext: that level cannot hold its noise", width
        )
    for origin in dict.fromkeys(found.origins.values()):
        titles = units.listing([title(name) for name, place in found.origins.items() if place == origin])
        yield paragraph(
            "predicted:", f"{titles} as on {origin}, until fheasible calibrate has run here", width
        )
    yield paragraph("measured:", _footer(found), width)


def _names(rows: Sequence[OperationRow]) -> str:
    return ", ".join(dict.fromkeys(row.item.operation for row in rows))


def _cells(row: OperationRow) -> tuple[str, ...]:
    width = row.width
    return (
        setting(row.job.library, row.job.scheme),
        row.item.operation,
        f"{row.item.level}",
        f"{row.job.slots}",
        units.seconds(row.predicted),
        units.seconds(row.measured),
        units.percent(row.error),
        units.ABSENT if width is None or len(row.passes) < 2 else f"-{100 * width:.1f} %",
        "noise" if row.noise else "",
    )


def _job(known: JobPasses, width: int) -> Iterator[str]:
    job, p = known.job, known.job.parameters
    head = f"{setting(job.library, job.scheme)}:"
    if known.failed:
        yield paragraph(head, known.failed.message, width)
    if not known.runs:
        return
    passes = f"{len(known.runs)} pass{'' if len(known.runs) == 1 else 'es'}" + (
        f", {known.stored_before} of them stored before" if known.stored_before else ""
    )
    sizes, switching = known.runs[-1].sizes, known.runs[-1].memory.get("switching_bytes")
    told = ", ".join(
        f"{words} {units.size(sizes[name])}" for name, words in _OBJECTS.items() if sizes.get(name)
    )
    told += "".join(tables(known))
    if switching:
        told += f", context and keys of scheme switching {units.size(switching)} of memory"
        if expected := fhew_bytes(job):
            told += f" (FHEW's keys: {units.size(expected)} predicted)"
    yield paragraph(
        head,
        f"N = {units.power_of_two(p.ring_dimension)}, {p.limbs} limbs, log QP = {p.log_qp:.0f}, {job.slots} "
        f"slots{' packed sparsely' if job.sparse else ''}; {passes}; {told}",
        width,
    )


def _footer(found: MeasuredOperations) -> str:
    until = found.wish.until
    told = (
        f"least CPU time of {found.wish.repetitions} repetitions in each pass; with {100 * CONFIDENCE:.0f} % "
        "confidence the least time of any number of passes lies within the interval below it"
    )
    if until.narrow is None:
        return told
    wide = [j for j in found.jobs if j.runs and j.widest > until.narrow]
    if not wide:
        return f"{told}; every interval is within {100 * until.narrow:g} %"
    widest = max(j.widest for j in wide)
    return (
        f"{told}; after {until.most} passes, the widest interval is still {100 * widest:.1f} %, and not "
        f"within {100 * until.narrow:g} %"
    )
