"""The paper's figures: predicted as lines, measured as points [GKS25]. Its curves are known only in words."""

from collections.abc import Iterator

from fheasible.libraries.catalogue import CATALOGUE
from fheasible.reports.page import Block
from fheasible.studies.ckks_parameters.experiments import (
    DEVIATION,
    DEVIATION_32,
    DEVIATION_NARROW,
    ELSEWHERE,
    LEVELS,
    MULTIPLICATIVE,
    MULTIPLICATIVE_32,
    OTHER_DEPTHS,
    QUANTUM,
    SQUARE_ROOT,
    VALUES,
)
from fheasible.studies.ckks_parameters.printed import value
from fheasible.studies.curves import Curves, Where
from fheasible.studies.results import Beside, Results

SCALE, SECONDS, BITS = "ScaleModSize (bits)", "CPU time (s)", "precision (bits)"


def drawn(curves: Iterator[Curves], results: Results) -> Iterator[Block]:
    for one in curves:
        figure = one.figure(results)
        if figure is not None:
            yield figure


def root() -> Iterator[Curves]:
    """Figure 1, left and right."""
    limit, chosen = value("root.limit"), value("root.bits.chosen")
    reached = value("root.limit.degree")
    yield Curves(
        title="Figure 1, left: precision by degree", experiments=(SQUARE_ROOT,), x="degree",
        y="precision_bits", x_label="degree", y_label=BITS,
        published={BITS: ((value("root.degree.chosen"), chosen), (reached, limit), (2020.0, limit))},
    )  # fmt: skip
    yield Curves(
        title="Figure 1, right: time by degree", experiments=(SQUARE_ROOT,), x="degree", y="cpu_seconds",
        x_label="degree", y_label=SECONDS,
    )  # fmt: skip


def times() -> Iterator[Curves]:
    """Figures 3 and 7."""
    for number, experiment in ((3, MULTIPLICATIVE), (7, DEVIATION)):
        for security in LEVELS:
            yield Curves(
                title=f"Figure {number} at {security} bits: time by scale", experiments=(experiment,),
                x="scale_bits", y="cpu_seconds", x_label=SCALE, y_label=SECONDS, by=("technique",),
                where=_at(security), note="full packing, 65,536 values",
            )  # fmt: skip


def amortised() -> Iterator[Curves]:
    """Figures 4 and 8: the time of a value, with full packing and with a batch of 32."""
    for number, full, sparse in (
        (4, MULTIPLICATIVE, MULTIPLICATIVE_32),
        (8, DEVIATION, DEVIATION_32),
    ):
        for experiment, count, what in ((full, VALUES, "full packing"), (sparse, 32, "batch of 32")):
            yield Curves(
                title=f"Figure {number}, {what}: time per value by scale", experiments=(experiment,),
                x="scale_bits", y="cpu_seconds", x_label=SCALE, y_label="CPU time per value (µs)",
                by=("security",), where=_usual, unit=count * 1e-6, log_y=True,
                note="FLEXIBLEAUTO",
            )  # fmt: skip


def precisions() -> Iterator[Curves]:
    """Figures 6 and 9. The dashed line is the limit that the paper's text gives."""
    for number, experiment, limit in (
        (6, MULTIPLICATIVE, value("multiplicative.limit")),
        (9, DEVIATION, value("deviation.limit")),
    ):
        for security in LEVELS:
            yield Curves(
                title=f"Figure {number} at {security} bits: precision by scale", experiments=(experiment,),
                x="scale_bits", y="precision_bits", x_label=SCALE, y_label=BITS, by=("technique",),
                where=_at(security), published={"limit": ((20.0, limit), (59.0, limit))},
            )  # fmt: skip


def beyond() -> Iterator[Curves]:
    """What the paper has not: other libraries, quantum levels, other depths, a narrower interval."""
    for app, base in (("multiplicative", MULTIPLICATIVE), ("standard-deviation", DEVIATION)):
        others = tuple(e for e in ELSEWHERE if e.name.startswith(f"{app}-"))
        names = {e.name: CATALOGUE[e.library].title for e in (base, *others)}
        for figure, label in (("cpu_seconds", SECONDS), ("precision_bits", BITS)):
            yield Curves(
                title=f"Beyond the paper: {app.replace('-', ' ')}, {label.split(' (')[0]} by library",
                experiments=(base, *others), x="scale_bits", y=figure, x_label=SCALE, y_label=label,
                where=_usual_at_128, names=names, note="128 bits of security",
            )  # fmt: skip
    yield Curves(
        title="Beyond the paper: the ring by spare levels at 192 bits", experiments=(OTHER_DEPTHS,),
        x="scale_bits", y="ring_dimension", x_label=SCALE, y_label="N", by=("spare_levels",),
    )  # fmt: skip
    for experiment in QUANTUM:
        yield Curves(
            title=f"Beyond the paper: {experiment.title}, ring", experiments=(experiment,),
            x="scale_bits", y="ring_dimension", x_label=SCALE, y_label="N", by=("security",),
        )  # fmt: skip
    yield Curves(
        title="Beyond the paper: standard deviation, the root on [0, 0.25] and on [0, 1]",
        experiments=(DEVIATION_NARROW, DEVIATION), x="scale_bits", y="precision_bits", x_label=SCALE,
        y_label=BITS, where=_usual_at_128,
        names={DEVIATION_NARROW.name: "[0, 0.25]", DEVIATION.name: "[0, 1]"},
    )  # fmt: skip


def _at(security: int) -> Where:
    return lambda b: b.has(security=security)


def _usual(b: Beside) -> bool:
    return b.has(technique="flexibleauto")


def _usual_at_128(b: Beside) -> bool:
    return b.has(security=128) and b.cell.parameters.get("technique", "flexibleauto") == "flexibleauto"
