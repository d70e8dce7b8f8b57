"""The guide "Which library": what each library takes for a few applications, from the search.

`python -m fheasible.studies.which_library > docs/which_library.md` remakes it. It depends on code alone:
times are predicted with the shipped prices, whatever machine it is made on.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from statistics import median
from typing import Any

import fheasible as fh
from fheasible.calibration.defaults import default_profiles
from fheasible.circuit.data import random_data
from fheasible.circuit.node import Circuit
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Asked, Wish
from fheasible.exploration.search.declared_ranges import answer
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.libraries.library import Library, Parallelism
from fheasible.units import power_of_two, seconds, size

LENGTH = 4096
PLAIN_MODULUS = 65537
PRECISION = 20  # bits of results with real numbers
INTEGERS, REALS = "integers", "real numbers"


@dataclass(frozen=True, slots=True)
class Application:
    """`vectors` encrypted vectors, and what is computed with them."""

    title: str
    vectors: int
    compute: Callable[[list[Any]], Any]


def _sum(vectors: list[Any]) -> Any:
    return sum(vectors[1:], start=vectors[0])


def _product(vectors: list[Any]) -> Any:
    found = vectors[0]
    for vector in vectors[1:]:
        found = found * vector
    return found


def _inner(vectors: list[Any]) -> Any:
    return fh.inner_product(*vectors)


APPLICATIONS = (
    Application("the sum of 101 vectors", 101, _sum),
    Application("the inner product of 2 vectors", 2, _inner),
    Application("the product of 3 vectors", 3, _product),
    Application("the product of 9 vectors", 9, _product),
    Application("the product of 33 vectors", 33, _product),
)


@cache
def problem(application: Application, kind: str) -> Problem:
    made = circuit(application, kind)
    return Problem(made, random_data(made, 0), "random data (seed 0)")


def circuit(application: Application, kind: str) -> Circuit:
    """The application with integers modulo 65537, or with real numbers in [0.9, 1]."""
    one = fh.integers(LENGTH, modulo=PLAIN_MODULUS) if kind == INTEGERS else fh.reals(LENGTH, low=0.9, high=1)

    @fh.app(**{f"x{i}": one for i in range(application.vectors)})
    def computed(**vectors):  # type: ignore[no-untyped-def]
        return application.compute(list(vectors.values()))

    return computed.trace()


@cache
def best(application: Application, kind: str, library: Library) -> Candidate | None:
    """The fastest set of the library that is 128-bit secure and right; None where nothing fits."""
    wish = Wish(precision=Asked.parse(str(PRECISION))) if kind == REALS else Wish()
    asked, prices = problem(application, kind), default_profiles(CATALOGUE)
    found = answer(asked, wish, [library], prices).candidates
    return found[0] if found else None


def libraries() -> list[Library]:
    return list(CATALOGUE.values())


def text() -> Iterator[str]:
    """The lines of the page."""
    yield "# Which library"
    yield ""
    yield from _begin()
    for kind in (INTEGERS, REALS):
        yield ""
        yield f"## With {kind}"
        yield ""
        yield from _table(kind)
    yield ""
    yield "## In words"
    yield ""
    yield from (f"* {sentence}" for sentence in _words())
    yield ""
    yield "## What each library has"
    yield ""
    yield from _facts()


def _begin() -> Iterator[str]:
    origin = next(iter(default_profiles(CATALOGUE).values())).origin
    yield (
        f"For each application with vectors of {LENGTH:,} elements (integers modulo {PLAIN_MODULUS}, or "
        f"real numbers right to {PRECISION} bits), the fastest 128-bit secure set of each library: scheme, "
        "ring dimension N, bits of the modulus QP, predicted CPU time to encrypt, evaluate and decrypt on "
        f"{origin}, and peak memory."
    )
    yield ""
    yield (
        "The page is generated: `python -m fheasible.studies.which_library > docs/which_library.md` "
        "remakes it. `fheasible explore app.py` answers for your application and machine, and `fheasible "
        "study report seal-vs-openfhe` shows what was measured, in the order and rings of a published "
        "comparison. Times are predicted: a difference of less than a tenth should decide nothing."
    )


def _table(kind: str) -> Iterator[str]:
    yield f"| application | {' | '.join(lib.title for lib in libraries())} | fastest | smallest |"
    yield f"|---{'|---' * (len(libraries()) + 2)}|"
    for application in APPLICATIONS:
        found = {lib.title: best(application, kind, lib) for lib in libraries()}
        cells = " | ".join(_cell(c) for c in found.values())
        winners = " | ".join(_least(found, figure) for figure in (_time, _memory))
        yield f"| {application.title} | {cells} | {winners} |"


def _cell(c: Candidate | None) -> str:
    if c is None:
        return "nothing fits"
    p = c.parameters
    return (
        f"{p.scheme.upper()}, {power_of_two(p.ring_dimension)}, {p.log_qp:.0f} bits, {seconds(_time(c))}, "
        f"{size(_memory(c))}"
    )


def _time(c: Candidate) -> float | None:
    return c.estimate.cpu_seconds["total"] if c.estimate.cpu_seconds else None


def _memory(c: Candidate) -> float | None:
    return c.estimate.peak_bytes


def _least(found: Mapping[str, Candidate | None], figure: Callable[[Candidate], float | None]) -> str:
    known = {name: value for name, c in found.items() if c and (value := figure(c)) is not None}
    return min(known, key=known.__getitem__) if known else "-"


def _words() -> Iterator[str]:
    """What the tables show, as figures."""
    cases = [(a, kind) for kind in (INTEGERS, REALS) for a in APPLICATIONS]
    for lib in libraries():
        found = [{o.title: best(a, kind, o) for o in libraries()} for a, kind in cases]
        fastest = sum(_least(of, _time) == lib.title for of in found)
        smallest = sum(_least(of, _memory) == lib.title for of in found)
        behind = [r for of in found if (r := _behind(of, lib.title)) is not None]
        yield (
            f"{lib.title} is the fastest in {fastest} and the smallest in {smallest} of {len(cases)} "
            f"cases; it takes {median(behind):.2f} times the time of the fastest in the median, "
            f"{max(behind):.2f} at most."
        )
    yield _spread([{o.title: best(a, k, o) for o in libraries()} for a, k in cases])


def _spread(found: list[Mapping[str, Candidate | None]]) -> str:
    slowest = [max(r for lib in libraries() if (r := _behind(of, lib.title))) for of in found]
    uneven = [of for of in found if len(set(_rings(of).values())) > 1]
    ahead = sum(_rings(of)[_least(of, _time)] == min(_rings(of).values()) for of in uneven)
    return (
        f"The slowest library takes {min(slowest):.2f} to {max(slowest):.2f} times the time of the "
        f"fastest. In {len(uneven)} cases the libraries need different rings; the fastest has the smallest "
        f"ring in {ahead} of them."
    )


def _rings(found: Mapping[str, Candidate | None]) -> dict[str, int]:
    return {title: c.parameters.ring_dimension for title, c in found.items() if c}


def _behind(found: Mapping[str, Candidate | None], name: str) -> float | None:
    """The library's time relative to that of the fastest; None where one is not known."""
    known = {title: t for title, c in found.items() if c and (t := _time(c)) is not None}
    return known[name] / min(known.values()) if name in known else None


