"""Predictions of single operations, as calibration has measured them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from fheasible.calibration.candidates import PLAIN_MODULUS
from fheasible.errors import InfeasibleParameters, UnsupportedOperation, UsageError, WorkerFailed
from fheasible.estimation.features import ENCODING, Shape
from fheasible.estimation.profile import Profile
from fheasible.estimation.tally import Item as Kind
from fheasible.estimation.tally import items as kinds
from fheasible.exploration.judging.chosen import request_from
from fheasible.exploration.proof.attempt import UNPREDICTED_SECONDS, given_up_after
from fheasible.exploration.sweeps.switching import by_switching, no_switching
from fheasible.exploration.sweeps.tables import by_table, no_table
from fheasible.libraries.bootstrapping import BootstrapRequest
from fheasible.libraries.catalogue import library
from fheasible.libraries.layout import BOOTSTRAP_KEYS, Layout, Task
from fheasible.libraries.library import Library
from fheasible.libraries.parameters import CkksParameters, IntegerParameters, Parameters
from fheasible.libraries.work import layout_of
from fheasible.measurement.least import Clock
from fheasible.measurement.operation_passes import JobPasses
from fheasible.measurement.operations import (
    KEYGEN,
    OVER_A_PRODUCT,
    SWITCHING,
    TABLES,
    Item,
    OperationJob,
    TimedItem,
    is_noise,
)
from fheasible.program.types import Action, Hoist, Operation, Program, Scheme

NO_ROOM = "the last prime of CKKS cannot hold the scale of a product"
NO_SCALE = "at that level it has no scale to encode by: whatever is encoded there is zero"
BOOTSTRAP = "bootstrap"
NO_BOOTSTRAP = "the parameters have no bootstrap (--param levels=5 gives one that leaves five levels)"
NO_PROFILE = "not calibrated for this scheme (fheasible calibrate)"
NOT_MODELLED = {
    **dict.fromkeys(
        ("encode", "encrypt"), "the model has encoding and encryption together, as encode_encrypt"
    ),
    **dict.fromkeys(
        ("decode", "decrypt"), "the model has decryption and decoding together, as decrypt_decode"
    ),
    "encrypt_secret": "the model knows encryption by the public key alone",
    **dict.fromkeys(("key_switch", "keygen_switch"), "the model knows no switching to another secret key"),
    **dict.fromkeys(("keygen_secret", "keygen_public"), "the model has both keys together, as keygen_pair"),
}
"""Why an operation has no prediction."""
REPEATED = "the model is that of a vector that is repeated, not packed sparsely"
_KEYS = {"keygen_pair": 0, "keygen_relinearize": 1, "keygen_rotate": 1}  # switching keys that are made


def parameters_for(
    library: Library,
    scheme: str,
    params: Mapping[str, str],
    depth: int,
    security: int | None,
    quantum: bool = False,
) -> Parameters:
    """The library's own parameters for those settings and that depth.

    With the setting "levels", or with any of a bootstrap, they have one; `levels`, or else the depth, are
    left after it. UsageError for a setting that it does not have, InfeasibleParameters where it makes none.
    """
    own = {} if scheme == "ckks" else {"plain_modulus": str(PLAIN_MODULUS)}
    settings = own | dict(params)
    levels = _levels(settings.pop("levels")) if scheme == "ckks" and "levels" in settings else None
    request = replace(request_from(scheme, settings, security, quantum), depth=depth)
    if request.scheme != "ckks" or (levels is None and request.bootstrap is None):
        return library.parameters(request)
    if library.bootstrap_method is None:
        raise InfeasibleParameters(
            f"{library.title} has no bootstrapping", "leave levels out, or choose a library that bootstraps"
        )
    left = depth if levels is None else levels
    return library.parameters(replace(request, depth=left, bootstrap=request.bootstrap or BootstrapRequest()))


def _levels(text: str) -> int:
    if not text.isdecimal():
        raise UsageError(f"levels={text} is not a whole number", "write levels=5")
    return int(text)


def with_slots(library: Library, p: Parameters, slots: int) -> Parameters:
    """The parameters with a bootstrap of so many slots; as they are where they have none."""
    if not isinstance(p, CkksParameters) or p.bootstrap is None or p.bootstrap.procedure.slots == slots:
        return p
    assert p.request is not None
    assert p.request.scheme == "ckks"
    own = p.request.bootstrap or BootstrapRequest()
    return library.parameters(replace(p.request, bootstrap=replace(own, slots=slots)))


def job_of(
    library: Library, p: Parameters, items: tuple[Item, ...], slots: int, sparse: bool, repetitions: int,
    threads: int = 1, seed: int = 0,
) -> OperationJob:  # fmt: skip
    """The job that measures those items at these parameters."""
    automatic = library.own_style(p.scheme, p.technique or None).automatic
    return OperationJob(p, slots, items, automatic, sparse, repetitions, threads=threads, seed=seed)


def items_of(names: Sequence[str], p: Parameters, levels: Sequence[int]) -> Iterator[Item]:
    """Every operation at every level; keys are made once, for the whole chain."""
    for name in names:
        if name.startswith(KEYGEN):
            yield Item(name, p.levels)
        else:
            yield from (Item(name, level) for level in levels)


def lacking(item: Item, library: Library, p: Parameters) -> str:
    """Why the library cannot do that at this level of these parameters; empty where it can."""
    if item.operation == BOOTSTRAP:
        return _no_bootstrap(item, library, p)
    if item.operation in SWITCHING:
        return no_switching(item, library, p)
    if item.operation in TABLES:
        return no_table(library, p)
    if p.scheme == "ckks":
        return NO_ROOM if item.level == 0 and item.operation in OVER_A_PRODUCT else ""
    if item.makes_keys or not isinstance(p, IntegerParameters) or not library.has_plain_scales(p.scheme):
        return ""
    # A chain of a single level has a scale there, since that is its top, too.
    return NO_SCALE if p.levels and library.plain_scales(p)[item.level] == 0 else ""


def has_bootstrap(p: Parameters) -> bool:
    return isinstance(p, CkksParameters) and p.bootstrap is not None


def _no_bootstrap(item: Item, library: Library, p: Parameters) -> str:
    if library.bootstrap_method is None or p.scheme != "ckks":
        return f"{library.title} has no bootstrapping of {p.scheme.upper()}"
    if p.bootstrap is None:
        return NO_BOOTSTRAP
    if p.bootstrap.procedure.table:
        return "the parameters' bootstrap looks a table up: measure table_lookup"
    least = library.least_bootstrap_level(p.bootstrap.procedure.iterations)
    return f"{library.title} bootstraps from level {least} on" if item.level < least else ""


@dataclass(frozen=True, slots=True)
class OperationRow:
    """An operation with its predicted and its measured figures; seconds are CPU time.

    `unpredicted` says why there is no prediction, `refused` why the library does not do it here. `passes` are
    the least seconds of each pass. `noise`: its result is not what it should be.
    """

    job: OperationJob
    item: Item
    predicted: float | None
    unpredicted: str
    refused: str
    passes: tuple[float, ...] = ()
    wall: float | None = None
    interval: tuple[float, float] | None = None
    noise: bool = False
    samples: tuple[TimedItem, ...] = ()
    sizes: Mapping[str, int | None] | None = None

    @property
    def measured(self) -> float | None:
        return min(self.passes, default=None)

    @property
    def error(self) -> float | None:
        """(predicted - measured) / measured."""
        return self.predicted / self.measured - 1 if self.predicted and self.measured else None

    @property
    def width(self) -> float | None:
        """The width of the interval as a part of the least time."""
        if self.interval is None or not self.interval[1]:
            return None
        return (self.interval[1] - self.interval[0]) / self.interval[1]


def rows(known: JobPasses, profile: Profile | None) -> Iterator[OperationRow]:
    """A row for each item of a job."""
    job = known.job
    for item in job.items:
        seconds, why = predicted(job, item, profile)
        timed = known.timed(item)
        refused = next((t.refused for t in timed if t.refused), _words(known.failed))
        yield OperationRow(
            job,
            item,
            seconds,
            why,
            refused if not known.least(item) else "",
            tuple(known.least(item)),
            min(known.least(item, Clock.WALL), default=None),
            known.interval(item),
            any(is_noise(job, t) for t in timed),
            tuple(timed),
            known.runs[-1].sizes if known.runs else None,
        )


def _words(failed: WorkerFailed | None) -> str:
    return failed.message if failed else ""


def predicted(job: OperationJob, item: Item, profile: Profile | None) -> tuple[float | None, str]:
    """(CPU seconds, ""), or (None, why there is no prediction)."""
    if item.operation in NOT_MODELLED:
        return None, NOT_MODELLED[item.operation]
    if profile is None or not profile.covers(job.scheme):
        return None, NO_PROFILE
    if item.operation in SWITCHING:
        return by_switching(job, item, profile)
    if item.operation in TABLES:
        return by_table(job, item, profile)
    p, layout = job.parameters, layout_of(job.parameters)
    if item.operation in _KEYS:
        made = [_seconds(profile, job, layout, _keygen(p, keys)) for keys in (_KEYS[item.operation], 0)]
        return (made[0] - made[1] if _KEYS[item.operation] else made[0]), ""
    kind = _kind(job, item)
    if kind is None:
        return None, "this scheme has no such operation"
    if job.sparse and kind.action in ENCODING and _repeats(job):
        return None, REPEATED
    try:
        return _seconds(profile, job, layout, kind.task(layout)), ""
    except UnsupportedOperation as error:
        return None, error.message


def limit_seconds(job: OperationJob, profile: Profile | None) -> float:
    """The wall seconds after which a run has surely failed: twenty times the prediction, at least a minute;
    four hours without a profile."""
    if profile is None or not profile.covers(job.scheme):
        return UNPREDICTED_SECONDS
    once = sum(predicted(job, item, profile)[0] or 0.0 for item in job.items)
    if any(item.operation in SWITCHING for item in job.items):
        return UNPREDICTED_SECONDS  # its keys take minutes, and nothing predicts them
    keys = _seconds(profile, job, layout_of(job.parameters), _keygen(job.parameters, 3))
    if any(item.operation == BOOTSTRAP or item.operation in TABLES for item in job.items):
        number = library(job.library).files.bootstrap_key_count(job.parameters, frozenset())
        made = Task(BOOTSTRAP_KEYS, job.parameters.limbs - 1, number)
        keys += _seconds(profile, job, layout_of(job.parameters), made)
    return given_up_after((job.warmup + job.repetitions + 1) * once + 2 * keys)


def _keygen(p: Parameters, keys: int) -> Task:
    return Task("keygen", p.limbs - 1, keys)


def _seconds(profile: Profile, job: OperationJob, layout: Layout, task: Task) -> float:
    return profile.seconds(Shape.of(job.parameters.ring_dimension, layout, task, job.slots))


def _repeats(job: OperationJob) -> bool:
    """Whether the model takes a short vector to be repeated until it fills the ring."""
    n = job.parameters.ring_dimension
    return job.slots < n // 2 and library(job.library).encoded(job.scheme, n, job.slots)[0] == n // 2


def _kind(job: OperationJob, item: Item) -> Kind | None:
    """The operation as the cost model knows it; None where the scheme has none."""
    if item.operation == "decrypt_decode":
        return Kind("decrypt", "decrypt", item.level)
    return _kinds(Scheme(job.scheme), item.level).get(item.operation)


@lru_cache(maxsize=256)
def _kinds(scheme: Scheme, level: int) -> Mapping[str, Kind]:
    """Every operation on fresh operands at that level, by its name."""
    made = list(_program(scheme, level))
    program = Program(scheme, 2, level, tuple(o for _, o in made), (np.zeros(2), np.zeros(1)), (), ())
    return {name: kind for (name, _), kind in zip(made, kinds(program), strict=True)}


def _program(scheme: Scheme, level: int) -> Iterator[tuple[str, Operation]]:
    """Each operation with its name, in a program that never runs."""
    x, y, product = 0, 1, 2
    told: list[tuple[str, Action, tuple[int, ...], int, Hoist]] = [
        ("encode_encrypt", Action.ENCRYPT, (), level, Hoist.NONE),
        ("", Action.ENCRYPT, (), level, Hoist.NONE),
        ("mul", Action.MUL, (x, y), level, Hoist.NONE),
        ("square", Action.SQUARE, (x,), level, Hoist.NONE),
        ("relinearize", Action.RELINEARIZE, (product,), level, Hoist.NONE),
        ("add", Action.ADD, (x, y), level, Hoist.NONE),
        ("sub", Action.SUB, (x, y), level, Hoist.NONE),
        ("negate", Action.NEG, (x,), level, Hoist.NONE),
        ("add_plain", Action.ADD_PLAIN, (x,), level, Hoist.NONE),
        ("mul_plain", Action.MUL_PLAIN, (x,), level, Hoist.NONE),
        ("add_scalar", Action.ADD_SCALAR, (x,), level, Hoist.NONE),
        ("mul_scalar", Action.MUL_SCALAR, (x,), level, Hoist.NONE),
        ("rotate", Action.ROTATE, (x,), level, Hoist.NONE),
        ("rotate_hoist", Action.ROTATE, (x,), level, Hoist.FIRST),
        ("rotate_hoisted", Action.ROTATE, (x,), level, Hoist.LAST),
    ]
    if scheme is Scheme.CKKS:
        told.append((BOOTSTRAP, Action.BOOTSTRAP, (x,), level, Hoist.NONE))
    else:
        told.append(("swap_rows", Action.SWAP_ROWS, (x,), level, Hoist.NONE))
    if scheme is not Scheme.BFV and level > 0:
        told.append(("rescale", Action.RESCALE, (4,), level - 1, Hoist.NONE))
        told.append(("drop", Action.DROP, (x,), level - 1, Hoist.NONE))
    for out, (name, action, args, at, hoist) in enumerate(told):
        yield name, Operation(action, out, args, at, steps=1, hoist=hoist)


def not_available(found: Sequence[OperationRow]) -> Mapping[str, Sequence[OperationRow]]:
    """The rows of operations that a library or scheme does not have, by the reason."""
    return _by_reason(found, lambda row: row.refused)


def not_predicted(found: Sequence[OperationRow]) -> Mapping[str, Sequence[OperationRow]]:
    """The rows of measured operations that have no prediction, by the reason."""
    return _by_reason(found, lambda row: "" if row.refused else row.unpredicted)


def _by_reason(
    found: Sequence[OperationRow], reason: Callable[[OperationRow], str]
) -> Mapping[str, Sequence[OperationRow]]:
    told: dict[str, list[OperationRow]] = {}
    for row in found:
        if why := reason(row):
            told.setdefault(why, []).append(row)
    return told
