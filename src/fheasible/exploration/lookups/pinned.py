"""Which sets of table look-ups have the values that are pinned."""

from fheasible.exploration.lookups.candidate import settings_of_parameters
from fheasible.exploration.lookups.encodings import OF_ENCODINGS
from fheasible.exploration.lookups.space import Tried
from fheasible.exploration.problem.pins import Pins


def has(pins: Pins, tried: Tried) -> bool:
    """Whether the set has the pinned values, whatever its encoding."""
    if not pins:
        return True
    own = settings_of_parameters(tried.parameters) | {"set": tried.name}
    return all(pin.name in OF_ENCODINGS or own.get(pin.name) == pin.value for pin in pins)
