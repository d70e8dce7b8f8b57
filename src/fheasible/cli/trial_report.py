"""What `fheasible trial` prints."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from fheasible.aliases import Json

if TYPE_CHECKING:
    from fheasible.trial.application import Application
    from fheasible.trial.found import TrialOutcome
    from fheasible.trial.summary import TrialErrors, TrialGroup, TrialSummary

_SHOWN = 10  # failing applications whose source is printed


def source(app: "Application") -> Iterator[str]:
    """An application as a Python file, headed by the command that repeats it."""
    yield f"# fheasible verify {app.name}.py {' '.join(app.options)}".rstrip()
    yield app.source


def failing_json(f: "TrialOutcome") -> Json:
    """A failing application, as small as it was made, with its faults."""
    from fheasible.trial.application import Application

    app = Application.from_json(f.shrunk or f.app)
    return {
        "number": f.number,
        "faults": [str(fault) for fault in f.faults],
        "source": app.source,
        "options": app.options,
        "trace": f.trace,
    }


def rendered(made: "TrialSummary", failing: Sequence["TrialOutcome"], seed: int) -> Iterator[Any]:
    """What came of a trial: the applications that failed, then the tables and what they mean."""
    from fheasible.trial.application import Application

    for f in failing[:_SHOWN]:
        yield f"application {f.number}"
        yield from (f"  {fault}" for fault in f.faults)
        yield f"  to repeat it: fheasible trial --seed {seed} --only {f.number} --anew"
        yield ""
        yield from source(Application.from_json(f.shrunk or f.app))
    if len(failing) > _SHOWN:
        yield f"... and {len(failing) - _SHOWN} more: --save DIR, or --json"
        yield ""
    yield from _tables(made)
    yield from _sentences(made)


def _tables(made: "TrialSummary") -> Iterator[Any]:
    from fheasible.cli.tables import table
    from fheasible.trial.found import FAULTS, LEFT_OUT, RIGHT

    names = [o for o in (RIGHT, *FAULTS, LEFT_OUT) if any(o in g.outcomes for g in made.groups)]
    columns = ("set", *names, "nothing fits", "tested", "untrue")
    yield table(columns, ([g.name, *_outcomes(g, names)] for g in made.groups), left=("set",))
    yield ""
    columns = (
        "set",
        "runs",
        "busy",
        "time off",
        "95 %",
        "bias",
        "in band",
        "memory off",
        "precision",
        "missed",
    )
    yield table(columns, (_figures(g) for g in made.groups), left=("set",))
    yield ""


def _outcomes(g: "TrialGroup", names: Sequence[str]) -> list[str]:
    return [*(str(g.outcomes.get(name, 0)) for name in names), str(g.unfit), str(g.doubted), str(g.refuted)]


def _figures(g: "TrialGroup") -> list[str]:
    from fheasible.api.layout import share

    def said(ratio: float | None) -> str:
        return "" if ratio is None else share(ratio)

    p, time = g.precision, g.time
    off = "" if p.median_difference is None else f"{p.median_difference:+.1f} bit"
    missed = f"{p.missed_once} of {p.runs}" if p.runs else ""
    return [
        g.name, str(time.runs), str(time.busy), said(time.median), said(time.percentile_95), said(time.bias),
        said(time.inside), _memory(g.memory), off, missed,
    ]  # fmt: skip


def _memory(errors: "TrialErrors") -> str:
    from fheasible.api.layout import share

    return "" if errors.median is None else f"{share(errors.median)} of {errors.runs}"


def _sentences(made: "TrialSummary") -> Iterator[str]:
    from fheasible.api.layout import share
    from fheasible.cli.tables import paragraph
    from fheasible.units import seconds

    yield paragraph(
        "columns:",
        "runs: those above 20 ms of CPU time; busy: such runs that are left out, because the machine was "
        "slower during them than at its best; time off: error of the predicted time, median and 95th "
        "percentile; bias: median of how far predicted times exceed measured ones; in band: runs within "
        "the predicted error band; memory: fresh processes only; precision: measured minus predicted; "
        "missed: less precise than asked in the first run.",
    )
    said = ", ".join(f"{n} {name}" for name, n in made.outcomes.items())
    faults = ", ".join(f"{n} {name}" for name, n in made.faults.items()) or "none"
    took = made.exploring_seconds
    yield paragraph("applications:", f"{made.applications}: {said}; faults: {faults}.")
    for why, times in made.declined.items():
        yield paragraph("declined:", f"{why} ({times})")
    yield paragraph(
        "exploring:",
        f"{seconds(took['median'])} in the median, {seconds(took['percentile_95'])} at the 95th percentile, "
        f"{seconds(took['most'])} at most; {share(made.explored_within_a_second)} took less than a second.",
    )
