"""Measuring single operations: from what is asked to jobs, and from their passes to the answer."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from statistics import median
from typing import Any, Final

from fheasible.aliases import Json
from fheasible.api.asking import profiles_of
from fheasible.api.naming import setting
from fheasible.api.platform import Talk
from fheasible.errors import UnknownName, UnsupportedOperation, UsageError, WorkerRefused
from fheasible.exploration.judging.candidate import parameters_json
from fheasible.exploration.sweeps.axes import typed_axis
from fheasible.exploration.sweeps.operations import (
    BOOTSTRAP,
    NO_ROOM,
    NO_SCALE,
    OperationRow,
    has_bootstrap,
    items_of,
    job_of,
    lacking,
    limit_seconds,
    not_available,
    parameters_for,
    rows,
    with_slots,
)
from fheasible.libraries.library import Library
from fheasible.libraries.parameters import CkksParameters, Parameters, settings_of
from fheasible.measurement.limited.limit import MemoryLimit
from fheasible.measurement.machine import this_machine
from fheasible.measurement.operation_passes import JobPasses, Until, measure_passes
from fheasible.measurement.operations import OPERATIONS, SWITCHING, TABLES, OperationJob

FHEW = "fhew"
TOP, ALL = "top", "all"
_OPTIONS: Final = {"slots": "--slots 1024", "depth": "--depth 5"}  # for what is often taken for a parameter
COLUMNS: Final = (
    "library", "scheme", "operation", "level", "slots", "ring_dimension", "limbs", "special_limbs", "digits",
    "threads", "predicted_seconds", "cpu_seconds", "wall_seconds", "median_cpu_seconds",
    "interval_low_seconds", "interval_high_seconds", "passes", "error", "noise", "refused", "unpredicted",
)  # fmt: skip
"""The figures of an operation, by the names of the table's columns and the document's fields."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationsWish:
    """What is measured. `levels` and `slots` are texts such as "0:3" or "top"; None stands for all slots.
    `memory` is the limit of each worker."""

    operations: Sequence[str] = ()
    levels: str = TOP
    slots: str | None = None
    params: Mapping[str, str] = field(default_factory=dict)
    depth: int = 3
    security: int | None = 128
    sparse: bool = False
    repetitions: int = 10
    until: Until = field(default_factory=Until)
    threads: int = 1
    timeout: float | None = None
    seed: int = 0
    again: bool = False
    memory: MemoryLimit | None = None


@dataclass(frozen=True)
class MeasuredOperations:
    """The answer: the jobs with their passes, and a row for each operation. `origins` has the processor that
    the shipped profile of a library was measured on, where predictions come from one."""

    jobs: tuple[JobPasses, ...]
    rows: tuple[OperationRow, ...]
    wish: OperationsWish
    origins: Mapping[str, str] = field(default_factory=dict)

    @property
    def exit_code(self) -> int:
        return int(any(j.failed and not _lacks(j) for j in self.jobs))

    def to_json(self) -> Json:
        return {
            "machine": this_machine().fingerprint,
            "repetitions": self.wish.repetitions,
            "memory_limit": None if self.wish.memory is None else self.wish.memory.to_json(),
            "repeat_until": self.wish.until.narrow,
            "profiles_of": dict(self.origins),
            "jobs": [_job_json(j) for j in self.jobs],
            "operations": [
                dict(zip(COLUMNS, cells(row), strict=True))
                | {"cpu_samples": [list(t.timing.cpu.seconds) for t in row.samples]}
                for row in self.rows
            ],
        }


def measured(libraries: Sequence[Library], wish: OperationsWish, talk: Talk) -> MeasuredOperations:
    """Measures what is asked for, as far as the store does not have it yet.

    UsageError for what cannot be meant, UnsupportedOperation where none of it is possible, and the error of
    the worker where no job had a result.
    """
    jobs, left_out = _jobs(libraries, wish)
    profiles = profiles_of(talk.place, libraries, wish.threads, talk.say)
    limits = {j.key: wish.timeout or limit_seconds(j, profiles.get(j.library)) for j in jobs}
    with talk.store() as store, talk.progress("measuring") as step:
        known = measure_passes(jobs, wish.until, store, step, limits, wish.again, limit=wish.memory)
    found = [row for j in known for row in rows(j, profiles.get(j.job.library))] + left_out
    _require_some(known, found, wish)
    origins = {name: p.origin for name, p in profiles.items() if p.origin}
    return MeasuredOperations(tuple(known), tuple(found), wish, origins)


