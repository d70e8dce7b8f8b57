"""The page that shows predicted precision and noise budgets beside those of many encryptions."""

from collections.abc import Callable, Sequence
from math import isfinite, log2
from pathlib import Path

from fheasible import units
from fheasible.accuracy.errors import grouped
from fheasible.accuracy.noise_compare import BUDGET, NoiseFailure, NoiseRow
from fheasible.accuracy.noise_verdict import (
    CKKS_BITS,
    EXACT_BITS,
    MISSED,
    OPTIMISTIC_BITS,
    NoiseJudgement,
    verdict,
)
from fheasible.accuracy.noise_words import (
    GROUP_COLUMNS,
    OVER_RANGE,
    ROW_COLUMNS,
    footer,
    group_cells,
    row_cells,
    sentence,
    target,
)
from fheasible.accuracy.words import title
from fheasible.reports import html
from fheasible.reports.figures import BoxPlot, FigureGroup, FigureSamples, Scatter
from fheasible.reports.page import Block, Caution, Page, Section, Table

_EXPLAINED = f"In bits; {OVER_RANGE} marks bits of the absolute error relative to the declared ranges."
_LEFT = ("application", "setting", "N", "target")


def write(found: NoiseJudgement, path: Path) -> None:
    """Writes the page to that file. UsageError where it cannot be written."""
    html.write(page(found), path)


def page(found: NoiseJudgement) -> Page:
    ckks = [row for row in found.rows if row.figure != BUDGET]
    exact = [row for row in found.rows if row.figure == BUDGET]
    sections = [
        _targets(found),
        *([_ckks(ckks)] if ckks else []),
        *([_exact(exact)] if exact else []),
        *_variances(found.rows),
        _missed(found),
        *([_failures(found)] if found.failures else []),
        Section("All rows", (_EXPLAINED, Table(ROW_COLUMNS, tuple(map(row_cells, found.rows)), left=_LEFT))),
    ]
    return Page(
        "How far predicted noise is from reality",
        tuple(sections),
        f"{sentence(found)}.",
        footer(found),
    )


def _targets(found: NoiseJudgement) -> Section:
    table = Table(GROUP_COLUMNS, tuple(map(group_cells, found.groups)), left=("setting",))
    text = (
        "Mean, highest and lowest tell by how many bits predictions are too high, over all sets. Variance "
        "is the geometric mean of measured over predicted variances, with the factor by which single sets "
        "differ from it."
    )
    return Section("Targets", (target(), table, text))


def _ckks(rows: Sequence[NoiseRow]) -> Section:
    text = (
        "The precision of a result is the average over its elements of -log2 of the relative error. Where "
        "some elements are near zero, it is -log2 of the mean absolute error relative to the declared "
        "ranges."
    )
    blocks: list[Block] = [text, *_scatters("Precision of CKKS results", rows, CKKS_BITS, _by_technique)]
    return Section("CKKS", (*blocks, *_elements(rows), *_assured(rows)))


def _exact(rows: Sequence[NoiseRow]) -> Section:
    text = (
        "The remaining noise budget is -log2 of twice the largest coefficient of the noise over the modulus, "
        "measured with the secret key. At 0, a result is wrong."
    )
    figures = _scatters("Remaining noise budget in BFV and BGV", rows, EXACT_BITS, _by_scheme)
    return Section("BFV and BGV", (text, *figures))


def _by_technique(row: NoiseRow) -> str:
    return title(row.library, technique=row.technique)


def _by_scheme(row: NoiseRow) -> str:
    return title(row.library, row.scheme)


Three = tuple[float, float, float]


def _scatters(
    name: str, rows: Sequence[NoiseRow], limit: float, by: Callable[[NoiseRow], str]
) -> list[Scatter]:
    """The predictions, and by how much they are off, as two figures. Empty where no row has a confidence
    interval, because each was run under a single set of keys."""
    known = [row for row in rows if isfinite(row.interval)]
    if not known:
        return []
    series = _series(known, by, lambda r: (r.measured, r.predicted, r.interval))
    band = f"{limit:g} bit{'s' if limit != 1 else ''} too low to {OPTIMISTIC_BITS:g} too high"
    note = f"Grey: the target, {band}. Whiskers: 95 % confidence intervals."
    return [
        Scatter(name, "measured (bit)", "predicted (bit)", series, -limit, OPTIMISTIC_BITS, note=note),
        Scatter(
            f"{name}: difference", "measured (bit)", "predicted minus measured (bit)", series, -limit,
            OPTIMISTIC_BITS, difference=True, note=note,
        ),
    ]  # fmt: skip


