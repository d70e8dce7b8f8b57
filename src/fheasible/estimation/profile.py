"""A calibrated machine: what each kernel of a library costs on it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from fheasible.estimation.features import NAMES, Caches, Features, Shape, features
from fheasible.estimation.memory import MemoryModel
from fheasible.estimation.threads import ThreadModel
from fheasible.libraries.work import Layout, Task

Json = dict[str, Any]
MODEL = 2  # of the cost model: coefficients of another one mean something else


@dataclass(frozen=True, slots=True)
class Point:
    """One measured operation: the least CPU time of all its runs."""

    shape: Shape
    seconds: float

    @property
    def name(self) -> str:
        return named(self.shape)


@dataclass(frozen=True, slots=True)
class Profile:
    """Prices for one machine, library, version and number of threads.

    `prices`: seconds per feature that all operations of the library share; `coefficients`: those of each
    "scheme/action" that was measured. `error_band`: mean relative error of predicting each calibrated context
    from the others; `wall_factor`: wall seconds per CPU second while calibrating; `composition`: CPU seconds
    of a whole run over the sum of what its operations take at least; `parallel`: what more than one thread
    gains. `origin` names the processor of a shipped profile, which was not measured here.
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
    points: tuple[Point, ...] = ()
    parallel: ThreadModel | None = None
    build: str = ""  # of the library: whose wheel or compiler
    origin: str = ""
    names: tuple[str, ...] = NAMES
    model: int = MODEL

    def seconds(self, shape: Shape) -> float:
        """CPU seconds of the thread that runs one operation; by the shared prices where its kind was never
        measured."""
        found = self.coefficients.get(named(shape), self.prices)
        alone = sum(c * f for c, f in zip(found, features(shape, self.caches), strict=True))
        return alone * self._ratio(shape)

    def _ratio(self, shape: Shape) -> float:
        """What several threads leave of the time of one."""
        if self.parallel is None or self.threads == 1:
            return 1.0
        layout, task = shape.layout, shape.task
        return self.parallel.ratio(layout.scheme, task.action, task.level + 1, self.threads, layout.special)

    def __hash__(self) -> int:
        return hash((self.machine, self.library, self.version, self.threads, self.created))

    @property
    def nanoseconds(self) -> dict[str, float]:
        """What each kernel costs that was needed to explain the library's times: for comparing libraries."""
        return {name: 1e9 * price for name, price in zip(self.names, self.prices, strict=True) if price}

    def covers(self, scheme: str) -> bool:
        return any(k.startswith(f"{scheme}/") for k in self.coefficients)

    def to_json(self) -> Json:
        return asdict(self)

    @staticmethod
    def from_json(body: Json) -> "Profile | None":
        """None where it is of another cost model."""
        try:
            return _read(body)
        except (KeyError, TypeError):  # a field that was not there then, or is not there now
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
            "points": tuple(_point(p) for p in body["points"]),
            "parallel": ThreadModel.from_json(body["parallel"]) if body["parallel"] else None,
            "names": NAMES,
        }
    )


def named(shape: Shape) -> str:
    """ "scheme/action", by which coefficients are kept."""
    return f"{shape.layout.scheme}/{shape.task.action}"


def _point(body: Json) -> Point:
    s = body["shape"]
    return Point(Shape(s["n"], Layout(**s["layout"]), Task(**s["task"])), body["seconds"])
