"""The counting interpreter of torus rings: it runs algorithms on shapes alone and tallies kernels."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from fheasible.rings.torus.element import Domain, Torus
from fheasible.rings.torus.kernels import kernels
from fheasible.rings.torus.ring import Shape, TorusRing

S = TypeVar("S")


class CountingTorusRing(TorusRing):
    """A ring that only counts, for one ciphertext at a time."""

    def __init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        """Start a new tally."""
        self.tally: Counter[str] = Counter()
        self._times = 1

    def repeat(self, times: int, state: S, step: Callable[[int, S], S]) -> S:
        """The state after one step, which is counted `times` times."""
        if times == 0:
            return state
        before = self._times
        self._times = before * times
        try:
            return step(0, state)
        finally:
            self._times = before

    def _each(self, x: Torus, apply: Callable[[Torus], Torus]) -> Torus:
        one = self.repeat(x.shape[0], x, lambda _, many: apply(self.part(many, 0)))
        return replace(one, shape=(x.shape[0], *one.shape))

    def _interpret(
        self,
        operation: str,
        shape: Shape,
        domain: Domain,
        operands: tuple[Torus, ...] = (),
        value: Any = None,
    ) -> Any:
        for name, count in kernels(operation, shape, operands).items():
            self.tally[name] += count * self._times

    def _view(self, operation: str, x: Torus, shape: Shape, value: Any) -> Any:
        return None
