"""No set is walked twice."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from fheasible.circuit.data import random_data
from fheasible.circuit.load import load
from fheasible.errors import InfeasibleParameters
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Wish
from fheasible.exploration.space.requests import Choice, ckks, integers, request, rings
from fheasible.exploration.space.sizing import Sizing
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.libraries.openfhe import rns
from fheasible.libraries.parameters import Parameters
from fheasible.lowering.plan import depth_of
from fheasible.program.types import Program

OPENFHE = CATALOGUE["openfhe"]
SCARCE_BITS = 26
EXAMPLES = Path(__file__).parents[2] / "examples"


@cache
def example(file: str) -> Problem:
    circuit = load(str(EXAMPLES / file)).trace()
    return Problem(circuit, random_data(circuit, 1), "random data (seed 1)")


def sets(on: Problem, scheme: str) -> Iterator[tuple[Parameters, Program]]:
    """All that OpenFHE makes of the requests of a walk."""
    for ring in rings(OPENFHE):
        for (choice,) in integers(OPENFHE, scheme, ring):
            made = _made(on, choice, ring)
            if made:
                yield made


def _made(on: Problem, choice: Choice, ring: int) -> tuple[Parameters, Program] | None:
    program = on.lowerings(()).program(choice.style, ring, choice.slots)
    depth = depth_of(program, choice.style)
    try:
        asked = request(choice, OPENFHE, 128, False, depth, on.plain_modulus(ring))
        return replace(OPENFHE.parameters(asked), request=None), program
    except InfeasibleParameters:
        return None


@pytest.mark.parametrize("scheme", ["bgv", "bfv"])
@pytest.mark.parametrize("file", ["3_depth_ten.py", "4_inner_product.py"])
def test_no_set_of_integers_is_walked_twice(file: str, scheme: str) -> None:
    found = [(p, id(program)) for p, program in sets(example(file), scheme)]
    assert len(found) > 10
    assert len(set(found)) == len(found)


@pytest.mark.parametrize("scheme", ["bgv", "bfv"])
@pytest.mark.parametrize("file", ["3_depth_ten.py", "4_inner_product.py"])
def test_the_digits_that_openfhe_takes_by_itself_are_among_those_that_are_walked(
    file: str, scheme: str
) -> None:
    on, ring = example(file), 1 << 15
    walked = [choice for (choice,) in integers(OPENFHE, scheme, ring)]
    found = [_made(on, choice, ring) for choice in walked]
    for choice in walked:
        own = _made(on, replace(choice, digits=None), ring)
        assert own is None or own in found


@pytest.mark.parametrize("technique", OPENFHE.techniques)
@pytest.mark.parametrize("file", ["2_std_dev.py", "4_inner_product.py"])
def test_no_set_of_real_numbers_is_walked_twice(file: str, technique: str) -> None:
    """But for sizes that are so small in a large ring that they share their primes."""
    on = example(file)
    for ring in rings(OPENFHE):
        choices = list(ckks(OPENFHE, technique, on.degrees_to_try(Wish().least)[0], ring))
        sizing = Sizing(on, OPENFHE, choices[0])
        assert len({rns.default_digits(choice.digits, sizing.depth) for choice in choices}) == len(choices)
        sizes = sizing.sizes(choices[0], every=True)
        sizes = sizes.take(sizes.scale > SCARCE_BITS)
        made = sizing.chains.chained(sizing.depth, sizes, 1)
        q = made.primes(np.flatnonzero(~np.isnan(made.log_q))).q
        assert q.shape[1] > 500
        assert np.unique(q, axis=1).shape == q.shape
