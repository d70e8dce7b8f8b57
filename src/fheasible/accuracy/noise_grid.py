"""Programs and parameters on which predictions of precision and of noise budgets are judged.

Noise does not depend on security, so most of them are in small rings, where a run is quick and every scale,
chain and technique can be tried. The whole applications at 128 bits of security come in addition. None of
this depends on a prediction, so that better predictions can be judged by the same runs.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from fheasible.accuracy.applications import SECURITY, SEED, examples
from fheasible.circuit.drawn import random_data
from fheasible.circuit.load import load
from fheasible.errors import InfeasibleParameters, UnsupportedOperation
from fheasible.exploration.problem.problem import Problem
from fheasible.libraries.catalogue import library
from fheasible.libraries.library import Library
from fheasible.libraries.parameters import Parameters, Request, request_for
from fheasible.lowering.plan import plan
from fheasible.measurement.encryptions import PER_KEYS
from fheasible.measurement.execute import RunOptions, RunPlan
from fheasible.measurement.job import Job
from fheasible.measurement.shipped import shipped
from fheasible.noise.ckks.headroom import headroom_bits
from fheasible.program.types import Program, Scheme

SMALL, LARGER, LARGEST = 1 << 11, 1 << 13, 1 << 16  # ring dimensions: two of the grid, and the largest of all
MOST_ELEMENTS = 1 << 10  # longer vectors are cut to this in the grid
SCALES = (30, 40, 50)
DIGITS = (1, 3)  # digits of key switching that are tried in Lattigo
LONG, LONG_TECHNIQUE = (
    500,
    "flexibleauto",
)  # programs of so many operations run at secure sizes in this technique alone
_TIMEOUT_SECONDS = 900.0
CORRELATED = ("powers", "integer_powers", "rotated_copies")  # applications in benchmarks/correlated.py


@dataclass(frozen=True, slots=True, eq=False)
class NoiseCase:
    """A program with parameters and data. `secure`: the case has a secure size; the others form the grid."""

    problem: Problem
    program: Program
    parameters: Parameters
    secure: bool

    @property
    def label(self) -> str:
        p = self.parameters
        special = f" {len(p.p)} special" if library(p.library).varies == "special primes" else ""
        words = (self.problem.circuit.name, p.library, p.scheme, p.technique, p.key_switching)
        scale = f" scale {p.request.scale_bits}" if p.request and p.scheme == "ckks" else ""
        secure = " secure" if self.secure else ""
        return (
            f"{' '.join(w for w in words if w)} N={p.ring_dimension}{scale} {p.limbs} limbs{special}{secure}"
        )

    @property
    def job(self) -> Job:
        """The run under one set of keys; the passes of a campaign give the other sets."""
        options = RunOptions(sizes=False, every_output=True, noise=self.program.scheme is not Scheme.CKKS)
        return Job(
            self.parameters, self.program, self.problem.data, RunPlan(PER_KEYS, warmup=0), options,
            timeout=_TIMEOUT_SECONDS, label=self.label,
        )  # fmt: skip


def applications() -> list[str]:
    """The applications, in the form that `load` takes: the numbered examples for which every scheme has
    enough slots, and those with correlated noise."""
    own = shipped("benchmarks") / "correlated.py"
    return [*map(str, examples()[:4]), *(f"{own}:{name}" for name in CORRELATED)]


def cases(
    apps: Iterable[str], libraries: Iterable[Library], secure: bool = True, grid: bool = True
) -> Iterator[NoiseCase]:
    """The cases of every application in each library and scheme that can express it; examples have cases at
    secure sizes too."""
    listed = list(libraries)
    for path in apps:
        short, whole = problem_of(path, MOST_ELEMENTS), problem_of(path)
        pairs = [(lib, scheme) for lib in listed for scheme in lib.schemes if not whole.unsuited(scheme)]
        for lib, scheme in pairs:
            if grid:
                yield from _distinct(short, lib, requests(lib, scheme))
            if secure and Path(path) in examples():
                yield from _secure(whole, lib, scheme)


def problem_of(path: str, most: int | None = None) -> Problem:
    """The application on random data, its vectors cut to `most` elements."""
    app = load(path)
    lengths = {i.name: min(i.length, most) for i in app.inputs} if most else None
    circuit = app.trace(lengths)
    return Problem(circuit, random_data(circuit, SEED), f"random data (seed {SEED})")


def _distinct(problem: Problem, library: Library, asked: Iterable[Request]) -> Iterator[NoiseCase]:
    """The cases of the requests that the library accepts, without those whose parameters another request has
    given."""
    seen = set()
    for request in asked:
        case = _case(problem, library, request)
        if case is not None and case.parameters not in seen:
            seen.add(case.parameters)
            yield case


def requests(library: Library, scheme: str) -> Iterator[Request]:
    """Requests with every scale, chain, technique and kind of key switching in the small ring, and a few in
    the larger one."""
    for base in _bases(library, scheme, DIGITS):
        small = replace(base, ring_dimension=SMALL)
        if scheme == "ckks":
            yield from (replace(small, scale_bits=scale) for scale in SCALES)
        else:
            yield from (replace(small, key_switching=kind) for kind in _key_switchings(library, scheme))
        yield replace(base, ring_dimension=LARGER, scale_bits=SCALES[1] if scheme == "ckks" else None)


def _key_switchings(library: Library, scheme: str) -> tuple[str | None, ...]:
    """Every kind, hybrid first; None is the library's default."""
    if len(library.switchings(scheme)) == 1:
        return (None,)
    return ("hybrid" if library.switchings(scheme)[0] == "bv" else None, "bv")


def _bases(library: Library, scheme: str, digits: Iterable[int]) -> Iterator[Request]:
    """Requests in each technique, or for each of the numbers of digits, as the library leaves to its user."""
    base = request_for(scheme, 1, security=None)
    if library.own_primes is not None:
        named = library.techniques if scheme != "bfv" else (None,)
        yield from (replace(base, technique=technique) for technique in named)
    elif library.varies == "special primes":
        yield from (replace(base, digits=many) for many in digits)
    else:
        yield base


def _secure(whole: Problem, library: Library, scheme: str) -> Iterator[NoiseCase]:
    """The cases in the ring that the library needs to be secure."""
    bases = _bases(library, scheme, DIGITS[-1:])
    secure = [replace(r, security=SECURITY) for r in bases]
    asked = [replace(r, scale_bits=SCALES[1]) for r in secure] if scheme == "ckks" else secure
    for case in _distinct(whole, library, asked):
        if len(case.program.operations) < LONG or case.parameters.technique in ("", LONG_TECHNIQUE):
            yield case


def _case(problem: Problem, library: Library, request: Request) -> NoiseCase | None:
    """The case of that request; None where the library refuses it, or where values outgrow the modulus."""

    def ask(depth: int, n: int | None) -> Parameters:
        asked = replace(request, depth=depth, ring_dimension=n)
        if asked.scheme != "ckks":
            asked = replace(asked, plain_modulus=problem.plain_modulus(n or LARGEST))
        return library.parameters(asked)

    try:
        style = library.style(request.scheme, request.technique)
        program, p = plan(problem.lowerings((), style.exact), style, ask, request.ring_dimension)
    except (InfeasibleParameters, UnsupportedOperation):
        return None
    overflows = p.scheme == "ckks" and headroom_bits(program, p, problem.gains(program)) < 1
    return None if overflows else NoiseCase(problem, program, p, request.security is not None)
