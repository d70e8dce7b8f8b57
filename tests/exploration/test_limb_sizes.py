"""OpenFHE's BFV with limbs of other sizes than its default: what fits is found."""

from dataclasses import replace

import pytest

import fheasible as fh
from fheasible.circuit.data import random_data
from fheasible.exploration.judging import integers
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Wish
from fheasible.exploration.search.search import Exploration, explore
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.libraries.openfhe import library as openfhe_library


@fh.app(x=fh.integers(100, modulo=1032193))  # which packs vectors up to N = 2^13
def quintic(x: fh.Vector) -> fh.Vector:
    return fh.polynomial(fh.concatenate([x, x]), [1, -2, 0, 3, 0, 1])


def explored() -> Exploration:
    circuit = quintic.trace()
    problem = Problem(circuit, random_data(circuit, 1), "random data")
    return explore(problem, Wish(), [replace(CATALOGUE["openfhe"], schemes=("bfv",))], {})


def test_other_limbs_fit_where_the_default_has_too_little_modulus(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three limbs of 60 bits are too few for the noise, and four are not secure; four of 48 bits are both."""
    best = explored().best
    assert best is not None
    assert best.request.scale_bits != 60
    assert best.settings["scale_bits"] == best.request.scale_bits
    forget()
    monkeypatch.setattr(openfhe_library, "_LIMB_BITS", (None,))
    assert explored().best is None
    forget()


def forget() -> None:
    """The choices that were made."""
    integers.choice_groups.cache_clear()
    integers._walked_together.cache_clear()
