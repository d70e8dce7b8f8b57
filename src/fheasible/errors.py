"""Everything that can go wrong, as one tree.

FheasibleError                 exit code 1 unless said otherwise
├── UsageError                 exit code 2: what was typed cannot be meant
├── CircuitError               the application cannot be traced or expressed
│   ├── UnsupportedOperation   a scheme or library has no such operation
│   └── PromiseBroken          a value leaves the range the user promised
├── DataError                  the data file cannot be read as the application's inputs
├── InfeasibleParameters       no parameters satisfy the request
├── RingMismatch               operands of a ring operation do not fit each other
├── NotInvertible              a ring element has no inverse
├── TooLarge                   what is asked for does not fit in memory
├── UnknownName                there is no library, scheme, technique ... of that name
├── LibraryMissing             a library's worker did not say hello, or does not answer such requests
├── ExtraMissing               an optional part of Fheasible is not installed
├── WorkerFailed               a worker's run has no result
│   ├── WorkerRefused          the worker is healthy and says why it will not run this
│   ├── WorkerDied             the worker ended before it answered
│   │   └── KilledForMemory    the kernel killed it, because it needed more than its memory limit
│   ├── WorkerDisbelieved      the worker's answer cannot be what was asked for
│   └── WorkerTimedOut         the worker overran its time
├── LimitImpossible            a run cannot be limited in its memory as asked
├── StoreError                 the results file cannot be used
├── ClusterError               the hosts of a cluster cannot be reached or used
└── WrongResult                exit code 3: a decrypted result differs from the cleartext result
"""

from typing import Any


class FheasibleError(Exception):
    """An expected failure: what was given, what is possible, and the remedy."""

    exit_code = 1

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        """The message with its remedy, as a traceback or a notebook shows it."""
        return f"{self.message}\nremedy: {self.remedy}" if self.remedy else self.message

    @property
    def kind(self) -> str:
        return type(self).__name__


class UsageError(FheasibleError):
    exit_code = 2


class CircuitError(FheasibleError):
    pass


class UnsupportedOperation(CircuitError):
    pass


class PromiseBroken(CircuitError):
    pass


class DataError(FheasibleError):
    pass


class InfeasibleParameters(FheasibleError):
    pass


class RingMismatch(FheasibleError):
    pass


class NotInvertible(FheasibleError):
    pass


class TooLarge(FheasibleError):
    pass


class UnknownName(FheasibleError):
    exit_code = 2


class LibraryMissing(FheasibleError):
    pass


class ExtraMissing(FheasibleError):
    pass


class WorkerFailed(FheasibleError):
    number: int | None = None  # the number of the run in the store
    hello: Any = None  # what the worker had said about itself (measurement.records.Hello)


class WorkerRefused(WorkerFailed):
    reason = ""  # the worker's own kind: UnsupportedOperation, InfeasibleParameters or BadRequest


class WorkerDied(WorkerFailed):
    pass


class KilledForMemory(WorkerDied):
    pass


class WorkerTimedOut(WorkerFailed):
    pass


class WorkerDisbelieved(WorkerFailed):
    exit_code = 3


class LimitImpossible(FheasibleError):
    pass


class StoreError(FheasibleError):
    pass


class ClusterError(FheasibleError):
    pass


class WrongResult(FheasibleError):
    exit_code = 3
    number: int | None = None  # the number of the run in the store
    proof: object = None  # the run, where it had a result (exploration.proof.judged.JudgedRun)
    foreseen: bool = False  # whether this was to be expected of the set, so that it is no fault of ours
