import csv
from pathlib import Path

from fheasible.reports.figures import Figure, FigureStyle, Series
from fheasible.store.store import Store
from fheasible.studies import report
from fheasible.studies.claim import judged
from fheasible.studies.report import Chapter, Data
from studies import toy


def written(store: Store, folder: Path) -> list[Path]:
    there = toy.stored(store)
    rows = there.of(toy.PRODUCTS)
    sizes = tuple(float(row.cell.parameters["n"]) for row in rows) or (1.0,)
    figure = Figure("Figure 1: products", "n", "bytes", (Series("n", sizes, sizes, FigureStyle.POINTS),))
    data = Data("sets", ("n", "result"), tuple((row.cell.parameters["n"], row.number) for row in rows))
    chapters = [Chapter("Products", ("<all> of them", figure), (data,))]
    return report.write(folder, "Toy", chapters, judged([toy.CLAIM], there), there)


def test_a_report_is_a_page_with_its_figures_and_tables_beside_it(store: Store, tmp_path: Path) -> None:
    toy.run(store, quick=True)
    folder = tmp_path / "new" / "report"
    names = {path.name for path in written(store, folder)}
    assert names == {"index.html", "claims.csv", "sets.csv", "figure_1_products.svg", "figure_1_products.png"}
    assert all((folder / name).stat().st_size > 0 for name in names)
    page = (folder / "index.html").read_text()
    assert "&lt;all&gt; of them" in page
    assert "longer polynomials take longer" in page
    assert "3 stored sets" in page
    assert '<span class="reproduced">✓ reproduced</span> longer polynomials take longer' in page
    assert "<dt>reproduced when</dt><dd>ours do, too</dd>" in page
    assert "<dt>cause</dt>" not in page  # which is told where a claim fails
    with (folder / "sets.csv").open() as file:
        assert [int(row["n"]) for row in csv.DictReader(file)] == [16, 128, 1024]


def test_a_report_of_nothing_says_so(store: Store, tmp_path: Path) -> None:
    (page, *_) = written(store, tmp_path)
    text = page.read_text()
    assert "Nothing is stored yet" in text
    assert "not run yet" in text
