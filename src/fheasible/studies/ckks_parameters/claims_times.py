"""The paper's claims about computation time: they need measured cells [GKS25, Sec. 4]."""

from collections.abc import Callable, Iterable, Sequence
from statistics import fmean, median

import numpy as np

from fheasible.aliases import Floats
from fheasible.studies.ckks_parameters.experiments import (
    BATCH,
    DEVIATION,
    DEVIATION_32,
    DEVIATION_ONE,
    MULTIPLICATIVE,
    MULTIPLICATIVE_32,
    MULTIPLICATIVE_ONE,
    SQUARE_ROOT,
    VALUES,
)
from fheasible.studies.ckks_parameters.printed import said
from fheasible.studies.ckks_parameters.reading import grouped, ring, run, scale
from fheasible.studies.claim import Claim, ClaimFinding
from fheasible.studies.results import Beside, Results
from fheasible.units import percent, power_of_two, seconds

_STEADY = 0.15  # a time that changes by less over all scales of a ring is one that scale does not influence
_DOUBLE = (1.6, 2.6)
_TEN = (5.0, 20.0)
_MUCH_LOWER = 10.0


def claims() -> tuple[Claim, ...]:
    return (
        Claim(
            "Multiplicative function: ScaleModSize has no noticeable direct influence on time",
            "Section 4.1 and Figure 3",
            f"within a ring and technique, times of all scales differ by at most {percent(_STEADY)}",
            _steady,
            (MULTIPLICATIVE.name,),
        ),
        Claim(
            "Multiplicative function: time roughly doubles with the ring, from 2^14 to 2^15",
            said("multiplicative.double"),
            f"over 65,536 values, {_DOUBLE[0]} to {_DOUBLE[1]} times the time with FLEXIBLEAUTO",
            _doubles,
            (MULTIPLICATIVE.name, MULTIPLICATIVE_ONE.name),
        ),
        Claim(
            "Amortised time is much lower with full packing than with a batch of 32",
            "Sections 4.1 and 4.2, Figures 4 and 8",
            f"at least {_MUCH_LOWER:g} times lower for both functions, at every security that was run",
            _packing,
            (MULTIPLICATIVE.name, MULTIPLICATIVE_32.name, DEVIATION.name, DEVIATION_32.name),
        ),
        Claim(
            "The standard deviation takes about ten times as long as the multiplicative function in "
            "comparable rings",
            said("deviation.ratio"),
            f"{_TEN[0]:g} to {_TEN[1]:g} times over 65,536 values in N = 2^15",
            _ten_times,
            (MULTIPLICATIVE.name, DEVIATION.name, MULTIPLICATIVE_ONE.name, DEVIATION_ONE.name),
        ),
        Claim(
            "Square root: time grows logarithmically with the degree",
            "Section 3.2 and Figure 1",
            "a logarithm fits the measured times better than a square root and a line do",
            _logarithmic,
            (SQUARE_ROOT.name,),
        ),
    )


def time(b: Beside) -> float:
    """The paper's time: encryption, evaluation and decryption."""
    return float(b.measured("cpu_seconds"))


def _steady(results: Results) -> ClaimFinding:
    groups = grouped(run(results, MULTIPLICATIVE), lambda b: (ring(b), b.cell.parameters["technique"]))
    spreads = {
        key: max(map(time, found)) / min(map(time, found)) - 1
        for key, found in groups.items()
        if len({scale(b) for b in found}) > 1
    }
    worst = max(spreads, key=lambda key: spreads[key])
    told = ", ".join(f"{power_of_two(n)} {t}: {percent(s)}" for (n, t), s in sorted(spreads.items()))
    cause = "" if spreads[worst] <= _STEADY else _special(groups[worst])
    return ClaimFinding(f"at most {percent(spreads[worst])}", spreads[worst] <= _STEADY, told, cause)


def _special(found: Sequence[Beside]) -> str:
    """The cause of a time that changes within a ring, tested on the primes and by the repetitions' spread."""
    by = grouped(found, lambda b: b.predicted("special_limbs"))
    told = ", ".join(f"{n} special primes: {seconds(fmean(map(time, some)))}" for n, some in by.items())
    inside = [max(map(time, some)) / min(map(time, some)) - 1 for some in by.values() if len(some) > 1]
    model = [b.predicted("cpu_seconds") for b in found]
    foreseen = max(model) / min(model) - 1 if all(model) else 0.0
    return (
        f"the chain: {told}; with equally many primes, times still differ by "
        f"{percent(max(inside, default=0))}, whereas the model has {percent(foreseen)} between all of "
        "them: the rest is noise of the measurement"
    )


def _in_ring(found: Iterable[Beside], n: int) -> float:
    return median([time(b) for b in found if ring(b) == n])


def _doubles(results: Results) -> ClaimFinding:
    found = run(results, MULTIPLICATIVE, technique="flexibleauto")
    ratio = _in_ring(found, 2**15) / _in_ring(found, 2**14)
    one = _full(run(results, MULTIPLICATIVE_ONE))
    single = _in_ring(one, 2**15) / _in_ring(one, 2**14)
    holds = _DOUBLE[0] <= ratio <= _DOUBLE[1]
    cause = (
        f"the paper's time is that of one ciphertext per vector. Run with exactly one (8,192 and 16,384 "
        f"values): {single:.2f} times. 65,536 values take half as many ciphertexts in the larger ring"
    )
    evidence = f"one ciphertext per vector: {single:.2f} times; 65,536 values: {ratio:.2f} times"
    return ClaimFinding(f"{ratio:.2f} times", holds, evidence, "" if holds else cause)


