"""Run a ring scheme's set on the exact ring, keep the outcome, and compare it with the prediction."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fheasible.aliases import Json
from fheasible.errors import StoreError, TooLarge, WrongResult
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.proof.attempt import UNPREDICTED_SECONDS, Keeping, given_up_after
from fheasible.exploration.proof.measured import Vectors, first_difference, relative_errors
from fheasible.exploration.rings.choice import RingCandidate
from fheasible.exploration.rings.chosen import promised
from fheasible.measurement.environment import observe
from fheasible.measurement.records import Context, MeasuredSizes, Measurement, Phases, ResidentMemory
from fheasible.measurement.ring_job import RingJob
from fheasible.measurement.ring_run import LIBRARY, RingRecord, attempt, hello
from fheasible.measurement.samples import Samples, Timing
from fheasible.schemes.noise import AVERAGE
from fheasible.schemes.plan import Plan
from fheasible.store.rows import Entry
from fheasible.store.store import Store

SMALLER = "take smaller parameters, which explore --library reference --objective memory finds"


@dataclass(frozen=True, slots=True, eq=False)
class RingProof:
    """A measurement whose result is right. `promised`: the bound on the noise had promised that, and
    `expected`: the average noise had. `depth` is the number of products in succession that the application
    has."""

    candidate: RingCandidate
    depth: int
    minimised: bool
    promised: bool
    expected: bool
    measurement: Measurement
    result: Vectors
    truth: Vectors
    environment: Json
    number: int | None  # of the result in the store
    unstored: StoreError | None = None  # why it has no number

    @property
    def precision_bits(self) -> None:
        """None, since integers are right or wrong."""

    def measured_json(self) -> Json:
        """The measured figures, named as those of other libraries."""
        return figures(self.measurement)

    def relative_error(self) -> Json:
        """(predicted - measured) / measured, for every figure that both have."""
        return relative_errors(self.candidate.to_json()["estimate"], self.measured_json())

    @property
    def warnings(self) -> tuple[str, ...]:
        """The warnings about the set, and about a result that was right by luck."""
        if self.promised or self.expected:
            return self.candidate.warnings
        doubt = f"the noise bound does not guarantee a right result here: {self.bound}; take a larger log_q"
        return (*self.candidate.warnings, doubt)

    @property
    def promise(self) -> str:
        """What the formulas of noise had promised, in words."""
        if self.promised:
            return "the noise bound guaranteed a right result"
        if self.expected:
            return (
                "the noise bound did not guarantee a right result; average noise is wrong once in 2^40 runs"
            )
        return "neither the noise bound nor average noise predicted a right result"

    @property
    def bound(self) -> str:
        """The depth that the application needs, and the one that its worst-case noise allows, in words."""
        return depths(self.depth, self.candidate)


def figures(measured: Measurement) -> Json:
    return measured.to_json() | {"precision_bits": None}


def depths(needed: int, c: RingCandidate) -> str:
    some = "1 multiplication" if needed == 1 else f"{needed} multiplications in succession"
    return f"{some} needed; {c.depth} decrypt for any factors"


def prove(
    problem: Problem,
    candidate: RingCandidate,
    steps: Plan,
    repetitions: int = 3,
    seed: int = 0,
    store: Store | None = None,
    timeout: float | None = None,
    warmup: int = 1,
) -> RingProof:
    """The candidate's run of the steps on the problem's data, after `warmup` runs that are not timed. Every
    outcome is stored before anything is raised; a store that fails leaves its reason in `unstored`.
    `timeout` is by default twenty times the prediction, but at least a minute.

    TooLarge where the run would not fit into memory and was not begun, WorkerFailed where there was no
    result, WrongResult where it is not the cleartext one, whether or not a right one was promised.
    """
    right, expected = promised(candidate, steps), promised(candidate, steps, AVERAGE)
    predicted = candidate.stored_bytes if candidate.peak_bytes is None else candidate.peak_bytes
    job = replace(_job(problem, candidate, steps, repetitions, seed), warmup=warmup)
    limit = _limit_seconds(candidate, job) if timeout is None else timeout
    here = observe(LIBRARY, 1, seed, hello())
    keeping = Keeping(store, _begun(candidate, steps), here.to_json())
    record = keeping.run(lambda: attempt(job, predicted, right, timeout=limit), here)
    tried = _Attempt(problem, candidate, steps, right, record)
    made = tried.entry()
    number = keeping.end(tried.record.environment, made.outcome, made.measurement, made.message)
    tried.check(keeping)
    return RingProof(
        candidate, steps.depth, steps.minimised, right, expected, tried.measurement(), tried.result,
        problem.truth, tried.record.environment, number, keeping.fault,
    )  # fmt: skip


def _limit_seconds(c: RingCandidate, job: RingJob) -> float:
    """The wall seconds after which the run is given up, from the predicted time of all repetitions."""
    if c.cpu_seconds is None:
        return UNPREDICTED_SECONDS
    each = c.cpu_seconds["total"] + c.cpu_seconds["keygen"]
    return given_up_after(each * (c.wall_factor or 1.0) * (job.warmup + job.repetitions))


def _begun(c: RingCandidate, steps: Plan) -> Entry:
    """The row of a run, with what is known before it begins."""
    told = c.to_json()
    own = {"q": str(c.parameters.modulus), "as_written": not steps.minimised}
    return Entry(
        app=steps.name,
        circuit=steps.digest,
        library=LIBRARY,
        scheme=c.scheme,
        request=told["request"],
        parameters=told["parameters"] | own,
        outcome="died",
        estimate=told["estimate"],
    )


def _job(problem: Problem, c: RingCandidate, steps: Plan, repetitions: int, seed: int) -> RingJob:
    data, truth = _lists(problem.data), _lists(problem.truth)
    return RingJob(c.kind, steps.name, c.parameters, steps, data, truth, repetitions, seed=seed)


def _lists(vectors: Mapping[str, Any]) -> dict[str, list[int]]:
    return {name: values.tolist() for name, values in vectors.items()}


@dataclass(frozen=True, slots=True, eq=False)
class _Attempt:
    """The outcome of a run, whatever it was."""

    problem: Problem
    candidate: RingCandidate
    steps: Plan
    promised: bool
    record: RingRecord

    @property
    def result(self) -> Vectors:
        told = self.record.result or {}
        return {name: np.array(values, dtype=np.int64) for name, values in told.items()}

    @property
    def differs(self) -> bool:
        """Whether the result differs from the cleartext one."""
        return self.record.result != _lists(self.problem.truth)

    @property
    def wrong(self) -> bool:
        """Whether the result is wrong, or the child process says so of random polynomials although right
        results were promised."""
        m = self.record.measurement
        return m is not None and (self.differs or (self.promised and not m["correct"]))

    def measurement(self) -> Measurement:
        """The measurement in the form of a library's: the peak is that of the whole process, and key
        generation is no part of the total."""
        m, p, sizes = self.record.measurement, self.candidate.parameters, self.record.sizes
        assert m is not None
        assert p.modulus is not None
        phases = {name: _timing(m, name) for name in ("keygen", "encrypt", "evaluate", "decrypt")}
        return Measurement(
            hello(),
            Context(p.n, (p.modulus,), (), self.candidate.to_json()["parameters"]["digits"], p.t),
            Phases(context=Timing(Samples(), Samples()), **phases),
            MeasuredSizes(
                sizes.get("ciphertext_bytes"),
                sizes.get("public_key_bytes"),
                sizes.get("secret_key_bytes"),
                sizes.get("evaluation_key_bytes"),
                rotation_keys_bytes=0,
                rotation_key_count=0,
            ),
            ResidentMemory(m["baseline_bytes"], peak_bytes=m["baseline_bytes"] + m["peak_bytes"]),
        )

    def entry(self) -> Entry:
        """The row for the store. A wrong result is stored as wrong even where no right one was promised; the
        message says so."""
        r = self.record
        return replace(
            _begun(self.candidate, self.steps),
            outcome="wrong" if self.wrong else r.outcome,
            measurement=figures(self.measurement()) | {"correct": not self.wrong} if r.measurement else None,
            message=r.message if self.wrong or not r.measurement else "",
        )

    def check(self, keeping: Keeping) -> None:
        """Raises the error that `prove` raises, if there is one."""
        error = self.record.error
        if isinstance(error, TooLarge):
            raise keeping.noted(TooLarge(error.message, SMALLER))
        if error is not None:
            raise keeping.noted(error)
        if self.wrong:
            raise keeping.noted(self._wrong_result())

    def _wrong_result(self) -> WrongResult:
        what = f"{self.candidate.kind.title} computed {self.steps.name} wrongly: {self._seen()}"
        if self.promised:
            return WrongResult(
                f"{what}, although the noise bound guarantees a right result",
                "this is a fault in Fheasible's noise bound: please report it with the stored result",
            )
        return WrongResult(
            f"{what}. The noise bound did not guarantee a right result: "
            f"{depths(self.steps.depth, self.candidate)}",
            "take a larger log_q or a smaller log_w; explore --library reference finds suitable values",
        )

    def _seen(self) -> str:
        if self.record.result is None:
            return "the decrypted plaintexts are not integers, because the noise outgrew the modulus"
        if self.differs:
            return first_difference(self.result, self.problem.truth)
        return "the result is right for these data, but wrong for random polynomials in their place"


def _timing(measurement: Json, phase: str) -> Timing:
    cpu, wall = (Samples.from_json(measurement[clock][phase]) for clock in ("cpu_seconds", "wall_seconds"))
    return Timing(cpu, wall)
