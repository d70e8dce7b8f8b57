"""Why the recommendation is what it is: every number is computed from the exploration at hand."""

from collections import Counter
from collections.abc import Sequence
from math import log2

from fheasible.estimation.estimate import tally
from fheasible.estimation.features import Shape
from fheasible.estimation.profile import Profile
from fheasible.exploration.bounds import bounds
from fheasible.exploration.candidate import Candidate
from fheasible.exploration.search import Exploration
from fheasible.exploration.sharing import who_may_see
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.libraries.work import Layout
from fheasible.noise.primitive import narrowest_error
from fheasible.security.advice import enforced
from fheasible.security.lookup import allowed_log_q, security_bits
from fheasible.security.tables import SIGMA

LARGEST_SHARES = 3


def explain(exploration: Exploration, profile: Profile | None = None) -> list[str]:
    """Sentences about the best candidate: its ring, precision, time, runner-up. Empty where there is none."""
    best = exploration.best
    if best is None:
        return []
    sentences = [_ring(exploration, best), *bounds(exploration, best)]
    sentences += [_standards(exploration, best), *_narrow(exploration, best)]
    wish = exploration.wish
    sentences.append(who_may_see(exploration.problem, best.scheme, wish.shared_results, wish.failure_bits))
    if profile is not None and best.estimate.cpu_seconds:
        sentences.append(_shares(best, profile))
    return [*sentences, *_runner_up(exploration, best), *_calibration(exploration)]


def _ring(e: Exploration, best: Candidate) -> str:
    """What makes the ring as large as it is."""
    p, security = best.parameters, e.wish.security
    limit, half = (
        allowed_log_q(n, p.secret, security, e.wish.quantum)
        for n in (p.ring_dimension, p.ring_dimension // 2)
    )
    power = int(log2(p.ring_dimension))
    levels = best.program.levels
    depth = f"{levels} level{'s' * (levels != 1)}" if levels else "its products"
    return (
        f"N = 2^{power}: {depth} and key switching take log2 QP = {p.log_qp:.0f}; {security}-bit security "
        f"allows {limit:.0f} there and {half:.0f} at 2^{power - 1}."
    )


def _standards(e: Exploration, best: Candidate) -> str:
    """Which rule chose the ring, and which one the library enforces."""
    found = best.estimate
    return enforced(
        best.library, found.standard_bits, found.library_bits, found.security_bits, e.wish.quantum
    )


def _narrow(e: Exploration, best: Candidate) -> list[str]:
    """Where a library draws errors that are narrower than its table and the Guidelines assume."""
    p, sigma = best.parameters, narrowest_error(best.program, best.parameters)
    if sigma >= SIGMA:
        return []
    usual = security_bits(p.ring_dimension, p.log_qp, p.secret, quantum=e.wish.quantum)
    counted = f"{best.estimate.security_bits:.1f}"
    if counted == f"{usual:.1f}":
        return []
    return [
        f"{CATALOGUE[best.library].title} draws the errors of its switching keys with a standard deviation "
        f"of {sigma:g}, where both standards assume {SIGMA}: the {counted} bits of "
        f"this set count that, and would be {usual:.1f} otherwise."
    ]


def _shares(best: Candidate, profile: Profile) -> str:
    """Where the time of evaluation goes."""
    seconds: Counter[str] = Counter()
    p, layout = best.parameters, Layout.of(best.parameters)
    for item, count in tally(best.program).items():
        price = profile.composition * profile.seconds(Shape(p.ring_dimension, layout, item.task(layout)))
        if item.phase == "evaluate":
            seconds[item.action] += count * price  # type: ignore[assignment]  # a Counter of seconds
    total = sum(seconds.values())
    parts = [f"{name} {share / total:.0%}" for name, share in seconds.most_common(LARGEST_SHARES)]
    return f"Evaluation takes {total:.2g} s of CPU time: {', '.join(parts)}."


def _runner_up(e: Exploration, best: Candidate) -> list[str]:
    """The next best of another library or scheme, or a tie."""
    others = (c for c in e.candidates if (c.library, c.scheme) != (best.library, best.scheme))
    second = next(others, None)
    if second is None:
        return []
    if not (best.estimate.timed and second.estimate.timed) and e.wish.objective == "time":
        return [f"Next: {_named(second)}; without a profile of both, no times compare."]
    ratio = second.cost(e.wish.objective) / best.cost(e.wish.objective)
    band = (best.estimate.error_band or 0.0) + (second.estimate.error_band or 0.0)
    name = _named(second)
    if ratio < 1 + band:
        return [f"{name} is a tie within the error of prediction ({ratio:.2f} times the {e.wish.objective})."]
    return [f"Next: {name} at {ratio:.1f} times the {e.wish.objective}."]


def _calibration(e: Exploration) -> list[str]:
    """What is known of the times of libraries that were not calibrated here."""
    timed = {c.library: c.estimate.origin for c in e.candidates if c.estimate.timed}
    shipped = [name for name in e.uncalibrated if name in timed]
    untimed = {c.library for c in e.candidates if not c.estimate.timed}
    unknown = [name for name in e.uncalibrated if name in untimed]
    said = []
    if shipped:
        band = max(c.estimate.error_band or 0.0 for c in e.candidates if c.library in shipped)
        said.append(
            f"Times of {_titles(shipped)} are those of another machine ({timed[shipped[0]]}), within some "
            f"{band:.0%} of this one's. Remedy: fheasible calibrate"
        )
    if unknown:
        said.append(
            f"No profile of {_titles(unknown)} on this machine: times are unknown. "
            "Remedy: fheasible calibrate"
        )
    return said


def _titles(names: Sequence[str]) -> str:
    return ", ".join(CATALOGUE[name].title for name in names)


def _named(c: Candidate) -> str:
    return f"{CATALOGUE[c.library].title} {c.scheme.upper()}"
