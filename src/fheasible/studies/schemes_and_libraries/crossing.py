"""From how many values on TFHE takes less time than CKKS: curves over n, and where they cross."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import exp, log
from typing import Final

from fheasible.studies.experiment import Experiment, NotRun
from fheasible.studies.results import Results
from fheasible.studies.schemes_and_libraries.equations import (
    BOOTSTRAPPED,
    EQUATION_1,
    EQUATION_2,
    IN_TFHE,
    UNREFRESHED,
)
from fheasible.studies.schemes_and_libraries.printed import LENGTHS, LIBRARIES
from fheasible.studies.schemes_and_libraries.table6 import TABLE_6
from fheasible.studies.schemes_and_libraries.tfhe_sets import PAPERS

PRODUCT_LOOKUPS: Final = 2  # of a product in one ciphertext: floor((x + y)^2 / 4) - floor((x - y)^2 / 4)
Seconds = Mapping[int, float]  # by n


def in_tfhe(results: Results, number: int, fraction: int, figure: str = "cpu_seconds") -> Seconds:
    """The figure of an equation in TFHE-rs at that precision, measured or else predicted."""
    return _found(results, IN_TFHE[number], figure, fraction=fraction)


def in_ckks(results: Results, number: int, library: str, figure: str = "cpu_seconds") -> Seconds:
    """The figure of an equation in a library's CKKS, without bootstrapping."""
    return _found(results, {1: EQUATION_1, 2: EQUATION_2}[number][library], figure)


def as_written(results: Results, library: str, figure: str = "cpu_seconds") -> Seconds:
    """The figure of Equation 1 in the rings of Table V, one factor after another (bootstrapped from 40)."""
    short = _found(results, UNREFRESHED[library], figure)
    return {n: short[n] for n in LENGTHS if n in short} | dict(_found(results, BOOTSTRAPPED[library], figure))


def one_ciphertext(results: Results, number: int) -> Seconds:
    """The seconds of an equation as the paper computes it in TFHE: a number is one ciphertext, and a product
    takes two look-ups with TFHEpp's set of Table IV."""
    b = next(b for b in results.beside(TABLE_6["tfhe_rs"]) if b.has(set=PAPERS))
    each = b.either("bootstrapping_seconds")
    if each is None:
        raise NotRun("no look-up with Table IV's set was measured", "fheasible calibrate --library tfhe_rs")
    products = {n: n - 1 if number == 1 else n for n in LENGTHS}
    return {n: PRODUCT_LOOKUPS * count * each for n, count in products.items()}


def _found(results: Results, experiment: Experiment, figure: str, **having: object) -> Seconds:
    found = [b for b in results.beside(experiment) if b.has(**having)]
    return {b.cell.parameters["n"]: float(b.either(figure)) for b in found if b.either(figure) is not None}


def fastest_ckks(results: Results, number: int) -> Seconds:
    """The least seconds of CKKS in any library."""
    curves = [in_ckks(results, number, lib) for lib in LIBRARIES]
    return {n: min(c[n] for c in curves if n in c) for n in LENGTHS if any(n in c for c in curves)}


@dataclass(frozen=True, slots=True)
class Lead:
    """The lengths for which the other scheme takes less: from `start` on, to `end`. None stands for the first
    length that is known, and the last."""

    start: float | None
    end: float | None

    def __str__(self) -> str:
        if self.start is None:
            return "for every n" if self.end is None else f"up to n = {self.end:.0f}"
        return f"from n = {self.start:.0f} {'on' if self.end is None else f'to {self.end:.0f}'}"


def leads(one: Seconds, other: Seconds) -> tuple[Lead, ...]:
    """The lengths for which `other` takes less than `one`, in their order; times in between are interpolated
    by logarithms. NotRun where no length is known of both."""
    at = sorted(one.keys() & other.keys())
    if not at:
        raise NotRun("no time of both is known", "fheasible calibrate")
    over = {n: log(other[n] / one[n]) for n in at}
    found, start, leading = [], None, over[at[0]] < 0
    for low, high in pairwise(at):
        if (over[high] < 0) == leading:
            continue
        part = over[low] / (over[low] - over[high])
        turn = exp(log(low) + part * (log(high) - log(low)))
        if leading:
            found.append(Lead(start, turn))
        start, leading = turn, not leading
    if leading:
        found.append(Lead(start, None))
    return tuple(found)
