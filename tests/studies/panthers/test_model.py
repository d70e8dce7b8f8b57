"""What is counted of the paper's sweeps."""

import numpy as np
import pytest

from fheasible.schemes.call import count
from fheasible.schemes.catalogue import scheme
from fheasible.schemes.parameters import RingParameters
from fheasible.studies.panthers.model import FUNCTIONS, WHOLE, counted, depths
from fheasible.studies.panthers.parameters import FIGURE4, LAST, TABLE1, Sweep, sweep


@pytest.mark.parametrize("one", TABLE1, ids=lambda s: s.name)
def test_a_whole_scheme_is_the_sum_of_its_functions(one: Sweep) -> None:
    whole = counted(one, one.cells, WHOLE)
    parts = [counted(one, one.cells, function) for function in FUNCTIONS]
    slack = 9 * len(parts)  # each kind of operation is rounded up, of each function and of the whole
    assert np.all(np.abs(sum(p.multiplications for p in parts) - whole.multiplications) <= slack)
    assert np.all(whole.words >= np.max([p.words for p in parts], axis=0))


def test_sets_counted_together_are_as_sets_counted_alone() -> None:
    one = sweep("fv-log_q")
    together = counted(one, one.cells).multiplications
    for i in (0, 7, 20):
        alone = count(scheme("fv"), "all", RingParameters(**one.cells[i].parameters))
        assert together[i] == pytest.approx(sum(alone.integers.values()), rel=0.5)
        assert together[i] == counted(one, [one.cells[i]]).multiplications[0]


@pytest.mark.parametrize("name", ["fv-t", "yashe-t"])
def test_the_plaintext_modulus_changes_no_count(name: str) -> None:
    of = counted(sweep(name), sweep(name).cells)
    assert np.ptp(of.multiplications) == 0
    assert np.ptp(of.words) == 0


def test_an_application_is_counted_for_every_plaintext_modulus() -> None:
    of = counted(LAST, LAST.cells)
    assert of.multiplications.shape == (8,)
    assert np.ptp(of.multiplications) == 0


@pytest.mark.parametrize("one", FIGURE4, ids=lambda s: s.name)
def test_an_application_takes_more_than_its_scheme(one: Sweep) -> None:
    alone = Sweep(one.scheme, one.vary, one.values, one.fixed, "Table I")
    assert np.all(counted(one, one.cells).multiplications > counted(alone, one.cells).multiplications)


def test_a_modulus_of_four_bits_allows_no_multiplication() -> None:
    for name in ("shield-log_q", "fntru-log_q"):
        one = sweep(name)
        assert counted(one, one.cells).depth[0] == 0
        assert not counted(one, one.cells).promised[0]


def test_the_depth_by_the_paper_s_constants_falls_with_w_and_grows_with_q() -> None:
    along_w = depths("fv", sweep("application-fv-log_w").cells)
    along_q = depths("fv", sweep("fv-log_q").cells)
    assert np.all(np.diff(along_w) <= 0)
    assert np.all(np.diff(along_q) >= 0)
