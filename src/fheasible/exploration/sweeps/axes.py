"""Every combination of a few values of each parameter, and the settings name=values that give them.

A setting is typed as a value, a list a,b,c, or a range start:stop:step.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from itertools import islice, product
from math import prod
from typing import Generic, TypeVar

from fheasible.errors import UsageError

V = TypeVar("V")

MOST_VALUES = 10_000_000  # of one parameter: more are a mistake rather than a wish


@dataclass(frozen=True, slots=True)
class Axis(Generic[V]):
    """A parameter and its values, in the order in which they were given."""

    name: str
    values: tuple[V, ...]


@dataclass(frozen=True, slots=True)
class Combinations(Generic[V]):
    """A grid of parameter sets: the parameters of `axes` vary, the last one fastest, and those of `fixed` do
    not."""

    axes: tuple[Axis[V], ...] = ()
    fixed: Mapping[str, V] = field(default_factory=dict)

    def __len__(self) -> int:
        return prod(len(axis.values) for axis in self.axes)

    def points(self) -> Iterator[dict[str, V]]:
        """Every set, with all its parameters."""
        names = [axis.name for axis in self.axes]
        for values in product(*(axis.values for axis in self.axes)):
            yield {**self.fixed, **dict(zip(names, values, strict=True))}

    def chunks(self, size: int) -> Iterator[list[dict[str, V]]]:
        """All points in their order, `size` at a time."""
        points = self.points()
        while chunk := list(islice(points, size)):
            yield chunk

    def values(self, name: str) -> tuple[V, ...]:
        """All values that the parameter takes."""
        return next((a.values for a in self.axes if a.name == name), None) or (self.fixed[name],)

    def slices(self, name: str, most: int) -> "list[Combinations[V]]":
        """Grids in which that parameter alone varies: one for each combination of the others where there are
        at most `most` of these, else only the one with the others at their first values."""
        (axis,) = (a for a in self.axes if a.name == name)
        others = Combinations(tuple(a for a in self.axes if a.name != name), self.fixed)
        count = len(others) if len(others) <= most else 1
        return [Combinations((axis,), _without(point, name)) for point in islice(others.points(), count)]


def _without(point: Mapping[str, V], name: str) -> dict[str, V]:
    return {k: v for k, v in point.items() if k != name}


def combined(
    vary: Sequence[str], fix: Sequence[str], words: Sequence[str], axis_of: Callable[[str], Axis[V]]
) -> Combinations[V]:
    """The grid of settings name=value, each made an axis by `axis_of`. Those of `vary` vary, those of `fix`
    do not, and those of `words` vary where they have several values.

    UsageError for what is given twice, and for several values in `fix`.
    """
    axes: dict[str, Axis[V]] = {}
    fixed: dict[str, V] = {}
    for typed in (*vary, *fix, *words):
        axis = axis_of(typed)
        name, several = axis.name, len(axis.values) > 1
        if name in axes or name in fixed:
            raise UsageError(
                f"{name} is given twice", f"give {name} once, as a range or a list: {name}=1,2,3"
            )
        if several and typed in fix:
            raise UsageError(f"--fix {typed} has {len(axis.values)} values", f"write --vary {typed}")
        if several or typed in vary:
            axes[name] = axis
        else:
            fixed[name] = axis.values[0]
    return Combinations(tuple(axes.values()), fixed)


def typed_axis(setting: str, remedy: str, known: Callable[[str], str]) -> Axis[str]:
    """The parameter and all its values as texts. `known` gives the name that a typed one means, and raises
    where there is none. UsageError with `remedy` for what is no setting, and for ranges that are not
    possible."""
    typed, equals, text = setting.partition("=")
    if not equals or not text:
        raise UsageError(f"'{setting}' is not a setting", remedy)
    name = known(typed.strip())
    return Axis(name, tuple(_texts(setting, name, text)))


def decimal(setting: str, word: str) -> Decimal:
    """The number that the word stands for. UsageError where it is none, or not finite."""
    try:
        value = Decimal(word.strip())
    except InvalidOperation:
        raise UsageError(f"'{word}' in '{setting}' is not a number", "write whole numbers") from None
    if not value.is_finite():
        raise UsageError(f"'{word}' in '{setting}' is not a number", "write whole numbers")
    return value


def _texts(setting: str, name: str, text: str) -> Iterator[str]:
    if ":" not in text:
        yield from (word.strip() for word in text.split(","))
        return
    words = text.split(":")
    if len(words) not in (2, 3):
        raise UsageError(f"'{setting}' is not a range", f"write {name}=start:stop:step")
    start, stop = (decimal(setting, word) for word in words[:2])
    factor = words[2].startswith("*") if len(words) == 3 else False
    step = decimal(setting, words[2].removeprefix("*") if len(words) == 3 else "1")
    if stop < start or step <= (1 if factor else 0) or (factor and start <= 0):
        raise UsageError(
            f"'{setting}' is an empty range", f"write {name}=start:stop:step, with stop >= start"
        )
    if not factor and (stop - start) / step > MOST_VALUES:
        raise UsageError(f"'{setting}' has more than {MOST_VALUES:,} values", "take a larger step")
    value = start
    while value <= stop:
        yield format(value.normalize(), "f") if value == value.to_integral_value() else str(value)
        value = value * step if factor else value + step
