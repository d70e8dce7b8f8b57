"""One candidate after another is run until a result is right."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from fheasible.errors import FheasibleError, LibraryMissing, WorkerRefused, WrongResult
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.proof.proof import Proof

MOST = 4  # kinds of sets that are run: so many failures are no matter of luck


@dataclass(frozen=True, slots=True)
class Failure:
    """A set that fitted by all that was predicted, and was refused or wrong when it was run; or that could
    not be run, because its library's worker does not answer."""

    candidate: Candidate
    error: WorkerRefused | WrongResult | LibraryMissing

    @property
    def missing(self) -> bool:
        """Whether the set was not run, so that the failure says nothing about it."""
        return isinstance(self.error, LibraryMissing)

    @property
    def number(self) -> int | None:
        """The number of the run in the store; None where it was not stored."""
        return None if isinstance(self.error, LibraryMissing) else self.error.number

    @property
    def report(self) -> str:
        """The command that shows what a report of the failure needs; empty where it was not stored."""
        return "" if self.number is None else f"fheasible results show {self.number} --json"

    @property
    def kind(self) -> str:
        """The word that is printed before the failure."""
        return "not run" if self.missing else "wrong"

    def __str__(self) -> str:
        if self.missing:
            remedy = f". Remedy: {self.error.remedy}" if self.error.remedy else ""
            return f"{self.error.message}{remedy}"
        told = f": please report it with the output of {self.report}" if self.report else ""
        return f"{self.error.message}. This is a fault in Fheasible{told}"


def until_right(
    candidates: Iterable[Candidate],
    run: Callable[[Candidate], Proof],
    told: Callable[[Failure], None] = lambda _: None,
) -> tuple[Proof, tuple[Failure, ...]]:
    """The first right result, and the failures before it; `told` is called with each failure when it comes.

    After a failure, only sets of another library, scheme or technique are run; after a worker that does not
    answer, only sets of another library. WrongResult where all of them fail, LibraryMissing where none could
    be run.
    """
    failures: list[Failure] = []
    for c in candidates:
        if any(_alike(c, f) for f in failures) or sum(not f.missing for f in failures) == MOST:
            continue
        try:
            return run(c), tuple(failures)
        except (WorkerRefused, WrongResult, LibraryMissing) as error:
            failures.append(Failure(c, error))
            told(failures[-1])
    raise _none(failures)


def exit_code(failures: Sequence[Failure]) -> int:
    """The exit code of a call in which another set than the best one was proved: 3 where one was refused or
    wrong, 1 where one could not be run, 0 without failures."""
    return max((WrongResult.exit_code if not f.missing else f.error.exit_code for f in failures), default=0)


def _alike(c: Candidate, f: Failure) -> bool:
    """Whether the failure says enough about this set, too."""
    return c.library == f.candidate.library and (f.missing or _kind(c) == _kind(f.candidate))


def _kind(c: Candidate) -> tuple[str, str, str]:
    return c.library, c.scheme, c.parameters.technique


def _none(failures: Sequence[Failure]) -> FheasibleError:
    ran = [f for f in failures if not f.missing]
    if not ran:
        return LibraryMissing(
            "; ".join(f.error.message for f in failures), "; ".join(f.error.remedy for f in failures)
        )
    first, more = ran[0], len(ran) - 1
    others = f"; {more} other set{'s' * (more > 1)} predicted to be right failed, too" if more else ""
    reports = "; ".join(f.report for f in ran if f.report)
    remedy = f"please report it with the output of {reports}" if reports else ""
    found = WrongResult(f"{first.error.message}{others}", remedy)
    found.number = first.number
    found.proof = getattr(first.error, "proof", None)
    return found
