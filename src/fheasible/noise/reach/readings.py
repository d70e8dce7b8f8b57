"""What is read from the rows that a backward pass meets: how far an error of one in every slot reaches."""

import numpy as np

from fheasible.aliases import Floats
from fheasible.noise.reach.rows import Full, Rows, square_sums
from fheasible.noise.reach.targets import Target
from fheasible.noise.shape import MEAN_SHARE, shape

_SHORT, _AT_ONCE = 1 << 13, 1 << 16  # numbers in rows that count as short; numbers read at once


class Readings:
    """What is read from the rows for one target; each is read once. Short rows in full wait for others,
    because alone they take hardly more than their call: what is read from them is right only after `finish`
    has been called."""

    def __init__(self, target: Target, slots: int) -> None:
        self.target, self.width, self._slots = target, len(target.slots), slots
        self._waiting: list[tuple[Floats, Floats]] = []  # rows, and where to write what is read of them

    def of(self, rows: Rows, what: str) -> Floats:
        """What reaches the columns if every slot has an error of one ("linear"), unit variance ("spread"), or
        an offset ("offset"). For variances the means follow: over all slots of the value, over these as
        OpenFHE sees them, and over the elements."""
        found = rows.known.get(what)
        if found is None:
            found = rows.known[what] = self._read(rows, what)
        return found

    def finish(self) -> None:
        if self._waiting:
            rows, places = zip(*self._waiting, strict=True)
            of_all = square_sums(np.concatenate(rows)).reshape(len(rows), -1)
            for place, squares in zip(places, of_all, strict=True):
                whole = float(self.target.seen @ squares)
                self._write(place, squares, whole, whole)
            self._waiting.clear()

    def _read(self, rows: Rows, what: str) -> Floats:
        if self.target.alone:
            return self._of_slots(rows, what)
        if what == "spread" and isinstance(rows, Full) and rows.values.size <= _SHORT:
            return self._later(rows.values)
        return self._of_rows(rows, what)

    def _later(self, rows: Floats) -> Floats:
        place = np.empty(self.width + 3)
        self._waiting.append((rows, place))
        if len(self._waiting) * rows.size > _AT_ONCE:
            self.finish()
        return place

    def _of_rows(self, rows: Rows, what: str) -> Floats:
        if what == "linear":
            return rows.sums[: self.width]
        offset = what == "offset"
        squares = rows.offsets if offset else rows.squares
        whole = rows.mean_square if offset else None
        whole = float(self.target.seen @ squares) if whole is None else whole
        seen = self._seen(whole, rows.at_slot_0(self.width)) if offset else whole
        place = np.empty(self.width + 3)
        self._write(place, squares, whole, seen)
        return place

    def _write(self, place: Floats, squares: Floats, whole: float, seen: float) -> None:
        """Writes the squares of the columns to `place`, and then the means."""
        own = squares[: self.width]
        place[: self.width] = own
        place[self.width :] = whole, seen, float(self.target.weights @ own)

    def _of_slots(self, rows: Rows, what: str) -> Floats:
        (slots,) = rows.whole()
        if what == "linear":
            return np.asarray(slots[self.target.slots])
        offset = what == "offset"
        squares = slots * slots
        if offset:
            squares *= shape(self._slots)
        whole = float(squares.mean())
        seen = self._seen(whole, float(slots[0])) if offset else whole
        held = self.target.elements
        average = whole if held == len(slots) else squares[:held].mean()
        return np.concatenate((squares[self.target.slots], (whole, seen, average)))

    def _seen(self, mean: float, first: float) -> float:
        """The part of an offset's mean over all slots that OpenFHE sees. OpenFHE subtracts the mean of the
        coefficients from the imaginary part before it looks at its size (`StdDev`). This removes most of an
        offset that still sits where it came from, above all in slot 0: `first` is what sits there."""
        return max(mean - first**2 * MEAN_SHARE, 0.0)
