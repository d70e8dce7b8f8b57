"""The paper's claims about its application and its choice [FerLL18, Sec. IV]."""

from fheasible.studies.claim import Claim, ClaimFinding, found
from fheasible.studies.panthers import choosing, limits
from fheasible.studies.panthers.claims_calibration import names
from fheasible.studies.panthers.experiments import experiment
from fheasible.studies.panthers.parameters import CHOICE, FIGURE4, FIGURE5
from fheasible.studies.panthers.printed import said, value
from fheasible.studies.panthers.security import judged, ring_by_rule
from fheasible.studies.results import Results
from fheasible.units import power_of_two


def claims() -> tuple[Claim, ...]:
    return (*_depths(), *_choice())


def _depths() -> tuple[Claim, ...]:
    return (
        Claim(
            "The application has a multiplicative depth of 10",
            said("section4.depth"),
            "our evaluation as written multiplies ten times in succession",
            _depth,
            names(FIGURE4),
        ),
        Claim(
            "FV allows depth 10 up to log2 w = 44 at log2 q = 300",
            said("section4.fv.log_w"),
            "our formula, with the constants of PAnTHErS's code, gives at least 10 at 44 and less at 46",
            _fv_deep,
            names(FIGURE5),
        ),
        Claim(
            "YASHE's depth is below 10 for log2 w > 22 at log2 q = 300",
            said("section4.yashe.log_w"),
            "our formula, with the constants of PAnTHErS's code, gives at least 10 at 22 and less at 24",
            _yashe_deep,
            names(FIGURE5),
        ),
    )


def _depth(results: Results) -> ClaimFinding:
    written, least = choosing.needed(), choosing.needed(minimise_depth=True)
    evidence = f"as written {written}; with its factors paired {least}"
    holds = written == value("section4.depth")
    return found(str(written), holds, evidence, lambda: f"the plan has {written} levels as written")


def _fv_deep(results: Results) -> ClaimFinding:
    return _last("fv", "section4.fv.log_w", "YASHE")


def _yashe_deep(results: Results) -> ClaimFinding:
    return _last("yashe", "section4.yashe.log_w", "FV")


def _last(name: str, key: str, other: str) -> ClaimFinding:
    """The last log2 w, in steps of 2, that allows the depth; the paper's is the only one that holds."""
    last = choosing.largest_log_w(name, choosing.needed())
    elsewhere = choosing.largest_log_w(other.lower(), choosing.needed())
    evidence = f"in steps of 2, n = 2^12, t = 2; {other}'s last one is {elsewhere}"
    return found(f"up to log2 w = {last}", last == value(key), evidence, limits.cause)


def _choice() -> tuple[Claim, ...]:
    return (
        Claim(
            "With t = 2 and w = 2^28 the smallest log2 q of depth 10 at n = 2^12 is 281 (FV)",
            said("section4.log_q"),
            "our formula, with the constants of PAnTHErS's code, gives the same number",
            _smallest,
            (CHOICE.name,),
        ),
        Claim(
            "log2 q = 281 needs n = 2^12 for 80 bits of security",
            said("section4.n"),
            "the rule of 2017 that the paper uses gives the same n (this says nothing about today's "
            "security)",
            _ring,
            (CHOICE.name,),
        ),
        Claim(
            "FV with t = 2, w = 2^28, log2 q = 281, n = 2^12 evaluates the application",
            said("section4.t", "section4.log_w", "section4.log_q"),
            "executed: Eq. 3 as written decrypts to the right result",
            _runs,
            (CHOICE.name,),
        ),
    )


def _smallest(results: Results) -> ClaimFinding:
    written = choosing.least_log_q("fv", choosing.needed())
    least = choosing.least_log_q("fv", choosing.needed(minimise_depth=True))
    evidence = f"depth {least.depth}, with the factors paired, needs {least.log_q}"
    return found(str(written.log_q), written.log_q == value("section4.log_q"), evidence, limits.cause)


def _ring(results: Results) -> ClaimFinding:
    log_q = int(value("section4.log_q"))
    n = ring_by_rule(log_q)
    today = judged("fv", choosing.N, log_q)
    ours = "none" if n is None else power_of_two(n)
    return ClaimFinding(ours, n == value("section4.n"), f"today's estimate of that set: {today.said_today}")


def _runs(results: Results) -> ClaimFinding:
    (row,) = results.needed(experiment(CHOICE.name))
    correct = bool(row.measured["correct"])
    return ClaimFinding("right result" if correct else "wrong result", correct, f"stored result {row.number}")
