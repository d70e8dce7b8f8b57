"""The sets are those of Lattigo 1.3.0, and the cells those of the paper."""

from math import log2

import pytest

from fheasible.libraries.parameters import Parameters
from fheasible.measurement.operations import OperationJob
from fheasible.studies.ckks_vs_bfv.experiments import EXPERIMENTS, OF_PAPER, OPERATIONS, SAME_CHAIN
from fheasible.studies.ckks_vs_bfv.printed import FUNCTIONS
from fheasible.studies.ckks_vs_bfv.sets import CHAINS, LENGTHS, NUMBERS, SCHEMES, TABLE1
from fheasible.studies.operations import OperationExperiment


def parameters(experiment: OperationExperiment) -> dict[tuple[int, int], Parameters]:
    found = {}
    for cell in experiment.cells:
        job = experiment.jobs[cell.key]
        assert isinstance(job, OperationJob), job
        found[int(cell.parameters["set"]), int(cell.parameters["slots"])] = job.parameters
    return found


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_cells_are_four_sets_by_five_lengths_with_the_paper_s_functions(scheme: str) -> None:
    found = parameters(OF_PAPER[scheme])
    assert set(found) == {(number, length) for number in NUMBERS for length in LENGTHS}
    assert set(FUNCTIONS) < set(OPERATIONS)
    for (number, _), p in found.items():
        assert log2(p.ring_dimension) == TABLE1[number][0]
        assert p.limbs == len(CHAINS[scheme, number].q)
        assert p.log_qp == pytest.approx(CHAINS[scheme, number].log_qp, abs=0.01)


def test_log_qp_is_within_a_few_bits_of_what_table_1_calls_log_q() -> None:
    for (_, number), chain in CHAINS.items():
        assert 0 <= TABLE1[number][1] - chain.log_qp <= 2


def test_vectors_of_ckks_are_packed_sparsely() -> None:
    for scheme, experiment in OF_PAPER.items():
        for job in experiment.jobs.values():
            assert isinstance(job, OperationJob)
            assert job.sparse == (scheme == "ckks")


def test_the_same_chain_is_that_of_bfv() -> None:
    for number, p in ((n, p) for (n, _), p in parameters(SAME_CHAIN).items()):
        assert p.limbs == len(CHAINS["bfv", number].q)
        assert p.log_qp == pytest.approx(CHAINS["bfv", number].log_qp, abs=0.01)


def test_every_library_makes_every_set_with_as_many_primes() -> None:
    for experiment in EXPERIMENTS:
        for (number, _), p in parameters(experiment).items():
            scheme = "bfv" if experiment is SAME_CHAIN else experiment.scheme
            assert p.limbs == len(CHAINS[scheme, number].q), experiment.name
