"""Writes a program as the message that workers read (workers/PROTOCOL.md)."""

from pathlib import Path

import numpy as np

from fheasible.aliases import Json
from fheasible.program.types import Operation, Packed, Program


def to_message(program: Program, folder: Path) -> Json:
    """The JSON form of a program; its plain vectors go to `folder`/plains.npz."""
    return {
        "scheme": program.scheme.value,
        "slots": program.slots,
        "levels": program.levels,
        "automatic": program.automatic,
        "two_rows": program.two_rows,
        "plains": _save_vectors(program, folder),
        "scalars": _scalars(program),
        "operations": [_operation(o) for o in program.operations],
        "inputs": [_packed(p) for p in program.inputs],
        "outputs": [_packed(p) for p in program.outputs],
        "rotations": list(program.rotations),
        "swaps_rows": program.swaps_rows,
        "relinearizes": program.relinearizes,
        "sums_slots": program.sums_slots,
    }


def _operation(o: Operation) -> Json:
    fields: Json = {"action": o.action.value, "out": o.out, "level": o.level}
    if o.args:
        fields["args"] = list(o.args)
    if o.plain is not None:
        fields["plain"] = o.plain
    if o.steps:
        fields["steps"] = o.steps
    if o.source:
        fields |= {"source": o.source, "chunk": o.chunk}
    if o.frees:
        fields["frees"] = list(o.frees)
    if o.hoist:
        fields["hoist"] = o.hoist.value
    return fields


def _packed(packed: Packed) -> Json:
    return {"name": packed.name, "length": packed.length, "values": list(packed.values)}


def _scalars(program: Program) -> Json:
    """Operands of one number: reals as they are, integers as decimal strings, which no JSON reader rounds."""
    return {
        str(i): str(int(p[0])) if p.dtype.kind == "i" else float(p[0])
        for i, p in enumerate(program.plains)
        if len(p) == 1
    }


def _save_vectors(program: Program, folder: Path) -> str | None:
    vectors = {str(i): p for i, p in enumerate(program.plains) if len(p) > 1}
    if not vectors:
        return None
    path = folder / "plains.npz"
    np.savez(path, **vectors)  # type: ignore[arg-type]  # numpy's stub mistakes the names for a flag
    return str(path)
