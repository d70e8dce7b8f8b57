"""The times of a parameter set that the model of scheme switching (`switching.py`) is made of."""

from fheasible.estimation.features import Shape
from fheasible.estimation.profile import Profile
from fheasible.estimation.tally import Item
from fheasible.libraries.catalogue import library
from fheasible.libraries.parameters import Parameters
from fheasible.libraries.work import layout_of


def units(p: Parameters, slots: int, profile: Profile) -> tuple[float, float]:
    """U and V of `switching.py`: the seconds of the relinearisations of one way back, and those of
    a rotation at level 1."""
    layout, top = layout_of(p), p.limbs - 1
    levels = library(p.library).switching_levels or 0

    def seconds(action: str, level: int) -> float:
        task = Item("evaluate", action, level).task(layout)
        return profile.seconds(Shape.of(p.ring_dimension, layout, task, slots))

    back = sum(seconds("relinearize", level) for level in range(max(top - levels + 1, 0), top + 1))
    return back, seconds("rotate", min(1, top))
