"""The parameter sets of the paper: Table I, Figure 1 and the case study of Section IV [FerLL18], and more.

Beside them stand YASHE as the published code of PAnTHErS has it, along the same values as YASHE in the case
study, and the two applications that its repository has beside Eq. 3.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fheasible.calibration.points import chosen
from fheasible.schemes.parameters import RingParameters
from fheasible.studies.experiment import StudyCell

EQUATION = "equation"
QUICK = 5  # values of a sweep in a quick run: both ends, and inner ones to judge a calibration by
TITLES = {"log_q": "log2 q", "log_w": "log2 w", "t": "t"}


@dataclass(frozen=True, slots=True)
class Sweep:
    """A sweep of the paper: `vary` takes `values`, and all else is fixed.

    `app` names the application that is run from key generation to decryption (applications.py); where it is
    empty, the scheme's five functions are run once each. `often`: repetitions, where they are not the usual.
    """

    scheme: str
    vary: str
    values: tuple[int, ...]
    fixed: Mapping[str, int]
    where: str
    app: str = ""
    quick: tuple[int, ...] = ()  # the values of a quick run; evenly spaced where none are named
    called: str = ""
    often: tuple[int, int] | None = None  # in a whole run, and in a quick one

    @property
    def name(self) -> str:
        part = {"Table I": "", "Figure 1": "figure1-"}.get(self.where, "application-")
        part = part if self.app in ("", EQUATION) else f"{self.app}-"
        return f"{part}{self.scheme}-{self.called or self.vary}"

    @property
    def application(self) -> bool:
        return bool(self.app)

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
# A rise of 1 % from one value to the next is judged on FV along log2 q: noise must be well below it.
_TO_A_PERCENT = (10, 6)
PUBLISHED_CODE = "published code"
FIGURE4 = (
    Sweep("fv", "log_q", _every(300, 350, 5), _LARGE, "Figure 4", EQUATION, often=_TO_A_PERCENT),
    Sweep("yashe", "log_q", _every(300, 350, 5), _LARGE, "Figure 4", EQUATION),
    Sweep("fntru", "log_q", _every(90, 140, 5), _SMALL, "Figure 4", EQUATION),
)
FIGURE5 = (
    Sweep("fv", "log_w", _every(2, 44, 2), _LARGE, "Figure 5", EQUATION, (2, 6, 8, 10, 16, 22, 28, 44)),
    Sweep("yashe", "log_w", _every(2, 22, 2), _LARGE, "Figure 5", EQUATION, (2, 6, 8, 10, 16, 22)),
)
PANTHERS_Q = Sweep(
    "yashepanthers",
    "log_q",
    _every(300, 350, 5),
    _LARGE,
    PUBLISHED_CODE,
    EQUATION,
    (300, 325, 350),
    often=(3, 1),
)
PANTHERS_W = Sweep(
    "yashepanthers",
    "log_w",
    _every(2, 22, 2),
    _LARGE,
    PUBLISHED_CODE,
    EQUATION,
    (2, 6, 8, 10, 16, 22),
    often=(3, 1),
)
LAST = Sweep("fv", "t", _every(2, 9, 1), _LARGE, "Section IV", EQUATION, (2, 5, 9))
CHOICE = Sweep("fv", "log_q", (281,), _LARGE | {"log_w": 28}, "Section IV", EQUATION, called="choice")

APPLICATION = (*FIGURE4, *FIGURE5, PANTHERS_Q, PANTHERS_W, LAST, CHOICE)
OTHERS = tuple(  # the other published applications, by what they ask and scheme
    Sweep(scheme, "log_w", (12, 16, 22), _LARGE, PUBLISHED_CODE, app, (12, 22), often=(3, 1))
    for app in ("croissant", "medical")
    for scheme in ("fv", "yashe", "yashepanthers")
)
SWEEPS = (*TABLE1, FIGURE1, *APPLICATION, *OTHERS)


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
