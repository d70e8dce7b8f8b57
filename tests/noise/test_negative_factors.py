"""What a negative real factor becomes in the live library: OpenFHE adds a half and truncates."""

from dataclasses import replace

import numpy as np
import pytest

import fheasible as fh
from fheasible.api.installed import installed
from fheasible.exploration.judging.chosen import chosen, request_from
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import bits
from fheasible.exploration.proof.proof import prove
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.libraries.openfhe.operations import variant
from fheasible.measurement.execute import RunPlan
from fheasible.noise.ckks.elements import drift

SETTINGS = {"scale_bits": "30", "first_bits": "56", "technique": "flexibleauto"}


@pytest.mark.worker
@pytest.mark.skipif(not installed("openfhe"), reason="OpenFHE is not installed: fheasible libraries install")
@pytest.mark.parametrize("factor", [-2.0, 2.0, -3.5])
def test_openfhes_negative_factors_are_a_unit_nearer_to_zero(factor: float) -> None:
    """c S is whole here or half; of a negative one a unit is lost, a relative error of 1 / (c S)."""

    @fh.app(x=fh.reals(1, low=0, high=1e6))
    def scaled(x: fh.Vector) -> fh.Vector:
        return x * factor

    circuit, data = scaled.trace(), {"x": np.array([8e5])}
    problem = Problem(circuit, data, "by hand")
    c = chosen(problem, CATALOGUE["openfhe"], request_from("ckks", SETTINGS, 128), None)
    scale = c.parameters.scales[0]
    (told,) = drift(c.parameters, problem.gains(c.program))
    if factor != 2.0:
        assert abs(told) == pytest.approx(8e5 / scale, rel=0.51)
    proof = prove(problem, c, RunPlan(1, 0), asked=bits(10))
    (measured,) = proof.result["result"] - problem.truth["result"]
    noise = 4 * c.estimate.absolute_error if factor == 2.0 and c.estimate.absolute_error else abs(told) / 4
    assert measured == pytest.approx(told, abs=noise)


def test_the_whole_number_of_a_multiple_is_the_librarys_own() -> None:
    p = CATALOGUE["openfhe"].parameters(replace(request_from("ckks", SETTINGS, 128), depth=1))
    own = variant(p)
    assert [own.whole(x) for x in (-2.0, 2.0, -3.2, 3.2, 3.5, -0.4)] == [-1, 2, -2, 3, 4, 0]
