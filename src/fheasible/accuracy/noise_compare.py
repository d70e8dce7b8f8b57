"""Predicted precision and noise budgets beside those measured over many encryptions."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from math import log2, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from fheasible.accuracy.noise_grid import NoiseCase
from fheasible.aliases import Json
from fheasible.libraries.parameters import CkksParameters, IntegerParameters
from fheasible.measurement.sampled import Record
from fheasible.noise.achieved import NEAR_ZERO
from fheasible.noise.ckks.elements import refusal_bits
from fheasible.noise.ckks.precision import Precision, precision
from fheasible.noise.integers.budget import expected_bits, noise_bits

Values = NDArray[np.float64]

BITS, ABSOLUTE, BUDGET = "relative", "absolute", "budget"
CONFIDENCE = 0.95
LEAST_BITS = 1.0  # cases with fewer bits, predicted and measured, are not compared


@dataclass(frozen=True, slots=True)
class MeanError:
    """A mean over many encryptions; `interval` is half the width of its confidence interval. Encryptions
    under one set of keys are not independent, so the interval is that of the means of the sets."""

    mean: float
    interval: float

    @staticmethod
    def of(sets: Sequence[Sequence[float]]) -> "MeanError":
        """The mean of figures that are given for each set of keys."""
        means = np.array([np.mean(one) for one in sets])
        if len(means) < 2:
            return MeanError(float(means.mean()), float("inf"))
        wide = student.ppf((1 + CONFIDENCE) / 2, len(means) - 1) * means.std(ddof=1) / sqrt(len(means))
        return MeanError(float(means.mean()), float(wide))

    @property
    def as_bits(self) -> "MeanError":
        """The mean in bits, -log2 of it, where it is a mean of sizes."""
        return MeanError(-log2(self.mean), self.interval / self.mean / np.log(2))


@dataclass(frozen=True, slots=True)
class NoiseRow:
    """Predicted and measured bits of a program's results. `figure` says which bits: for CKKS -log2 of the
    relative error, on average over the elements, or, where some elements are near zero, -log2 of the absolute
    error over what the outputs may be; for BFV and BGV the noise budget left.

    `variance_ratio`: measured over predicted variance of the noise. Without `all_noise` it is a lower bound:
    it counts only the noise that differs under one set of keys. `worst_slot`: predicted and measured bits of
    the worst element. `within`: the share of encryptions in which every error stayed below the one that was
    assured for 999 of 1,000.
    """

    label: str
    application: str
    library: str
    scheme: str
    technique: str
    key_switching: str
    n: int
    limbs: int
    scale_bits: int | None
    secure: bool
    encryptions: int
    keys: int
    figure: str
    predicted: float
    measured: float
    interval: float
    variance_ratio: float
    all_noise: bool = True
    worst_slot: tuple[float, float] | None = None
    within: float | None = None

    @property
    def difference(self) -> float:
        """The number of bits by which the prediction is too high."""
        return self.predicted - self.measured

    def to_json(self) -> Json:
        return asdict(self) | {"difference": self.difference}


@dataclass(frozen=True, slots=True)
class NoiseFailure:
    """A case without results, or with wrong ones. `predicted`: the predicted bits that are left, of noise
    budget or until OpenFHE refuses to decrypt; None where nothing was predicted."""

    label: str
    outcome: str  # "wrong" where a result is wrong
    message: str
    predicted: float | None

    def to_json(self) -> Json:
        return asdict(self)


def compare(cases: Iterable[NoiseCase], records: Iterable[Record]) -> Iterator[NoiseRow | NoiseFailure]:
    """A row for each case that was measured and has bits to compare, and a failure for each case with a wrong
    result or a failed run."""
    found: dict[str, list[Record]] = {}
    for r in records:
        found.setdefault(r.key, []).append(r)
    for case in cases:
        yield from _of_case(case, found.get(case.job.key, []))


def _of_case(case: NoiseCase, records: Sequence[Record]) -> Iterator[NoiseRow | NoiseFailure]:
    sets = [r.found for r in records if r.outcome == "measured"]
    if sets:
        p = case.parameters
        row = _ckks(case, p, sets) if p.scheme == "ckks" else _exact(case, p, sets)
        if not all(s.get("right", True) for s in sets):
            yield NoiseFailure(row.label, "wrong", "a result is wrong", row.predicted)
        if max(row.predicted, row.measured) >= LEAST_BITS:
            yield row
    failed = next((r for r in records if r.outcome != "measured"), None)
    if failed is not None:
        refused = failed.outcome == "refused"
        yield NoiseFailure(
            case.label, failed.outcome, failed.message, _until_refusal(case) if refused else None
        )


def _until_refusal(case: NoiseCase) -> float | None:
    """The bits until the library refuses to decrypt; None for BFV and BGV."""
    p = case.parameters
    if p.scheme != "ckks":
        return None
    return float(refusal_bits(case.program, p, case.problem.gains(case.program)))


def _ckks(case: NoiseCase, p: CkksParameters, sets: Sequence[Json]) -> NoiseRow:
    truth = case.problem.truth
    predicted = precision(case.program, p, case.problem.gains(case.program), truth)
    measured, bits, figure = MeanError.of([s["bits"] for s in sets]), predicted.mean_bits, BITS
    if _near_zero(np.concatenate(list(truth.values()))):
        figure, largest = ABSOLUTE, log2(_largest(case))
        error = MeanError.of([s["absolute"] for s in sets]).as_bits
        measured, bits = (
            MeanError(error.mean + largest, error.interval),
            largest - log2(predicted.absolute_error),
        )
    ratio, whole = _variance_ratio(predicted, sets)
    worst = predicted.worst_slot_bits, MeanError.of([s["worst_slot_bits"] for s in sets]).mean
    counted, shown = sum(len(s["bits"]) for s in sets), worst if figure == BITS else None
    within = _within(predicted, sets)
    return _made(case, sets, counted, figure, bits, measured, ratio, whole, shown, within)


def _variance_ratio(predicted: Precision, sets: Sequence[Json]) -> tuple[float, bool]:
    """(measured over predicted variance, whether it is that of all noise). It is that of all noise if the
    noise is at least as large as the part of the error that is the same in every encryption. Otherwise it is
    that of the noise under one set of keys, because the noise of the keys themselves cannot then be told from
    the constant part."""
    noise, alike = predicted.noise**2, predicted.approximation**2
    left = float(np.mean([s["square"] for s in sets])) - alike
    if left > 0 and alike <= noise:
        return left / noise, True
    return float(np.mean([s["variance"] for s in sets])) / noise, False


def _within(predicted: Precision, sets: Sequence[Json]) -> float:
    return float(np.mean([e <= predicted.assured_absolute for s in sets for e in s["largest"]]))


def _near_zero(exact: Values) -> bool:
    """Whether some element is too near zero to have a relative error of its own."""
    size = np.abs(exact)
    return bool(np.any((size > 0) & (size < NEAR_ZERO * size.max())) or not size.any())


def _largest(case: NoiseCase) -> float:
    """The largest size that an output can have for inputs in their declared ranges."""
    limits = [case.problem.bounds[node] for _, node in case.problem.circuit.outputs]
    return float(max(max(abs(low), abs(high)) for low, high in limits))


def _exact(case: NoiseCase, p: IntegerParameters, sets: Sequence[Json]) -> NoiseRow:
    """The row of a BFV or BGV case, with means over the values in which the outputs lie."""
    values = [v for packed in case.program.outputs for v in packed.values]
    left, noise = expected_bits(case.program, p), noise_bits(case.program, p)
    budgets = [np.mean(_by_value(case, s["budgets"]), axis=0) for s in sets]
    square = np.mean([np.mean(_by_value(case, s["squares"]), axis=1) for s in sets], axis=0)
    ratio = float(np.exp(np.mean(np.log(square) - 2 * np.log(2) * np.array([noise[v] for v in values]))))
    predicted, counted = float(np.mean([left[v] for v in values])), sum(map(len, budgets))
    return _made(
        case, sets, counted, BUDGET, predicted, MeanError.of([list(b) for b in budgets]), ratio, True
    )


def _by_value(case: NoiseCase, figures: Json) -> Values:
    """The figures in the shape (values, encryptions), in the order of the outputs' values."""
    return np.concatenate([np.array(figures[packed.name]) for packed in case.program.outputs])


def _made(
    case: NoiseCase, sets: Sequence[Json], counted: int, figure: str, predicted: float, measured: MeanError,
    ratio: float, whole: bool, worst: tuple[float, float] | None = None, within: float | None = None,
) -> NoiseRow:  # fmt: skip
    p = case.parameters
    scale = p.request.scale_bits if p.request and p.scheme == "ckks" else None
    return NoiseRow(
        case.label, case.problem.circuit.name, p.library, p.scheme, p.technique, p.key_switching,
        p.ring_dimension, p.limbs, scale, case.secure, counted, len(sets), figure, predicted,
        measured.mean, measured.interval, ratio, whole, worst, within,
    )  # fmt: skip
