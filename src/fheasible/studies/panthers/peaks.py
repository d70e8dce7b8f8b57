"""Where the memory of Eq. 3 is at its peak, by counting, for FV and YASHE as PAnTHErS has it."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from fheasible.schemes.catalogue import scheme
from fheasible.schemes.evaluate import run
from fheasible.schemes.parameters import RingParameters
from fheasible.studies.panthers.application import ten_products
from fheasible.studies.panthers.parameters import PANTHERS_W


@cache
def peaks(name: str, log_w: int) -> Mapping[str, int]:
    """The most 32-bit integers in use in each phase of Eq. 3 at log2 q = 300."""
    p = RingParameters(**{**PANTHERS_W.fixed, "log_w": log_w})
    ring = p.counting_ring()
    memory, found = ring.tally.memory, dict[str, int]()

    def caller(phase: str, function: Callable[..., Any], *operands: Any) -> Any:
        memory.max_words = memory.words
        made = function(*operands)
        found[phase] = int(memory.max_words)
        return made

    run(ten_products(p.t), scheme(name)(ring, p.spec), caller=caller)
    return found


def cause(values: Sequence[int]) -> str:
    """Why no crossing is found: the peak's phase, and both schemes' counts in it and in the evaluation."""
    fv, yashe = ([peaks(name, w) for w in values] for name in ("fv", PANTHERS_W.scheme))
    phases = {max(p, key=lambda phase: p[phase]) for p in (*fv, *yashe)}
    parts = []
    for phase in ("keygen", "evaluate"):
        ratios = [b[phase] / a[phase] for a, b in zip(fv, yashe, strict=True)]
        less = [w for w, r in zip(values, ratios, strict=True) if r < 1]
        where = f"less at log2 w = {', '.join(map(str, less))}" if less else "less nowhere"
        parts.append(f"in {phase} YASHE takes {min(ratios):.2f} to {max(ratios):.2f} times FV's ({where})")
    keys = "both keys have as many rows of 2n coefficients"
    return (
        f"counted in 32-bit integers as PAnTHErS counts, the peak is in {' or '.join(sorted(phases))}, and "
        f"{'; '.join(parts)}: {keys}, so the algorithms as published have no such crossing at 2^8, and the "
        "exact ring adds only the padding of products in Z[X] to a power of two. What the paper's "
        "Python implementation held beside them is not known: it needs Sage and was not run"
    )
