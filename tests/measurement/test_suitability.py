"""A machine is judged by what its conditions do to times, and every fault has a remedy."""

from pathlib import Path

import pytest

from fheasible.measurement.busyness import now
from fheasible.measurement.conditions import conditions
from fheasible.measurement.machine import this_machine
from fheasible.measurement.suitability import Judgement, busy, judgements, pace
from machines import CONTAINERS, MACHINES, on

EVERY = MACHINES | CONTAINERS


def judged(name: str, folder: Path) -> dict[str, Judgement]:
    with on(EVERY[name], folder):
        return {j.what: j for j in judgements(conditions(), this_machine().cores)}


def unfit(name: str, folder: Path) -> set[str]:
    return {what for what, j in judged(name, folder).items() if not j.fit}


@pytest.mark.parametrize(
    ("machine", "faults"),
    [
        ("laptop", {"frequency", "turbo", "swap"}),
        ("server", {"memory nodes"}),
        ("container", {"container"}),
        ("pod", {"container"}),
        ("unknown", set()),
    ],
)
def test_the_faults_of_each_machine_are_found_and_no_others(
    machine: str, faults: set[str], tmp_path: Path
) -> None:
    assert unfit(machine, tmp_path) == faults


@pytest.mark.parametrize("machine", EVERY)
def test_a_fault_has_a_remedy_and_what_is_fit_has_none(machine: str, tmp_path: Path) -> None:
    for j in judged(machine, tmp_path).values():
        assert bool(j.remedy) is not j.fit, j


def test_what_is_unknown_is_said_as_unknown(tmp_path: Path) -> None:
    found = judged("unknown", tmp_path)
    for what in ("frequency", "turbo", "memory nodes", "virtual machine", "container"):
        assert "unknown" in found[what].said, what


def test_a_limit_on_the_processor_is_told_in_cores(tmp_path: Path) -> None:
    assert "1.5 of 8 cores" in judged("container", tmp_path)["container"].said


def test_a_machine_with_more_to_do_than_a_quarter_of_its_cores_is_busy() -> None:
    assert busy(now(0.5, 2)).fit
    assert not busy(now(0.6, 2)).fit
    assert not pace(1.2, 1.0).fit
    assert pace(1.05, 1.0).fit
