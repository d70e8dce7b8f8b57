"""Why the paper's limits of log2 w differ from its published formula: by calculation [FerLL18]."""

from functools import cache

from fheasible.schemes.catalogue import scheme
from fheasible.schemes.magnitude import Magnitude
from fheasible.schemes.noise import Noise, panthers_bounds
from fheasible.schemes.parameters import RingParameters
from fheasible.studies.panthers import choosing
from fheasible.studies.panthers.parameters import FIGURE5
from fheasible.studies.panthers.printed import value

FACTORS = (1, 2, 4, 8, 16)
LAST_LOG_W, STEP = 64, 2  # of the paper's sweep


def noise(name: str, log_q: int, log_w: int, rows: float = 1.0, errors: float = 1.0) -> Noise:
    """The published formula's noise, with `rows` times the key switching and `errors` times the errors."""
    p = RingParameters(choosing.N, log_q, choosing.T, log_w)
    bounds = panthers_bounds(p.n)
    it = scheme(name)(p.counting_ring(), p.spec).noise(
        type(bounds)(bounds.key, bounds.error * errors, bounds.expansion, bounds.source)
    )
    it.l = it.l * Magnitude.of(rows)  # only key switching has the number of digits
    return it


@cache
def found(rows: float, errors: float = 1.0) -> tuple[int, int, int]:
    """(YASHE's last log2 w, FV's last log2 w, both in steps of 2; FV's least log2 q) with such factors."""
    depth, fixed = choosing.needed(), FIGURE5[0].fixed["log_q"]
    last = [
        max(
            (
                w
                for w in range(2, LAST_LOG_W + 1, STEP)
                if noise(name, fixed, w, rows, errors).depth() >= depth
            ),
            default=0,
        )
        for name in ("yashe", "fv")
    ]
    least = next(q for q in range(200, 400) if noise("fv", q, choosing.LOG_W, rows, errors).depth() >= depth)
    return last[0], last[1], least


def cause() -> str:
    """Whether a factor on key switching or on all errors gives the paper's numbers, or one step less."""
    theirs = tuple(int(value(k)) for k in ("section4.yashe.log_w", "section4.fv.log_w", "section4.log_q"))
    own = found(1.0)
    fits = [f for f in FACTORS if theirs in (found(f), found(1.0, f))]
    ends = tuple(range(2, last, STEP)[-1] for last in own[:2])  # what a range gives whose end is left out
    tried = ", ".join(map(str, FACTORS))
    factors = f"a factor of {fits[0]} gives all three" if fits else f"no factor ({tried}) gives all three"
    step = (
        "gives both limits and keeps the third" if (*ends, own[2]) == theirs else "does not give them either"
    )
    return (
        f"the formula in the published code gives {own[0]} (YASHE), {own[1]} "
        f"(FV) and log2 q = {own[2]}, the paper "
        f"{theirs[0]}, {theirs[1]} and {theirs[2]}. On the errors, or on key "
        f"switching alone, {factors}. A sweep in "
        f"steps of {STEP} without its last value, as Python's range has it, {step}"
    )
