"""A run whose result was decrypted, whatever kind of library it was made with: its figures beside the
predicted ones, and its row in a store."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, TypeVar

from fheasible.aliases import Json
from fheasible.errors import StoreError, WrongResult
from fheasible.exploration.proof.attempt import Keeping
from fheasible.exploration.proof.measured import Vectors, relative_errors
from fheasible.measurement.environment import Environment
from fheasible.measurement.records import Measurement
from fheasible.noise.achieved import Achieved


class Predicted(Protocol):
    """What was predicted of a set."""

    @property
    def pace_seconds(self) -> float | None: ...

    def to_json(self) -> Json: ...


class Judged(Protocol):
    """A set with its prediction."""

    @property
    def estimate(self) -> Predicted: ...


C = TypeVar("C", bound=Judged)


@dataclass(frozen=True, slots=True, eq=False)
class JudgedRun(Generic[C]):
    """A measurement with its result. `achieved` is the precision of real numbers, before integers are
    rounded; None for integers that are right or wrong."""

    candidate: C
    measurement: Measurement
    result: Vectors
    truth: Vectors
    achieved: Achieved | None
    correct: bool
    environment: Environment
    number: int | None = None  # of the result in the store
    warnings: tuple[str, ...] = ()  # as they were said before the run
    unstored: StoreError | None = None  # why it has no number
    beside: float | None = None  # the longer CPU seconds of `reference_loop`, before or after the run

    @property
    def slowed(self) -> float | None:
        """How many times as long a fixed piece of work took as it does where the predicted times hold; None
        where that is not known."""
        pace = self.candidate.estimate.pace_seconds
        return None if pace is None or self.beside is None else self.beside / pace

    @property
    def precision_bits(self) -> float | None:
        return self.achieved.bits if self.achieved else None

    def measured_json(self) -> Json:
        """The measured figures."""
        return self.measurement.to_json() | {
            "precision_bits": self.precision_bits,
            "warnings": list(self.warnings),
        }

    def relative_error(self) -> Json:
        """(predicted - measured) / measured, for every figure that both have."""
        return relative_errors(self.candidate.estimate.to_json(), self.measured_json())


R = TypeVar("R", bound=JudgedRun[Any])


def kept_run(keeping: Keeping, run: R, figures: Json, wrong: Callable[[R], WrongResult]) -> R:
    """The run with its number in the store, or with the reason why it has none; `figures` are stored. Raises
    what `wrong` makes of the run where its result is wrong."""
    outcome = "measured" if run.correct else "wrong"
    number = keeping.end(run.environment.to_json(), outcome, figures)
    run = replace(run, number=number, unstored=keeping.fault)
    if not run.correct:
        error = wrong(run)
        error.proof, error.number = run, number
        raise keeping.noted(error)
    return run
