"""One parameter set of one library and scheme, judged; and what a set costs its user per request, per value
and in money.

The figures of costs are numbers, or columns of numbers for many sets.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import isfinite, nan
from typing import Any, Final

import numpy as np

from fheasible.aliases import Json
from fheasible.circuit.degrees import Degrees
from fheasible.estimation.estimate import Estimate, work
from fheasible.exploration.problem.wish import Objective, Wish
from fheasible.libraries.catalogue import BY_NAME
from fheasible.libraries.forms import request_form
from fheasible.libraries.parameters import PREFIX, CkksParameters, Parameters, Request
from fheasible.program.style import Layout, LevelBudget, Style
from fheasible.program.types import Program
from fheasible.units import GIB

HOUR: Final = 3600.0
_OF_WALLS: Final = ("wall", "wall_seconds")
Figures = Mapping[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A request to a library, the parameters that it makes of it, the program that fits, and what that will
    cost.

    `degrees` are those chosen for approximations that leave them open. `smaller` judges primes one bit
    smaller: see `limit`. `figures` are what the candidate costs its user, by name (`uses`), for the
    wish. `slots` is the most that a vector fills, where that splits it over more ciphertexts than it needs.
    `rounded`: integers are computed as real numbers, which are rounded. `as_written`: products are computed
    in the order written, though they could be less deep. `layout`: how inputs of equal length lie in
    ciphertexts. `threads` execute it; None leaves their number to
    the library. `walls` are the wall seconds with each number of threads that was tried, where any was asked
    for.
    """

    library: str
    scheme: str
    request: Request
    parameters: Parameters
    program: Program
    estimate: Estimate
    degrees: Degrees = ()
    smaller: Callable[[], str] = str
    figures: Mapping[str, float] = field(default_factory=dict)
    slots: int | None = None
    rounded: bool = False
    as_written: bool = False
    layout: Layout = Layout.BY_COLUMN
    threads: int | None = 1
    walls: Mapping[str, float | None] = field(default_factory=dict)

    @property
    def limit(self) -> str:
        """Why primes one bit smaller are not enough; empty where they are, or where the search does not try
        them."""
        return self.smaller()

    @property
    def kind(self) -> tuple[str, ...]:
        """The library, the scheme and the technique: sets that have them in common fail alike."""
        return self.library, self.scheme, self.parameters.technique

    @property
    def settings(self) -> Json:
        """The settings that `--param` accepts, without those that are not set."""
        own = {
            "levels": self._budget.levels if self._budget else None,
            "fresh_levels": self.program.fresh_levels if self._budget and self._budget.above else None,
            "degree": self.degrees,
            "slots": self.slots,
            "spare_levels": self.program.spare_levels,
            "as_written": self.as_written,
            "layout": "" if self.layout is Layout.BY_COLUMN else self.layout.value,
        }
        return request_json(self.request) | {name: value for name, value in own.items() if value}

    @property
    def ckks(self) -> CkksParameters:
        """The parameters of a candidate that is known to be of CKKS."""
        assert self.parameters.scheme == "ckks"
        return self.parameters

    @property
    def style(self) -> Style:
        """The style in which its program is written."""
        usual = BY_NAME[self.library].style(self.scheme, self.request.technique)
        style = replace(usual, as_written=self.as_written, layout=self.layout)
        style = replace(style, spare=self.program.spare_levels)
        return style if self._budget is None else replace(style, budget=self._budget, extended=False)

    @property
    def _budget(self) -> LevelBudget | None:
        """The levels that bootstraps bring back; None where the program has none."""
        own = self.parameters.bootstrap if self.parameters.scheme == "ckks" else None
        if own is None or not self.program.bootstraps:
            return None
        least = BY_NAME[self.library].least_bootstrap_level(own.procedure.iterations)
        levels = self.parameters.levels
        return LevelBudget(levels, least, above=self.program.fresh_levels - levels)

    @property
    def work(self) -> float:
        """The sum of all features, unweighted, which ranks candidates that no profile covers."""
        return work(self.program, self.parameters)

    def cost(self, objective: str) -> float:
        """The value of the objective, which is to be small."""
        figures = dict(self.figures or self.used(Wish()))
        figures["memory"] = float(self.estimate.peak_bytes)
        if self.estimate.run_seconds is not None:
            figures["time"] = self.estimate.run_seconds
        if self.estimate.wall_seconds:
            figures["wall"] = self.estimate.wall_seconds["total"]
        return float(Objective.parse(objective).score(figures))

    def used(self, wish: Wish) -> dict[str, float]:
        """What the candidate takes of the machine and costs its user, by name, when it is used as the wish
        says."""
        e, at_once = self.estimate, requests_at_once(self.program, self.parameters.ring_dimension)
        cpu, wall = (seconds or {"total": nan, "keygen": nan} for seconds in (e.cpu_seconds, e.wall_seconds))
        base = {
            "work": nan if e.cpu_seconds else self.work,
            "cpu_seconds": cpu["total"],
            "keygen_seconds": cpu["keygen"],
            "wall_seconds": wall["total"],
            "peak_bytes": e.peak_bytes,
            "upload_bytes": e.sizes.upload_bytes,
            "download_bytes": e.sizes.download_bytes,
            "key_bytes": e.sizes.public_key_bytes + e.sizes.evaluation_key_bytes,
        }
        seeded = {
            "seeded_upload_bytes": e.sizes.seeded_upload_bytes,
            "seeded_key_bytes": e.sizes.seeded_key_bytes,
        }
        if wish.swap is not None:
            base["swap_seconds"] = e.swap.repeated_seconds if e.swap else 0.0
        used = uses(base, wish, at_once, values_of(self.program))
        told = base | used | {k: nan if v is None else v for k, v in seeded.items()}
        return {name: float(value) for name, value in told.items()}

    def to_json(self, pareto: bool) -> Json:
        return {
            "library": self.library,
            "scheme": self.scheme,
            "request": self.settings,
            "parameters": parameters_json(self.parameters),
            "estimate": self.estimate.to_json(),
            "figures": {k: v for k, v in self.figures.items() if isfinite(v) and self._tells(k)},
            "pareto": pareto,
            "rounded": self.rounded,
            **self._threads_json(),
        }

    def _tells(self, figure: str) -> bool:
        """Whether the figure is part of the answer: wall times are where they were asked for."""
        return bool(self.walls) or figure not in _OF_WALLS

    def _threads_json(self) -> Json:
        """How many threads execute it, where any number was asked for."""
        if not self.walls:
            return {}
        return {
            "threads": self.estimate.threads,
            "threads_by_default": self.threads is None,
            "wall_seconds_by_threads": dict(self.walls),
        }


