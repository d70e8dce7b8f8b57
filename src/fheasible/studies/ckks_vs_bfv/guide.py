"""The guide "Which scheme for which application", written from searches.

`python -m fheasible.studies.ckks_vs_bfv.guide > docs/which_scheme.md` remakes it. It depends on code alone:
times are predicted with the shipped prices, whatever machine it is made on.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import fheasible as fh
from fheasible.calibration.defaults import default_profiles
from fheasible.circuit.data import random_data
from fheasible.errors import CircuitError
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.reasons.explain import explain
from fheasible.exploration.search.declared_ranges import answer
from fheasible.exploration.search.search import Exploration
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.studies.ckks_vs_bfv.shapes import PRECISIONS, SHAPES, Shape
from fheasible.units import power_of_two, size

SCHEMES = ("ckks", "bgv", "bfv")
_NOTHING = "nothing fits"
_REASONS = 2  # sentences of the search that the guide repeats


@dataclass(frozen=True, slots=True)
class Answered:
    """A shape with what the search found for it."""

    shape: Shape
    found: Exploration

    def best_of(self, scheme: str) -> Candidate | None:
        return next((c for c in self.found.candidates if c.scheme == scheme), None)

    def reason(self, scheme: str) -> str:
        """Why nothing of the scheme fits: the reason that most libraries give."""
        reasons = [r.reason for r in self.found.rejected if r.scheme == scheme]
        return max(reasons, key=reasons.count, default=_NOTHING)


def answered(shape: Shape) -> Answered:
    """The shape's search by the shipped prices."""
    circuit = shape.circuit()
    problem = Problem(circuit, random_data(circuit, 0), "random data (seed 0)")
    libraries = list(CATALOGUE.values())
    return Answered(shape, answer(problem, shape.wish, libraries, default_profiles(CATALOGUE)))


def guide() -> str:
    """The guide as Markdown."""
    answers = [answered(shape) for shape in SHAPES]
    return (
        "\n".join([*_head(answers), *(line for a in answers for line in _chapter(a)), *_comparisons()]) + "\n"
    )


def _head(answers: Sequence[Answered]) -> Iterator[str]:
    origins = sorted({p.origin for p in default_profiles(CATALOGUE).values()})
    yield "# Which scheme for which application"
    yield ""
    yield (
        "What Fheasible's search recommends for a few shapes of applications, and why. The page is "
        "generated: `python -m fheasible.studies.ckks_vs_bfv.guide > docs/which_scheme.md` remakes it. "
        f"Times are predicted CPU times to encrypt, evaluate and decrypt on {' and '.join(origins)}, "
        "with 128 bits of security; `fheasible explore app.py` says the same for an application of "
        "yours, and on your machine."
    )
    yield ""
    yield "| application | recommended | next scheme |"
    yield "|---|---|---|"
    for a in answers:
        yield f"| {a.shape.what} | {_named(a.found.best)} | {_next(a)} |"
    yield ""
    yield from _rules(answers)


def _rules(answers: Sequence[Answered]) -> Iterator[str]:
    """What the answers have in common, counted."""
    found = [a.found for a in answers]
    of_real = [f.best.scheme for f in found if f.best and f.problem.real]
    of_whole = [f.best.scheme for f in found if f.best and not f.problem.real]
    coarse, fine = (_log_qp(answers, shape) for shape in PRECISIONS)
    yield (
        f"* **Real numbers**: {of_real.count('ckks')} of {len(of_real)} go to CKKS, because BGV and BFV "
        "hold whole numbers alone. Precision costs bits of the modulus: the variance takes log2 QP = "
        f"{coarse} for 15 bits and {fine} for 30."
    )
    yield (
        f"* **Whole numbers**: {len(of_whole) - of_whole.count('ckks')} of {len(of_whole)} go to BGV or "
        f"BFV, {of_whole.count('ckks')} to CKKS, which rounds its results. CKKS drops out where results "
        "wrap around a modulus, or where they are too large to be rounded right."
    )
    yield (
        "* **Depth** decides the ring, and the ring the time: each product in succession takes a level, "
        "hence bits of the modulus, and a ring is secure up to so many bits alone."
    )
    yield (
        "* **Length**: a ciphertext of CKKS has N/2 slots, one of BGV and BFV has N. A shorter vector costs "
        "about as much as a full one; a longer one takes several ciphertexts."
    )
    yield ""


