"""What a real run shows: its figures, and the result beside the cleartext one."""

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from fheasible import units
from fheasible.aliases import Json
from fheasible.api import busy
from fheasible.api.counted import counted
from fheasible.api.layout import Listing, Part, share, vector
from fheasible.api.limited import limited
from fheasible.api.naming import title
from fheasible.api.platform import REPETITIONS, Execution
from fheasible.errors import StoreError
from fheasible.estimation.swapping import Swapping
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.proof.failures import Failure
from fheasible.exploration.proof.judged import JudgedRun
from fheasible.exploration.proof.measured import Vectors, clocks, worst_element
from fheasible.measurement.execute import RunPlan

SIZES = {
    "peak_bytes": "peak memory",
    "ciphertext_bytes": "ciphertext",
    "public_key_bytes": "public key",
    "evaluation_key_bytes": "evaluation keys",
    "secret_key_bytes": "secret key",
}


class Proven(Protocol):
    """A right result beside the cleartext one."""

    @property
    def result(self) -> Vectors: ...

    @property
    def truth(self) -> Vectors: ...

    @property
    def precision_bits(self) -> float | None: ...

    @property
    def number(self) -> int | None: ...

    @property
    def unstored(self) -> StoreError | None: ...


def predicted(wall: Mapping[str, float | None], plan: RunPlan) -> str:
    """How long the run will take, in words; empty where that is not known."""
    if wall["total"] is None:
        return ""
    keys, once = units.seconds(wall["keygen"]), units.seconds(wall["total"])
    number = plan.warmup + plan.repetitions
    return f" (predicted: keys {keys}, {'one run' if number == 1 else f'each of {number} runs'} {once})"


def once_only(wall: Mapping[str, float | None], how: Execution, plan: RunPlan) -> str:
    """That it is run only once because that takes long, and the remedy; empty where it is not so."""
    if how.repetitions is not None or plan.repetitions > 1 or wall["total"] is None:
        return ""
    return (
        f"a run is predicted to take {units.seconds(wall['total'])}, so it is run only once; "
        f"--repetitions {REPETITIONS} runs it more often"
    )


def document(run: JudgedRun[Any]) -> Json:
    """The fields that a run adds to the candidate's document."""
    around = busy.beside(run)
    return {
        "measurement": run.measured_json(),
        "result": run.result,
        "cleartext": run.truth,
        "environment": run.environment.to_json(),
        "number": run.number,
        "slowed": run.slowed,
        "cpu_utilisation": around.utilisation,
        "busy": around.busy,
        "warnings": list(run.warnings),
        "unstored": None if run.unstored is None else run.unstored.message,
    }


def plain_document(problem: Problem, run: JudgedRun[Any]) -> Json:
    """The document of a run alone, where no sets were compared."""
    candidate: Json = run.candidate.to_json(pareto=False)
    del candidate["pareto"]
    return {"app": problem.circuit.name, "data": problem.source} | candidate | document(run)


def verified_document(
    problem: Problem, run: JudgedRun[Any], front: Container[Any], failures: Sequence[Failure[Any]]
) -> Json:
    """The document of a run of a set that was recommended. `front`: the sets that no other set beats."""
    return {
        "app": problem.circuit.name,
        "data": problem.source,
        **run.candidate.to_json(run.candidate in front),
        **document(run),
        "relative_error": run.relative_error(),
        "failed": [failure.to_json() for failure in failures],
    }


def figures(run: JudgedRun[Any], counters: bool, width: int, swap: Swapping | None = None) -> Iterator[Part]:
    """Every time and size of a run, what other processes did to it, and its result. `counters`: also what
    each phase used; `swap`: what was predicted that the run moves."""
    measured = run.measured_json()
    yield _phases(measured)
    yield ""
    sizes = [(label, units.size(measured[name])) for name, label in SIZES.items()]
    yield Listing(("size", "bytes"), sizes, left=("size",))
    yield ""
    yield Listing(("machine", "during the run"), list(busy.rows(busy.beside(run))), left=("machine",))
    yield ""
    yield from _counters(run, counters, width)
    yield from limited(run.measurement.limited, swap)
    yield from busy.said(busy.beside(run), width)
    yield from outcome(run)


