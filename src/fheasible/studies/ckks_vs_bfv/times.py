"""The measured times of the paper's functions, as its claims compare them."""

from collections.abc import Iterator, Sequence
from statistics import median

from fheasible.studies.ckks_vs_bfv import library_2020, printed
from fheasible.studies.ckks_vs_bfv.experiments import OF_PAPER, SAME_CHAIN
from fheasible.studies.ckks_vs_bfv.sets import LENGTHS, NUMBERS, TITLES
from fheasible.studies.experiment import Experiment, NotRun
from fheasible.studies.results import Results

SLOWER, FASTER = 1.05, 1 / 1.05  # CKKS over BFV: runs differ by up to 5 %, so that less is a draw


def faster(ratios: Sequence[float]) -> str | None:
    """The scheme that is faster at every set; None where neither is."""
    if max(ratios) < FASTER:
        return "ckks"
    return "bfv" if min(ratios) > SLOWER else None


def at(results: Results, experiment: Experiment, function: str, number: int, length: int) -> float:
    """The least CPU seconds of the function. NotRun where it was not measured there."""
    for b in results.measured(experiment):
        if b.has(set=str(number), slots=length):
            found = b.measured(f"{function}_seconds")
            if found is not None:
                return float(found)
    raise NotRun(
        f"{experiment.name}: {function} has no time at set {number}, {length} numbers",
        f"fheasible study run {results.study} --only {experiment.name}",
    )


def along(results: Results, scheme: str, function: str, number: int) -> dict[int, float]:
    """The times of the function by the vector's length, as far as they were measured."""
    return {
        int(b.cell.parameters["slots"]): float(b.measured(f"{function}_seconds"))
        for b in results.measured(OF_PAPER[scheme])
        if b.has(set=str(number)) and b.measured(f"{function}_seconds") is not None
    }


def middle(results: Results, scheme: str, function: str, number: int) -> float:
    """The median over the lengths. NotRun where there are none."""
    found = along(results, scheme, function, number)
    if not found:
        raise NotRun(f"{TITLES[scheme]}: {function} has no time at set {number}")
    return median(found.values())


def ratio(results: Results, function: str, number: int) -> float:
    """CKKS over BFV, of the medians."""
    return middle(results, "ckks", function, number) / middle(results, "bfv", function, number)


def ratios(results: Results, function: str) -> tuple[float, ...]:
    return tuple(ratio(results, function, number) for number in NUMBERS)


def same_chain(results: Results, function: str) -> tuple[float, ...]:
    """CKKS over BFV at each set where both have the same primes, in the largest vectors."""
    n = LENGTHS[-1]
    return tuple(
        at(results, SAME_CHAIN, function, number, n) / at(results, OF_PAPER["bfv"], function, number, n)
        for number in NUMBERS
    )


def of_2020(function: str) -> tuple[float, ...]:
    """CKKS over BFV at each set in the library of 2020, run on a machine of today."""
    return tuple(library_2020.ratio(function, number) for number in NUMBERS)


def published(function: str) -> tuple[float, ...]:
    return tuple(printed.ratio(function, number) for number in NUMBERS)


def by_length(results: Results, scheme: str, function: str) -> Iterator[float]:
    """The time of the longest vector over that of the shortest, set by set."""
    for number in NUMBERS:
        found = along(results, scheme, function, number)
        if len(found) < 2:
            raise NotRun(f"{TITLES[scheme]}: {function} was not measured at two lengths of set {number}")
        yield found[max(found)] / found[min(found)]


def printed_by_length(scheme: str, function: str) -> Iterator[float]:
    for number in NUMBERS:
        first, *_, last = printed.row(function, scheme, number)
        yield last / first


def growth(results: Results, scheme: str, function: str) -> float:
    """The time at the last set over that at the first."""
    return middle(results, scheme, function, NUMBERS[-1]) / middle(results, scheme, function, NUMBERS[0])


def said(values: tuple[float, ...]) -> str:
    """The values of the four sets as text: '1.0, 2.1, 1.7, 1.5'."""
    return ", ".join(f"{v:.2g}" if v < 100 else f"{v:.0f}" for v in values)
