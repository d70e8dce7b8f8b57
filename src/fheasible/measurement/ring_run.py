"""Runs a job on the exact ring in a process of its own; every outcome is a record."""

import json
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import metadata

from fheasible import __version__
from fheasible.aliases import Json
from fheasible.errors import FheasibleError, TooLarge, WorkerDied, WorkerFailed, WorkerTimedOut
from fheasible.measurement import memory
from fheasible.measurement.channel import Channel
from fheasible.measurement.environment import observe
from fheasible.measurement.failures import explain_status, quoted
from fheasible.measurement.records import Hello
from fheasible.measurement.ring_job import RingJob, Vectors
from fheasible.measurement.samples import Samples, Timing
from fheasible.rings.pieces import MAPPED_BYTES
from fheasible.units import size

LIBRARY = "reference"
FREE_SHARE = 0.8  # the share of the free memory that a run may take unless told otherwise
_GRACE_SECONDS = 5.0
_KEPT = ("peak_bytes", "phase_peak_bytes", "baseline_bytes", "correct")  # kept of an answer as they are


@dataclass(frozen=True, slots=True)
class RingRecord:
    """The outcome of a job; `outcome` is one of the store's names.

    `measurement` is None where there was no result. It has CPU and wall seconds of every phase with each
    sample, `peak_bytes`, and `correct` (None where nothing could tell).

    `result` and `sizes` belong to an application: its decrypted outputs (None where no integers were
    decrypted), and the bytes of keys and of a ciphertext. `error` is why there was no result.
    """

    outcome: str
    measurement: Json | None
    environment: Json
    message: str = ""
    result: Vectors | None = None
    sizes: Mapping[str, int] = field(default_factory=dict)
    error: FheasibleError | None = None


def attempt(
    job: RingJob,
    predicted_bytes: int,
    promised: bool = True,
    max_bytes: int | None = None,
    timeout: float | None = None,
) -> RingRecord:
    """The record of the job.

    The job is refused, and not begun, where more than `max_bytes` (by default 80 % of what is free) are
    predicted. `promised` says whether the noise bound promises a right result.
    """
    before = observe(LIBRARY, 1, job.seed, hello())
    try:
        _check_size(job, predicted_bytes, free_bytes() if max_bytes is None else max_bytes)
        answer = execute(job, timeout)
    except (TooLarge, WorkerFailed) as error:
        return RingRecord(_failure(error), None, before.finished().to_json(), error.message, error=error)
    wrong = answer["correct"] is False
    return RingRecord(
        "wrong" if wrong and promised else "measured",
        _measurement(answer),
        before.finished().to_json(),
        _said(wrong, promised),
        answer.get("result"),
        answer.get("sizes", {}),
    )


def _failure(error: FheasibleError) -> str:
    kinds = ((TooLarge, "refused"), (WorkerTimedOut, "timed out"))
    return next((name for kind, name in kinds if isinstance(error, kind)), "died")


def execute(job: RingJob, timeout: float | None = None) -> Json:
    """The child's answer.

    Raises WorkerDied, WorkerTimedOut, or WorkerFailed where the child says that it cannot run the job.
    """
    argv = (sys.executable, "-m", "fheasible.measurement.ring_worker")
    deadline = None if timeout is None else time.monotonic() + timeout
    channel = Channel(argv, surroundings())
    try:
        channel.send(json.dumps(job.to_json()).encode())
        answer: Json = json.loads(channel.receive(deadline))
    except TimeoutError:
        channel.end(0.0)
        raise WorkerTimedOut(f"stopped after {timeout:g} s", "allow more with --timeout") from None
    except EOFError:
        status = channel.end(_GRACE_SECONDS)
        raise WorkerDied(
            f"{explain_status(status)}{quoted(channel.last_words)}", "take a smaller set"
        ) from None
    except BaseException:
        channel.end(0.0)
        raise
    channel.end(_GRACE_SECONDS)
    if answer["kind"] != "measured":
        raise WorkerFailed(f"{answer['kind']}: {answer['message']}", answer["remedy"])
    return answer


def free_bytes() -> int:
    """80 % of the memory that this process may still take."""
    return int(FREE_SHARE * memory.free_bytes())


@cache
def hello() -> Hello:
    """What the exact interpreter says about itself."""
    from fheasible.schemes.catalogue import SCHEMES

    try:
        native = metadata.version("fheasible_native")
    except metadata.PackageNotFoundError:
        native = "absent"
    runtime = f"Python {sys.version.split()[0]}"
    return Hello(LIBRARY, __version__, f"fheasible_native {native}", {}, runtime, tuple(SCHEMES), ())


def here() -> Json:
    """What must agree for a stored result to stand for a new one: machine, version and commit."""
    at = observe(LIBRARY, hello=hello()).to_json()
    return {name: at[name] for name in ("machine", "version", "binding", "commit")}


def _check_size(job: RingJob, predicted: int, most: int) -> None:
    if predicted > most:
        raise TooLarge(
            f"{job.scheme.title} {job.what} is predicted to take {size(predicted)} at n = {job.parameters.n},"
            f" log2 q = {job.parameters.log_q}, but only {size(most)} are allowed",
            "take smaller parameters, or allow more with --max-memory",
        )


def surroundings() -> dict[str, str]:
    """The environment variables of the child.

    They allow one thread, whatever numpy's libraries would like. They also make every large piece of memory
    go back to the system when it is freed, so that holes between pieces in use do not count into the peak,
    nor by chance into the times.
    """
    import os

    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    large = {
        "MALLOC_MMAP_THRESHOLD_": str(MAPPED_BYTES),
        "MALLOC_TRIM_THRESHOLD_": str(1 << 40),
    }  # glibc reads it
    return dict(os.environ) | dict.fromkeys(names, "1") | large


def _measurement(answer: Json) -> Json:
    phases = {name: Timing.of_pairs(pairs) for name, pairs in answer["samples"].items()}
    total = next(iter(phases.values()))
    for timing in list(phases.values())[1:]:
        total = total + timing
    phases["total"] = total
    clocks: dict[str, Callable[[Timing], Samples]] = {
        "cpu_seconds": lambda timing: timing.cpu,
        "wall_seconds": lambda timing: timing.wall,
    }
    times = {
        clock: {name: of(timing).to_json() for name, timing in phases.items()} for clock, of in clocks.items()
    }
    return times | {name: answer[name] for name in _KEPT}


def _said(wrong: bool, promised: bool) -> str:
    if not wrong:
        return ""
    if promised:
        return "the decrypted result is wrong, although the noise bound guarantees a right one"
    return "the decrypted result is wrong; the noise bound does not guarantee a right one at these parameters"