def comparison(
    run: JudgedRun[Any],
    measured: Json,
    library: str,
    counters: bool,
    width: int,
    swap: Swapping | None = None,
) -> Iterator[Part]:
    """The measured figures beside the predicted ones, what other processes did to the run, and its result.
    `library`: its name; the rest as for `figures`."""
    estimate = run.candidate.estimate.to_json()
    rows = list(compared(estimate, measured, run.relative_error()))
    rows += [(what, "", value, "") for what, value in busy.rows(busy.beside(run))]
    yield Listing(("figure", "predicted", "measured", "error"), rows, left=("figure",))
    yield ""
    yield from _counters(run, counters, width)
    yield from limited(run.measurement.limited, swap)
    yield from _band(estimate, library)
    yield from busy.said(busy.beside(run), width)
    yield from outcome(run)


def _phases(measured: Json) -> Listing:
    cpu, wall = measured["cpu_seconds"], measured["wall_seconds"]
    times = ((name, *(cpu[name][k] for k in ("min", "median", "mad")), wall[name]["median"]) for name in cpu)
    rows = [(name, *map(units.seconds, seconds)) for name, *seconds in times]
    return Listing(("phase", "CPU least", "CPU median", "deviation", "wall median"), rows, left=("phase",))


def _counters(run: JudgedRun[Any], shown: bool, width: int) -> Iterator[Part]:
    if shown:
        yield from counted(run.measurement.counters, width)
        yield ""


def _band(estimate: Json, library: str) -> Iterator[str]:
    """How far the predicted times can be trusted."""
    if estimate["cpu_seconds"]["total"] is None:
        yield f"no times were predicted, because {title(library)} has no profile here."
        yield f"Remedy: fheasible calibrate --library {library}"
    elif estimate["error_band"] is not None:
        yield f"nine of ten predicted times are within {share(estimate['error_band'])}"


def compared(estimate: Json, measured: Json, errors: Json) -> Iterator[tuple[str, ...]]:
    """(figure, predicted, measured, relative error)."""
    for clock, least in clocks(measured):
        name = "CPU" if clock == "cpu_seconds" else "wall"
        for phase, told in estimate[clock].items():
            error = units.percent(errors.get(f"{clock}.{phase}"))
            yield f"{name} {phase}", units.seconds(told), units.seconds(measured[clock][phase][least]), error
    for key, label in SIZES.items():
        if not estimate[key] and measured[key] is None:
            continue  # no library of table look-ups has a public key here
        yield label, units.size(estimate[key]), units.size(measured[key]), units.percent(errors.get(key))
    if measured["precision_bits"] is not None:
        bits = (units.bits(told["precision_bits"]) for told in (estimate, measured))
        yield "precision", *bits, units.percent(errors.get("precision_bits"))
        yield "largest error", f"<= {estimate['absolute_error']:.2g}", f"{measured['absolute_error']:.2g}", ""


def outcome(proof: Proven) -> Iterator[str]:
    """Every output beside the cleartext one, and how well they agree."""
    for name, values in proof.result.items():
        truth = proof.truth[name]
        yield f"{name}: decrypted {vector(values.tolist())}, cleartext {vector(truth.tolist())}"
        yield f"  largest difference {_difference(values, truth)}"
    yield from _judged(proof)
    if proof.number is not None:
        yield f"stored as number {proof.number}: fheasible results show {proof.number}"


def _judged(proof: Proven) -> Iterator[str]:
    right, bits = "the decrypted result is right", proof.precision_bits
    if bits is None:
        yield f"{right}: exact"
    elif all(np.array_equal(values, proof.truth[name]) for name, values in proof.result.items()):
        yield f"{right}: exact after rounding, with {units.bits(bits)}s of precision before it"
    else:
        yield worst_element(proof.result, proof.truth)
        yield f"{right}: {units.bits(bits)}s of precision"


def _difference(values: Any, truth: Any) -> str:
    return f"{np.max(np.abs(values - truth)):.3g}"
