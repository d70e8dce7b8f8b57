"""The contexts on which predictions of single operations are judged. They cover every library and scheme, n
from 2^12 to 2^16, few limbs and many, few digits and many.

Calibration chooses among contexts of its own. Where both have a context, the points of the profile show this,
and the context is left out of the evaluation (`compare`). At every n there are numbers of limbs or digits
that calibration does not offer.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from fheasible.calibration.candidates import MOST_LIMBS_BV, levels, requests
from fheasible.calibration.workload import workload
from fheasible.errors import InfeasibleParameters
from fheasible.libraries.library import Library
from fheasible.libraries.parameters import Parameters, Request
from fheasible.libraries.work import layout_of
from fheasible.measurement.execute import RunOptions, RunPlan
from fheasible.measurement.job import Job
from fheasible.program.types import Program, Scheme

LIMBS = {12: (2, 3, 4), 13: (3, 5, 6), 14: (3, 6, 10), 15: (5, 11, 17), 16: (9, 19)}  # by log2 n
LEVELS = 6  # at most, for each context
VARIANTS = 2  # for each number of limbs, in digits or kinds of key switching
QUICK_LOG_N, QUICK_STRIDE = 14, 3
REPETITIONS = {12: 6, 13: 5, 14: 4, 15: 3, 16: 2}  # in each pass, by log2 n
_TIMEOUT_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class GridContext:
    """A context and the levels at which its operations are run. `low`: results are decrypted at the lowest of
    them."""

    parameters: Parameters
    at: tuple[int, ...]
    low: bool

    @property
    def program(self) -> Program:
        scheme, n = Scheme(self.parameters.scheme), self.parameters.ring_dimension
        slots = n // 2 if scheme is Scheme.CKKS else n
        return workload(scheme, slots, self.parameters.levels, self.at, rotations=1, low=self.low)

    @property
    def label(self) -> str:
        p = self.parameters
        return f"{p.library} {p.scheme} N={p.ring_dimension} limbs={p.limbs} digits={p.digits}"

    def job(self) -> Job:
        """Every primitive at every level of the context, on zeros and ones."""
        program = self.program
        values = np.random.default_rng(0).integers(0, 2, 2 * program.slots)
        plan = RunPlan(REPETITIONS[self.parameters.ring_dimension.bit_length() - 1], warmup=1)
        return Job(
            self.parameters, program, {"x": values}, plan, RunOptions(sizes=False), timeout=_TIMEOUT_SECONDS,
            label=self.label,
        )  # fmt: skip


def jobs(libraries: Iterable[Library], quick: bool = False) -> list[Job]:
    """One job for each context of those libraries' schemes; the quick ones are a part of all of them."""
    pairs = [(library, scheme) for library in libraries for scheme in library.schemes]
    return [c.job() for library, scheme in pairs for c in contexts(library, scheme, quick)]


def contexts(library: Library, scheme: str, quick: bool = False) -> list[GridContext]:
    """The contexts of one library and scheme, small rings first; with `quick` every third one up to n =
    2^14."""
    found: dict[object, GridContext] = {}
    for place, (variant, p) in enumerate(_parameters(library, scheme)):
        context = GridContext(p, _levels(p, variant), low=place % 2 == 0)
        found.setdefault((p.ring_dimension, layout_of(p)), context)
    every = list(found.values())
    if quick:
        return [c for c in every if c.parameters.ring_dimension <= 1 << QUICK_LOG_N][::QUICK_STRIDE]
    return every


def _parameters(library: Library, scheme: str) -> Iterator[tuple[int, Parameters]]:
    """Parameters, each with its index among the variants of its number of limbs."""
    sizes = [(log_n, limbs) for log_n, several in LIMBS.items() for limbs in several]
    for place, (log_n, limbs) in enumerate(sizes):
        base = next(requests(library, scheme, 1 << log_n, limbs, several=False))
        feasible = list(_feasible(library, _variants(library, base, limbs)))
        turned = feasible[place % len(feasible) :] + feasible[: place % len(feasible)]
        yield from enumerate(turned[:VARIANTS])


def _variants(library: Library, base: Request, limbs: int) -> list[Request]:
    """The request with each number of digits and each kind of key switching that there is."""
    digits = [replace(base, digits=d) for d in library.usual_digits if d <= limbs]
    kinds = library.switchings(base.scheme)
    if len(kinds) == 1:
        return digits or [base]
    if kinds[0] == "bv":
        return [replace(base, key_switching="bv"), *(replace(d, key_switching="hybrid") for d in digits)]
    return [*digits, *([replace(base, key_switching="bv")] if limbs <= MOST_LIMBS_BV else [])]


def _feasible(library: Library, asked: Iterable[Request]) -> Iterator[Parameters]:
    """The parameters of the requests that the library accepts: not every number of digits divides every
    number of limbs."""
    for request in asked:
        try:
            yield library.parameters(request)
        except InfeasibleParameters:
            continue


def _levels(p: Parameters, variant: int) -> tuple[int, ...]:
    """The lowest and the highest level, with evenly spread levels between them. Further variants take levels
    that the first one leaves out."""
    first = levels(p, LEVELS)
    rest = [level for level in range(p.levels + 1) if level not in first]
    if variant == 0 or not rest:
        return first
    chosen = np.linspace(0, len(rest) - 1, min(LEVELS - 2, len(rest)))
    return tuple(sorted({0, p.levels, *(rest[round(float(i))] for i in chosen)}))
