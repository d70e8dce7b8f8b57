"""Other scales than the recommended one: what precision each gives, and which ring it takes [GKS25]."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from fheasible.aliases import Json
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.judging.secure import posed_at
from fheasible.exploration.judging.sharing import floods
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.ring_dimensions import RINGS
from fheasible.exploration.problem.wish import Wish
from fheasible.exploration.search.search import Exploration
from fheasible.exploration.space.requests import SCALES
from fheasible.libraries.block import CkksBlock
from fheasible.libraries.blocks import blocks
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.libraries.parameters import CkksRequest
from fheasible.lowering.plan import depth_of
from fheasible.noise.ckks.precision import precision
from fheasible.program.types import Program

MOST_BITS = 60  # of a prime
CURVES = 6


@dataclass(frozen=True, slots=True)
class ScalePoint:
    """A scale in the smallest ring where it is secure."""

    scale_bits: int
    ring_dimension: int
    log_qp: float
    precision_bits: float  # expected
    assured_bits: float  # of all but one in a thousand encryptions


def curves(e: Exploration) -> list[Json]:
    """A curve over scales for the best CKKS candidate of each library and technique. Its other settings stay
    as they are, and its first and special primes keep their distance to the scale. Empty where the library
    sets the scale."""
    if floods(e.problem, "ckks", e.wish.shared_results):  # the library sets the scale
        return []
    found: dict[tuple[str, str], int] = {}
    for place, c in enumerate(e.candidates):
        if c.scheme == "ckks" and c.request.scale_bits:
            found.setdefault((c.library, c.parameters.technique), place)
    return [
        _told(place, _points(e.problem, e.wish, e.candidates[place])) for place in [*found.values()][:CURVES]
    ]


def _told(place: int, points: dict[int, ScalePoint]) -> Json:
    """The points as columns, for JSON."""
    rows = [points[scale] for scale in sorted(points)]
    return {"candidate": place} | {name: [getattr(p, name) for p in rows] for name in ScalePoint.__slots__}


def _points(problem: Problem, wish: Wish, c: Candidate) -> dict[int, ScalePoint]:
    """The points by scale, from the least scale that is secure in some ring. Scales that no ring of the
    library holds, or that it refuses, are absent. (For smaller scales it finds too few primes, and fewer
    still in larger rings.)"""
    library, points = CATALOGUE[c.library], dict[int, ScalePoint]()
    style = c.style
    for n in RINGS:
        limit = posed_at(c, n, wish.quantum).allowed(wish.security)
        left = range(min(points, default=SCALES[0]), SCALES[-1] + 1)
        missing = [s for s in left if s not in points and s * c.request.depth <= limit]
        if missing and n <= library.largest_ring:
            program = problem.lowerings(c.degrees).program(style, n, c.slots)
            assert c.request.scheme == "ckks"
            base = replace(c.request, depth=depth_of(program, style), ring_dimension=n)
            made = blocks(library, [_at(base, scale) for scale in missing]).made
            for block, places in made:
                scales = [missing[i] for i in places]
                points |= dict(_secure(problem, program, block, scales, limit))
    return points


def _at(r: CkksRequest, scale: int) -> CkksRequest:
    """The request with that scale; its first and special primes are as much larger than the scale as they
    were."""

    def moved(bits: int) -> int:
        return min(bits + scale - (r.scale_bits or MOST_BITS), MOST_BITS)

    special = None if r.special_bits is None else tuple(map(moved, r.special_bits))
    return replace(r, scale_bits=scale, first_bits=moved(r.first_bits or MOST_BITS), special_bits=special)


def _secure(
    problem: Problem, program: Program, block: CkksBlock, scales: Sequence[int], limit: float
) -> Iterator[tuple[int, ScalePoint]]:
    """(scale, point) of those sets of the block whose modulus is small enough to be secure."""
    if float(block.log_qp.min()) > limit:
        return
    found = precision(program, block, problem.gains(program), problem.truth)
    for i, scale in enumerate(scales):
        log_qp = float(block.log_qp[i])
        if log_qp <= limit:
            bits = (float(found.bits[i]), float(found.assured_bits[i]))
            yield scale, ScalePoint(scale, block.ring_dimension, log_qp, *bits)
