"""Writes docs/choosing_ckks_parameters.md from what is predicted for the study's sets, with shipped prices.

python -m fheasible.studies.ckks_parameters.guide > docs/choosing_ckks_parameters.md
"""

import sys
from collections.abc import Iterator, Sequence
from statistics import median

import numpy as np

from fheasible.calibration.defaults import default_profiles
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.studies.ckks_parameters import claims_precision, claims_rings
from fheasible.studies.ckks_parameters.claims_precision import drawn_bits, root_bits
from fheasible.studies.ckks_parameters.experiments import (
    DEVIATION,
    DEVIATION_32,
    DEVIATION_NARROW,
    ELSEWHERE,
    LEVELS,
    MULTIPLICATIVE,
    MULTIPLICATIVE_32,
    OTHER_DEPTHS,
    QUANTUM,
    SQUARE_ROOT,
    TECHNIQUES,
    VALUES,
)
from fheasible.studies.ckks_parameters.reading import first_of_plateau, largest_in, ring, scale, sets
from fheasible.studies.claim import judged
from fheasible.studies.results import Beside, Results
from fheasible.units import power_of_two, seconds, size

FUNCTIONS = {"sum of x y z": MULTIPLICATIVE, "standard deviation": DEVIATION}
_SHOWN_SCALES = (26, 30, 35, 40, 45, 50, 55)
_DEGREES = (15, 31, 63, 127, 247, 511, 1023, 2020)
_USUAL = "flexibleauto"
_AT = 40  # bits of scale at which libraries are compared


def guide() -> str:
    """The page in Markdown. It depends on code alone: nothing measured here is in it."""
    results = Results("ckks-parameters", "", {}, default_profiles(CATALOGUE))
    parts = (
        _start,
        _rules,
        _rings,
        _precision,
        _techniques,
        _depths,
        _quantum,
        _degrees,
        _packing,
        _libraries,
    )
    return "\n".join(line for part in parts for line in (*part(results), "")).rstrip() + "\n"


def _start(results: Results) -> Iterator[str]:
    yield "# Choosing CKKS parameters"
    yield ""
    yield (
        "Which scale, technique, depth and ring to choose, on two examples: the sum of x y z over 65,536 "
        "triples, and the standard deviation of 65,536 numbers. Every figure is predicted by Fheasible; "
        "times are those of the machine of the shipped prices. The questions are those of a published "
        "guide [GKS25], whose advice is tested here. The study `ckks-parameters` runs it anew on your "
        "machine:"
    )
    yield ""
    yield "```"
    yield "fheasible study run ckks-parameters --quick"
    yield "fheasible study report ckks-parameters"
    yield "```"
    yield ""
    yield "In practice, leave the choice to the search, and read why:"
    yield ""
    yield "```"
    yield "fheasible explore examples/2_std_dev.py --security 128 --precision 15"
    yield "```"
    yield ""
    yield (
        "This page is generated: `python -m fheasible.studies.ckks_parameters.guide > "
        "docs/choosing_ckks_parameters.md`."
    )


def _rules(results: Results) -> Iterator[str]:
    yield "## The rules, and whether they hold"
    yield ""
    told = [
        c for c in (*claims_rings.claims(), *claims_precision.claims()) if SQUARE_ROOT.name not in c.about
    ]
    rows = [
        (one.claim.claim, str(one.finding.verdict), one.finding.ours, one.finding.cause or "")
        for one in judged(told, results)
    ]
    yield from _table(("what the paper says", "verdict", "here", "why not"), rows)


def _rings(results: Results) -> Iterator[str]:
    yield "## The scale decides on the ring"
    yield ""
    yield (
        "Each level takes a prime as long as the scale, and key switching takes special primes of 60 bits. "
        "Security limits log2 QP in each ring. The largest scale that still fits, by ring, for OpenFHE with "
        "`flexibleauto`, a first prime of 60 bits, and multiplicative depth 4 and 12:"
    )
    yield ""
    rows = []
    for name, experiment in FUNCTIONS.items():
        for security in LEVELS:
            found = sets(results, experiment, security=security, technique=_USUAL)
            rows.append((name, f"{security} bits", _last_scales(found)))
    yield from _table(("application", "security", "largest scale by ring"), rows)


def _last_scales(found: Sequence[Beside]) -> str:
    rings = sorted({ring(b) for b in found})
    return ", ".join(f"{power_of_two(n)}: {largest_in(found, n)}" for n in rings)


def _precision(results: Results) -> Iterator[str]:
    yield "## The scale decides on precision"
    yield ""
    yield (
        "A bit of scale is a bit of precision, until something else limits it: the error of an "
        "approximation, or doubles. Bits of precision at 128 bits of security with `flexibleauto`:"
    )
    yield ""
    columns = ("application", *(f"scale {bits}" for bits in _SHOWN_SCALES), "plateau from")
    rows = []
    for name, experiment in FUNCTIONS.items():
        found = sets(results, experiment, security=128, technique=_USUAL)
        bits = {scale(b): b.predicted("precision_bits") for b in found}
        first = first_of_plateau(found)
        begins = "none" if first is None or first is found[-1] or scale(first) > 57 else str(scale(first))
        rows.append((name, *(f"{bits[s]:.1f}" if s in bits else "-" for s in _SHOWN_SCALES), begins))
    yield from _table(columns, rows)


