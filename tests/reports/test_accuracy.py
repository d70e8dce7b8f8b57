"""The page of an evaluation says what was found, for what it holds, and stands alone."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from accuracy.made import PRICES, a_job, a_measurement, a_record, every_primitive, insecure, told
from fheasible.accuracy.compare import ComparedFigure
from fheasible.accuracy.errors import TargetVerdict
from fheasible.accuracy.evaluation import Evaluation, evaluate
from fheasible.accuracy.words import cell, circumstances, share, target
from fheasible.measurement.machine import this_machine
from fheasible.program.types import Action
from fheasible.reports.accuracy import page, write
from fheasible.reports.accuracy_figures import KINDS, agreements, bars, by_ring, deviations, prices
from fheasible.reports.html import render

from .elements import Elements, loads


@pytest.fixture
def found() -> Evaluation:
    """Everything takes 1 ms but a rotation, which takes 2; 1.1 ms are predicted of everything."""
    profiles = {name: told(name, other=1.1e-3) for name in ("seal", "lattigo")}
    places = [insecure(name, n) for name in profiles for n in (4096, 8192)]
    jobs = [a_job(p, every_primitive(p)) for p in places]
    applied = [a_job(insecure(name, 8192), label=f"{name} sums") for name in profiles]
    died = a_record(applied[0], None, 1, "died")
    return evaluate(
        [a_record(job, a_measurement(job, rotate=2e-3)) for job in jobs],
        [*(a_record(job, a_measurement(job), application="sums") for job in applied), died],
        profiles,
    )


@pytest.mark.long
def test_the_page_holds_every_part_and_loads_nothing(found: Evaluation, tmp_path: Path) -> None:
    write(found, tmp_path / "page.html")
    written = (tmp_path / "page.html").read_text()
    assert loads(written) == []
    text = " ".join(Elements(written).text)
    for heading in ("Targets", "Operations", "By ring dimension", "Key generation", "Whole applications"):
        assert heading in text
    assert "seal sums: died" in text
    assert "SEAL 4.4.0" in text
    assert "load at most 1.5" in text  # before the run that died


@pytest.mark.long
def test_errors_stand_by_library_scheme_and_action(found: Evaluation) -> None:
    """1.1 against 1 ms is 10 %; against 2 ms it is -45 %."""
    text = re.sub(r"\s+", " ", " ".join(Elements(render(page(found))).text))
    rotations = found.by("action")[("rotate",)]
    assert rotations.mean == pytest.approx(0.45)
    assert f"rotate {rotations.count} 45.0 % 45.0 % 45.0 % 45.0 % -45.0 %" in text
    sums = found.by("action")[("add",)]
    assert f"add {sums.count} 10.0 % 10.0 % 10.0 % 10.0 % +10.0 %" in text
    assert f"SEAL CKKS {found.by('library', 'scheme')[('seal', 'ckks')].count}" in text


def test_key_generation_is_no_part_of_the_operations_errors(found: Evaluation) -> None:
    assert {row.action for row in found.key_generation} == {"keygen"}
    assert "keygen" not in {row.action for row in found.operations}


def test_an_evaluation_of_nothing_is_a_page_too() -> None:
    text = " ".join(Elements(render(page(evaluate([], [], {})))).text)
    assert "Nothing was measured." in text
    assert "Nothing is stored yet." in text


def test_the_document_has_every_row_and_every_target(found: Evaluation) -> None:
    document = found.to_json()
    assert len(document["operations"]) == len(found.operations) + len(found.key_generation)
    assert [row["setting"] if "setting" in row else row["library"] for row in document["applications"]] == [
        "lattigo",
        "seal",
    ]
    assert {t["subject"] for t in document["targets"]} == {"operations", "applications", "memory", "sizes"}
    assert document["circumstances"]["versions"]["seal"] == "4.4.0"
    died = {"label": "seal sums", "outcome": "died", "message": "", "machine": this_machine().fingerprint}
    assert document["failures"] == [died]


def test_predictions_are_drawn_against_measurements_in_milliseconds(found: Evaluation) -> None:
    drawn = list(agreements(found.operations))
    assert [figure.title.split(":")[0] for figure in drawn] == ["Lattigo CKKS", "SEAL CKKS"]
    (switching,) = (series for series in drawn[1].series if series.name == "key switching")
    assert {round(x, 9) for x in switching.x} == {1.0, 2.0}
    assert {round(y, 9) for y in switching.y} == {1.1}
    assert sum(len(series.x) for figure in drawn for series in figure.series) == len(found.operations)
    assert all(figure.deviation for figure in deviations(found.operations))


def test_every_action_that_contexts_are_run_with_has_a_kind() -> None:
    composite = {Action.EVAL_SUM, Action.EVAL_CHEBYSHEV}
    drawn = {action for actions in KINDS.values() for action in actions}
    assert drawn == {*(set(Action) - composite), "decrypt", "rotate_hoist", "rotate_hoisted"}


def test_errors_by_ring_are_per_cent_with_the_target_beside_them(found: Evaluation) -> None:
    figure = by_ring(found.operations)
    lines = {series.name: series for series in figure.series}
    assert lines["target of the mean"].y == (4.0, 4.0)
    assert lines["SEAL, mean"].x == (4096, 8192)
    expected = 100 * (found.by("n", "library")[(4096, "seal")].mean or 0)
    assert lines["SEAL, mean"].y[0] == pytest.approx(expected)


def test_an_applications_settings_stand_with_the_quickest_first(found: Evaluation) -> None:
    quick, slow = found.applications
    slower = {**slow.cpu, "total": ComparedFigure(1.0, 2.0)}
    (drawn,) = bars([replace(slow, cpu=slower), quick])
    assert drawn.names == ("Lattigo CKKS, n = 2^13", "SEAL CKKS, n = 2^13")
    assert drawn.value_label == "CPU time (s)"
    assert drawn.words[1] == "-50.0 %"


def test_prices_stand_side_by_side_in_nanoseconds_and_what_has_none_is_left_out() -> None:
    dearer = replace(told("lattigo"), prices=tuple(2 * price for price in PRICES))
    drawn = prices({"seal": told("seal"), "lattigo": dearer})
    assert drawn is not None
    assert drawn.names == ("forward",)
    assert [(marks.name, marks.values) for marks in drawn.marks] == [
        ("SEAL", (pytest.approx(1.0),)),
        ("Lattigo", (pytest.approx(2.0),)),
    ]
    free = replace(dearer, prices=tuple(0.0 for _ in PRICES))
    assert prices({"lattigo": free}) is None


def test_words_name_things_as_they_write_themselves(found: Evaluation) -> None:
    assert [cell(x) for x in ("openfhe", "bgv", "rotate", 4096)] == ["OpenFHE", "BGV", "rotate", "4,096"]
    assert (share(0.0746), share(None), share(0.0005, 2)) == ("7.5 %", "-", "0.05 %")
    assert "2026-01-02T00:00 to 2026-01-02T01:30 UTC" in circumstances(found)


@pytest.mark.parametrize(("error", "met"), [(0.0005, "yes"), (0.0021, "no"), (None, "-")])
def test_a_target_of_a_tenth_of_a_per_cent_shows_two_digits(
    error: float | None, met: str, found: Evaluation
) -> None:
    sizes = next(v.target for v in found.verdicts if v.target.subject == "sizes")
    assert target(TargetVerdict(sizes, error))[2:] == (
        "0.10 %",
        "-" if error is None else f"{100 * error:.2f} %",
        met,
    )
