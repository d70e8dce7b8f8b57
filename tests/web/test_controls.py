"""The controls ask for what the options of the command line ask for."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fheasible.api.options import Options
from fheasible.cli import options as typed
from fheasible.errors import UsageError
from fheasible.web import controls as on

BOTH = pytest.mark.parametrize("real", [True, False])
CORES = 6


@BOTH
def test_the_usual_stops_ask_for_nothing_but_the_defaults(real: bool) -> None:
    sliders = on.controls(real, CORES)
    assert on.options(sliders, on.usual(sliders)) == Options()
    assert on.proof("app.py", sliders, on.usual(sliders)) == "fheasible verify app.py"


@BOTH
@given(data=st.data())
def test_the_command_asks_for_what_the_stops_ask(real: bool, data: st.DataObject) -> None:
    sliders = on.controls(real, CORES)
    chosen = tuple(data.draw(st.integers(0, len(s.stops) - 1)) for s in sliders)
    words = on.proof("app.py", sliders, chosen).split()[3:]
    said = dict(zip(words[::2], words[1::2], strict=True))
    wishes = typed.Wishes(
        security=int(said.get("--security", 128)),
        precision=said.get("--precision"),
        failure=float(said["--failure"]) if "--failure" in said else None,
        objective=said.get("--objective"),
        threads=said.get("--threads", "1"),
        max_memory=typed.mebibytes(said["--max-memory"]) if "--max-memory" in said else None,
    )
    assert wishes.options().wish == on.options(sliders, chosen).wish


@BOTH
def test_every_stop_has_a_label_and_is_a_wish_that_can_be_meant(real: bool) -> None:
    sliders = on.controls(real, CORES)
    for place, slider in enumerate(sliders):
        assert len(slider.labels) == len(slider.stops)
        for stop in range(len(slider.stops)):
            chosen = list(on.usual(sliders))
            chosen[place] = stop
            assert on.options(sliders, tuple(chosen)).wish is not None


def test_memory_goes_up_to_no_limit() -> None:
    assert on.MEMORY.labels[0] == "64 MiB"
    assert on.MEMORY.labels[4:6] == ("1 GiB", "2 GiB")
    assert on.MEMORY.labels[-2:] == ("64 GiB", "no limit")
    assert on.MEMORY.stops[4] == 2**30


@BOTH
def test_static_files_have_some_of_the_stops_the_usual_ones_among_them(real: bool) -> None:
    for slider in on.controls(real, CORES):
        short = slider.shortened()
        assert set(short.stops) <= set(slider.stops)
        assert short.stops[short.usual] == slider.stops[slider.usual]
        assert [short.labels[i] for i in range(len(short.stops))] == [
            slider.labels[slider.stops.index(stop)] for stop in short.stops
        ]


@BOTH
def test_static_files_have_no_control_with_a_single_stop(real: bool) -> None:
    least = "precision" if real else "failure"
    assert [s.name for s in on.few(on.controls(real, CORES))] == ["objective", "security", least, "memory"]


def test_all_choices_of_one_precision_come_together() -> None:
    sliders = on.few(on.controls(real=True))
    found = list(on.by_precision(sliders))
    assert sorted(found) == sorted(on.everything(sliders))
    at = [slider.name for slider in sliders].index("precision")
    assert [stops[at] for stops in found] == sorted(stops[at] for stops in found)
    exact = on.few(on.controls(real=False))
    assert list(on.by_precision(exact)) == list(on.everything(exact))


@pytest.mark.parametrize(
    ("cores", "stops"), [(1, None), (2, (1, 2)), (6, (1, 2, 4, 6)), (8, (1, 2, 4, 8)), (9, (1, 2, 4, 8, 9))]
)
def test_threads_go_up_to_one_for_each_core(cores: int, stops: tuple[int, ...] | None) -> None:
    found = {slider.name: slider.stops for slider in on.controls(True, cores)}
    assert found.get("threads") == stops


def test_the_command_has_the_data_file() -> None:
    sliders = on.controls(True)
    chosen = on.settings(sliders, {"objective": 2})
    assert on.proof("app.py", sliders, chosen, "my data.csv") == (
        "fheasible verify app.py --objective memory --data 'my data.csv'"
    )


@pytest.mark.parametrize("stop", [-1, 3, 1.0, True, "1", None, [0], 10**400])
def test_another_stop_is_an_error(stop: Any) -> None:
    with pytest.raises(UsageError, match="security has no stop") as caught:
        on.settings(on.controls(True), {"security": stop})
    assert caught.value.remedy == "give a whole number from 0 to 2"


def test_stops_that_are_not_named_are_the_usual_ones() -> None:
    assert on.settings(on.controls(False), {"precision": 99, "security": 1}) == (0, 1, 2, 11)


def test_the_nearest_choices_are_those_where_a_single_slider_moves_by_a_stop() -> None:
    sliders = on.controls(True)
    chosen = on.usual(sliders)
    found = sorted(on.everything(sliders), key=lambda other: on.distance(chosen, other))
    assert len(set(found)) == len(found) == on.count(sliders) == 5 * 3 * 13 * 12
    assert found[0] == chosen
    assert set(found[1:6]) == {(1, 0, 2, 11), (0, 1, 2, 11), (0, 0, 1, 11), (0, 0, 3, 11), (0, 0, 2, 10)}
    one = [f for f in found if sum(a != b for a, b in zip(f, chosen, strict=True)) == 1]
    assert found[1 : 1 + len(one)] == one


def test_stops_beside_are_first_those_further_on_where_a_slider_moved() -> None:
    sliders = on.controls(True)
    found = on.beside(sliders, (0, 0, 2, 8), (0, 0, 2, 7))
    assert found[:7] == [(0, 0, 2, stop) for stop in (6, 5, 4, 3, 2, 1, 0)]
    assert set(found[7:12]) == {(0, 0, 2, 8), (0, 0, 1, 7), (0, 0, 3, 7), (0, 1, 2, 7), (1, 0, 2, 7)}
    assert len(found) == 4 + 2 + 12 + 11
    assert set(on.beside(sliders, (0, 0, 2, 7), (0, 0, 2, 7))) == set(found)
