"""Settings of a grid that follow from its others, such as a chain of primes from the number of products."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from fheasible.exploration.sweeps.axes import Combinations

Told = Mapping[str, str]
Derived = Callable[[Told], Told]


def nothing(told: Told) -> Told:
    return {}


@dataclass(frozen=True, slots=True)
class WithDerived(Combinations[str]):
    """A grid whose every set also has the settings that `derived` makes of its others."""

    derived: Derived = nothing

    def points(self) -> Iterator[dict[str, str]]:
        for point in Combinations.points(self):
            yield {**point, **self.derived(point)}
