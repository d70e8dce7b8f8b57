"""Table 2 with ours beside it, the figures of the text with ours beside them, and who is fastest."""

from collections.abc import Iterator

from fheasible.reports.page import Table
from fheasible.studies.applied import AppliedExperiment
from fheasible.studies.results import Beside, Results
from fheasible.studies.seal_vs_openfhe.experiments import (
    BALANCED,
    COMPARED,
    LARGER_RING,
    LARGEST,
    LIBRARIES,
    PRODUCTS,
    SCHEMES,
    SUMS,
    TITLES,
    UNCHECKED,
)
from fheasible.studies.seal_vs_openfhe.printed import COUNTS, DEPTHS, PUBLISHED, RINGS, ring
from fheasible.studies.seal_vs_openfhe.readings import MEMORY, TIME
from fheasible.studies.seal_vs_openfhe.rings import needed
from fheasible.units import power_of_two, seconds, size

_ADDING = "evaluate_seconds"


def rings(results: Results) -> Table:
    """Table 2: the paper's ring and ours, and what Lattigo needs."""
    ours = {(name, s): needed(results, name, s) for s in SCHEMES for name in LIBRARIES}
    columns = ["depth"]
    for s in SCHEMES:
        for name in LIBRARIES:
            title = f"{TITLES[name]} {s.upper()}"
            columns += [f"{title}, paper", title] if name in COMPARED else [title]
    rows = []
    for i, depth in enumerate(DEPTHS):
        cells = [str(depth)]
        for s in SCHEMES:
            for name in LIBRARIES:
                own = ours[name, s][i]
                paper = [power_of_two(ring(name, s, depth))] if name in COMPARED else []
                cells += [*paper, "none" if own is None else power_of_two(own)]
        rows.append(tuple(cells))
    return Table(
        tuple(columns), tuple(rows), caption="Table 2: the ring by depth, published and needed today"
    )


def _cell(
    results: Results, experiment: AppliedExperiment, n: int, ring_dimension: int | None = None
) -> Beside:
    return next(
        b for b in results.beside(experiment)
        if b.has(n=n) and ring_dimension in (None, b.cell.parameters.get("ring_dimension"))
    )  # fmt: skip


def figures(results: Results) -> Table:
    """Every figure that the text gives, with what is predicted and measured here."""
    columns = ("figure", "published", "ours", "predicted", "measured", "remark")
    rows = tuple(_figure(key, *beside, results) for key, beside in _beside().items())
    return Table(
        columns, rows, left=("figure", "ours", "remark"), caption="Figures 2 to 9, the values of the text"
    )


def _figure(
    key: str,
    experiment: AppliedExperiment,
    n: int,
    figure: str,
    n_ring: int | None,
    what: str,
    results: Results,
) -> tuple[str | None, ...]:
    number, b = PUBLISHED[key], _cell(results, experiment, n, n_ring)
    said = seconds if figure.endswith("seconds") else size
    return (
        f"{key} ({number.where})", number.text, what,
        *(said(value) if value else None for value in (b.predicted(figure), b.measured(figure))),
        number.remark or None,
    )  # fmt: skip


def _beside() -> dict[str, tuple[AppliedExperiment, int, str, int | None, str]]:
    """By key of a published number: our cell, its figure and what it is."""
    most, middle, top = COUNTS[-1], RINGS[1], RINGS[-1]
    whole = f"SEAL's default chain, {power_of_two(middle)}"
    own = f"OpenFHE with depth 1, {power_of_two(middle)}"
    return {
        "figure2.seal.windows.300": (LARGEST["bgv"], most, TIME, top, "SEAL's default chain, 2^15, on Linux"),
        "figure3.openfhe.linux.300": (SUMS["openfhe", "ckks"], most, TIME, top, "with encryption, 2^15"),
        "figure3.seal.linux.300": (LARGEST["ckks"], most, TIME, middle, f"with encryption, {whole}"),
        "figure4.seal.linux.300": (LARGEST["bgv"], most, MEMORY, middle, whole),
        "figure4.seal.windows.300": (LARGEST["bgv"], most, MEMORY, middle, f"{whole}, on Linux"),
        "figure4.openfhe.300": (SUMS["openfhe", "bgv"], most, MEMORY, middle, own),
        "figure6.seal.windows.20": (PRODUCTS["seal", "bgv"], 18, TIME, None, "18 products, on Linux"),
        "figure6.openfhe.linux.20": (LARGER_RING, 20, TIME, None, "20 products at 128 bits"),
        "figure7.seal.windows.20": (PRODUCTS["seal", "ckks"], 19, TIME, None, "19 products, on Linux"),
        "figure7.openfhe.linux.20": (PRODUCTS["openfhe", "ckks"], 20, TIME, None, "20 products"),
        "figure8.seal.windows.20": (PRODUCTS["seal", "bgv"], 18, MEMORY, None, "18 products, on Linux"),
        "figure8.openfhe.linux.20": (
            UNCHECKED,
            20,
            MEMORY,
            None,
            "20 products in the paper's ring, unchecked",
        ),
        "figure9.seal.windows.20": (PRODUCTS["seal", "ckks"], 19, MEMORY, None, "19 products, on Linux"),
        "figure9.openfhe.linux.20": (PRODUCTS["openfhe", "ckks"], 20, MEMORY, None, "20 products"),
    }