def _facts() -> Iterator[str]:
    columns = ("", *(lib.title for lib in libraries()))
    yield f"| {' | '.join(columns)} |"
    yield f"|---{'|---' * len(libraries())}|"
    for title, read in _FACTS.items():
        yield f"| {title} | {' | '.join(read(lib) for lib in libraries())} |"


_SHARED: Mapping[Parallelism, str] = {
    Parallelism.NONE: "nothing: there is one",
    Parallelism.LIMBS: "the limbs of one operation",
    Parallelism.OPERATIONS: "operations that do not need each other",
}

_FACTS: Mapping[str, Callable[[Library], str]] = {
    "version": lambda lib: lib.version,
    "schemes": lambda lib: ", ".join(s.upper() for s in lib.schemes),
    "who chooses the primes": lambda lib: "the library" if lib.own_primes else "its user",
    "what several threads share": lambda lib: _SHARED[lib.threading.parallelism],
    "security table that it enforces": lambda lib: lib.security_table.name,
    "largest ring that is explored": lambda lib: power_of_two(lib.largest_ring),
    "results in CKKS may be shown to others": lambda lib: "no: it adds no noise" if lib.leaks else "yes",
    "rotations of one value share work": lambda lib: "yes" if lib.hoists else "no",
}


if __name__ == "__main__":
    print("\n".join(text()))
