"""An answer as the page shows it: the five lines, the reasons, and the figure as numbers, which the page
draws."""

from collections.abc import Sequence
from dataclasses import asdict

from fheasible.aliases import Json
from fheasible.api.answer import Answer
from fheasible.api.lookup_answer import LookupAnswer
from fheasible.reports import axes, explored_front, lookup_front, theme
from fheasible.reports.axes import Axis
from fheasible.reports.explored import Told
from fheasible.reports.figures import PALEST, Cloud, Dot, least
from fheasible.reports.meanings import OTHER, looks
from fheasible.store.kept_rows import packed
from fheasible.store.rows import Explored, StoredExploration, plain


def told(answer: Answer | LookupAnswer, proof: str) -> Json:
    """The answer without its reasons, which may take another search. `proof`: the command that proves it."""
    e = answer.exploration
    cloud = front(answer)
    found: Json = plain(
        {
            "fits": answer.fits,
            "headline": answer.headline,
            "lines": answer.summary(proof),
            "against": answer.against,
            "remedies": [] if answer.fits else answer.remedies,
            "warnings": [*e.alarms, *e.problem.warnings],
            "cloud": None if cloud is None else drawn(cloud),
        }
    )
    return found


def why(answer: Answer | LookupAnswer) -> list[str]:
    """The reasons for the recommendation; this may search again, with less asked."""
    if not answer.fits:
        return []
    answer.prepare()
    return list(answer.why)


def front(answer: Answer | LookupAnswer) -> Cloud | None:
    """The figure of the report: time against memory; None where no time is known."""
    e = answer.exploration
    content = e.to_json()
    if isinstance(answer, LookupAnswer):
        return lookup_front.pareto(content["candidates"])
    rows = packed(answer.exploration.kept.columns())
    name = e.problem.circuit.name
    seen = Told(StoredExploration(0, "", Explored(name, "", {}, content, rows), {}))
    return explored_front.pareto(seen, explored_front.shown(seen))


def drawn(cloud: Cloud) -> Json:
    """The figure as numbers: axes with their ticks, dots by their kinds, and the steps of the front."""
    kinds = list(dict.fromkeys(dot.kind for dot in cloud.dots))
    shades = [dot.shade for dot in cloud.dots if dot.shade is not None]
    return {
        "title": cloud.title,
        "note": cloud.note,
        "x": _axis(cloud.x_label, axes.upwards([dot.x for dot in cloud.dots], log=True)),
        "y": _axis(cloud.y_label, axes.upwards([dot.y for dot in cloud.dots], log=True)),
        "shade": _shade(cloud.shade_label, shades) if shades else None,
        "kinds": [[kind, look.colour, look.shape] for kind, look in zip(kinds, looks(kinds), strict=True)],
        "dots": [_dot(d, dark, kinds) for d, dark in zip(cloud.dots, cloud.darkness, strict=True)],
        "steps": [[dot.x, dot.y] for dot in least(cloud.dots)],
        "chosen": cloud.chosen,
    }


def _axis(label: str, axis: Axis) -> Json:
    return asdict(axis) | {"label": label}


def _shade(label: str, shades: Sequence[float]) -> Json:
    return {"label": label, "low": round(min(shades), 1), "high": round(max(shades), 1)}


def _dot(dot: Dot, dark: float, kinds: Sequence[str]) -> list[object]:
    place = (float(f"{dot.x:.5g}"), float(f"{dot.y:.5g}"))
    return [*place, kinds.index(dot.kind), round(dark, 3), int(dot.edge), int(dot.tie), dot.label]


def drawing() -> Json:
    """What the page draws all figures with, as every report does."""
    return {"dashes": list(theme.SHORT_DASHES), "palest": PALEST, "other": OTHER}
