"""Sets that failed in a real run on this machine; they are no longer recommended there."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from fheasible.exploration.judging.candidate import Candidate, parameters_json
from fheasible.exploration.judging.columns import Columns
from fheasible.exploration.judging.rows import row
from fheasible.exploration.problem.wish import Asked
from fheasible.exploration.proof.plausible import NOT_BELIEVED
from fheasible.exploration.search.search import Exploration, Rejected
from fheasible.exploration.search.ties import ties
from fheasible.measurement.machine import this_machine
from fheasible.noise.achieved import Achieved
from fheasible.program.digest import digest
from fheasible.store.rows import Entry, StoredMeasurement
from fheasible.store.store import Store

Key = tuple[str, str, str, str]
_SAME_ROW = (
    "library",
    "scheme",
    "technique",
    "ring_dimension",
    "log_q",
    "log_p",
    "digits",
    "slots",
    "degree",
    "as_written",
)


def without_failed(e: Exploration, store: Store) -> Exploration:
    """The exploration without sets that were refused on this machine, or whose result there was wrong by what
    is asked now; an alarm names each of them."""
    known = _failures(e.problem.circuit.name, e.wish.least, store)
    gone = {c: known[_key(c)] for c in e.candidates if known and _key(c) in known}
    if not gone:
        return e
    left = tuple(c for c in e.candidates if c not in gone)
    return replace(
        e,
        candidates=left,
        front=e.front - set(gone),
        ties=ties(left, e.wish.goal),
        kept=_without(e.kept, gone),
        rejected=(*e.rejected, *_rejected(gone, left)),
        alarms=(*e.alarms, *(_alarm(c, m) for c, m in gone.items())),
    )


def _failures(app: str, asked: Asked, store: Store) -> Mapping[Key, StoredMeasurement]:
    """The stored failures of the application on this machine, one for each set: the newest wrong result or,
    without one, the newest refusal."""
    here, found = this_machine().fingerprint, {}
    for outcome in ("refused", "wrong"):
        for stored in reversed(store.measurements(app, outcome=outcome)):
            if stored.environment.get("machine") == here and _counts(stored.entry, asked):
                found[_key_of(stored.entry)] = stored
    return found


def _counts(entry: Entry, asked: Asked) -> bool:
    """Whether the stored run also fails by what is asked now, since less precision may be enough."""
    measured = entry.measurement
    if measured is None:
        return NOT_BELIEVED not in entry.message
    if asked.classes is not None or measured.get("precision_bits") is None:
        return asked.classes is None or measured.get("asked") == str(asked)
    names = ("precision_bits", "mean_precision_bits", "absolute_error", "largest_relative_error")
    return not asked.met_by(Achieved(*(float(measured.get(name) or 0.0) for name in names)))


def _key(c: Candidate) -> Key:
    return c.library, c.scheme, digest(c.program), _text(parameters_json(c.parameters))


def _key_of(entry: Entry) -> Key:
    return entry.library, entry.scheme, entry.circuit, _text(entry.parameters)


def _text(parameters: Any) -> str:
    return json.dumps(parameters, sort_keys=True)


def _alarm(c: Candidate, m: StoredMeasurement) -> str:
    how = "was refused" if m.entry.outcome == "refused" else "was wrong"
    return (
        f"a set of {c.library} {c.scheme.upper()} (N = {c.parameters.ring_dimension}) is left out, "
        f"because it {how} when it was run here (fheasible results show {m.id})"
    )


def _rejected(gone: Mapping[Candidate, StoredMeasurement], left: Iterable[Candidate]) -> list[Rejected]:
    """A rejection for each library and scheme whose candidates are all gone."""
    there = {(c.library, c.scheme) for c in left}
    lost = {(c.library, c.scheme): m for c, m in gone.items() if (c.library, c.scheme) not in there}
    return [
        Rejected(
            *kind, "every set that fits has failed when it was run here", f"fheasible results show {m.id}"
        )
        for kind, m in lost.items()
    ]


def _without(kept: Columns, gone: Iterable[Candidate]) -> Columns:
    """The kept rows without those of the sets that are gone."""
    if not len(kept):
        return kept
    names = {tuple(_row(row(c, 0), 0)) for c in gone}
    places = [i for i in range(len(kept)) if tuple(_row(kept, i)) not in names]
    return kept.take(np.array(places, dtype=np.int64))


def _row(columns: Columns, i: int) -> list[str]:
    return [str(columns[name][i]) for name in _SAME_ROW]
