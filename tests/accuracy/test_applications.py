"""The best of each technique is chosen, and a result is compared with the cleartext one."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from accuracy.made import a_measurement
from fheasible.accuracy.applications import (
    PRECISION_BITS,
    SECURITY,
    ChosenRun,
    checking,
    choices,
    examples,
    verdict,
)
from fheasible.circuit.load import load
from fheasible.exploration.problem.wish import Wish, bits
from fheasible.exploration.search.search import explore
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.measurement.records import Measurement
from fheasible.program.types import chunk

INTEGERS = """
import fheasible as fh

@fh.app(a=fh.integers(16, low=0, high=15), b=fh.integers(16, low=0, high=15))
def products(a, b):
    return a * b
"""

REALS = """
import fheasible as fh

@fh.app(x=fh.reals(8, low=0.5, high=1))
def doubled(x):
    return x + x
"""


@pytest.fixture
def integers(tmp_path: Path) -> Path:
    (tmp_path / "products.py").write_text(INTEGERS)
    return tmp_path / "products.py"


@pytest.fixture
def reals(tmp_path: Path) -> Path:
    (tmp_path / "doubled.py").write_text(REALS)
    return tmp_path / "doubled.py"


def measured(choice: ChosenRun, values: NDArray[np.float64]) -> Measurement:
    """A measurement of the choice in which its output decrypts to those values."""
    (out,) = choice.candidate.program.outputs
    made = a_measurement(choice.job)
    made.outputs[out.name] = chunk(values, choice.candidate.program.slots)
    return made


def truth(choice: ChosenRun) -> NDArray[np.float64]:
    return next(iter(choice.problem.truth.values()))


def test_each_technique_has_its_best_and_each_choice_its_job(reals: Path) -> None:
    found = choices([reals], [CATALOGUE["openfhe"]], {})
    assert {c.candidate.parameters.technique for c in found} == set(CATALOGUE["openfhe"].techniques)
    assert all(c.job.parameters == c.candidate.parameters for c in found)
    assert len({c.job.key for c in found}) == len(found)
    for c in found:
        wish = Wish(SECURITY, precision=bits(PRECISION_BITS))
        every = explore(c.problem, wish, [CATALOGUE["openfhe"]], {}).candidates
        alike = [o for o in every if o.parameters.technique == c.candidate.parameters.technique]
        assert c.candidate.cost("time") == min(o.cost("time") for o in alike)
    assert all("doubled openfhe ckks" in c.job.label for c in found)


def test_a_scheme_that_cannot_express_an_application_has_no_choice(reals: Path) -> None:
    assert {c.candidate.scheme for c in choices([reals], [CATALOGUE["seal"]], {})} == {"ckks"}


def test_an_exact_result_is_right_or_wrong(integers: Path) -> None:
    found = choices([integers], [CATALOGUE["seal"]], {})
    exact = next(c for c in found if c.candidate.scheme == "bfv")
    right = truth(exact)
    assert verdict(exact, measured(exact, right)) == {"application": "products", "correct": True}
    off = right + (np.arange(len(right)) == 3)
    assert verdict(exact, measured(exact, off))["correct"] is False


def test_integers_in_ckks_are_right_when_they_round_to_the_cleartext(integers: Path) -> None:
    found = choices([integers], [CATALOGUE["seal"]], {})
    approximate = next(c for c in found if c.candidate.scheme == "ckks")
    right = truth(approximate)
    told = checking(found)(approximate.job, measured(approximate, right + 0.4))
    assert told["correct"] is True
    assert told["precision_bits_predicted"] == approximate.candidate.estimate.precision_bits
    assert verdict(approximate, measured(approximate, right + 0.6))["correct"] is False


def test_reals_are_right_with_a_few_bits_and_their_precision_is_kept(reals: Path) -> None:
    (choice,) = choices([reals], [CATALOGUE["seal"]], {})
    told = verdict(choice, measured(choice, truth(choice) * (1 + 2**-10)))
    assert told["correct"] is True
    assert told["precision_bits"] == pytest.approx(10)
    assert verdict(choice, measured(choice, truth(choice) * 1.5))["correct"] is False


def test_the_examples_are_the_numbered_ones_of_the_clone() -> None:
    names = [load(str(path)).name for path in examples()]
    assert names[:2] == ["sum_of_products", "std_dev"]
