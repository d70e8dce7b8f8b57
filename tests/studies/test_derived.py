"""Settings of a grid that follow from its others."""

from fheasible.exploration.sweeps.axes import Axis
from fheasible.studies.derived import WithDerived


def test_every_set_has_what_follows_from_its_others() -> None:
    grid = WithDerived((Axis("n", ("2", "3")),), {"t": "17"}, lambda told: {"bits": told["n"] * 2})
    assert list(grid.points()) == [
        {"n": "2", "t": "17", "bits": "22"},
        {"n": "3", "t": "17", "bits": "33"},
    ]
    assert len(grid) == 2
