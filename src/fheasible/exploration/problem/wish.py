"""What the user wants of a recommendation: the objective to minimise, and what every set has to meet."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from math import floor, isfinite
from typing import Any, Final

import numpy as np

from fheasible.errors import UsageError
from fheasible.estimation.swapping import SwapSpace
from fheasible.exploration.problem.pins import NO_PINS, Pins
from fheasible.noise.achieved import Achieved

ALIASES: Final[Mapping[str, str]] = {"size": "communication"}
NAMES: Final = ("time", "wall", "memory", "communication", "amortised", "cost")
OBJECTIVES: Final = (*NAMES, *ALIASES)
_OBJECTIVE_FORMS = (
    f"choose one of {', '.join(OBJECTIVES)}, or a mix with weights, such as time:0.7,memory:0.3"
)
_OF_TIME: Final = ("time", "wall", "amortised", "cost")
_TINIEST = 1e-300  # in place of a figure of 0, so that it has a logarithm, too

SECURITY_LEVELS = (128, 192, 256)
_MOST_PRICE = 1e15
HALF = 0.5  # what an integer's error must stay below
LEAST_BITS = 10.0  # bits of precision of CKKS results where none is asked
FAILURE_BITS, SHARED_FAILURE_BITS = 40.0, 128.0  # results that are shared leak through failures
_PRECISION_FORMS = (
    "write --precision 15 (bits: no error is larger than 2^-15 of the largest result), mean:15 (the "
    "average of -log2 of the relative errors), absolute:1e-4 (no element is farther off), relative:1e-3 "
    "(no error is a larger part of the element's value) or class (the largest score stays the largest)"
)


class Objective(str):
    """An objective as the text that is shown: "time", or "time:0.7,memory:0.3"."""

    @staticmethod
    def parse(text: str) -> "Objective":
        """The objective of that text. UsageError for an unknown name, an invalid weight, or a name that is
        given twice."""
        given = text.strip().lower()
        words = [word.strip() for word in given.split(",")]
        found = [_part(text, word, alone=len(words) == 1) for word in words]
        names = [name for name, _ in found]
        if len(set(names)) < len(names):
            raise UsageError(
                f"{text!r} names {_twice(names)} twice", f"give each name one weight; {_OBJECTIVE_FORMS}"
            )
        return Objective(given if len(words) == 1 else ",".join(words))

    @cached_property
    def parts(self) -> tuple[tuple[str, float], ...]:
        """The (name, weight) pairs; the weights add up to 1."""
        found = [_part(self, word, alone=True) for word in self.split(",")]
        total = sum(weight for _, weight in found)
        return tuple((name, weight / total) for name, weight in found)

    def said(self, timed: bool = True) -> str:
        """What its figures are called in a sentence; where no times are known (`timed` is false), they are
        unweighted work."""
        if len(self.parts) > 1:
            return "mean of the mix"
        name = self.names[0]
        if name == "amortised":
            return "time per request" if timed else "work per request"
        if name in ("time", "wall") and not timed:
            return "work"
        return "wall time" if name == "wall" else name

    @property
    def of_time(self) -> float:
        """The weight of the figures that are predictions of time."""
        return sum(weight for name, weight in self.parts if name in _OF_TIME)

    @property
    def of_memory(self) -> float:
        """The weight of the figures that are predictions of memory."""
        return sum(weight for name, weight in self.parts if name == "memory")

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.parts)

    def score(self, figures: Mapping[str, Any]) -> Any:
        """The weighted geometric mean of the figures by name, so that no unit matters; a single figure
        itself. Figures are numbers or arrays."""
        if len(self.parts) == 1:
            return figures[self.parts[0][0]]
        logs = (w * np.log(np.maximum(figures[name], _TINIEST)) for name, w in self.parts)
        return np.exp(sum(logs))


def _part(text: str, word: str, alone: bool) -> tuple[str, float]:
    name, colon, number = word.partition(":")
    name = name.strip()
    if ALIASES.get(name, name) not in NAMES:
        raise UsageError(f"there is no objective {name!r}", _OBJECTIVE_FORMS)
    if not colon and not alone:
        raise UsageError(f"{name} has no weight in {text!r}", f"write {name}:0.5; {_OBJECTIVE_FORMS}")
    try:
        weight = float(number) if colon else 1.0
    except ValueError:
        raise UsageError(
            f"{number!r} is not a weight for {name}", f"write {name}:0.5; {_OBJECTIVE_FORMS}"
        ) from None
    if not (isfinite(weight) and weight > 0):
        raise UsageError(
            f"the weight {number} for {name} is not above 0", f"give weights above 0; {_OBJECTIVE_FORMS}"
        )
    return ALIASES.get(name, name), weight


def _twice(names: list[str]) -> str:
    return next(name for name in names if names.count(name) > 1)


class Measure(StrEnum):
    """How a precision is stated. It holds for all but one in a thousand encryptions."""

    BITS = "bits"  # -log2 of the largest error of an element, as a part of the largest result
    MEAN = "mean"  # average over elements of -log2 of the relative error [GKS25]
    ABSOLUTE = "absolute"  # the largest error of an element
    RELATIVE = "relative"  # the largest error of an element over its value
    CLASS = "class"  # the largest score is that in the clear, on 99 % of the samples: see `classes`


@dataclass(frozen=True, slots=True)
class Asked:
    """A precision, as it is asked for."""

    measure: Measure
    value: float
    classes: int | None = (
        None  # classes of a sample that the error is to keep; 0: all results are one sample's
    )

    def __post_init__(self) -> None:
        if self.measure is Measure.CLASS:
            if self.value != int(self.value) or self.value < 0:
                raise UsageError(f"{self.value:g} is not a number of classes", _PRECISION_FORMS)
            return
        if self.in_bits and not 0 < self.value <= 52:
            raise UsageError(
                f"a precision of {self.value:g} bits is not possible",
                f"ask for more than 0 and at most 52 bits, which cleartext doubles have; {_PRECISION_FORMS}",
            )
        if not (isfinite(self.value) and self.value > 0):
            raise UsageError(
                f"an error of {self.value:g} is not possible", f"ask for an error above 0; {_PRECISION_FORMS}"
            )

    @property
    def in_bits(self) -> bool:
        """Whether more is better: bits of precision, and not an error."""
        return self.measure in (Measure.BITS, Measure.MEAN)

    @staticmethod
    def parse(text: str) -> "Asked":
        """The precision that the text asks for: "15", "mean:15", "absolute:1e-4", "relative:1e-3", "class" or
        "class:10". UsageError for anything else."""
        if text.strip().lower() == Measure.CLASS:
            return Asked(Measure.CLASS, 0)
        name, colon, number = text.strip().lower().rpartition(":")
        try:
            measure, value = Measure(name) if colon else Measure.BITS, float(number)
        except ValueError:
            raise UsageError(f"{text!r} is not a precision", _PRECISION_FORMS) from None
        if not colon and 0 < value < 1:
            raise UsageError(f"{text} is less than one bit of precision", _PRECISION_FORMS)
        return Asked(measure, value)

    def of(self, achieved: Achieved) -> float:
        """The figure that is asked for."""
        return float(getattr(achieved, self.measure.value))

    @property
    def figure(self) -> str:
        """The name of the figure of a `Precision` that decides whether it is reached."""
        return f"assured_{self.measure}"

    def met_by(self, achieved: Achieved) -> bool:
        return self.reached_by(self.of(achieved))

    def reached_by(self, figure: float) -> bool:
        return figure >= self.value if self.in_bits else figure <= self.value

    def said(self, value: float) -> str:
        """A figure of that kind: "12.3 bits", "absolute errors up to 0.0012"."""
        if self.in_bits:
            return f"{round(value, 1) + 0.0:.1f} bits{' on average' * (self.measure is Measure.MEAN)}"
        return f"{self.measure} errors up to {value:.2g}"

    def relied_on(self, value: float) -> str:
        """What such a figure promises, in words; bits are rounded down."""
        if not self.in_bits:
            return f"{self.said(value)} must be expected"
        if value <= 0:
            return "no bit of precision can be relied on"
        on_average = " on average" * (self.measure is Measure.MEAN)
        return f"{floor(10 * value) / 10:.1f} bits of precision{on_average} can be relied on"

    def __str__(self) -> str:
        if self.classes is not None:
            return f"the same class on 99 % of the data (errors <= {self.value:.2g})"
        if self.in_bits:
            return f"{'mean ' * (self.measure is Measure.MEAN)}precision >= {self.value:g} bits"
        return f"{self.measure} error <= {self.value:g}"


def bits(value: float) -> Asked:
    return Asked(Measure.BITS, value)


def rounds_below(needed: Asked) -> float:
    """The bound that the error of an integer must stay below where `needed` is asked: half at most."""
    return min(HALF, needed.value) if needed.measure is Measure.ABSOLUTE else HALF


@dataclass(frozen=True, slots=True)
class Wish:
    """Constraints and the objective. Security is classical unless `quantum`.

    `failure`: an exact result may be wrong once in 2^failure runs. `shared_results`: decrypted results are
    shown to people other than the owner of the secret key. `worst_case`: the precision must hold for every
    input in the declared ranges, by the worst inputs that are found, and not for the data alone. `requests`
    are served under one set of keys, and share its cost. Prices are for an hour of one core, and for a GiB
    that is sent, in any one currency. `threads` are the numbers of threads that may execute a program, of
    which the best is taken; None is what a library does by default on a machine with so many `cores`. `swap`:
    sets that need more memory may swap, and times are those of the runs then; `max_bytes` is the limit on
    memory and swap together. `pins`: only sets with these settings are searched.
    """

    security: int = 128
    quantum: bool = False
    precision: Asked | None = None
    max_seconds: float | None = None
    max_bytes: int | None = None
    objective: Objective | str = "time"
    failure: float | None = None
    shared_results: bool = False
    worst_case: bool = False
    max_ciphertext_bytes: int | None = None
    max_key_bytes: int | None = None
    requests: int = 1
    price_core_hour: float | None = None
    price_gib: float | None = None
    threads: tuple[int | None, ...] = (1,)
    cores: int = 1
    swap: SwapSpace | None = None
    pins: Pins = NO_PINS

    def __post_init__(self) -> None:
        if self.security not in SECURITY_LEVELS:
            raise UsageError(
                f"security {self.security} is not a level that the standards define",
                f"choose one of {', '.join(map(str, SECURITY_LEVELS))} bits",
            )
        object.__setattr__(self, "objective", Objective.parse(self.objective))
        if self.failure is not None and not 1 <= self.failure <= 1000:
            raise UsageError(
                f"a failure once in 2^{self.failure:g} runs cannot be judged",
                "give an exponent from 1 to 1000, such as --failure 40 for once in 2^40",
            )
        self._check_use()

    def _check_use(self) -> None:
        """Raises UsageError where the number of requests or a price is invalid, and where cost is the
        objective and nothing has a price."""
        if self.requests < 1:
            raise UsageError(
                f"requests={self.requests} is not a number of requests under one set of keys",
                "give a whole number of 1 or more, such as --requests 1000",
            )
        for name, price in (("core-hour", self.price_core_hour), ("GiB", self.price_gib)):
            if price is not None and not 0 <= price <= _MOST_PRICE:
                raise UsageError(
                    f"a price of {price:g} for a {name} is not possible",
                    f"give a number from 0 to {_MOST_PRICE:g}",
                )
        if "cost" in self.goal.names and not (self.price_core_hour or self.price_gib):
            raise UsageError(
                "cost is the objective, but nothing has a price",
                "give --price-core-hour, --price-gib or both",
            )

    @property
    def compares_walls(self) -> bool:
        """Whether wall times and numbers of threads are part of what is asked."""
        return self.threads != (1,) or "wall" in self.goal.names

    @property
    def goal(self) -> Objective:
        """The objective to minimise."""
        return Objective(self.objective)

    @property
    def least(self) -> Asked:
        """What a real result must reach at least."""
        return bits(LEAST_BITS) if self.precision is None else self.precision

    @property
    def failure_bits(self) -> float:
        """-log2 of how often an exact result may be wrong."""
        if self.failure is not None:
            return self.failure
        return SHARED_FAILURE_BITS if self.shared_results else FAILURE_BITS
