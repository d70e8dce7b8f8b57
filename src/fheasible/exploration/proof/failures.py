"""What follows from sets that fail when they are run: others are run until a result is right, and the sets
are no longer recommended on this machine."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from fheasible.aliases import Json
from fheasible.errors import FheasibleError, LibraryMissing, WorkerRefused, WrongResult
from fheasible.exploration.judging.candidate import Candidate, parameters_json
from fheasible.exploration.judging.columns import Columns
from fheasible.exploration.judging.rank import ties
from fheasible.exploration.judging.rows import row
from fheasible.exploration.problem.wish import Asked
from fheasible.exploration.proof.measured import NOT_BELIEVED
from fheasible.exploration.search.search import Exploration, Rejected
from fheasible.measurement.machine import this_machine
from fheasible.noise.achieved import Achieved
from fheasible.program.digest import digest
from fheasible.store.rows import Entry, StoredMeasurement
from fheasible.store.store import Store

MOST = 4  # kinds of sets that are run: so many failures are no matter of luck

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


class Tried(Protocol):
    """A set that can be run."""

    @property
    def scheme(self) -> str: ...

    @property
    def settings(self) -> Json: ...

    @property
    def kind(self) -> tuple[str, ...]:
        """The library's name, and what else sets have in common that fail alike."""


C = TypeVar("C", bound=Tried)
P = TypeVar("P")


@dataclass(frozen=True, slots=True)
class Failure(Generic[C]):
    """A set that fitted by all that was predicted, and was refused or wrong when it was run; or that could
    not be run, because its library's worker does not answer."""

    candidate: C
    error: WorkerRefused | WrongResult | LibraryMissing

    @property
    def missing(self) -> bool:
        """Whether the set was not run, so that the failure says nothing about it."""
        return isinstance(self.error, LibraryMissing)

    @property
    def foreseen(self) -> bool:
        """Whether the set was known to be wrong so often."""
        return isinstance(self.error, WrongResult) and self.error.foreseen

    @property
    def number(self) -> int | None:
        """The number of the run in the store; None where it was not stored."""
        return None if isinstance(self.error, LibraryMissing) else self.error.number

    @property
    def report(self) -> str:
        """The command that shows what a report of the failure needs; empty where it was not stored."""
        return "" if self.number is None else f"fheasible results show {self.number} --json"

    @property
    def kind(self) -> str:
        """The word that is printed before the failure."""
        return "not run" if self.missing else "wrong"

    def to_json(self) -> Json:
        return {
            "library": self.candidate.kind[0],
            "scheme": self.candidate.scheme,
            "request": self.candidate.settings,
            "message": self.error.message,
            "number": self.number,
            "report": self.report,
        }

    def __str__(self) -> str:
        if self.missing or self.foreseen:
            remedy = f". Remedy: {self.error.remedy}" if self.error.remedy else ""
            return f"{self.error.message}{remedy}"
        told = f": please report it with the output of {self.report}" if self.report else ""
        return f"{self.error.message}. This is a fault in Fheasible{told}"


def until_right(
    candidates: Iterable[C],
    run: Callable[[C], P],
    told: Callable[[Failure[C]], None] = lambda _: None,
) -> tuple[P, tuple[Failure[C], ...]]:
    """The first right result, and the failures before it; `told` is called with each failure when it comes.

    After a failure, only sets of another kind are run; after a worker that does not answer, only sets of
    another library. WrongResult where all of them fail, LibraryMissing where none could be run.
    """
    failures: list[Failure[C]] = []
    for c in candidates:
        if any(_alike(c, f) for f in failures) or sum(not f.missing for f in failures) == MOST:
            continue
        try:
            return run(c), tuple(failures)
        except (WorkerRefused, WrongResult, LibraryMissing) as error:
            failures.append(Failure(c, error))
            told(failures[-1])
    raise _none(failures)


def exit_code(failures: Sequence[Failure[Any]]) -> int:
    """The exit code of a call in which another set than the best one was proved: 3 where one was refused or
    wrong, 1 where one could not be run, 0 without failures."""
    return max((WrongResult.exit_code if not f.missing else f.error.exit_code for f in failures), default=0)


def _alike(c: Tried, f: Failure[Any]) -> bool:
    """Whether the failure says enough about this set, too."""
    theirs: tuple[str, ...] = f.candidate.kind
    return c.kind[0] == theirs[0] and (f.missing or c.kind == theirs)


def _none(failures: Sequence[Failure[Any]]) -> FheasibleError:
    ran = [f for f in failures if not f.missing]
    if not ran:
        return LibraryMissing(
            "; ".join(f.error.message for f in failures), "; ".join(f.error.remedy for f in failures)
        )
    first, more = ran[0], len(ran) - 1
    others = f"; {more} other set{'s' * (more > 1)} predicted to be right failed, too" if more else ""
    reports = "; ".join(f.report for f in ran if f.report)
    report = f"please report it with the output of {reports}" if reports else ""
    remedy = first.error.remedy if first.foreseen else report
    found = WrongResult(f"{first.error.message}{others}", remedy)
    found.number = first.number
    found.proof = getattr(first.error, "proof", None)
    return found


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