def _series(
    rows: Sequence[NoiseRow], by: Callable[[NoiseRow], str], of: Callable[[NoiseRow], Three]
) -> tuple[FigureSamples, ...]:
    """The measured value, the predicted value and the interval of every row, grouped by name."""
    found: dict[str, list[Three]] = {}
    for row in rows:
        found.setdefault(by(row), []).append(of(row))
    return tuple(FigureSamples(name, *zip(*found[name], strict=True)) for name in sorted(found))


def _elements(rows: Sequence[NoiseRow]) -> list[Block]:
    """A figure of the worst elements' bits; empty where no row has them."""
    several = [row for row in rows if row.worst_slot is not None]
    if not several:
        return []
    series = _series(several, _by_technique, lambda r: (*(r.worst_slot or (0.0, 0.0))[::-1], 0.0))
    return [
        Scatter(
            "The worst element of CKKS results: difference", "measured (bit)",
            "predicted minus measured (bit)", series, -CKKS_BITS, OPTIMISTIC_BITS, difference=True,
            note="Bits of the element that has the fewest on average over the encryptions.",
        )
    ]  # fmt: skip


def _assured(rows: Sequence[NoiseRow]) -> list[Block]:
    """A sentence that says how often the assured error bound held."""
    counted = sum(row.encryptions for row in rows if row.within is not None)
    kept = sum(row.within * row.encryptions for row in rows if row.within is not None)
    below = "every element's error was below the bound that is assured for 99.90 % of the encryptions"
    return [f"In {100 * kept / counted:.2f} % of {counted:,} encryptions {below}."] if counted else []


def _variances(rows: Sequence[NoiseRow]) -> list[Section]:
    known = [row for row in rows if row.all_noise]
    groups = tuple(
        FigureGroup(title(*key), tuple(log2(row.variance_ratio) / 2 for row in found))
        for key, found in sorted(grouped(known, "library", "scheme", "technique").items())
    )
    if not groups:
        return []
    figure = BoxPlot(
        "Standard deviation of the noise", "log2 of measured over predicted (bit)", groups,
        note="Right of 0, there is more noise than predicted. Box: quartiles; whiskers: least and most.",
    )  # fmt: skip
    text = (
        "This is the sharper test, because it compares the noise itself. It leaves out results whose "
        "error is mostly the same in every encryption: errors of an approximation, of rounded factors or "
        "of a scale that drifts. For them, tables have a lower bound (≥), the variance under one set of "
        "keys."
    )
    return [Section("Variance", (text, figure))]


def _missed(found: NoiseJudgement) -> Section:
    rows = tuple(row_cells(row) for row in found.missed())
    if not rows:
        return Section(
            "Off target", ("No set is off target: no confidence interval lies outside the target.",)
        )
    high = sum(row.difference > 0 for row in found.rows if verdict(row) == MISSED)
    words = (
        f"{len(rows)} of {len(found.rows)} miss the target, {high} of them because the prediction was "
        "too high."
    )
    return Section("Off target", (Caution(words), Table(ROW_COLUMNS, rows, left=_LEFT)))


def _failures(found: NoiseJudgement) -> Section:
    surprising = len(found.unforeseen)
    words = (
        f"{len(found.failures)} gave no result or a wrong one; {surprising or 'none'} of these failures "
        f"{'was' if surprising == 1 else 'were'} not predicted. The predicted figure is the number of "
        "bits that remain in the noise budget, or until the library refuses to decrypt."
    )
    rows = tuple(map(_failure, found.failures))
    table = Table(
        ("program", "outcome", "predicted", "message"), rows, left=("program", "outcome", "message")
    )
    return Section("Without a right result", (Caution(words) if surprising else words, table))


def _failure(f: NoiseFailure) -> tuple[str, ...]:
    predicted = units.ABSENT if f.predicted is None else f"{f.predicted:.1f}"
    return f.label, f.outcome, predicted, f.message
