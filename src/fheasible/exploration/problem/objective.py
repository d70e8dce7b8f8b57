"""The objective to minimise: one figure, or a weighted mix of several."""

from collections.abc import Mapping
from functools import cached_property
from math import isfinite
from typing import Any, Final

import numpy as np

from fheasible.errors import UsageError

ALIASES: Final[Mapping[str, str]] = {"size": "communication"}
NAMES: Final = ("time", "memory", "communication", "amortised", "cost")
OBJECTIVES: Final = (*NAMES, *ALIASES)
FORMS = f"choose one of {', '.join(OBJECTIVES)}, or a mix with weights, such as time:0.7,memory:0.3"
_OF_TIME: Final = ("time", "amortised", "cost")
_TINIEST = 1e-300  # in place of a figure of 0, so that it has a logarithm, too


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
            raise UsageError(f"{text!r} names {_twice(names)} twice", f"give each name one weight; {FORMS}")
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
        return "work" if name == "time" and not timed else name

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
        raise UsageError(f"there is no objective {name!r}", FORMS)
    if not colon and not alone:
        raise UsageError(f"{name} has no weight in {text!r}", f"write {name}:0.5; {FORMS}")
    try:
        weight = float(number) if colon else 1.0
    except ValueError:
        raise UsageError(f"{number!r} is not a weight for {name}", f"write {name}:0.5; {FORMS}") from None
    if not (isfinite(weight) and weight > 0):
        raise UsageError(f"the weight {number} for {name} is not above 0", f"give weights above 0; {FORMS}")
    return ALIASES.get(name, name), weight


def _twice(names: list[str]) -> str:
    return next(name for name in names if names.count(name) > 1)