def _techniques(results: Results) -> Iterator[str]:
    yield "## The technique"
    yield ""
    yield (
        "`fixedauto` keeps one scale for all levels and pays with the distance of its primes from it. "
        f"`flexibleautoext` has one prime more. At a scale of {_AT} bits and 128 bits of security:"
    )
    yield ""
    rows = []
    for name, experiment in FUNCTIONS.items():
        for technique in TECHNIQUES:
            (b,) = sets(results, experiment, security=128, technique=technique, scale_bits=_AT)
            rows.append((name, f"`{technique}`", *_figures(b)))
    yield from _table(("application", "technique", *_COLUMNS), rows)


_COLUMNS = ("N", "log2 QP", "precision", "time", "ciphertext", "keys")


def _figures(b: Beside) -> tuple[str, ...]:
    return (
        power_of_two(ring(b)),
        f"{b.predicted('log_qp'):.0f}",
        f"{b.predicted('precision_bits'):.1f} bits",
        seconds(b.predicted("cpu_seconds")),
        size(b.predicted("ciphertext_bytes")),
        size(b.predicted("evaluation_key_bytes")),
    )


def _depths(results: Results) -> Iterator[str]:
    yield "## Depth"
    yield ""
    yield (
        "Every level that is asked for and not needed costs a prime. The sum of x y z needs 2 levels. The "
        "largest scale in each ring at 192 bits of security, by the depth that is asked for (at depth 2, "
        "values do not fit the first prime beyond it):"
    )
    yield ""
    rows = []
    for spare in range(7):
        found = sets(results, OTHER_DEPTHS, spare_levels=spare)
        rows.append((str(2 + spare), _last_scales(found)))
    yield from _table(("depth", "largest scale by ring"), rows)


def _quantum(results: Results) -> Iterator[str]:
    yield "## Classical and quantum attackers"
    yield ""
    rows = []
    for (name, classical), quantum in zip(FUNCTIONS.items(), QUANTUM, strict=True):
        for security in LEVELS:
            pair = (
                sets(results, classical, security=security, technique=_USUAL),
                sets(results, quantum, security=security),
            )
            rows.append((name, f"{security} bits", *map(_last_scales, pair)))
    columns = ("application", "security", "classical: largest scale by ring", "quantum (`--quantum`)")
    yield from _table(columns, rows)


def _degrees(results: Results) -> Iterator[str]:
    yield "## The degree and the interval of an approximation"
    yield ""
    yield (
        "An approximation has an error of its own, whatever the scale. For the square root on [0, 1]: bits "
        "of the mean of 32 roots (median of 200 draws), and near a variance of 1/12 by the interval of the "
        "series. A narrower interval costs nothing."
    )
    yield ""
    draws = np.random.default_rng(0).random((200, 32))
    rows = [
        (
            str(degree),
            f"{median(drawn_bits(degree, draws)):.0f}",
            *(f"{root_bits(high, degree):.1f}" for high in (1.0, 0.25)),
        )
        for degree in _DEGREES
    ]
    yield from _table(("degree", "mean of 32 roots", "variance, on [0, 1]", "variance, on [0, 0.25]"), rows)
    (wide,) = sets(results, DEVIATION, security=128, technique=_USUAL, scale_bits=_AT)
    (narrow,) = sets(results, DEVIATION_NARROW, security=128, scale_bits=_AT)
    bits = [f"{b.predicted('precision_bits'):.1f}" for b in (wide, narrow)]
    yield ""
    yield f"Encrypted, at a scale of {_AT} bits: {bits[0]} bits on [0, 1] and {bits[1]} on [0, 0.25]."


def _packing(results: Results) -> Iterator[str]:
    yield "## Packing"
    yield ""
    yield (
        "A ciphertext costs the same whatever is in it. Time per value at 128 bits of security, with as many "
        "values as fit and with 32:"
    )
    yield ""
    rows = []
    pairs = ((MULTIPLICATIVE, MULTIPLICATIVE_32), (DEVIATION, DEVIATION_32))
    for name, (full, sparse) in zip(FUNCTIONS, pairs, strict=True):
        found = [
            sets(results, e, security=128, technique=_USUAL, scale_bits=_AT)[0].predicted("cpu_seconds") / n
            for e, n in ((full, VALUES), (sparse, 32))
        ]
        rows.append((name, *map(seconds, found), f"{found[1] / found[0]:,.0f} times"))
    yield from _table(("application", "65,536 values", "32 values", "ratio"), rows)


def _libraries(results: Results) -> Iterator[str]:
    yield "## Libraries"
    yield ""
    yield (
        f"The same applications at a scale of {_AT} bits and 128 bits of security, with each library's own "
        "key switching, without spare levels for SEAL and Lattigo:"
    )
    yield ""
    rows = []
    for name, base in FUNCTIONS.items():
        others = [e for e in ELSEWHERE if e.app == base.app]
        for experiment in (base, *others):
            extra = {"technique": _USUAL} if experiment is base else {}
            found = sets(results, experiment, security=128, scale_bits=_AT, **extra)
            rows += [(name, CATALOGUE[experiment.library].title, *_figures(b)) for b in found]
    yield from _table(("application", "library", *_COLUMNS), rows)


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    for row in (columns, ["---"] * len(columns), *rows):
        yield f"| {' | '.join(row)} |"


if __name__ == "__main__":
    sys.stdout.write(guide())
