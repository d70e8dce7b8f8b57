"""A calibrated machine: what each kernel of a library costs on it."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from typing import Final

import numpy as np

from fheasible.aliases import Floats, Ints, Json
from fheasible.estimation.features import NAMES, Caches, Features, RingScale, Shape, feature_rows
from fheasible.estimation.memory import MemoryModel
from fheasible.estimation.switching import SwitchingModel, models_of
from fheasible.estimation.threads import ThreadModel, amdahl, like, loop_limbs
from fheasible.libraries.catalogue import library
from fheasible.libraries.forms import procedure_of
from fheasible.libraries.layout import TABLE_LOOKUP, Layout, Task
from fheasible.libraries.library import Parallelism
from fheasible.libraries.refreshing import Refreshing
from fheasible.libraries.work import count_rows
from fheasible.program.types import Program

MODEL = 2  # the cost model's number; the coefficients of another model mean something else


@dataclass(frozen=True, slots=True)
class TimedShape:
    """One measured operation: the least CPU time of all its runs."""

    shape: Shape
    seconds: float

    @property
    def name(self) -> str:
        return named(self.shape)


@dataclass(frozen=True, slots=True, eq=False)
class TaskKinds:
    """Kinds of operations in layouts of one library and scheme, with one row for each kind."""

    library: str
    scheme: str
    actions: tuple[str, ...]  # without repetition
    action: Ints  # each row's index in `actions`
    loops: Ints  # the number of limbs that each row's operation loops over
    counts: Ints  # (row, COLUMNS)

    @staticmethod
    def of(asked: Sequence[tuple[Layout, tuple[Task, ...]]]) -> "TaskKinds":
        """One row for each of the given tasks, layout after layout."""
        each = [(layout, task) for layout, tasks in asked for task in tasks]
        names = tuple(dict.fromkeys(task.action for _, task in each))
        place = {name: i for i, name in enumerate(names)}
        return TaskKinds(
            asked[0][0].library,
            asked[0][0].scheme,
            names,
            np.array([place[task.action] for _, task in each]),
            np.array([loop_limbs(task.action, task.level + 1, layout.special) for layout, task in each]),
            np.concatenate([_counts(layout, tasks) for layout, tasks in asked]),
        )

    @property
    def names(self) -> list[str]:
        """Each action's name "scheme/action", under which its coefficients are kept."""
        return [f"{self.scheme}/{action}" for action in self.actions]


_counts = lru_cache(maxsize=1024)(count_rows)


UNMEASURED_BOOTSTRAPS: Final = 0.2  # error band of bootstraps at the prices that other operations have


@dataclass(frozen=True, slots=True)
class BootstrapModel:
    """What bootstraps and their keys cost, measured by `calibrate --bootstrapping`.

    `coefficients` are by "scheme/action", as in a profile. `error_band` is the relative error that nine of
    ten measured bootstraps stay within, each predicted from the others.
    """

    version: str
    created: str
    coefficients: Mapping[str, Features]
    error_band: float
    points: tuple[TimedShape, ...] = ()

    def to_json(self) -> Json:
        return asdict(replace(self, points=())) | {"points": _packed(self.points)}

    @staticmethod
    def from_json(body: Json) -> "BootstrapModel":
        known = {name: tuple(found) for name, found in body["coefficients"].items()}
        return BootstrapModel(**body | {"coefficients": known, "points": _unpacked(body["points"])})


