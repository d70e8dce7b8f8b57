"""The page: predicted alone, and with results."""

import time
from pathlib import Path

import pytest

from fheasible.measurement.machine import this_machine
from fheasible.reports.page import Table
from fheasible.store.store import Store
from fheasible.studies import report, results
from fheasible.studies.ckks_vs_bfv.study import CKKS_VS_BFV as STUDY
from fheasible.studies.ckks_vs_bfv.tables import overview
from fheasible.studies.claim import judged
from studies.ckks_vs_bfv import invented


def test_the_whole_study_is_predicted_without_a_run(store: Store) -> None:
    there = results.load(store, STUDY.name, STUDY.experiments, this_machine().fingerprint)
    start = time.monotonic()
    chapters = STUDY.chapters(there)
    assert STUDY.summary is not None
    said = STUDY.summary(there, judged(STUDY.claims, there))
    assert time.monotonic() - start < 30  # what is promised of --predict-only
    headings = [chapter.heading for chapter in chapters]
    assert "Product of two ciphertexts: Table 9" in headings
    assert len(said) == 5
    assert "Nothing has been run here yet" in said[2]


@pytest.mark.long
def test_the_page_is_written_with_its_tables_and_figures(tmp_path: Path) -> None:
    there = invented.results(lambda scheme, *_: 2.0 if scheme == "ckks" else 1.0, alike=1.1)
    claims = judged(STUDY.claims, there)
    assert STUDY.summary is not None
    written = report.write(
        tmp_path, STUDY.title, STUDY.chapters(there), claims, there, STUDY.summary(there, claims)
    )
    names = {path.name for path in written}
    assert {"index.html", "claims.csv", "ckks-lattigo.csv", "figure_9_relinearisation.svg"} <= names
    page = (tmp_path / "index.html").read_text()
    assert "in 10 of the 10 functions" in page


def test_ours_stand_beside_the_paper_s() -> None:
    table = overview(invented.results(lambda scheme, *_: 2.0 if scheme == "ckks" else 1.0))
    assert isinstance(table, Table)
    rows = {row[0]: row[1:] for row in table.rows}
    assert rows["Key switching"][1] == "2.78"  # 28,739,441 over 10,323,025, the medians of Table 11
    assert rows["Key switching"][8:] == ("2.00",) * 4
