"""The claims of a paper, and whether they are reproduced here."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from fheasible.aliases import Json
from fheasible.reports.page import ClaimMark
from fheasible.studies.experiment import NotRun
from fheasible.studies.results import Results


@dataclass(frozen=True, slots=True)
class ClaimFinding:
    """Our figure, whether it supports the claim (None: the claim cannot be tested here), and why.

    `cause` says why a claim is not reproduced, with what was done to find out; `not_run`: results are
    missing.
    """

    ours: str
    holds: bool | None
    evidence: str
    cause: str = ""
    not_run: bool = False

    @property
    def verdict(self) -> ClaimMark:
        if self.not_run:
            return ClaimMark.NOT_RUN
        if self.holds is None:
            return ClaimMark.NOT_TESTABLE
        return ClaimMark.REPRODUCED if self.holds else ClaimMark.NOT_REPRODUCED


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim of a paper.

    `published` is the paper's own figure and its place. `criterion` says when the claim counts as reproduced;
    it is fixed before any result is seen; where it, or a setting that the paper does not give, was chosen
    with results in view, `chosen` says so. `judge` raises NotRun where results are missing. `about` names the
    experiments whose cells it rests on; the report links to them.
    """

    claim: str
    published: str
    criterion: str
    judge: Callable[[Results], ClaimFinding]
    about: tuple[str, ...] = ()
    chosen: str = ""

    @property
    def caution(self) -> str:
        """What weakens the verdict, as a sentence; nothing where nothing was chosen with results in view."""
        return f"no independent confirmation: {self.chosen}" if self.chosen else ""


@dataclass(frozen=True, slots=True)
class JudgedClaim:
    claim: Claim
    finding: ClaimFinding

    def to_json(self) -> Json:
        return {
            "claim": self.claim.claim,
            "published": self.claim.published,
            "ours": self.finding.ours,
            "verdict": self.finding.verdict.value,
            "evidence": self.finding.evidence,
            "cause": self.finding.cause,
            "criterion": self.claim.criterion,
            "caution": self.claim.caution,
            "experiments": list(self.claim.about),
        }


def found(ours: str, holds: bool, evidence: str, cause: Callable[[], str]) -> ClaimFinding:
    """The finding, with its cause where the claim does not hold: only then is it looked for."""
    return ClaimFinding(ours, holds, evidence, "" if holds else cause())


def judged(claims: Iterable[Claim], results: Results) -> tuple[JudgedClaim, ...]:
    """Every claim with its finding; where results are missing, the evidence names the command to run."""
    return tuple(JudgedClaim(claim, _finding(claim, results)) for claim in claims)


def _finding(claim: Claim, results: Results) -> ClaimFinding:
    try:
        return claim.judge(results)
    except NotRun as missing:
        remedy = f"; run: {missing.remedy}" if missing.remedy else ""
        return ClaimFinding("-", None, f"{missing.message}{remedy}", not_run=True)