def split(program: Program, slots: int | None) -> int | None:
    """`slots` where the program's vectors are split to fill exactly so many; None where it is packed as
    usual."""
    return slots if program.slots == slots else None


def request_json(request: Request) -> Json:
    """The settings of a request as JSON, without the scheme and without those that are not set."""
    form = request_form(request)
    form |= {f"{PREFIX}{name}": value for name, value in form.pop("bootstrap", {}).items()}
    return {k: v for k, v in form.items() if v is not None and v is not False and k != "scheme"}


def parameters_json(p: Parameters) -> Json:
    """The parameters as JSON, as they are shown."""
    return {
        "ring_dimension": p.ring_dimension,
        "log_q": p.log_q,
        "log_p": p.log_p,
        "log_qp": p.log_qp,
        "limbs": p.limbs,
        "special_limbs": len(p.p),
        "digits": p.digits,
        "technique": p.technique or None,
        "key_switching": p.key_switching or None,
        "secret": p.secret,
        "plain_modulus": None if p.scheme == "ckks" else p.plain_modulus,
        "primes": list(p.q),
        "special_primes": list(p.p),
    } | _bootstrap_json(p)


def _bootstrap_json(p: Parameters) -> Json:
    """The bootstrap of a set that has one, as JSON."""
    own = p.bootstrap if p.scheme == "ckks" else None
    if own is None:
        return {}
    procedure = own.procedure
    return {
        "bootstrap": {
            "levels": p.levels,
            "slots": procedure.slots,
            "encode": list(procedure.encode),
            "decode": list(procedure.decode),
            "iterations": procedure.iterations,
            "message_bits": procedure.message_bits,
            "weight": own.weight,
            "ephemeral_weight": procedure.ephemeral,
            "primes": list(own.q),
            "special_primes": list(own.p),
        }
    }


def uses(base: Figures, wish: Wish, at_once: Any, values: int = 1) -> dict[str, Any]:
    """The figures that follow from times, memory and sizes for this use, by name. Among them are the
    objectives, and `score`, the value of the wish's objective.

    `base` has `work` (which ranks sets where there is no profile), `cpu_seconds`, `keygen_seconds` and
    `wall_seconds` (NaN without a profile), `peak_bytes`, `upload_bytes`, `download_bytes` and
    `key_bytes`; where sets may swap, also `swap_seconds`, which are added to the times. One run can hold
    `at_once` requests, of `values` values each.
    """
    requested = base["upload_bytes"] + base["download_bytes"]
    communication = requested + base["key_bytes"] / wish.requests
    time, wall = (
        np.where(np.isnan(base[name]), base["work"], base[name]) for name in ("cpu_seconds", "wall_seconds")
    )
    if wish.swap is not None:
        time, wall = time + base["swap_seconds"], wall + base["swap_seconds"]
    figures = {
        "time": time,
        "wall": wall,
        "memory": base["peak_bytes"],
        "communication": communication,
        "amortised": time / at_once,
        "cost": _cost(base, wish, communication),
    }
    return figures | {
        "request_bytes": requested,
        "setup_bytes": base["key_bytes"],
        "seconds_per_value": base["cpu_seconds"] / (at_once * values),
        "score": wish.goal.score(figures),
    }


def _cost(base: Figures, wish: Wish, communication: Any) -> Any:
    """The price of a request, with its share of the price of the keys; infinite where core hours have a price
    and no time is known."""
    hours = (base["cpu_seconds"] + base["keygen_seconds"] / wish.requests) / HOUR
    price = wish.price_core_hour or 0.0
    computed = np.where(np.isnan(hours), np.inf, price * hours) if price else 0.0
    return computed + (wish.price_gib or 0.0) * communication / GIB


def values_of(program: Program) -> int:
    """The number of elements that a request brings: the length of its longest input."""
    return max((length for packed in program.inputs for _, length in packed.sources), default=1)


def requests_at_once(program: Program, ring_dimension: int) -> int:
    """The number of requests that one run can hold. Where no slot ever reaches another, free slots hold
    further requests, as often as the program's slots fit into the ring; else it is 1."""
    if program.rotations or program.swaps_rows or program.sums_slots:
        return 1
    slots = ring_dimension // 2 if program.scheme == "ckks" else ring_dimension
    return max(slots // program.slots, 1)
