"""The noise itself: the bits that are right, or left, after a sum and after a product at each of the
paper's sets.

The paper's tables of "SNR" hold sizes (see redundancy.py), so these figures have no published ones beside
them.
"""

from collections.abc import Mapping
from functools import cache
from math import log2
from types import MappingProxyType

import fheasible as fh
from fheasible.circuit.data import random_data
from fheasible.circuit.node import Circuit
from fheasible.exploration.judging.chosen import chosen, request_from
from fheasible.exploration.problem.problem import Problem
from fheasible.libraries.catalogue import library
from fheasible.noise.integers.budget import expected_bits
from fheasible.studies.ckks_vs_bfv.experiments import OF_PAPER, PAPERS
from fheasible.studies.ckks_vs_bfv.sets import CHAINS, LENGTHS, NUMBERS, papers
from fheasible.studies.results import Results

SUM, PRODUCT = "a sum", "a product"
_LARGEST = 100  # of the whole numbers that the operations are measured on


def _add(x: fh.Vector, y: fh.Vector) -> fh.Vector:
    return x + y


def _multiply(x: fh.Vector, y: fh.Vector) -> fh.Vector:
    return x * y


_WRITTEN = {SUM: _add, PRODUCT: _multiply}
_MEASURED = {SUM: ("add", 2.0), PRODUCT: ("mul", 1.0)}  # of numbers up to 1, with the largest result


@cache
def _problem(scheme: str, what: str) -> Problem:
    made = _circuit(scheme, what)
    return Problem(made, random_data(made, 0), "random data")


def _circuit(scheme: str, what: str) -> Circuit:
    if scheme == "ckks":
        numbers = fh.reals(LENGTHS[-1], low=-1, high=1)
    else:
        numbers = fh.integers(LENGTHS[-1], low=-_LARGEST, high=_LARGEST)
    return fh.app(x=numbers, y=numbers)(_WRITTEN[what]).trace()


@cache
def predicted(scheme: str, number: int, what: str) -> float:
    """CKKS: the precision in bits, relative to the largest result; BFV: the noise budget that is left, in
    bits.
    """
    made = papers(CHAINS[scheme, number], LENGTHS[-1], quick=True)
    request = request_from(scheme, dict(made.params), None)
    candidate = chosen(_problem(scheme, what), library(PAPERS), request, None)
    p = candidate.parameters
    if p.scheme == "ckks":
        bits = candidate.estimate.precision_bits
        assert bits is not None, "CKKS has a precision"
        return bits
    return min(expected_bits(candidate.program, p).values())


def measured_precision(results: Results, what: str) -> Mapping[int, float]:
    """The bits of precision of CKKS's results in the largest vectors, by set: of the largest error,
    relative to the largest result; empty where nothing was run.
    """
    operation, largest = _MEASURED[what]
    found = {}
    for b in results.beside(OF_PAPER["ckks"]):
        error = b.measured(f"{operation}_error")
        if error and b.has(slots=LENGTHS[-1]):
            found[int(b.cell.parameters["set"])] = log2(largest / error)
    return MappingProxyType(found)


def budgets(what: str) -> tuple[float, ...]:
    """BFV's predicted noise budget at each set."""
    return tuple(predicted("bfv", number, what) for number in NUMBERS)
