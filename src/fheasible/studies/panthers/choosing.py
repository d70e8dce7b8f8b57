"""The choice of Section IV: the schemes that drop out, and FV's smallest modulus [FerLL18]."""

from dataclasses import dataclass

from fheasible.errors import InfeasibleParameters
from fheasible.exploration.rings.space import smallest_log_q
from fheasible.schemes.catalogue import scheme
from fheasible.schemes.noise import panthers_bounds
from fheasible.studies.experiment import StudyCell
from fheasible.studies.panthers.application import ten_products
from fheasible.studies.panthers.model import depths
from fheasible.studies.panthers.parameters import FIGURE5

T, LOG_W, N = 2, 28, 1 << 12


@dataclass(frozen=True, slots=True)
class Least:
    """The smallest log2 q that allows so many multiplications in succession; None where no log2 q does."""

    scheme: str
    depth: int
    log_q: int | None


def needed(minimise_depth: bool = False) -> int:
    """The multiplications in succession that Eq. 3 has as written, or once its factors are paired."""
    return ten_products(T, minimise_depth).depth


def least_log_q(name: str, depth: int) -> Least:
    """The smallest log2 q for that depth at n = 2^12, t = 2, w = 2^28.

    It follows from the scheme's formula and the constants of PAnTHErS's code.
    """
    try:
        found = smallest_log_q(scheme(name), depth, T, LOG_W, N, panthers_bounds)
    except InfeasibleParameters:
        return Least(name, depth, None)
    return Least(name, depth, int(found.log_q))


def largest_log_w(name: str, depth: int) -> int:
    """The largest log2 w that allows this depth at log2 q = 300 and n = 2^12; 0 where no log2 w does.

    Values up to 64 are tried, in steps of 2 as in Figure 5.
    """
    cells = [StudyCell({**FIGURE5[0].fixed, "log_w": w}) for w in range(2, 66, 2)]
    reach = depths(name, cells)
    return max((c.parameters["log_w"] for c, d in zip(cells, reach, strict=True) if d >= depth), default=0)
