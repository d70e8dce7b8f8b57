"""What differs between two sides, and what makes them incomparable."""

from typing import Any

import pytest

from comparison.made import environment
from fheasible.comparison.circumstances import circumstances

BEFORE = [environment()] * 4


def test_equal_circumstances_are_comparable() -> None:
    found = circumstances(BEFORE, [environment(seed=9, load_before=0.9, commit="abc", started="now")])
    assert found.comparable
    assert found.differences == ()


@pytest.mark.parametrize(
    ("changes", "facts"),
    [
        ({"version": "4.5.0"}, ["version seal"]),
        ({"build": {"c": 2}}, ["build seal"]),
        ({"kernel": "Linux 7"}, ["kernel"]),
        ({"machine": "cd34", "caches": {"L2": "2M"}}, ["caches", "machine"]),
        ({"conditions": {"governor": "powersave", "swap_used_bytes": 9}}, ["governor"]),
        ({"conditions": {"governor": None}}, []),
        ({"conditions": {}}, []),
    ],
)
def test_one_difference_is_what_is_compared(changes: dict[str, Any], facts: list[str]) -> None:
    found = circumstances(BEFORE, [environment(**changes)])
    assert found.comparable
    assert [d.fact for d in found.differences] == facts


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"version": "4.5.0", "machine": "cd34"}, "differ in the machine and the library's version"),
        ({"build": {"c": 2}, "os": "Debian 13"}, "differ in the system and the library's build"),
        (
            {"version": "4.5.0", "conditions": {"governor": "powersave"}},
            "the library's version and other settings",
        ),
        ({"load_before": 3.5}, "1 of 1 runs of B were made while other processes ran (load up to 3.5)"),
    ],
)
def test_what_makes_sides_incomparable_is_said(changes: dict[str, Any], said: str) -> None:
    found = circumstances(BEFORE, [environment(**changes)])
    assert not found.comparable
    assert said in " ".join(found.warnings)


def test_a_mixed_side_is_said() -> None:
    mixed = [environment(), environment(machine="cd34", version="4.5.0")]
    told = " ".join(circumstances(BEFORE, mixed).warnings)
    assert "B mixes runs from 2 machines (ab12 and cd34)" in told
    assert "B mixes versions 4.4.0 and 4.5.0 of seal" in told


def test_a_busy_machine_is_one_with_work_beside_the_run_s_own_threads() -> None:
    assert circumstances(BEFORE, [environment(threads=1, load_after=1.9)]).comparable
    quad = [environment(threads=4, load_after=4.2)]
    assert circumstances(quad, quad).comparable
    assert not circumstances(BEFORE, [environment(load_after=2.1)]).comparable


def test_different_libraries_are_no_difference_of_one_library() -> None:
    found = circumstances(BEFORE, [environment(library="openfhe", version="1.6.1", build={"d": 1})])
    assert found.comparable
    assert found.differences == ()


def test_facts_that_are_no_numbers_are_no_load() -> None:
    odd = [environment(load_before="much", threads=None)]
    assert circumstances(odd, odd).comparable
