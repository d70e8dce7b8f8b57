"""The parameter sets that the paper runs: Table I, Figure 1 and the case study of Section IV [FerLL18]."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fheasible.calibration.points import chosen
from fheasible.schemes.parameters import RingParameters
from fheasible.studies.experiment import StudyCell

QUICK = 5  # values of a sweep in a quick run: both ends, and inner ones to judge a calibration by
TITLES = {"log_q": "log2 q", "log_w": "log2 w", "t": "t"}


@dataclass(frozen=True, slots=True)
class Sweep:
    """A sweep of the paper: `vary` takes `values`, and all else is fixed.

    `application`: Eq. 3 is run from key generation to decryption. Otherwise the scheme's five functions are
    run once each.
    """

    scheme: str
    vary: str
    values: tuple[int, ...]
    fixed: Mapping[str, int]
    where: str
    application: bool = False
    quick: tuple[int, ...] = ()  # the values of a quick run; evenly spaced where none are named
    called: str = ""

    @property
    def name(self) -> str:
        part = {"Table I": "", "Figure 1": "figure1-"}.get(self.where, "application-")
        return f"{part}{self.scheme}-{self.called or self.vary}"

    @property
    def cells(self) -> tuple[StudyCell, ...]:
        spaced = chosen(len(self.values), min(QUICK, len(self.values)))
        kept = self.quick or [self.values[i] for i in spaced]
        return tuple(StudyCell({**self.fixed, self.vary: v}, v in kept) for v in self.values)


def _every(first: int, last: int, step: int) -> tuple[int, ...]:
    return tuple(range(first, last + 1, step))


def _table1() -> tuple[Sweep, ...]:
    """The sweeps of Table I.

    The row of t stands below SHIELD's name in some copies; its n and w are those of FV and YASHE. A dash is a
    parameter that the scheme does without: t = 2, and w = 2 in SHIELD, which flattens into bits.
    """
    large = {"n": 1 << 12, "log_q": 100, "log_w": 2, "t": 2}
    small = {"n": 1 << 10, "log_q": 20, "t": 2}
    ranges = {"log_q": _every(100, 300, 10), "log_w": _every(2, 42, 2), "t": _every(2, 60, 1)}
    both = [Sweep(s, vary, v, large, "Table I") for s in ("fv", "yashe") for vary, v in ranges.items()]
    tiny = _every(4, 40, 2)
    return (
        *both,
        Sweep("shield", "log_q", tiny, small | {"log_w": 1}, "Table I"),
        Sweep("fntru", "log_q", tiny, small | {"log_w": 2}, "Table I"),
        Sweep("fntru", "log_w", _every(1, 16, 1), small | {"log_w": 2}, "Table I"),
    )


TABLE1 = _table1()
FIGURE1 = Sweep("fv", "log_w", _every(2, 64, 2), {"n": 1 << 11, "log_q": 200, "log_w": 2, "t": 2}, "Figure 1")

_LARGE = {"n": 1 << 12, "log_q": 300, "log_w": 2, "t": 2}
_SMALL = {"n": 1 << 10, "log_q": 90, "log_w": 1, "t": 2}
FIGURE4 = (
    Sweep("fv", "log_q", _every(300, 350, 5), _LARGE, "Figure 4", True),
    Sweep("yashe", "log_q", _every(300, 350, 5), _LARGE, "Figure 4", True),
    Sweep("fntru", "log_q", _every(90, 140, 5), _SMALL, "Figure 4", True),
)
FIGURE5 = (
    Sweep("fv", "log_w", _every(2, 44, 2), _LARGE, "Figure 5", True, (2, 6, 10, 16, 22, 28, 44)),
    Sweep("yashe", "log_w", _every(2, 22, 2), _LARGE, "Figure 5", True, (2, 6, 10, 16, 22)),
)
LAST = Sweep("fv", "t", _every(2, 9, 1), _LARGE, "Section IV", True, (2, 5, 9))
CHOICE = Sweep("fv", "log_q", (281,), _LARGE | {"log_w": 28}, "Section IV", True, called="choice")

APPLICATION = (*FIGURE4, *FIGURE5, LAST, CHOICE)
SWEEPS = (*TABLE1, FIGURE1, *APPLICATION)


def sweep(name: str) -> Sweep:
    """The one of `SWEEPS` that has that name."""
    return next(s for s in SWEEPS if s.name == name)


def packed(cells: Sequence[StudyCell]) -> RingParameters:
    """The parameters of all sets at once; a value that all sets share is one number."""
    return RingParameters(**{name: _one([c.parameters[name] for c in cells]) for name in cells[0].parameters})


def single(cell: StudyCell) -> RingParameters:
    return RingParameters(**cell.parameters)


def _one(values: Sequence[int]) -> Any:
    return int(values[0]) if len(set(values)) == 1 else np.array(values, dtype=np.int64)