def _require_some(known: Sequence[JobPasses], found: Sequence[OperationRow], wish: OperationsWish) -> None:
    """Raises the reason where nothing at all was measured."""
    if any(row.passes for row in found):
        return
    failed = next((j.failed for j in known if j.failed and not _lacks(j)), None)
    if failed is not None:
        raise failed
    told = {
        reason: ", ".join(dict.fromkeys(setting(r.job.library, r.job.scheme) for r in those))
        for reason, those in not_available(found).items()
    }
    lacking = ", ".join(
        n for n in (*OPERATIONS, *SWITCHING, *TABLES) if n in {r.item.operation for r in found}
    )
    reasons = {r.refused for r in found}
    low = "choose a level above 0"
    if NO_SCALE in reasons:
        low += ", or another technique (--param technique=...)"
    other = low if reasons <= {NO_ROOM, NO_SCALE} else "choose another operation or library"
    raise UnsupportedOperation(
        f"{lacking} cannot be measured: "
        f"{'; '.join(f'{settings}: {reason}' for reason, settings in told.items())}",
        f"{other}, or leave --sparse out" if wish.sparse else other,
    )


def _lacks(known: JobPasses) -> bool:
    """Whether the worker said that its library has none of the job's operations."""
    return isinstance(known.failed, WorkerRefused) and known.failed.reason == "UnsupportedOperation"


def _jobs(
    libraries: Sequence[Library], wish: OperationsWish
) -> tuple[list[OperationJob], list[OperationRow]]:
    """A job for each library, scheme and vector length, and rows for what no library can do."""
    jobs, left_out = [], []
    names = operation_names(wish.operations)
    for library in libraries:
        for scheme in library.schemes:
            p = _parameters(library, scheme, wish)
            named = [name for name in names if name != BOOTSTRAP or wish.operations or has_bootstrap(p)]
            asked = list(items_of(named, p, levels_of(wish.levels, p)))
            cannot = {i: why for i in asked if (why := lacking(i, library, p))}
            items = tuple(i for i in asked if i not in cannot)
            fhew = _fhew(wish.params)
            for slots in slots_of(wish.slots, p):
                own = with_slots(library, p, slots)
                job = job_of(
                    library, own, items, slots, wish.sparse, wish.repetitions, wish.threads, wish.seed
                )
                job = replace(job, fhew=fhew)
                jobs += [job] if items else []
                left_out += [OperationRow(job, i, None, "", why) for i, why in cannot.items()]
    return jobs, left_out


def _parameters(library: Library, scheme: str, wish: OperationsWish) -> Parameters:
    for name in wish.params:
        if name in _OPTIONS:
            raise UsageError(f"{name} is no parameter of a library here", f"write {_OPTIONS[name]}")
        known = (*settings_of(scheme), *(("levels", FHEW) if scheme == "ckks" else ()))
        if name.replace("-", "_") not in known:
            raise UsageError(
                f"{scheme.upper()} has no parameter {name!r}",
                f"choose among {', '.join(known)}",
            )
    own = {name: value for name, value in wish.params.items() if name != FHEW}
    return parameters_for(library, scheme, own, wish.depth, wish.security)


def _fhew(params: Mapping[str, str]) -> int | None:
    """The security of FHEW in scheme switching, where it is not that of the parameters."""
    text = params.get(FHEW)
    if text is not None and text not in ("128", "192", "256"):
        raise UsageError(f"{FHEW}={text} is no security level of FHEW", f"write {FHEW}=128")
    return None if text is None else int(text)


