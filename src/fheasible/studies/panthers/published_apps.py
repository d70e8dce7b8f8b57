"""The applications that the published code has beside Eq. 3: facts of its lists of gates, and ours [FerLL18].

Its gates compute 23 x modulo 256 for all x, and the risks of `apps/medical.py` in 3000 random cases that were
tried. A NOT encrypts a 1 there; here it adds a constant. An OR is a product and two sums.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from fheasible.reports.page import Block, Table
from fheasible.schemes.catalogue import scheme
from fheasible.studies.experiment import NotRun
from fheasible.studies.panthers.applications import application
from fheasible.studies.panthers.calibrated import executed
from fheasible.studies.panthers.parameters import OTHERS
from fheasible.studies.results import Results
from fheasible.units import ABSENT, seconds, size


@dataclass(frozen=True, slots=True)
class Gates:
    """The counts of a published list of gates; an OR counts as one product and two sums."""

    encryptions: int
    products: int
    sums: int
    depth: int


PUBLISHED = {
    "croissant": Gates(8 + 27, 14, 53 + 27, 6),
    "medical": Gates(109 + 129, 91 + 15, 135 + 129 + 2 * 15, 10),
}


def blocks(results: Results) -> Iterator[Block]:
    yield _counts()
    yield _times(results)


def own(name: str) -> Gates:
    """The counts of our application."""
    steps = application(name).steps(2)
    made = steps.operations()
    sums = made.get("add", 0) + made.get("add_plain", 0)
    return Gates(made["encrypt"], made["multiply"], sums, steps.depth)


def _counts() -> Table:
    columns = ("application", "list of gates", "encryptions", "products", "sums", "products in succession")
    rows = [
        (name, whose, *map(str, (g.encryptions, g.products, g.sums, g.depth)))
        for name, theirs in PUBLISHED.items()
        for whose, g in (("published", theirs), ("here", own(name)))
    ]
    return Table(columns, tuple(rows), left=columns[:2], caption="What the applications ask for")


def _times(results: Results) -> Table:
    columns = ("application", "scheme", "log2 w", "CPU time", "peak memory", "decrypted")
    rows = []
    for sweep in OTHERS:
        told = (sweep.app, scheme(sweep.scheme).title)
        try:
            along = executed(results, sweep)
        except NotRun:
            rows.append((*told, ABSENT, ABSENT, ABSENT, "not run yet"))
            continue
        for value, took, peak in zip(along.values, along.seconds, along.mebibytes, strict=True):
            rows.append((*told, str(value), seconds(float(took)), size(float(peak) * 2**20), "right"))
    return Table(columns, tuple(rows), left=("application", "scheme", "decrypted"), caption="Executed")