def _log_qp(answers: Sequence[Answered], shape: str) -> str:
    """log2 QP of the set that is recommended for that shape."""
    (best,) = (a.found.best for a in answers if a.shape.name == shape)
    return _NOTHING if best is None else f"{best.parameters.log_qp:.0f}"


def _named(c: Candidate | None) -> str:
    if c is None:
        return _NOTHING
    scheme, n = c.scheme.upper(), power_of_two(c.parameters.ring_dimension)
    return f"**{scheme}** in {CATALOGUE[c.library].title}, N = {n}, {_time(c)}"


def _next(a: Answered) -> str:
    """The best of the other schemes, with how much longer it takes."""
    best = a.found.best
    if best is None:
        return "-"
    others = [c for c in map(a.best_of, SCHEMES) if c is not None and c.scheme != best.scheme]
    if not others:
        return "none fits"
    other = min(others, key=_seconds)
    return f"{other.scheme.upper()}, {_seconds(other) / _seconds(best):.1f} times as long"


def _chapter(a: Answered) -> Iterator[str]:
    yield f"## {a.shape.name.capitalize()}"
    yield ""
    yield f"`{a.shape.written}`: {a.shape.what}."
    yield ""
    yield "| scheme | best library | N | log2 QP | time | memory | a ciphertext | bits right |"
    yield "|---|---|---|---|---|---|---|---|"
    left_out = []
    for scheme in SCHEMES:
        best = a.best_of(scheme)
        if best is None:
            left_out.append(f"{scheme.upper()}: {a.reason(scheme)}.")
        else:
            yield _row(best)
    yield ""
    yield from (f"* {line}" for line in left_out)
    yield from (f"* {line}" for line in explain(a.found, default_profiles(CATALOGUE))[:_REASONS])
    yield ""


def _row(c: Candidate) -> str:
    e, p = c.estimate, c.parameters
    right = "exact" if e.precision_bits is None else f"{e.precision_bits:.0f}"
    cells = (
        c.scheme.upper(),
        CATALOGUE[c.library].title,
        power_of_two(p.ring_dimension),
        f"{p.log_qp:.0f}",
        _time(c),
        size(e.peak_bytes),
        size(e.sizes.ciphertext_bytes),
        right,
    )
    return f"| {' | '.join(cells)} |"


def _seconds(c: Candidate) -> float:
    cpu = c.estimate.cpu_seconds
    assert cpu is not None, "the shipped prices cover every scheme"
    return cpu["total"]


def _time(c: Candidate) -> str:
    """The predicted time, to two figures."""
    ms = 1e3 * _seconds(c)
    return f"{ms:.2g} ms" if ms < 100 else f"{ms / 1e3:.2g} s"


def _comparisons() -> Iterator[str]:
    """What the tracing of a comparison says."""
    yield "## Comparisons"
    yield ""

    def larger(x: fh.Vector, y: fh.Vector) -> fh.Vector:
        found: fh.Vector = x > y
        return found

    reals = fh.reals(16, low=-1, high=1)
    try:
        fh.app(x=reals, y=reals)(larger).trace()
    except CircuitError as error:
        said = error.message.rpartition(": ")[2]
        yield (
            f'`x > y` of reals is not available: "{said}". {error.remedy} Integers are compared by '
            "table look-ups in schemes of the TFHE family, by polynomials modulo a prime in BFV and BGV, "
            "where ranges are small, and by polynomials of CKKS whose results are rounded "
            "(`fheasible explore examples/11_age_filter.py`)."
        )


if __name__ == "__main__":
    print(guide(), end="")
