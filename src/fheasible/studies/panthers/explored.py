"""What Fheasible's own search finds for the application, by the paper's rules and by today's."""

from collections.abc import Iterator
from functools import cache

from fheasible.exploration.rings.choice import RingCandidate
from fheasible.exploration.rings.reasons import explain
from fheasible.exploration.rings.search import RingExploration, explore_rings
from fheasible.exploration.rings.wish import RingWish
from fheasible.reports.page import Block, Caution, Table
from fheasible.schemes.catalogue import SCHEMES
from fheasible.studies.panthers.application import circuit
from fheasible.studies.panthers.choosing import T
from fheasible.studies.panthers.security import LEVEL
from fheasible.units import bits, number, power_of_two, size

WORD_BYTES = 4
COLUMNS = ("scheme", "n", "log2 q", "log2 w", "integer multiplications", "memory", "today")


@cache
def explorations() -> tuple[tuple[str, RingExploration], ...]:
    """The pairs (what was asked, what was found).

    The application is explored as written and with its factors paired, by the paper's rules and by today's.
    """
    paper = f"{LEVEL} bits by the rule of 2017, noise as in PAnTHErS's code, today's security ignored"
    today = "128 bits by today's tables, worst-case noise"
    made = []
    for as_written, order in ((True, "as written"), (False, "factors paired")):
        old = RingWish(LEVEL, noise="panthers", as_written=as_written, ignore_security=True)
        made += [(f"{order}; {paper}", _explored(old))]
        made += [(f"{order}; {today}", _explored(RingWish(as_written=as_written)))]
    return tuple(made)


def blocks() -> Iterator[Block]:
    """For each wish, a table with the best set of each scheme, and the reasons."""
    for asked, found in explorations():
        rows = [_row(best) for kind in SCHEMES.values() if (best := found.best_of(kind)) is not None]
        yield Table(COLUMNS, tuple(rows), left=("scheme", "today"), caption=f"Least multiplications: {asked}")
        yield " ".join([*explain(found), *(f"{r.kind.title}: {r.reason}." for r in found.rejected)])
        yield from map(Caution, found.warnings)


def _explored(wish: RingWish) -> RingExploration:
    return explore_rings(circuit(T), wish, list(SCHEMES.values()))


def _row(c: RingCandidate) -> tuple[str, ...]:
    p = c.parameters
    safe = "overstretched NTRU" if c.verdict.overstretched else bits(c.verdict.bits)
    told = (c.kind.title, power_of_two(int(p.n)), str(p.log_q), str(p.log_w))
    return (*told, number(c.multiplications), size(WORD_BYTES * c.words), safe)
