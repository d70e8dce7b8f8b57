"""Whether predictions of noise are within their targets, and by how much they are off where they are not."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from fheasible.accuracy.errors import grouped
from fheasible.accuracy.evaluation import Circumstances
from fheasible.accuracy.noise_compare import BUDGET, NoiseFailure, NoiseRow, compare
from fheasible.accuracy.noise_grid import NoiseCase
from fheasible.aliases import Json
from fheasible.measurement.sampled import Record

CKKS_BITS, EXACT_BITS = 1.0, 3.0  # the most that a predicted mean may differ from the measured one
OPTIMISTIC_BITS = 0.5  # the most that it may be above the measured one
MET, UNDECIDED, MISSED = "met", "undecided", "missed"


def limit(row: NoiseRow) -> float:
    return EXACT_BITS if row.figure == BUDGET else CKKS_BITS


def verdict(row: NoiseRow) -> str:
    """Whether the row's prediction meets the target: `undecided` where the confidence interval crosses an
    edge of it."""
    high, low = row.difference + row.interval, row.difference - row.interval
    if high <= OPTIMISTIC_BITS and low >= -limit(row):
        return MET
    return MISSED if low > OPTIMISTIC_BITS or high < -limit(row) else UNDECIDED


@dataclass(frozen=True, slots=True)
class NoiseGroup:
    """Statistics of the rows of one library, scheme and technique. Differences are predicted bits less
    measured ones: `optimistic` is the largest, `pessimistic` the least. `variance_ratio`: the geometric mean
    of the ratios that are those of all noise; None where no row has such a ratio."""

    library: str
    scheme: str
    technique: str
    count: int
    mean: float
    optimistic: float
    pessimistic: float
    variance_ratio: float | None
    variance_spread: (
        float | None
    )  # factor by which single ratios differ from that mean: one standard deviation
    met: int
    undecided: int
    missed: int

    def to_json(self) -> Json:
        return asdict(self)


def groups(rows: Sequence[NoiseRow]) -> list[NoiseGroup]:
    return [
        _group(key, found)
        for key, found in sorted(grouped(rows, "library", "scheme", "technique").items())
    ]  # fmt: skip


def _group(key: tuple[str, str, str], rows: Sequence[NoiseRow]) -> NoiseGroup:
    differences = [row.difference for row in rows]
    logs = np.log([row.variance_ratio for row in rows if row.all_noise])
    ratio, spread = (float(np.exp(logs.mean())), float(np.exp(logs.std()))) if len(logs) else (None, None)
    told = [verdict(row) for row in rows]
    return NoiseGroup(
        *key, len(rows), float(np.mean(differences)), max(differences), min(differences),
        ratio, spread, *(told.count(v) for v in (MET, UNDECIDED, MISSED)),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class NoiseJudgement:
    """The judgement of all that was measured."""

    rows: tuple[NoiseRow, ...]
    failures: tuple[NoiseFailure, ...]
    circumstances: Circumstances | None

    @property
    def groups(self) -> list[NoiseGroup]:
        return groups(self.rows)

    def missed(self) -> list[NoiseRow]:
        """The rows that miss the target, the most optimistic first."""
        found = [row for row in self.rows if verdict(row) == MISSED]
        return sorted(found, key=lambda row: -row.difference)

    def count(self, told: str) -> int:
        return sum(verdict(row) == told for row in self.rows)

    @property
    def unforeseen(self) -> list[NoiseFailure]:
        """The failures for which bits were predicted to be left, or for which nothing was predicted."""
        return [f for f in self.failures if f.predicted is None or f.predicted >= OPTIMISTIC_BITS]

    def to_json(self) -> Json:
        return {
            "circumstances": None if self.circumstances is None else asdict(self.circumstances),
            "targets": {"ckks_bits": CKKS_BITS, "exact_bits": EXACT_BITS, "optimistic_bits": OPTIMISTIC_BITS},
            "verdicts": {told: self.count(told) for told in (MET, UNDECIDED, MISSED)},
            "groups": [g.to_json() for g in self.groups],
            "rows": [row.to_json() | {"verdict": verdict(row)} for row in self.rows],
            "failures": [f.to_json() for f in self.failures],
        }


def judge(cases: Sequence[NoiseCase], records: Sequence[Record]) -> NoiseJudgement:
    """The judgement of the present predictions by these runs."""
    found = list(compare(cases, records))
    rows = tuple(r for r in found if isinstance(r, NoiseRow))
    failures = tuple(f for f in found if isinstance(f, NoiseFailure))
    return NoiseJudgement(rows, failures, Circumstances.of(records))
