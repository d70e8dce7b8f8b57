"""Why the recommendation is what it is: every number is computed from the exploration at hand."""

from collections import Counter
from collections.abc import Sequence
from math import log2

import numpy as np

from fheasible.estimation.estimate import tally
from fheasible.estimation.features import Shape
from fheasible.estimation.profile import Profile
from fheasible.exploration.candidate import Candidate
from fheasible.exploration.search import Exploration
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.libraries.work import Layout
from fheasible.noise.ckks import Precision, expected_bits, precision
from fheasible.security.tables import GUIDELINES_2024, max_log_q

LARGEST_SHARES = 3


def explain(exploration: Exploration, profile: Profile | None = None) -> list[str]:
    """Sentences about the best candidate: its ring, precision, time, runner-up. Empty where there is none."""
    best = exploration.best
    if best is None:
        return []
    sentences = [_ring(exploration, best), *_bits(exploration, best), *_older_table(exploration, best)]
    if profile is not None and best.estimate.cpu_seconds:
        sentences.append(_shares(best, profile))
    return [*sentences, *_runner_up(exploration, best), *_calibration(exploration)]


def _ring(e: Exploration, best: Candidate) -> str:
    """What makes the ring as large as it is."""
    p, security = best.parameters, e.wish.security
    limit = max_log_q(GUIDELINES_2024, p.ring_dimension, p.secret, security, e.wish.quantum)
    half = max_log_q(GUIDELINES_2024, p.ring_dimension // 2, p.secret, security, e.wish.quantum)
    power = int(log2(p.ring_dimension))
    levels = best.program.levels
    depth = f"{levels} level{'s' * (levels != 1)}" if levels else "its products"
    return (
        f"N = 2^{power}: {depth} and key switching take log2 QP = {p.log_qp:.0f}; {security}-bit security "
        f"allows {limit:.0f} there and {half or 0:.0f} at 2^{power - 1}."
    )


def _bits(e: Exploration, best: Candidate) -> list[str]:
    """Whether noise or approximation bounds the precision."""
    if best.scheme != "ckks":
        return [
            f"Integers are exact: t = {best.parameters.plain_modulus} tells every intermediate value apart."
        ]
    program, gains = best.program, e.problem.gains(best.program)
    found = precision(program, best.parameters, gains, e.problem.truth)
    exact = np.concatenate([e.problem.truth[k] for k in gains.outputs])
    without_noise = np.concatenate([gains.outputs[k] for k in gains.outputs]) - exact
    ceiling = expected_bits(exact, without_noise, 0.0)
    scale = best.request.scale_bits
    text = f"Precision: {found.bits:.1f} bits expected at a scale of {scale} bits"
    if np.any(without_noise):
        text += f"; without noise the approximations alone would leave {ceiling:.1f}"
    return [f"{text}. {_bound(found, float(np.sqrt(np.mean(without_noise**2))))} bounds it."]


def _bound(found: Precision, of_functions: float) -> str:
    """What the largest part of the error comes from."""
    if found.noise >= found.approximation:
        return "Encryption noise"
    return (
        "Approximation"
        if 2 * of_functions >= found.approximation
        else "Rounding of plain factors to the scale"
    )


def _older_table(e: Exploration, best: Candidate) -> list[str]:
    """Said where the library's own table would have called something smaller secure."""
    judged, own = best.estimate.standard_bits, best.estimate.library_bits
    if own is not None and judged != own:
        return [
            f"{CATALOGUE[best.library].title} itself calls this {own}-bit secure by an older table; "
            f"the 2024 Guidelines say {judged}."
        ]
    return []


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