def operation_names(typed: Sequence[str]) -> tuple[str, ...]:
    """The operations that are meant, in the order in which they are shown; all but
    scheme switching and tables where none is named. UnknownName for another name."""
    words = [w.strip().lower().replace("-", "_") for text in typed for w in text.split(",") if w.strip()]
    known = (*OPERATIONS, *SWITCHING, *TABLES)
    for word in words:
        if word not in known:
            raise UnknownName(f"there is no operation {word!r}", f"choose among {', '.join(known)}")
    return tuple(name for name in known if name in (words or OPERATIONS))


def levels_of(typed: str, p: Parameters) -> tuple[int, ...]:
    """The levels that the text names, highest first. UsageError for a level that the chain does not have."""
    if typed.strip().lower() == TOP:
        return (p.levels,)
    if typed.strip().lower() == ALL:
        return tuple(range(p.levels, -1, -1))
    found = _numbers("--level", typed, f"write --level {TOP}, {ALL}, 2, 0,3 or 0:3")
    beyond = [level for level in found if level > p.levels]
    if beyond:
        chain = "only level 0" if p.levels == 0 else f"levels 0 to {p.levels}"
        raise UsageError(
            f"level {beyond[0]} is beyond the chain: {setting(p.library, p.scheme)} has {chain} here",
            "choose a lower level" if p.scheme == "bfv" else f"choose a lower level, or --depth {beyond[0]}",
        )
    return tuple(sorted(set(found), reverse=True))


def slots_of(typed: str | None, p: Parameters) -> tuple[int, ...]:
    """The vector lengths that the text names; that which fills the ring where there is none. UsageError for
    one that is no power of two, or beyond the ring."""
    capacity = p.ring_dimension // 2 if p.scheme == "ckks" else p.ring_dimension
    if typed is None:
        own = p.bootstrap if isinstance(p, CkksParameters) else None
        return (own.procedure.slots if own else capacity,)
    found = _numbers("--slots", typed, "write --slots 1024, 64,1024 or 64:4096:*4")
    for slots in found:
        if slots < 1 or slots & (slots - 1):
            raise UsageError(f"{slots} slots are not a power of two", f"write --slots {capacity}")
        if slots > capacity:
            raise UsageError(
                f"{slots} slots are beyond the ring: {setting(p.library, p.scheme)} has {capacity} slots for "
                f"N = {p.ring_dimension}",
                f"choose {capacity} or less, or --param ring_dimension="
                f"{slots * p.ring_dimension // capacity}",
            )
    return tuple(dict.fromkeys(found))


def _numbers(option: str, typed: str, remedy: str) -> list[int]:
    values = typed_axis(f"{option}={typed}", remedy, str).values
    if not all(value.isdecimal() for value in values):
        raise UsageError(f"{option} {typed} is not a list of whole numbers", remedy)
    return [int(value) for value in values]


def cells(row: OperationRow) -> tuple[Any, ...]:
    """The figures of `COLUMNS`; None where there is none."""
    p, low_high = row.job.parameters, row.interval or (None, None)
    samples = [s for t in row.samples for s in t.timing.cpu.seconds]
    return (
        p.library, p.scheme, row.item.operation, row.item.level, row.job.slots, p.ring_dimension, p.limbs,
        len(p.p), p.digits, row.job.threads, row.predicted, row.measured, row.wall,
        median(samples) if samples else None, *low_high, len(row.passes), row.error, row.noise,
        row.refused or None, row.unpredicted or None,
    )  # fmt: skip


def _job_json(known: JobPasses) -> Json:
    job, last = known.job, known.runs[-1] if known.runs else None
    return {
        "library": job.library,
        "scheme": job.scheme,
        "slots": job.slots,
        "sparse": job.sparse,
        "threads": job.threads,
        "parameters": parameters_json(job.parameters),
        "passes": len(known.runs),
        "stored_before": known.stored_before,
        "widest_interval": known.widest if known.runs else None,
        "sizes": dict(last.sizes) if last else None,
        "memory": dict(last.memory) if last else None,
        "limited": last.limited.to_json() if last and last.limited else None,
        "worker": asdict(last.hello) if last else None,
        "failed": known.failed.message if known.failed else None,
    }
