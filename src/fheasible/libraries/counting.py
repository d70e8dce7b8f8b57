"""The kernels of a cell, counted: the library's own way is run on the counting ring."""

from collections.abc import Mapping

from fheasible.libraries.cells import Cell
from fheasible.libraries.lattigo import way as lattigo_way
from fheasible.libraries.openfhe import way as openfhe_way
from fheasible.libraries.seal import way as seal_way

Counts = Mapping[str, int]


def counted(cell: Cell) -> Counts:
    """Kernels in limbs of n coefficients, `peak_limbs` and `operand_limbs` among them, as far as there are
    any.
    UnsupportedOperation for what the library has not."""
    p, action, level, polys = cell.parameters(), cell.action, cell.level, cell.polys
    match cell.library:
        case "openfhe":
            kept = cell.own if cell.scheme == "bfv" else None
            found = openfhe_way.perform(p, action, level, polys, cell.dropped, kept=kept)
        case "seal":
            found = seal_way.perform(p, action, level, polys, cell.dropped)
        case "lattigo":
            found = lattigo_way.perform(p, action, level, polys, cell.dropped)
        case _:
            raise LookupError(f"no counts of {cell.library}: only of openfhe, seal and lattigo")
    return {kernel: count for kernel, count in found.items() if count}
