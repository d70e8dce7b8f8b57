"""Sets whose elements are judged together are so many that caches hold them: that changes no figure."""

import numpy as np
import pytest

import fheasible as fh
from fheasible.circuit.data import random_data
from fheasible.exploration.judging import ckks
from fheasible.exploration.judging.columns import Columns
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Wish, bits
from fheasible.exploration.search.search import explore
from fheasible.libraries.catalogue import library


def kept() -> Columns:
    circuit = fh.app(x=fh.reals(64, low=-1, high=1))(lambda x: fh.mean(x * x) * x).trace()
    problem = Problem(circuit, random_data(circuit, 0), "random")
    return explore(problem, Wish(precision=bits(8)), [library("openfhe"), library("lattigo")], {}).kept


@pytest.mark.long
def test_how_many_are_judged_together_changes_no_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    together = kept()
    monkeypatch.setattr(ckks, "AT_ONCE", 3)
    few = kept()
    assert len(together) == len(few) > 20
    for name in ("library", "ring_dimension", "scale_bits", "first_bits", "special_bits"):
        assert together[name].tolist() == few[name].tolist()
    for name in ("precision_bits", "assured_bits"):
        np.testing.assert_allclose(together[name], few[name], rtol=1e-9)
