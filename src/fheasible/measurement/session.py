"""Workers that are kept from run to run, which is quicker than a process for each run.

What an earlier run left in a library's pools stays there, so that only a fresh process shows the true memory.
Therefore the first run of each job has its own process. The later runs, which are for times alone, share one.
Where memory does not matter, all runs may share.
"""

from contextlib import ExitStack
from types import TracebackType
from typing import Self

from fheasible.measurement.job import Job
from fheasible.measurement.sampling import Attempt, attempt, attempt_on
from fheasible.measurement.worker import Worker


class WorkerSession:
    """A `Run` for `sample` within a `with` block: one worker for each library and number of threads."""

    def __init__(self, fresh: bool = True) -> None:
        self._fresh = fresh  # whether a job's first run has a process of its own
        self._workers: dict[tuple[str, int | None], Worker] = {}
        self._seen: set[str] = set()
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def __call__(self, job: Job) -> Attempt:
        """The outcome of one run; a worker that failed is not used again."""
        if self._fresh and job.key not in self._seen:
            self._seen.add(job.key)
            return attempt(job)
        key = (job.library, job.plan.threads)
        if key not in self._workers:
            self._workers[key] = self._stack.enter_context(Worker(*key))
        came = attempt_on(self._workers[key], job)
        if came.measurement is None:
            del self._workers[key]
        return came
