"""The figure of a comparison: ratios with their intervals."""

from math import log

from fheasible import units
from fheasible.comparison.compare import ChangeVerdict, Comparison
from fheasible.reports.figures import Mark, MarkedRows, Marks

MOST_ROWS = 20


def figure(found: Comparison) -> MarkedRows | None:
    """The works whose ratio of B to A is farthest from that of all, with intervals; None where no ratio has
    one."""
    judged = [w for w in found.works if w.ratio.low is not None]
    works = sorted(judged, key=lambda w: -abs(log(w.ratio.own)))[:MOST_ROWS]
    works.sort(key=lambda w: -w.ratio.own)
    if not works:
        return None
    settings = {(w.work.library, w.work.scheme) for w in works}
    libraries = {library for library, _ in settings}
    names = [
        f"{w.work.library} " * (len(libraries) > 1) + f"{w.work.scheme} " * (len(settings) > 1) + w.work.label
        for w in works
    ]
    named = [name if names.count(name) == 1 else f"{name} ({i})" for i, name in enumerate(names, 1)]
    bands = tuple((low, high) for w in works if (low := w.ratio.low) and (high := w.ratio.high))
    slower = len(found.having(ChangeVerdict.SLOWER))
    return MarkedRows(
        f"{found.b} against {found.a}",
        "times as long as before, beside all others" if found.together else "times as long as before",
        tuple(named),
        (
            Marks("no change", (1.0,) * len(works), Mark.TICK),
            Marks("ratio", tuple(w.ratio.own for w in works), Mark.DOT),
        ),
        log=True,
        words=tuple(units.percent(w.ratio.own - 1) for w in works),
        note=f"{len(works)} of {len(found.works):,} works; {slower} got slower by more than "
        f"{100 * found.tolerance:g} %. Bands: 95 % intervals.",
        bands=bands,
    )
