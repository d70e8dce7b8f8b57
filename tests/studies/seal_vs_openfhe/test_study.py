"""The page is made with results and without."""

from pathlib import Path

import pytest

from fheasible.studies import report
from fheasible.studies.catalogue import study
from fheasible.studies.claim import judged
from fheasible.studies.results import Results
from fheasible.studies.seal_vs_openfhe import figures, tables
from fheasible.studies.seal_vs_openfhe.experiments import EXPERIMENTS, PRODUCTS
from fheasible.studies.seal_vs_openfhe.readings import MEMORY
from fheasible.studies.seal_vs_openfhe.summary import sentences
from studies.seal_vs_openfhe import synthetic

STUDY = study("seal-vs-openfhe")


@pytest.mark.long
@pytest.mark.parametrize("there", [synthetic.results([]), synthetic.results(EXPERIMENTS)])
def test_the_whole_page_is_made(tmp_path: Path, there: Results) -> None:
    claims = judged(STUDY.claims, there)
    assert STUDY.summary is not None
    said = STUDY.summary(there, claims)
    assert len(said) == 5
    written = report.write(tmp_path, STUDY.title, STUDY.chapters(there), claims, there, said)
    page = written[0].read_text()
    assert "Table 2: the ring by depth" in page
    assert sum(path.suffix == ".svg" for path in written) == 8


def test_the_summary_says_how_to_measure_what_is_not_measured() -> None:
    there = synthetic.results([])
    assert "fheasible study run seal-vs-openfhe" in sentences(there, judged((), there))[3]


def test_every_published_figure_of_the_text_has_ours_beside_it() -> None:
    shown = {row[0] for row in tables.figures(synthetic.results([])).rows}
    assert len(shown) == 14


def test_a_figure_has_the_paper_s_point_in_its_own_unit() -> None:
    figure = figures.products(MEMORY, "bgv").figure(synthetic.results(PRODUCTS.values()))
    assert figure is not None
    (paper,) = (s for s in figure.series if s.name == "OpenFHE on Linux, the paper")
    assert (paper.x, paper.y) == ((20.0,), (400.0,))
