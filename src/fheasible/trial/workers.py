"""Workers that are kept between runs, so that a library is loaded once for hundreds of runs."""

from contextlib import ExitStack
from types import TracebackType
from typing import Any, Self

from fheasible.errors import WorkerRefused
from fheasible.measurement.execute import RunPlan, execute_on
from fheasible.measurement.records import Measurement
from fheasible.measurement.worker import Worker
from fheasible.program.types import Program

RUNS = 200  # of one process: its end gives back what a library's pools keep


class Workers:
    """The `run` argument of `prove`, within a `with` block: it keeps a process per library, until that fails.

    Only the first run of a process shows the memory of a fresh one. While `fresh` is set, each run starts a
    new process.
    """

    def __init__(self) -> None:
        self._running: dict[str, tuple[Worker, ExitStack, int]] = {}
        self.fresh = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for library in list(self._running):
            self._end(library)

    def __call__(
        self,
        library: str,
        program: Program,
        parameters: Any,
        inputs: Any,
        plan: RunPlan | None = None,
        **more: Any,
    ) -> Measurement:
        """The measurement of a program, with the arguments of `measurement.execute.execute`."""
        worker, stack, runs = self._worker(library)
        self._running[library] = (worker, stack, runs + 1)
        try:
            return execute_on(worker, program, parameters, inputs, plan, **more)
        except WorkerRefused:  # the worker is healthy
            raise
        except BaseException:
            self._end(library)
            raise

    def _worker(self, library: str) -> tuple[Worker, ExitStack, int]:
        known = self._running.get(library)
        if known is not None and (self.fresh or known[2] >= RUNS):
            self._end(library)
        if library not in self._running:
            with ExitStack() as stack:
                worker = stack.enter_context(Worker(library))
                self._running[library] = (worker, stack.pop_all(), 0)
        return self._running[library]

    def _end(self, library: str) -> None:
        known = self._running.pop(library, None)
        if known is not None:
            known[1].close()
