"""Parameter sets to analyse: every combination of a few values of each parameter."""

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from fheasible.errors import UsageError
from fheasible.exploration.sweeps.axes import Axis, Combinations, combined, decimal, typed_axis
from fheasible.schemes.parameters import RingParameters

NAMES = ("n", "log_q", "t", "log_w", "sigma")
DEFAULTS: dict[str, Any] = {f.name: f.default for f in fields(RingParameters)}
REQUIRED = ("n", "log_q")

Number = int | float
Point = dict[str, Number]
Grid = Combinations[Number]


def parameters(points: Sequence[Point]) -> RingParameters:
    """The sets as arrays; a parameter that is the same in all of them is a single number."""
    columns = {name: [point[name] for point in points] for name in NAMES}
    return RingParameters(**{name: _column(name, values) for name, values in columns.items()})


def _column(name: str, values: Sequence[Number]) -> Any:
    first = values[0]
    if all(value == first for value in values):
        return first
    return np.array(values, dtype=np.float64 if name == "sigma" else np.int64)


def grid(vary: Sequence[str], fix: Sequence[str], words: Sequence[str] = ()) -> Grid:
    """The grid of settings name=value. Those of `vary` vary, those of `fix` do not, and those of `words` vary
    where they have several values.

    UsageError for unknown names, for what is given twice or not at all, and for ranges that are not possible.
    """
    return _complete(combined(vary, fix, words, _axis))


def _complete(found: Grid) -> Grid:
    given = {a.name for a in found.axes} | set(found.fixed)
    missing = [name for name in REQUIRED if name not in given]
    if missing:
        remedy = " ".join(f"{name}={'4096' if name == 'n' else '300'}" for name in missing)
        raise UsageError(f"{' and '.join(missing)} must be given", f"add --fix {remedy}")
    defaults: Point = {name: DEFAULTS[name] for name in NAMES if name not in given}
    made = Combinations(found.axes, {**found.fixed, **defaults})
    _check(made)
    return made


def _check(made: Grid) -> None:
    """Raises InfeasibleParameters where a set lies outside what rings compute with."""
    n, log_q, t, log_w, sigma = (np.array(made.values(name)) for name in NAMES)
    RingParameters(n, log_q, sigma=sigma).checked()
    RingParameters(n, int(log_q.min()), t, log_w).checked()


def _axis(setting: str) -> Axis[Number]:
    typed = typed_axis(setting, "write name=value, such as n=4096 or log_q=100:300:10", _known)
    values = tuple(_number(setting, typed.name, text) for text in typed.values)
    if len(set(values)) < len(values):
        raise UsageError(f"'{setting}' has a value twice", "give every value once")
    return Axis(typed.name, values)


def _known(typed: str) -> str:
    name = typed.lower().replace("-", "_")
    if name not in NAMES:
        raise UsageError(
            f"ring schemes have no parameter {name!r}",
            f"choose among {', '.join(NAMES)}; or name a library with --library to sweep its parameters",
        )
    return name


def _number(setting: str, name: str, word: str) -> Number:
    value = decimal(setting, word)
    if name == "sigma":
        return float(value)
    if value != value.to_integral_value():
        raise UsageError(f"{name} = {value} in '{setting}' is not a whole number", "write whole numbers")
    if abs(value) >= 2**62:
        raise UsageError(f"{name} = {value} in '{setting}' is too large", "stay below 2^62")
    return int(value)
