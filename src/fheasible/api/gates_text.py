"""Measured bootstraps of bits and small integers as text."""

from collections.abc import Iterator

from fheasible import units
from fheasible.api.gates import MeasuredGates
from fheasible.api.layout import Listing, Part, paragraph

HEAD = ("operation", "predicted", "measured", "error", "wrong")


def lines(found: MeasuredGates, width: int) -> Iterator[Part]:
    """The answer."""
    rows = [
        (
            row.timed.operation,
            units.seconds(row.predicted),
            units.seconds(row.measured),
            units.percent(row.error),
            f"{row.timed.wrong} of {row.timed.total}" if row.timed.total else "",
        )
        for row in found.rows
        if not row.timed.refused
    ]
    yield Listing(HEAD, rows, left=(HEAD[0],))
    yield ""
    of, job = found.job.set, found.job
    head = f"{of.name} by {job.method.upper()}:"
    keys = found.found.sizes.get("keys")
    file = f"keys {found.key_bytes:,} bytes predicted" if keys is None else _file(keys, found.key_bytes)
    taken = found.found.memory["keys_bytes"]
    yield paragraph(
        head,
        f"n = {of.n}, N = {of.ring}, q = {of.q}, Q of {of.ring_modulus.bit_length()} bits; ciphertext "
        f"{units.size(found.found.sizes['ciphertext'])}, {file}, keys and context {units.size(taken)} of "
        f"memory ({units.size(found.memory_bytes)} predicted)",
        width,
    )
    for row in found.rows:
        if row.timed.refused:
            yield paragraph("not available:", f"{row.timed.operation}: {row.timed.refused}", width)
    if any(row.predicted is None for row in found.rows):
        yield paragraph("not predicted:", "not calibrated (fheasible calibrate --gates)", width)


def _file(keys: int, predicted: int) -> str:
    agrees = "as predicted" if keys == predicted else f"{predicted:,} predicted"
    return f"keys {keys:,} bytes ({agrees})"
