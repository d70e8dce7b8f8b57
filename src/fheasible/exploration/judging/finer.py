"""What a user can do where the errors of results are too large."""

from typing import Final

from fheasible.circuit.node import Circuit, Kind
from fheasible.units import listing

LESS_PRECISE: Final = (
    "ask for less precision (--precision), or declare narrower ranges, in which errors grow less"
)
NARROWER: Final = "declare narrower ranges, in which errors grow less, or take a scheme with table look-ups"
TINY: Final = 1e-3  # inputs that never exceed this, and more so their products, drown in noise


def finer(circuit: Circuit) -> str:
    """The remedy for a result with too large an error. It names real inputs that are far below 1."""
    if circuit.kind is Kind.INTEGER:
        return NARROWER
    tiny = [i.name for i in circuit.inputs if i.kind is Kind.REAL and 0 < max(abs(i.low), abs(i.high)) < TINY]
    if not tiny:
        return LESS_PRECISE
    unit = f"declare and give {listing(tiny)} in a smaller unit, so that the values are near 1"
    return f"{unit}: noise does not shrink with them; or {LESS_PRECISE}"
