"""The resident set of runs over time, with their phases, beside what was predicted for each phase."""

from collections.abc import Sequence
from itertools import groupby

from fheasible import units
from fheasible.aliases import Json
from fheasible.measurement.counters import COUNTED
from fheasible.measurement.resident import Trace as Resident
from fheasible.reports.explored import Told, units_of
from fheasible.reports.figures import Series, Span, Trace
from fheasible.store.rows import StoredMeasurement
from fheasible.units import MIB


def of_run(told: Told, name: str, m: StoredMeasurement) -> Trace | None:
    """The resident set of a run; None where it was not followed, as by older versions."""
    seen = m.entry.measurement or {}
    if not seen.get("resident"):
        return None
    run = Resident.from_json(seen["resident"])
    factor, unit = units_of(run.seconds[-1])
    measured = Series(
        "measured", tuple(factor * s for s in run.seconds), tuple(b / MIB for b in run.resident_bytes)
    )
    predicted = (m.entry.estimate or {}).get("peak_bytes")
    return Trace(
        _title(name, seen["peak_bytes"], predicted),
        f"wall time since the request ({unit})",
        "resident memory (MiB)",
        (measured, *_predicted(told, m, run, factor)),
        note="Shaded: the phases, warm-up and repetitions. Predicted: the most memory until each ends.",
        spans=tuple(
            Span(s.phase, factor * s.begin, factor * s.end)
            for s in run.stretches
            if s.phase in ("context", *COUNTED)
        ),
    )


def _title(name: str, peak: float, predicted: float | None) -> str:
    if predicted is None:
        return f"{name} reached {units.size(peak)}"
    return f"{name} reached {units.size(peak)}; {units.size(predicted)} were predicted"


def _predicted(told: Told, m: StoredMeasurement, run: Resident, factor: float) -> list[Series]:
    """The predicted steps over the run's own phases; empty where the exploration did not follow its set.

    They never fall: what is freed need not leave the resident set.
    """
    phases = _phases(told, m)
    if phases is None or not run.stretches:
        return []
    steps = [(0.0, float(phases["start"]))]
    for stretch in run.stretches:
        steps.append((stretch.begin, max(steps[-1][1], phases.get(stretch.phase) or 0)))
    steps.append((run.seconds[-1], steps[-1][1]))
    kept = [next(same) for _, same in groupby(steps, key=lambda step: step[1])]
    kept.append(steps[-1])
    return [Series("predicted", tuple(factor * s for s, _ in kept), tuple(b / MIB for _, b in kept))]


def _phases(told: Told, m: StoredMeasurement) -> Json | None:
    """The predicted bytes by phase, of the candidate that was run."""
    e = m.entry
    for t in told.details["memory"]:
        c = told.candidates[t["candidate"]]
        if (c["library"], c["scheme"], c["request"]) == (e.library, e.scheme, e.request):
            return {
                "start": t["baseline_bytes"],
                "context": t["context_bytes"],
                "keygen": t["keys_bytes"],
                "encrypt": _most(t, ("encrypt",)),
                "evaluate": _most(t, [a for a in t["actions"] if a != "encrypt"]),
                "decrypt": t.get("decryption_bytes"),
                "repetitions": t["peak_bytes"],
            }
    return None


def _most(t: Json, actions: Sequence[str]) -> float | None:
    """The most bytes during the operations of these actions; None where there are none."""
    held = [b for b, action in zip(t["operations"], t["actions"], strict=True) if action in actions]
    return max(held, default=None)
