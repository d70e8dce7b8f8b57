"""How well cells were predicted, reckoned by hand."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from fheasible.studies.accuracy import accuracy, together
from fheasible.studies.experiment import Prediction, Profiles, ResultRow, StudyCell
from fheasible.studies.own import OwnExperiment
from fheasible.studies.results import Results
from studies import toy

Figures = Mapping[str, Any]


@dataclass(frozen=True)
class Limited(OwnExperiment):
    """An experiment whose cells are executed under a limit on memory."""

    @property
    def limited(self) -> bool:
        return True


def compared(
    told: Sequence[Figures], seen: Sequence[Figures], kind: type[OwnExperiment] = OwnExperiment
) -> tuple[OwnExperiment, Results]:
    """An experiment with a cell for each pair of predicted and measured figures, and its results."""
    cells = tuple(StudyCell({"number": i}) for i in range(len(told)))

    def predict(_: Sequence[StudyCell], profiles: Profiles) -> list[Prediction]:
        return [Prediction(figures) for figures in told]

    e = kind("made", "Made", 1, cells, toy.execute, toy.efforts, predict=predict)
    rows = {
        c.key: ResultRow(
            "made", i + 1, "2026-11-25", c, 2, "reference", "measured", "", {}, {}, None, figures
        )
        for i, (c, figures) in enumerate(zip(cells, seen, strict=True))
    }
    return e, Results("made", "here", {"made": rows})


def test_a_program_has_the_error_of_its_whole_time() -> None:
    e, results = compared(
        [{"cpu_seconds": 1.1, "evaluate_seconds": 0.9}, {"cpu_seconds": 1.6}],
        [{"cpu_seconds": 1.0, "evaluate_seconds": 0.3}, {"cpu_seconds": 2.0}],
    )
    found = accuracy(results, e)
    assert found.times == pytest.approx((0.1, -0.2))
    assert found.mean_time == pytest.approx(0.15)
    assert found.operations == ()


def test_single_operations_have_errors_of_their_own_and_a_cell_that_of_their_sum() -> None:
    told = {"add_seconds": 0.002, "mul_seconds": 0.1, "encode_seconds": 2e-5, "rescale_seconds": None}
    seen = {"add_seconds": 0.001, "mul_seconds": 0.1, "encode_seconds": 1e-5, "rescale_seconds": 0.5}
    found = accuracy(*reversed(compared([told], [seen])))
    assert found.operations == pytest.approx((1.0, 0.0))  # what takes 10 microseconds is not judged alone
    assert found.times == pytest.approx((0.10202 / 0.10101 - 1,))


def test_the_time_of_swapping_is_no_error_of_the_prediction() -> None:
    e, results = compared(
        [{"cpu_seconds": 1.0, "peak_bytes": 110}], [{"cpu_seconds": 3.0, "peak_bytes": 100}], Limited
    )
    found = accuracy(results, e)
    assert (found.cells, found.times) == (1, ())
    assert found.memory == pytest.approx((0.1,))


def test_sizes_that_differ_are_named() -> None:
    e, results = compared(
        [{"ciphertext_bytes": 10}] * 2, [{"ciphertext_bytes": 10}, {"ciphertext_bytes": 11}]
    )
    both = together([accuracy(results, e)] * 2)
    assert both.cells == 4
    assert both.unequal == ("number = 1: ciphertext_bytes 10, measured 11",) * 2