@dataclass(frozen=True, slots=True)
class Profile:
    """Prices for one machine, library and version, at a number of threads.

    A profile is fitted, and stored, at one thread; `walls.at` gives it at another number.

    `prices`: seconds per feature that all operations of the library share; `coefficients`: those of each
    "scheme/action" that was measured. `error_band`: the relative error that nine of ten runs of applications
    stay within; `wall_factor`: wall seconds per CPU second during calibration; `composition`: CPU seconds of
    a whole run, divided by the sum of the least CPU seconds of its operations; `parallel`: what more than one
    thread gains; `bootstraps`: what they cost, where they were measured. `origin` names the processor of a
    shipped profile, which was not measured here.
    """

    machine: str
    library: str
    version: str
    threads: int
    created: str
    caches: Caches
    prices: Features
    coefficients: Mapping[str, Features]
    memory: Mapping[str, MemoryModel]  # by scheme
    error_band: float
    wall_factor: float
    composition: float = 1.0
    points: tuple[TimedShape, ...] = ()
    parallel: ThreadModel | None = None
    bootstraps: BootstrapModel | None = None
    switching: Mapping[str, SwitchingModel] = field(default_factory=dict)  # by the security of FHEW
    gates: Mapping[str, float] = field(default_factory=dict)  # `estimation/gates.py`
    unsteady: float = 0.0  # the fraction by which times were still falling when calibration ended
    pace_seconds: float | None = None  # least CPU seconds of `measurement.pace.reference_loop` meanwhile
    build: str = ""  # the build of the library: whose wheel or compiler
    origin: str = ""
    names: tuple[str, ...] = NAMES
    model: int = MODEL

    def seconds(self, shape: Shape) -> float:
        """CPU seconds of the thread that runs one operation."""
        return float(self.parts(TaskKinds.of([(shape.layout, (shape.task,))]), shape.n, shape.slots).sum())

    def parts(self, kinds: "TaskKinds", n: int, slots: int = 0) -> Floats:
        """CPU seconds as an array (kind, feature), of one operation of each kind in a ring of degree n.

        `slots` is the number of slots of the program's vectors.
        """
        ring = RingScale.of(kinds.library, kinds.scheme, n, slots)
        known = np.array([self.prices_of(name) for name in kinds.names])
        prices = known.reshape(len(kinds.actions), len(NAMES))[kinds.action]
        return np.asarray(
            feature_rows(kinds.counts, ring, self.caches) * prices * self._remaining(kinds)[:, None]
        )

    def prices_of(self, name: str) -> Features:
        """Seconds per feature of a "scheme/action".

        For one that was never measured they are those of the rotation that it is a part of, or else those
        that all operations share.
        """
        if self.bootstraps is not None and name in self.bootstraps.coefficients:
            return self.bootstraps.coefficients[name]
        if name.endswith(f"/{TABLE_LOOKUP}"):
            return self.prices_of(name.replace(TABLE_LOOKUP, "bootstrap"))
        return self.coefficients.get(name) or self.coefficients.get(like(name)) or self.prices

    def band_of(self, program: Program) -> float:
        """The error band of a program's times with one thread; it is wider for bootstraps."""
        if not program.bootstraps:
            return self.error_band
        return max(self.error_band, self.bootstraps.error_band if self.bootstraps else UNMEASURED_BOOTSTRAPS)

    def _remaining(self, kinds: "TaskKinds") -> Floats:
        """For each kind, the time with this profile's threads divided by the time with one thread."""
        if self.parallel is None or self.threads == 1 or not self._shares_limbs:
            return np.ones(len(kinds.action))
        known = [self.parallel.known(name) for name in kinds.names]
        limbs, share = (
            np.array([getattr(serial, field) if serial else 0.0 for serial in known])[kinds.action]
            for field in ("limbs", "share")
        )
        found = amdahl(limbs, share, np.maximum(kinds.loops, 1), self.threads)
        return np.where(np.array([serial is not None for serial in known])[kinds.action], found, 1.0)

    @property
    def _shares_limbs(self) -> bool:
        return library(self.library).threading.parallelism is Parallelism.LIMBS

    def __hash__(self) -> int:
        return hash((self.machine, self.library, self.version, self.threads, self.created))

    @property
    def nanoseconds(self) -> dict[str, float]:
        """Nanoseconds per unit of each feature with a price other than 0, for comparing libraries."""
        return {name: 1e9 * price for name, price in zip(self.names, self.prices, strict=True) if price}

    def covers(self, scheme: str) -> bool:
        return any(k.startswith(f"{scheme}/") for k in self.coefficients)

    def to_json(self) -> Json:
        own = asdict(replace(self, points=(), bootstraps=None)) | {"points": _packed(self.points)}
        return own | {"bootstraps": self.bootstraps.to_json() if self.bootstraps else None}

    @staticmethod
    def from_json(body: Json) -> "Profile | None":
        """The profile, or None where it belongs to another cost model."""
        try:
            return _read(body)
        except (KeyError, TypeError):  # written by a version with fewer or with other fields
            return None


def _read(body: Json) -> Profile | None:
    if body.get("model") != MODEL or tuple(body["names"]) != NAMES:
        return None
    return Profile(
        **body
        | {
            "caches": Caches(**body["caches"]),
            "prices": tuple(body["prices"]),
            "coefficients": {k: tuple(c) for k, c in body["coefficients"].items()},
            "memory": {k: MemoryModel(**m) for k, m in body["memory"].items()},
            "points": _unpacked(body["points"]),
            "bootstraps": BootstrapModel.from_json(told) if (told := body.get("bootstraps")) else None,
            "parallel": ThreadModel.from_json(body["parallel"]) if body["parallel"] else None,
            "switching": models_of(body.get("switching", {})),
            "gates": dict(body.get("gates", {})),
            "names": NAMES,
        }
    )


def named(shape: Shape) -> str:
    """The name "scheme/action" of a shape's operation, under which coefficients are kept."""
    return f"{shape.layout.scheme}/{shape.task.action}"


def _packed(points: Sequence[TimedShape]) -> Json:
    """The points as JSON, with each layout and task written once.

    Every prediction reads a profile, and repeated layouts and tasks would be most of its text.
    """
    shapes = [p.shape for p in points]
    layout = {one: i for i, one in enumerate(dict.fromkeys(shape.layout for shape in shapes))}
    task = {one: i for i, one in enumerate(dict.fromkeys(shape.task for shape in shapes))}
    return {
        "layouts": [asdict(one) for one in layout],
        "tasks": [asdict(one) for one in task],
        "measured": [
            [p.shape.n, layout[p.shape.layout], task[p.shape.task], p.shape.slots, p.seconds] for p in points
        ],
    }


def _unpacked(body: Json | list[Json]) -> tuple[TimedShape, ...]:
    """The points from JSON; in profiles of older Fheasibles, a list with the whole shape of every point."""
    if isinstance(body, list):
        return tuple(_point(p) for p in body)
    layouts, tasks = [_layout(one) for one in body["layouts"]], [Task(**one) for one in body["tasks"]]
    return tuple(
        TimedShape(Shape(n, layouts[layout], tasks[task], slots), seconds)
        for n, layout, task, slots, seconds in body["measured"]
    )


def _layout(body: Json) -> Layout:
    own = body.get("bootstrap")
    found = Refreshing(**own | {"procedure": procedure_of(own["procedure"])}) if own else None
    return Layout(**body | {"bootstrap": found})


def _point(body: Json) -> TimedShape:
    s = body["shape"]
    return TimedShape(Shape(s["n"], _layout(s["layout"]), Task(**s["task"]), s["slots"]), body["seconds"])
