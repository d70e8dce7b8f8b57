"""The cells are those of the paper, and their chains as long as its."""

from itertools import product

import pytest

from fheasible.studies.applied import AppliedExperiment
from fheasible.studies.ckks_parameters.experiments import (
    DEPTHS,
    DEVIATION,
    DEVIATION_32,
    EXPERIMENTS,
    LEVELS,
    MULTIPLICATIVE,
    MULTIPLICATIVE_32,
    SQUARE_ROOT,
    TECHNIQUES,
)
from fheasible.studies.operations import OperationExperiment

from .invented import results

GRID = set(product(range(20, 60), (128, 192, 256), ("fixedauto", "flexibleauto", "flexibleautoext")))
PAPER = (MULTIPLICATIVE, MULTIPLICATIVE_32, DEVIATION, DEVIATION_32)


@pytest.mark.parametrize("experiment", PAPER, ids=lambda e: e.name)
def test_every_scale_level_and_technique_of_the_paper_is_a_cell(experiment: AppliedExperiment) -> None:
    names = ("scale_bits", "security", "technique")
    cells = [tuple(c.parameters[name] for name in names) for c in experiment.cells]
    assert len(cells) == len(GRID)
    assert set(cells) == GRID
    assert all(c.parameters["first_bits"] == 60 for c in experiment.cells)
    assert experiment.repetitions == 10


def test_the_degrees_are_those_of_the_paper_at_its_primes() -> None:
    assert [c.parameters["degree"] for c in SQUARE_ROOT.cells] == list(range(10, 2021, 10))
    for cell in SQUARE_ROOT.cells:
        assert (cell.parameters["first_bits"], cell.parameters["scale_bits"]) == (40, 39)
    assert SQUARE_ROOT.repetitions == 5


@pytest.mark.parametrize("experiment", PAPER, ids=lambda e: e.name)
def test_chains_have_the_paper_s_depth(experiment: AppliedExperiment) -> None:
    depth = DEPTHS["multiplicative" if "multiplicative" in experiment.name else "standard-deviation"]
    for b in results(seen=None).beside(experiment):
        if not b.prediction.refused:
            extra = b.cell.parameters["technique"] == TECHNIQUES[2]
            assert b.predicted("limbs") == depth + 1 + extra


def test_sizes_are_those_of_the_same_chains() -> None:
    there = results(seen=None)
    (sizes,) = (e for e in EXPERIMENTS if e.name == "multiplicative-sizes")
    assert isinstance(sizes, OperationExperiment)
    same = {(b.predicted("log_qp"), b.predicted("ring_dimension")) for b in there.beside(MULTIPLICATIVE)}
    found = {
        (b.predicted("log_qp"), b.predicted("ring_dimension"))
        for b in there.beside(sizes)
        if b.cell.parameters["scale_bits"] in ("30", "41")
    }
    assert found <= same


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda e: e.name)
def test_a_quick_run_has_sets_that_exist_and_few_of_them(experiment: AppliedExperiment) -> None:
    told = results(seen=None).predictions(experiment)
    quick = experiment.chosen(quick=True)
    assert 0 < len(quick) <= 24
    assert not any(told[cell.key].refused for cell in quick)


def test_every_level_is_in_a_quick_run() -> None:
    for experiment in (MULTIPLICATIVE, DEVIATION):
        assert {c.parameters["security"] for c in experiment.chosen(quick=True)} == set(LEVELS)
