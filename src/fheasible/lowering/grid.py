"""How several vectors of equal length lie in one: the places of their elements."""

from typing import NamedTuple

import numpy as np

from fheasible.aliases import Array, Ints


class Shape(NamedTuple):
    lanes: int
    rows: int
    by_row: bool


class Grid(Shape):
    """`lanes` vectors of `rows` elements each, one after another, or if `by_row` their first elements, then
    their second ones, and so on.

    A lane has as many places, or a row if `by_row`, as the next power of two, so that rotations by halves add
    all of them up. The places beyond are the gaps.
    """

    @property
    def width(self) -> int:
        """The places of a row."""
        return _power(self.lanes) if self.by_row else self.lanes

    @property
    def height(self) -> int:
        """The places of a lane."""
        return self.rows if self.by_row else _power(self.rows)

    @property
    def length(self) -> int:
        return self.width * self.height

    def places(self, lane: int, count: int | None = None) -> Ints:
        """The places of the first elements of a lane, by default of all."""
        own = np.arange(self.rows if count is None else count)
        return own * self.width + lane if self.by_row else own + lane * self.height

    @property
    def owners(self) -> tuple[Ints, Ints]:
        """For each place, the lane and the element that lies there, or in a gap the one that it repeats."""
        all_places = np.arange(self.length)
        by = self.width if self.by_row else self.height
        first, second = np.divmod(all_places, by)
        lane, row = (second, first) if self.by_row else (first, second)
        return lane % self.lanes, row % self.rows

    @property
    def inside(self) -> Array:
        """Whether each place holds an element, and is no gap."""
        found = np.zeros(self.length, dtype=np.bool_)
        for lane in range(self.lanes):
            found[self.places(lane)] = True
        return found

    @property
    def gaps(self) -> bool:
        """Whether it has places that hold no element."""
        return self.length > self.lanes * self.rows


def _power(count: int) -> int:
    """The least power of two that is not less."""
    return 1 << (count - 1).bit_length()
