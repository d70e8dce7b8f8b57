"""Settings as they are typed: ranges, lists, what is wrong with them; grids in their order."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fheasible.errors import InfeasibleParameters, UsageError
from fheasible.exploration.sweeps.axes import Axis
from fheasible.exploration.sweeps.ring_grid import grid, parameters

BASE = ["n=4096", "log_q=300"]


def axis(setting: str, base: Any = ("n=4096",)) -> tuple[Any, ...]:
    return grid([setting], list(base)).axes[0].values


def test_a_range_holds_both_its_ends() -> None:
    assert axis("log_q=100:300:10") == tuple(range(100, 301, 10))
    assert axis("log_q=100:105:2") == (100, 102, 104)
    assert axis("log_q=5:8") == (5, 6, 7, 8)
    assert axis("n=1024:8192:*2", ["log_q=100"]) == (1024, 2048, 4096, 8192)


@given(st.integers(2, 900), st.integers(0, 90), st.integers(1, 40))
def test_a_range_is_what_its_words_say(start: int, extent: int, step: int) -> None:
    assert axis(f"log_q={start}:{start + extent}:{step}") == tuple(range(start, start + extent + 1, step))


def test_a_list_keeps_its_order() -> None:
    assert axis("log_q=300,100,200") == (300, 100, 200)


def test_widths_of_errors_may_be_fractions() -> None:
    assert axis("sigma=3:3.4:0.2", BASE) == (3.0, 3.2, 3.4)  # decimal steps: no 3.4000000000000004


def test_words_after_the_options_are_settings_too() -> None:
    found = grid(["log_q=100:300:100"], ["log_w=2"], ["t=2", "n=1024,2048"])
    assert found.axes == (Axis("log_q", (100, 200, 300)), Axis("n", (1024, 2048)))
    assert found.fixed == {"log_w": 2, "t": 2, "sigma": 3.2}


def test_several_axes_make_the_full_grid_the_last_one_fastest() -> None:
    found = grid(["log_q=100,200", "log_w=1:3"], ["n=64"])
    pairs = [(p["log_q"], p["log_w"]) for p in found.points()]
    assert pairs == [(100, 1), (100, 2), (100, 3), (200, 1), (200, 2), (200, 3)]
    assert len(found) == len(pairs)
    assert [p for chunk in found.chunks(4) for p in chunk] == list(found.points())


def test_without_an_axis_there_is_one_set() -> None:
    assert list(grid([], BASE).points()) == [{"n": 4096, "log_q": 300, "t": 2, "log_w": 1, "sigma": 3.2}]


def test_slices_are_lines_through_the_grid() -> None:
    found = grid(["log_q=100,200", "log_w=1:3", "t=2,4"], ["n=64"])
    few = found.slices("log_q", 6)
    assert [(s.fixed["log_w"], s.fixed["t"]) for s in few] == [(1, 2), (1, 4), (2, 2), (2, 4), (3, 2), (3, 4)]
    (first,) = found.slices("log_q", 5)
    assert (first.fixed["log_w"], first.fixed["t"], len(first)) == (1, 2, 2)


def test_sets_become_arrays_where_they_differ() -> None:
    p = parameters(list(grid(["log_q=100:300:100"], ["n=64"]).points()))
    assert p.n == 64
    assert isinstance(p.log_q, np.ndarray)
    assert p.log_q.tolist() == [100, 200, 300]


WRONG = {
    "an unknown name": (["speed=1,2"], BASE, "no parameter 'speed'"),
    "no value": (["log_w="], BASE, "not a setting"),
    "no equals sign": (["log_w"], BASE, "not a setting"),
    "an empty range": (["log_w=9:3:1"], BASE, "empty range"),
    "a step of nothing": (["log_w=3:9:0"], BASE, "empty range"),
    "a step backwards": (["log_w=3:9:-1"], BASE, "empty range"),
    "a factor of one": (["log_w=3:9:*1"], BASE, "empty range"),
    "a word": (["log_w=few"], BASE, "not a number"),
    "no number at all": (["log_w=nan"], BASE, "not a number"),
    "a fraction": (["log_w=1,2.5"], BASE, "whole number"),
    "four words": (["log_w=1:2:3:4"], BASE, "not a range"),
    "a value twice": (["log_w=1,2,1"], BASE, "twice"),
    "a parameter twice": (["log_w=1,2"], [*BASE, "log_w=3"], "twice"),
    "no modulus": (["n=1024,2048"], [], "log_q must be given"),
    "many fixed": ([], ["n=64,128", "log_q=9"], "2 values"),
    "endless": (["log_w=1:1000000000000"], BASE, "more than"),
    "too large": (["t=99999999999999999999999"], BASE, "too large"),
}


@pytest.mark.parametrize("case", WRONG.values(), ids=WRONG.keys())
def test_a_wrong_setting_is_a_clear_error(case: tuple[list[str], list[str], str]) -> None:
    vary, fix, said = case
    with pytest.raises(UsageError) as found:
        grid(vary, fix)
    assert said in found.value.message
    assert found.value.remedy


IMPOSSIBLE = {
    "not a power of two": ["n=1000,1024", "log_q=100"],
    "too large a ring": ["n=65536", "log_q=100"],
    "too large a modulus": ["n=1024", "log_q=100:2000:100"],
    "a plaintext modulus beyond the least q": ["n=1024", "log_q=10,300", "t=2000"],
    "errors of no width": ["n=1024", "log_q=100", "sigma=3.2,0"],
    "errors of a width beyond all integers": ["n=1024", "log_q=100", "sigma=1e308"],
    "words longer than the least q": ["n=1024", "log_q=10,300", "log_w=20"],
}


@pytest.mark.parametrize("words", IMPOSSIBLE.values(), ids=IMPOSSIBLE.keys())
def test_sets_that_no_ring_computes_with_are_refused_before_anything_runs(words: list[str]) -> None:
    with pytest.raises(InfeasibleParameters):
        grid([], [], words)
