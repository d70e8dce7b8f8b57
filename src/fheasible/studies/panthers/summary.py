"""Five sentences: what the paper asked, what it found, and what is found here [FerLL18]."""

from collections.abc import Sequence

from fheasible.reports.page import ClaimMark
from fheasible.studies.claim import JudgedClaim
from fheasible.studies.experiment import NotRun
from fheasible.studies.panthers import choosing
from fheasible.studies.panthers.calibrated import TIME, executed, judged, unseen
from fheasible.studies.panthers.claims_calibration import counts, percent
from fheasible.studies.panthers.parameters import FIGURE5, PANTHERS_W, SWEEPS, TABLE1, Sweep
from fheasible.studies.panthers.printed import value
from fheasible.studies.panthers.security import judged as secure
from fheasible.studies.results import Results
from fheasible.units import bits

_RUN = "run: fheasible study run panthers --quick"


def summary(results: Results, claims: Sequence[JudgedClaim]) -> tuple[str, ...]:
    """The sentences, made from the paper's numbers, from the results and from the claims."""
    return (
        "The paper asks whether the time and memory of homomorphic schemes can be told from counted integer "
        "multiplications and 32-bit integers, once a few executions have calibrated them.",
        f"It finds mean errors of {value('table3.fv.time.mean'):g} % (FV) to "
        f"{value('table3.fntru.time.mean'):g} % "
        f"(F-NTRU) with two executions, {value('table2.all.speedup'):g} times "
        f"less work than executing everything, and "
        f"FV as the fastest for ten products, with log2 q = {value('section4.log_q'):g} and w = 2^"
        f"{value('section4.log_w'):g}.",
        _calibration(results),
        _schemes(results),
        _verdicts(claims),
    )


def _calibration(results: Results) -> str:
    try:
        mean, worst = unseen(judged(TABLE1, results, TIME, 2))
    except NotRun:
        return f"Here none of the sets of Table I is executed yet; {_RUN}."
    return (
        f"Here, on an exact ring in native code ({counts(TABLE1, results)}), "
        f"two executions of each sweep predict the "
        f"other times to {percent(mean)} on average and {percent(worst)} at worst."
    )


def _schemes(results: Results) -> str:
    """Which scheme is faster here, and what today's estimates say of the paper's choice."""
    log_q = int(value("section4.log_q"))
    found = bits(secure("fv", choosing.N, log_q).today.bits)
    today = f"the paper's choice has {found} of security by today's estimates"
    fv, _ = FIGURE5
    try:
        ratio, prime = (_ratio(results, fv, other) for other in (PANTHERS_W, FIGURE5[1]))
    except NotRun:
        return f"Eq. 3 is not executed with FV and YASHE yet; {today}."
    return (
        f"FV takes {ratio} times the CPU time of YASHE as the published code "
        f"has it, and {prime} times that of YASHE', "
        f"so which is the best depends on the variant; {today}."
    )


def _ratio(results: Results, one: Sweep, other: Sweep) -> str:
    first, second = executed(results, one), executed(results, other)
    common = [v for v in first.values if v in second.values]
    if not common:
        raise NotRun("there is no value that both schemes have executed")
    ratios = [
        float(first.seconds[first.values.index(v)] / second.seconds[second.values.index(v)]) for v in common
    ]
    return f"{min(ratios):.2f} to {max(ratios):.2f}"


def _verdicts(claims: Sequence[JudgedClaim]) -> str:
    marks = [one.finding.verdict for one in claims]
    told = ", ".join(f"{marks.count(mark)} {mark}" for mark in ClaimMark if mark in marks)
    caused = sum(bool(one.finding.cause) for one in claims if one.finding.verdict is ClaimMark.NOT_REPRODUCED)
    return (
        f"Of its {len(marks)} claims, on {len(SWEEPS)} sweeps: {told}; a tested cause stands beside {caused}."
    )
