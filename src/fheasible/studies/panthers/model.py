"""What the cost model says of a sweep, before anything runs: both views, by function."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from fheasible.aliases import Floats
from fheasible.exploration.sweeps.ring_analysis import Analysis, Subject, analyse
from fheasible.exploration.sweeps.ring_grid import DEFAULTS, parameters
from fheasible.schemes.call import ALL
from fheasible.schemes.catalogue import scheme
from fheasible.schemes.noise import panthers_bounds
from fheasible.schemes.scheme import RingScheme
from fheasible.studies.experiment import StudyCell
from fheasible.studies.panthers.applications import application
from fheasible.studies.panthers.parameters import Sweep

FUNCTIONS = RingScheme.functions
WHOLE = "whole"  # all of FUNCTIONS, or the application from key generation to decryption


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """The counted figures, with one entry for each cell.

    PAnTHErS's view has integer multiplications and the most 32-bit integers in use. The kernel view has the
    most bytes in use, and kernels. `depth` is the number of multiplications in succession that worst-case
    noise allows; `promised` says whether that noise promises a right result.
    """

    multiplications: Floats
    words: Floats
    bytes: Floats
    kernels: Mapping[str, Floats]
    depth: NDArray[np.int64]
    promised: NDArray[np.bool_]

    @property
    def kernel_steps(self) -> Floats:
        """All kernel counts in one figure, which is only a rough measure: a step of each counts the same."""
        total: Floats = np.sum([steps for name, steps in self.kernels.items() if "bytes" not in name], axis=0)
        return total


def counted(sweep: Sweep, cells: Sequence[StudyCell], function: str = WHOLE) -> Counted:
    """The figures of those cells of the sweep; those of a single function leave out its operands."""
    parts = []
    for t in dict.fromkeys(cell.parameters["t"] for cell in cells) if sweep.application else (0,):
        own = [cell for cell in cells if not t or cell.parameters["t"] == t]
        parts.append(_counted(sweep.scheme, sweep.app or function, t, tuple(map(_point, own))))
    return parts[0] if len(parts) == 1 else _joined(parts)


def subject(name: str, function: str, t: int) -> Subject:
    """An application modulo t, or, where t is 0, a function of the scheme."""
    if t:
        steps = application(function).steps(t)
        return Subject(scheme(name), steps.name, steps)
    return Subject.function(scheme(name), ALL if function == WHOLE else function)


def depths(name: str, cells: Sequence[StudyCell]) -> NDArray[np.int64]:
    """The multiplications in succession that each cell allows.

    They follow from the scheme's formula and the constants of PAnTHErS's published code.
    """
    sets = parameters([dict(_point(cell)) for cell in cells])
    noise = scheme(name)(sets.counting_ring(), sets.spec).noise(panthers_bounds(sets.n))
    return np.broadcast_to(np.asarray(noise.depth()), len(cells))


Point = tuple[tuple[str, float], ...]


def _point(cell: StudyCell) -> Point:
    return tuple({**DEFAULTS, **cell.parameters}.items())


@cache  # every table and claim asks for the same figures
def _counted(name: str, function: str, t: int, points: tuple[Point, ...]) -> Counted:
    return _figures(analyse(subject(name, function, t), [dict(p) for p in points]))


def _figures(a: Analysis) -> Counted:
    def real(x: NDArray[np.int64]) -> Floats:
        return np.asarray(x, dtype=np.float64)

    kernels = {name: real(steps) for name, steps in a.kernels.items()}
    view = real(a.integer_multiplications), real(a.max_words), real(a.peak_bytes), kernels
    return Counted(*view, np.asarray(a.depth), np.asarray(a.correct))


def _joined(parts: Sequence[Counted]) -> Counted:
    """The parts one after another; all are of one application, and so have the same kernels."""
    names = parts[0].kernels
    return Counted(
        np.concatenate([p.multiplications for p in parts]),
        np.concatenate([p.words for p in parts]),
        np.concatenate([p.bytes for p in parts]),
        {name: np.concatenate([p.kernels[name] for p in parts]) for name in names},
        np.concatenate([p.depth for p in parts]),
        np.concatenate([p.promised for p in parts]),
    )
