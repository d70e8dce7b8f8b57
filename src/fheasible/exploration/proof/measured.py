"""What a run measured: whether a worker's answer can be what was asked for, by its parameters, sizes, times
and memory; its figures compared with the predicted ones, and its result with the cleartext one.

A worker is another program, and what it says is stored as the truth. A right result alone proves nothing,
since it is right in a ring of any size.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fheasible.aliases import Json
from fheasible.exploration.judging.candidate import Candidate
from fheasible.libraries.catalogue import library
from fheasible.measurement.execute import RunPlan
from fheasible.measurement.records import Measurement
from fheasible.program.types import Action, Program

NOT_BELIEVED = "is not believed"  # said of a worker's answer: nothing is known about the set then
_SIZES = ("ciphertext_bytes", "public_key_bytes", "secret_key_bytes", "evaluation_key_bytes")
_SIZE_FACTOR = 1.5  # predictions of sizes are exact: beyond this factor, it is another object
_TIME_FACTOR = 100.0  # no machine is so many times as fast as the one that was calibrated
_MEMORY_FACTOR = 4.0
_TOLD_SECONDS = 1e-3  # shorter predictions are all overhead

Vectors = dict[str, NDArray[Any]]
_SINGLE = (
    "peak_bytes", "ciphertext_bytes", "public_key_bytes", "evaluation_key_bytes", "secret_key_bytes",
    "precision_bits",
)  # fmt: skip


def faults(c: Candidate, plan: RunPlan, m: Measurement) -> list[str]:
    """What is impossible in the answer, one clause each; empty for an answer that can be believed."""
    return [
        *_identity(c, m),
        *_parameters(c, m),
        *_repetitions(plan, m),
        *_threads(c, m),
        *_clocks(c.program, m),
        *_figures(c, m),
        *_outputs(c, m),
    ]


def _identity(c: Candidate, m: Measurement) -> Iterator[str]:
    known = library(c.library)
    if m.hello.library != known.name:
        yield f"it calls itself {m.hello.library}"
    yield from wrong_version(known.title, known.version, m)


def wrong_version(title: str, version: str, m: Measurement) -> Iterator[str]:
    """A clause where the worker has another version of the library than the predictions are for."""
    if not f"{m.hello.version}.".startswith(f"{version}."):
        yield f"it is {title} {m.hello.version}, but {version} was predicted"


def _parameters(c: Candidate, m: Measurement) -> Iterator[str]:
    p, ran = c.parameters, m.context
    if ran.ring_dimension != p.ring_dimension:
        yield f"it ran in a ring of dimension {ran.ring_dimension}, but {p.ring_dimension} was asked for"
    if ran.q != p.q:
        yield "the primes of Q are not those that were asked for"
    if ran.p != p.p:
        yield "the primes of P are not those that were asked for"
    if ran.digits not in (None, p.digits):
        yield f"it switched keys with {ran.digits} digits, but {p.digits} were asked for"
    if p.scheme != "ckks" and ran.plain_modulus not in (None, p.plain_modulus):
        yield f"its plaintext modulus is {ran.plain_modulus}, but {p.plain_modulus} was asked for"


def _repetitions(plan: RunPlan, m: Measurement) -> Iterator[str]:
    for name, timing in m.phases.named().items():
        least = plan.keygens if name == "keygen" else 1 if name == "context" else plan.repetitions
        if len(timing.cpu.seconds) < least:
            yield f"it measured {name} {len(timing.cpu.seconds)} times, but {least} were asked for"


def _threads(c: Candidate, m: Measurement) -> Iterator[str]:
    if m.threads != c.estimate.threads:
        yield f"it ran in {m.threads} threads, but {c.estimate.threads} were asked for"


def _clocks(program: Program, m: Measurement) -> Iterator[str]:
    """Threads can use more CPU time than passes on the wall, but no more than cores do. Work takes some CPU
    time: the clock of a thread tells nanoseconds."""
    total, threads = m.phases.total, m.threads
    for name, timing in m.phases.named().items():
        if timing.cpu.min == 0 and name not in _idle(program):
            yield f"its {name} took no CPU time"
    cpu, wall = total.cpu.min, total.wall.min
    if cpu is not None and wall is not None and cpu > max(_TOLD_SECONDS, _TIME_FACTOR * threads * wall):
        yield f"it took {cpu:.2g} s of CPU time in {wall:.2g} s"


def _idle(program: Program) -> set[str]:
    """The phases in which the program may have nothing to do."""
    actions = {o.action for o in program.operations}
    idle = set() if Action.ENCRYPT in actions else {"encrypt"}
    return idle if actions - {Action.ENCRYPT, Action.DROP} else idle | {"evaluate"}


def _outputs(c: Candidate, m: Measurement) -> Iterator[str]:
    for packed in c.program.outputs:
        if packed.name not in m.outputs:
            yield f"it gave no output {packed.name}"
            continue
        found, wanted = m.outputs[packed.name], (len(packed.values), c.program.slots)
        if found.shape != wanted or found.dtype.kind not in "if":
            yield (
                f"the output {packed.name} has the shape {found.shape} of {found.dtype}, but {wanted} was"
                " asked for"
            )


def _figures(c: Candidate, m: Measurement) -> Iterator[str]:
    predicted, sizes = c.estimate.to_json(), m.sizes.to_json()
    for name in _SIZES:
        if sizes[name] is None and predicted[name]:
            yield f"it gave no {name}, but {predicted[name]:,} was predicted"
    yield from wrong_sizes(_SIZES, predicted, m)
    limit = c.estimate.peak_bytes if m.limited is None else m.limited.memory_limit_bytes
    expected = min(c.estimate.peak_bytes, limit)  # a limited process never holds more at once
    if m.memory.peak_bytes is not None and m.memory.peak_bytes < expected / _MEMORY_FACTOR:
        yield f"peak_bytes is {m.memory.peak_bytes:,}, but {c.estimate.peak_bytes:,} was predicted"
    seconds, least = predicted["cpu_seconds"]["total"], m.phases.total.cpu.min
    if seconds and least is not None and seconds > max(_TOLD_SECONDS, _TIME_FACTOR * least):
        yield f"it took {least:.2g} s of CPU time, but {seconds:.2g} s was predicted"


def wrong_sizes(names: Iterable[str], predicted: Json, m: Measurement) -> Iterator[str]:
    """A clause for each of these sizes that the worker tells and that is far from the predicted one."""
    sizes = m.sizes.to_json()
    for name in names:
        told, expected = sizes[name], predicted[name]
        if told is not None and expected and not 1 / _SIZE_FACTOR < told / expected < _SIZE_FACTOR:
            yield f"{name} is {told:,}, but {expected:,} was predicted"


def worst_element(result: Vectors, truth: Vectors) -> str:
    """The element with the largest error: 'worst of 100 elements: result[3] = 0.26 instead of 0.25'."""
    errors = {name: np.abs(values - truth[name]) for name, values in result.items()}
    name = max(errors, key=lambda k: float(errors[k].max()))
    i, count = int(errors[name].argmax()), sum(map(len, errors.values()))
    which = f"worst of {count:,} elements: {name}[{i}]" if count > 1 else name
    return f"{which} = {result[name][i]:.7g} instead of {truth[name][i]:.7g}"


def first_difference(result: Vectors, truth: Vectors) -> str:
    """The first element that differs: 'sum[0] = 3 instead of 4'."""
    for name, values in result.items():
        different = np.flatnonzero(values != truth[name])
        if len(different):
            i = int(different[0])
            return f"{name}[{i}] = {values[i]} instead of {truth[name][i]}"
    return "no output differs"


def relative_errors(estimate: Json, measured: Json) -> Json:
    """(predicted - measured) / measured, by the name of each figure that both have. CPU times are compared
    with the least of their samples, wall times with the median. With several threads only wall times are
    compared, since CPU times are predicted for one thread that does all the work."""
    errors: Json = {}
    for clock, sample in clocks(measured):
        for phase, seconds in estimate[clock].items():
            errors[f"{clock}.{phase}"] = _relative(seconds, measured[clock][phase][sample])
    for name in _SINGLE:
        errors[name] = _relative(estimate[name], measured[name])
    return {name: error for name, error in errors.items() if error is not None}


def clocks(measured: Json) -> list[tuple[str, str]]:
    """The clocks whose predictions a run is compared with, and the sample of each that counts."""
    walls = [("wall_seconds", "median")]
    return [("cpu_seconds", "min"), *walls] if measured.get("threads", 1) == 1 else walls


def _relative(predicted: float | None, measured: float | None) -> float | None:
    if predicted is None or not measured:
        return None
    return (predicted - measured) / measured
