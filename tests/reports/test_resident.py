"""The resident set of a run is drawn over its phases, beside what was predicted for each."""

from dataclasses import replace
from typing import Any

import pytest

from fheasible.measurement.counters import Stretch
from fheasible.measurement.resident import Trace as Resident
from fheasible.reports import charts, explored_resident, explored_sections
from fheasible.reports.explored import Told
from fheasible.reports.explored_page import report
from fheasible.reports.figures import Trace
from fheasible.store.rows import StoredMeasurement

from .explored import CONTENT, MIB, run, stored

PHASES = (
    Stretch("context", 0.1, 0.2), Stretch("other", 0.2, 0.25), Stretch("keygen", 0.25, 0.9),
    Stretch("other", 0.9, 1.0), Stretch("encrypt", 1.0, 1.2), Stretch("evaluate", 1.2, 1.9),
    Stretch("decrypt", 1.9, 1.95), Stretch("other", 1.95, 2.0), Stretch("encrypt", 2.0, 2.2),
)  # fmt: skip
HELD = Resident((0.0, 0.5, 1.0, 2.2), (20 * MIB, 150 * MIB, 250 * MIB, 410 * MIB), PHASES)


def followed(number: int = 38, resident: Resident | None = HELD, **entry: Any) -> StoredMeasurement:
    m = run(number)
    seen = {**m.entry.measurement, "resident": resident and resident.to_json()}  # type: ignore[dict-item]
    return replace(m, entry=replace(m.entry, measurement=seen, **entry))


def drawn(m: StoredMeasurement) -> Trace:
    found = explored_resident.of_run(Told(stored()), "Lattigo CKKS, run 38", m)
    assert found is not None
    return found


def test_the_measured_memory_is_drawn_over_its_phases() -> None:
    found = drawn(followed())
    measured = found.series[0]
    assert measured.x == pytest.approx((0.0, 0.5, 1.0, 2.2))
    assert measured.y == pytest.approx((20, 150, 250, 410))
    assert [s.name for s in found.spans] == ["context", "keygen", "encrypt", "evaluate", "decrypt", "encrypt"]
    assert (found.spans[3].begin, found.spans[3].end) == pytest.approx((1.2, 1.9))
    assert found.title == "Lattigo CKKS, run 38 reached 410 MiB; 400 MiB were predicted"


def test_what_was_predicted_rises_with_the_phases_and_never_falls() -> None:
    predicted = drawn(followed()).series[1]
    assert list(zip(predicted.x, predicted.y, strict=True)) == [
        pytest.approx(step)
        for step in [(0.0, 20), (0.1, 40), (0.25, 240), (1.0, 250), (1.2, 400), (2.2, 400)]
    ]


def test_a_set_whose_memory_was_not_predicted_over_time_is_drawn_alone() -> None:
    assert len(drawn(followed(request={"depth": 12})).series) == 1


def test_a_run_that_was_not_followed_has_no_figure_and_no_section() -> None:
    told = Told(stored())
    assert explored_resident.of_run(told, "old", run()) is None
    assert explored_resident.of_run(told, "elsewhere", followed(resident=None)) is None
    assert explored_sections.resident(told, [run()]) is None


def test_the_page_has_a_figure_of_each_run() -> None:
    other = {"request": CONTENT["candidates"][0]["request"] | {"scale_bits": 30}}
    made = report(stored(), [followed(), followed(39, **other)], {})
    assert [n for n in made.drawings if n.startswith("memory-of-the-runs")] == [
        "memory-of-the-runs-over-time-1",
        "memory-of-the-runs-over-time-2",
    ]


def test_spans_are_shaded_below_the_curves_and_named_where_there_is_room() -> None:
    made = charts.chart(drawn(followed())).to_dict(validate=True)
    kinds = [layer["mark"]["type"] for layer in made["layer"]]
    assert kinds[:7] == ["rect"] * 5 + ["text", "line"]
    assert set(kinds[7:]) == {"rule", "text"}  # to the names at the ends
    named = made["datasets"][made["layer"][5]["data"]["name"]]
    assert [row["name"] for row in named] == ["keygen", "encrypt", "evaluate", "encrypt"]