def _full(found: Iterable[Beside]) -> list[Beside]:
    """The cells whose vectors fill exactly one ciphertext."""
    return [b for b in found if b.cell.parameters["n"] == ring(b) // 2]


def _packing(results: Results) -> ClaimFinding:
    told, ratios = [], []
    for name, full, sparse in (
        ("product", MULTIPLICATIVE, MULTIPLICATIVE_32),
        ("deviation", DEVIATION, DEVIATION_32),
    ):
        many = {_key(b): time(b) / VALUES for b in run(results, full)}
        for b in run(results, sparse):
            if _key(b) in many:
                ratios.append(time(b) / BATCH / many[_key(b)])
                told.append(f"{name} at {b.cell.parameters['security']} bits: {ratios[-1]:,.0f} times")
    ours = f"{min(ratios):,.0f} to {max(ratios):,.0f} times lower"
    holds = min(ratios) >= _MUCH_LOWER
    cause = f"the least ratio, cell by cell, is that of {told[ratios.index(min(ratios))]}"
    return ClaimFinding(ours, holds, "; ".join(told), "" if holds else cause)


def _key(b: Beside) -> tuple[object, ...]:
    return tuple(b.cell.parameters[name] for name in ("scale_bits", "security", "technique"))


def _ten_times(results: Results) -> ClaimFinding:
    usual = {"technique": "flexibleauto"}
    product = _in_ring(run(results, MULTIPLICATIVE, **usual), 2**15)
    deviation = _in_ring(run(results, DEVIATION, **usual), 2**15)
    ratio, n = deviation / product, 16_384
    one = _in_ring(_full(run(results, DEVIATION_ONE)), 2**15)
    single = one / _in_ring(_full(run(results, MULTIPLICATIVE_ONE)), 2**15)
    holds = _TEN[0] <= ratio <= _TEN[1]
    cause = (
        f"the number of ciphertexts: the root is taken once, however many values there are, while every "
        f"product is taken in each ciphertext. Run with one ciphertext of {n:,} values per vector, as the "
        f"paper's times are: {single:.1f} times"
    )
    evidence = (
        f"65,536 values: {seconds(deviation)} and {seconds(product)}; one ciphertext: {single:.1f} times"
    )
    return ClaimFinding(f"{ratio:.1f} times", holds, evidence, "" if holds else cause)


SHAPES: dict[str, Callable[[Floats], Floats]] = {
    "logarithm": np.log,
    "square root": np.sqrt,
    "line": lambda d: d,
}


def _logarithmic(results: Results) -> ClaimFinding:
    found = run(results, SQUARE_ROOT)
    degrees = np.array([float(b.cell.parameters["degree"]) for b in found])
    times = np.array([time(b) for b in found])
    errors = {name: _misfit(shape(degrees), times) for name, shape in SHAPES.items()}
    best = min(errors, key=lambda name: errors[name])
    told = ", ".join(f"{name}: {percent(e)}" for name, e in errors.items())
    evidence = f"root mean square error of each fit, by the mean time: {told}"
    holds = best == "logarithm"
    return ClaimFinding(f"{best} fits best", holds, evidence, "" if holds else _shares(found))


def _misfit(x: Floats, y: Floats) -> float:
    """The root mean square error of y = a x + b, relative to the mean of y."""
    design = np.column_stack((x, np.ones_like(x)))
    fitted = design @ np.linalg.lstsq(design, y, rcond=None)[0]
    return float(np.sqrt(np.mean((fitted - y) ** 2)) / y.mean())


def _shares(found: Sequence[Beside]) -> str:
    """The cause, from the measured times of single operations: what grows with the degree, and how."""
    few, many = (min(found, key=lambda b: abs(b.cell.parameters["degree"] - d)) for d in (250, 2020))
    told = []
    for b in (few, many):
        spent = operation_seconds(b)
        total = sum(spent.values())
        largest = sorted(spent, key=lambda name: -spent[name])[:2]
        parts = ", ".join(f"{name} {spent[name] / total:.0%}" for name in largest)
        told.append(f"degree {b.cell.parameters['degree']}: {parts}")
    return (
        f"products of ciphertexts grow with the root of the degree, but each coefficient is a product and a "
        f"sum of its own. Measured, by kind of operation: {'; '.join(told)}"
    )


def operation_seconds(b: Beside) -> dict[str, float]:
    """The measured CPU seconds of evaluation by kind of operation: the least of the repetitions of each."""
    m = b.row.measured if b.row else {}
    spent: dict[str, float] = {}
    for o, repeated in zip(m["operations"], zip(*m["operation_seconds"], strict=True), strict=True):
        least = min(cpu for cpu, _ in repeated)
        spent[o["operation"]] = spent.get(o["operation"], 0.0) + least
    return spent
