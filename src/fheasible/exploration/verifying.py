"""One candidate after another really run, until a result is right."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from fheasible.errors import WorkerRefused, WrongResult
from fheasible.exploration.candidate import Candidate
from fheasible.exploration.proof import Proof

MOST = 4  # kinds of sets that are run: what fails so often is no matter of luck


@dataclass(frozen=True, slots=True)
class Failure:
    """A set that fitted, by all that was predicted, and was refused or wrong when it was run."""

    candidate: Candidate
    error: WorkerRefused | WrongResult

    @property
    def report(self) -> str:
        """The command that shows what a report of it needs; empty where it was not stored."""
        return "" if self.error.number is None else f"fheasible results show {self.error.number} --json"

    def __str__(self) -> str:
        told = f": please report it, with what this prints: {self.report}" if self.report else ""
        return f"{self.error.message}. That is a fault of Fheasible's{told}"


def until_right(
    candidates: Iterable[Candidate],
    run: Callable[[Candidate], Proof],
    told: Callable[[Failure], None] = lambda _: None,
) -> tuple[Proof, tuple[Failure, ...]]:
    """The first right result, of sets of another library, scheme or technique after each failure; and the
    failures, each `told` when it comes. WrongResult where all of them fail."""
    failures: list[Failure] = []
    for c in candidates:
        if len(failures) == MOST or _kind(c) in {_kind(f.candidate) for f in failures}:
            continue
        try:
            return run(c), tuple(failures)
        except (WorkerRefused, WrongResult) as error:
            failures.append(Failure(c, error))
            told(failures[-1])
    raise _none(failures)


def _kind(c: Candidate) -> tuple[str, str, str]:
    return c.library, c.scheme, c.parameters.technique


def _none(failures: list[Failure]) -> WrongResult:
    first, more = failures[0], len(failures) - 1
    others = f"; {more} other{'s' * (more > 1)} that should do failed, too" if more else ""
    reports = "; ".join(f.report for f in failures if f.report)
    remedy = f"please report it, with what this prints: {reports}" if reports else ""
    found = WrongResult(f"{first.error.message}{others}", remedy)
    found.number = first.error.number
    found.proof = getattr(first.error, "proof", None)
    return found