def additions(results: Results) -> Table:
    """What 300 additions take alone, and with the encryption of their inputs."""
    columns = (
        "library",
        "scheme",
        "ring",
        "primes",
        "additions alone",
        "with encryption",
        "measured",
        "memory",
    )
    rows = []
    for (name, s), experiment in SUMS.items():
        for n in RINGS:
            b = _cell(results, experiment, COUNTS[-1], n)
            if not b.prediction.refused:
                rows.append((TITLES[name], s.upper(), power_of_two(n), str(b.predicted("limbs")),
                             _time(b.predicted(_ADDING)), _time(b.predicted(TIME)), _time(b.measured(TIME)),
                             size(b.either(MEMORY))))  # fmt: skip
    return Table(columns, tuple(rows), left=columns[:2], caption="300 additions of 301 inputs")


def balanced(results: Results) -> Table:
    """Beyond the paper: the same products paired for the least depth."""
    columns = (
        "library",
        "products",
        "ring as written",
        "time",
        "ring paired",
        "time paired",
        "paired, measured",
    )
    return Table(columns, tuple(_pairs(results)), left=columns[:1], caption="BGV, t = 65537, 128 bits")


def _pairs(results: Results) -> Iterator[tuple[str | None, ...]]:
    for name, experiment in BALANCED.items():
        for b in results.beside(experiment):
            n = b.cell.parameters["n"]
            own = _cell(results, PRODUCTS[name, "bgv"], n)
            if own.prediction.refused and name == "openfhe":
                own = _cell(results, LARGER_RING, n)
            written = None if own.prediction.refused else power_of_two(own.predicted("ring_dimension"))
            yield (
                TITLES[name], str(n), written or "none", _time(own.either(TIME)),
                power_of_two(b.predicted("ring_dimension")), _time(b.predicted(TIME)),
                _time(b.measured(TIME)),
            )  # fmt: skip


def fastest(results: Results) -> Table:
    """Who needs the least time and the least memory for a chain of products, measured or else predicted."""
    each = (f"{TITLES[name]}, {what}" for name in LIBRARIES for what in ("time", "memory"))
    columns = ("scheme", "products", *each,
               "least time", "least memory")  # fmt: skip
    rows = tuple(_compared(results, s, depth) for s in SCHEMES for depth in (2, 5, 8, 11, 15, 20))
    return Table(columns, rows, left=(columns[0], *columns[-2:]), caption="Products as written, 128 bits")


def _compared(results: Results, scheme: str, depth: int) -> tuple[str | None, ...]:
    cells = {name: _cell(results, PRODUCTS[name, scheme], depth) for name in LIBRARIES}
    told = [_time(b.either(TIME)) if i == 0 else size(b.either(MEMORY)) if b.either(MEMORY) else None
            for b in cells.values() for i in (0, 1)]  # fmt: skip
    best = [_least(cells, figure) for figure in (TIME, MEMORY)]
    return (scheme.upper(), str(depth), *told, *best)


def _least(cells: dict[str, Beside], figure: str) -> str | None:
    known = {name: b.either(figure) for name, b in cells.items() if b.either(figure)}
    return TITLES[min(known, key=known.__getitem__)] if known else None


def _time(value: float | None) -> str | None:
    return None if value is None else seconds(value)
