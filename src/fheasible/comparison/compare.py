"""Two selections of measurements beside each other: what got slower, and what got faster."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from fheasible.aliases import Json
from fheasible.comparison.circumstances import Circumstances, circumstances
from fheasible.comparison.ratios import CONFIDENCE, Ratio, corrected, ratios
from fheasible.comparison.runs import APPLICATION, OPERATION, Side, TimedRun, Work
from fheasible.errors import StoreError

TOLERANCE = 0.05


class ChangeVerdict(StrEnum):
    SLOWER = "slower"  # by more than the tolerance, and not by chance
    FASTER = "faster"
    TOLERATED = "tolerated"  # it differs, and not by chance, but by no more than the tolerance
    ALIKE = "alike"  # no difference is shown
    UNKNOWN = "unknown"  # the runs are too few


@dataclass(frozen=True, slots=True)
class ComparedWork:
    """A work on both sides: seconds, their ratio, and whether it is more than chance.

    Seconds are geometric means of the least times of runs. `p` is corrected for all comparisons; None where
    the runs are too few.
    """

    work: Work
    a: float
    b: float
    runs: tuple[int, int]
    ratio: Ratio
    p: float | None
    verdict: ChangeVerdict

    def to_json(self) -> Json:
        r = self.ratio
        return self.work.to_json() | {
            "a_seconds": self.a,
            "b_seconds": self.b,
            "runs": list(self.runs),
            "ratio": r.value,
            "own_ratio": r.own,
            "own_interval": None if r.low is None else [r.low, r.high],
            "p": r.p,
            "p_corrected": self.p,
            "basis": r.basis.value,
            "verdict": self.verdict.value,
        }


@dataclass(frozen=True, slots=True)
class ComparedAll:
    """What all operations have in common, or all applications; with a `name` all operations of that name."""

    kind: str
    library: str
    scheme: str
    name: str
    ratio: Ratio
    p: float | None
    verdict: ChangeVerdict

    def to_json(self) -> Json:
        r = self.ratio
        return {
            "kind": self.kind,
            "library": self.library,
            "scheme": self.scheme,
            "name": self.name,
            "ratio": r.value,
            "own_ratio": r.own,
            "own_interval": [r.low, r.high],
            "p": r.p,
            "p_corrected": self.p,
            "basis": r.basis.value,
            "verdict": self.verdict.value,
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """All works that both sides have, the slowest ratio first."""

    a: str
    b: str
    works: tuple[ComparedWork, ...]
    together: tuple[ComparedAll, ...]  # for each kind of which there are many works
    names: tuple[ComparedAll, ...]  # operations of one name, in all their contexts
    only_a: int  # works that only this side has
    only_b: int
    left_out: int  # rows that this version cannot read
    circumstances: Circumstances
    tolerance: float

    def of_kind(self, kind: str) -> list[ComparedWork]:
        return [w for w in self.works if w.work.kind == kind]

    def having(self, verdict: ChangeVerdict) -> list[ComparedWork]:
        return [w for w in self.works if w.verdict is verdict]

    @property
    def slower(self) -> bool:
        """Whether anything got slower by more than the tolerance."""
        verdicts = [w.verdict for w in self.works] + [t.verdict for t in (*self.together, *self.names)]
        return ChangeVerdict.SLOWER in verdicts

    @property
    def regressed(self) -> bool:
        """Whether anything got slower, and the sides can be compared."""
        return self.slower and self.circumstances.comparable

    def to_json(self) -> Json:
        return {
            "a": self.a,
            "b": self.b,
            "tolerance": self.tolerance,
            "confidence": CONFIDENCE,
            "comparable": self.circumstances.comparable,
            "warnings": list(self.circumstances.warnings),
            "differences": [d.to_json() for d in self.circumstances.differences],
            "together": [t.to_json() for t in self.together],
            "by_name": [t.to_json() for t in self.names],
            "counts": {v.value: len(self.having(v)) for v in ChangeVerdict},
            "only_a": self.only_a,
            "only_b": self.only_b,
            "left_out": self.left_out,
            "operations": [w.to_json() for w in self.of_kind(OPERATION)],
            "applications": [w.to_json() for w in self.of_kind(APPLICATION)],
        }


def compare(a: Side, b: Side, tolerance: float = TOLERANCE) -> Comparison:
    """The comparison of B with A. Works are matched within a library; where each side has one library and
    they differ, by what both libraries have in common. StoreError where no work is on both sides."""
    if a.libraries != b.libraries and len(a.libraries) == len(b.libraries) == 1:
        a, b = a.across_libraries(), b.across_libraries()
    both = [work for work in a.runs if work in b.runs]
    if not both:
        raise StoreError(
            f"{a.selection.text} and {b.selection.text} have nothing in common: no operation at the same "
            "parameters, and no application",
            "measure the same on both sides, for instance with fheasible accuracy --quick",
        )
    works, together = _compared(both, a, b, tolerance)
    here, there = (_processes(side.runs[work] for work in both) for side in (a, b))
    return Comparison(
        a.selection.text,
        b.selection.text,
        tuple(sorted(works, key=lambda w: (_RANK[w.verdict], -w.ratio.own))),
        tuple(t for t in together if not t.name),
        tuple(sorted((t for t in together if t.name), key=lambda t: (_RANK[t.verdict], -t.ratio.own))),
        len(a.runs) - len(both),
        len(b.runs) - len(both),
        a.left_out + b.left_out,
        circumstances([*here.values()], [*there.values()], len(here.keys() & there.keys())),
        tolerance,
    )


Name = tuple[str, str, str, str]  # kind, library, scheme and name of works that are judged together

_RANK = {
    ChangeVerdict.SLOWER: 0,
    ChangeVerdict.FASTER: 1,
    ChangeVerdict.TOLERATED: 2,
    ChangeVerdict.ALIKE: 3,
    ChangeVerdict.UNKNOWN: 4,
}


def _compared(
    both: Sequence[Work], a: Side, b: Side, tolerance: float
) -> tuple[list[ComparedWork], list[ComparedAll]]:
    """The works, and what several of them have in common, judged as one family of comparisons."""
    found: list[tuple[Work | Name, Ratio]] = []
    seconds: dict[Work, float] = {}
    for kind in (OPERATION, APPLICATION):
        works = [work for work in both if work.kind == kind]
        names: list[Name] = [(kind, w.library, w.scheme, w.name) for w in works]
        made = ratios([(a.runs[w], b.runs[w]) for w in works], names)
        seconds |= zip(works, made.seconds, strict=True)
        found += zip(works, made.works, strict=True)
        found += [((kind, "", "", ""), made.common)] if made.common else []
        found += [(name, made.kinds[name]) for name in dict.fromkeys(names) if name in made.kinds]
    judged = iter(corrected([r.p for _, r in found if r.p is not None]))
    all_works, together = [], []
    for what, ratio in found:
        p = None if ratio.p is None else next(judged)
        verdict = _verdict(ratio, p, tolerance)
        if isinstance(what, Work):
            runs = len(a.runs[what]), len(b.runs[what])
            both_seconds = seconds[what], seconds[what] * ratio.value
            all_works.append(ComparedWork(what, *both_seconds, runs, ratio, p, verdict))
        else:
            together.append(ComparedAll(*what, ratio, p, verdict))
    return all_works, together


def _verdict(ratio: Ratio, p: float | None, tolerance: float) -> ChangeVerdict:
    """The verdict: slower means longer than the tolerance allows, both as it is and beside all others."""
    if p is None:
        return ChangeVerdict.UNKNOWN
    if p > 1 - CONFIDENCE:
        return ChangeVerdict.ALIKE
    if min(ratio.value, ratio.own) > 1 + tolerance:
        return ChangeVerdict.SLOWER
    return (
        ChangeVerdict.FASTER if max(ratio.value, ratio.own) < 1 / (1 + tolerance) else ChangeVerdict.TOLERATED
    )


def _processes(runs: Iterable[Sequence[TimedRun]]) -> dict[str, Json]:
    """The environment of each process."""
    return {run.process: run.environment for each in runs for run in each}
