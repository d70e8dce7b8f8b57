"""Why the recommendation is what it is: every number is computed from the exploration at hand."""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import floor, log2
from typing import Final

from fheasible import units
from fheasible.estimation.profile import Profile
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.judging.secure import posed, posed_at
from fheasible.exploration.judging.sharing import who_may_see
from fheasible.exploration.reasons.advice import advice
from fheasible.exploration.reasons.bounds import bounds
from fheasible.exploration.reasons.choices import choice_gains, seconds_by_action
from fheasible.exploration.reasons.client import for_the_client
from fheasible.exploration.reasons.refreshed import bootstrapping
from fheasible.exploration.reasons.relaxing import relaxing
from fheasible.exploration.reasons.swapped import swapped
from fheasible.exploration.reasons.switching import by_switching
from fheasible.exploration.reasons.tables import by_table
from fheasible.exploration.reasons.threads import in_threads
from fheasible.exploration.search.search import Exploration
from fheasible.heap import collected_rarely
from fheasible.libraries.catalogue import BY_NAME
from fheasible.noise.primitive import SPARSE
from fheasible.security.advice import enforced
from fheasible.security.lookup import security_bits
from fheasible.security.tables import SIGMA
from fheasible.units import listing, power_of_two

LARGEST_SHARES = 3
NEIGHBOURS = 3
NO_PROFILES: Final[Mapping[str, Profile]] = {}


@collected_rarely()
def explain(exploration: Exploration, profiles: Mapping[str, Profile] = NO_PROFILES) -> list[str]:
    """Sentences about the best candidate: its ring, precision and time, what each choice gains, which
    constraints bind, and what comes next. Empty where there is no candidate. `profiles` are those that the
    exploration used, by library."""
    best = exploration.best
    if best is None:
        return []
    profile = profiles.get(best.library)
    sentences = [_ring(exploration, best), *bounds(exploration, best)]
    sentences += [_standards(exploration, best), *_narrow(exploration, best)]
    wish = exploration.wish
    sentences.append(who_may_see(exploration.problem, best.scheme, wish.shared_results, wish.failure_bits))
    sentences += for_the_client(best)
    if profile is not None and best.estimate.cpu_seconds:
        sentences.append(_shares(best, profile))
    sentences += bootstrapping(exploration, best, profiles)
    sentences += in_threads(exploration, best, profile)
    sentences += swapped(exploration, best)
    total = (best.estimate.cpu_seconds or {}).get("total")
    sentences += by_switching(exploration, total, profiles)
    sentences += by_table(exploration, best, profiles)
    sentences += choice_gains(exploration, best, profile)
    sentences += [*advice(exploration, best, profile), *relaxing(exploration, best, profiles)]
    return [*sentences, *_next(exploration, best), *calibration(exploration)]


def _ring(e: Exploration, best: Candidate) -> str:
    """A sentence on why the ring is as large as it is."""
    p, security = best.parameters, e.wish.security
    limit, half = (
        posed_at(best, n, e.wish.quantum).allowed(security) for n in (p.ring_dimension, p.ring_dimension // 2)
    )
    power = int(log2(p.ring_dimension))
    levels = best.program.levels
    depth = f"{levels} level{'s' * (levels != 1)}" if levels else "its products"
    depth += _of_a_bootstrap(best)
    return (
        f"N = 2^{power}: {depth} and key switching take log2 QP = {p.log_qp:.0f}. "
        f"At {security}-bit security, N = 2^{power} allows up to {int(limit)}; "
        f"N = 2^{power - 1} only {int(half)}."
        + " Half that ring would also be secure, but no set in it fits or ranks better."
        * (p.log_qp <= half)
    )


def _of_a_bootstrap(c: Candidate) -> str:
    """The levels that a bootstrap takes for itself, as part of a sentence."""
    if not c.program.bootstraps or c.ckks.bootstrap is None:
        return ""
    return f", {len(c.ckks.bootstrap.q) - 1 - c.ckks.levels} more for a bootstrap,"


def _standards(e: Exploration, best: Candidate) -> str:
    """A sentence on which rule chose the ring, and which one the library enforces."""
    found = best.estimate
    asked = posed(best.parameters, best.program.switches_keys, e.wish.quantum)
    if asked.secret.startswith(SPARSE):
        return (
            "The Guidelines of 2024 do not cover sparse secrets. Today's default estimate gives "
            f"{floor(found.security_bits)} bits for the weakest secret of this set."
        )
    return enforced(
        BY_NAME[best.library].family,
        found.standard_bits,
        found.library_bits,
        found.security_bits,
        e.wish.quantum,
    )


def _narrow(e: Exploration, best: Candidate) -> list[str]:
    """A sentence where a library draws errors that are narrower than its table and the Guidelines assume."""
    asked = posed(best.parameters, best.program.switches_keys)
    p, sigma = best.parameters, asked.sigma
    if sigma >= SIGMA:
        return []
    usual = security_bits(p.ring_dimension, p.log_qp, asked.secret, quantum=e.wish.quantum)
    counted = f"{best.estimate.security_bits:.1f}"
    if counted == f"{usual:.1f}":
        return []
    return [
        f"{BY_NAME[best.library].title} draws the errors of its switching keys with a standard deviation "
        f"of {sigma:g}, whereas both standards assume {SIGMA}. The {counted} bits of this set take this into "
        f"account; with the usual errors, it would have {usual:.1f} bits."
    ]


def _shares(best: Candidate, profile: Profile) -> str:
    """A sentence on where the time of evaluation goes."""
    seconds = seconds_by_action(best, profile)
    total = sum(seconds.values())
    parts = [f"{name} {share / total:.0%}" for name, share in seconds.most_common(LARGEST_SHARES)]
    return f"Evaluation takes {units.seconds(total)} of CPU time: {', '.join(parts)}."


def _next(e: Exploration, best: Candidate) -> list[str]:
    """Sentences on what ties with the recommendation, and on the next best sets of other libraries, schemes
    and rings."""
    ties = [c for c in e.candidates if c in e.ties and c is not best]
    return [*([_ties(e, best, ties)] if ties else []), *_runners_up(e, best)]


def _ties(e: Exploration, best: Candidate, ties: Sequence[Candidate]) -> str:
    goal, own = e.wish.goal, _named(best)
    counts = Counter(_named(c) for c in ties)
    many = counts.pop(own, 0)
    named = [f"{'another set' if many == 1 else f'{many} other sets'} of {own}"] if many else []
    named = [*counts, *named]
    kinds = [*named[:NEIGHBOURS], *([f"{len(named) - NEIGHBOURS} more kinds"] if named[NEIGHBOURS:] else [])]
    verb = "ties" if len(ties) == 1 else "tie"
    most = max(c.cost(goal) for c in ties) / best.cost(goal)
    within = f"within the error of prediction: at most {most:.2f} times the {goal.said()}"
    text = f"{listing(kinds)} {verb} with it {within if goal.of_time or goal.of_memory else 'exactly'}."
    return text[0].upper() + text[1:]


def _runners_up(e: Exploration, best: Candidate) -> list[str]:
    """A sentence on the next best sets of other libraries, schemes and rings."""
    firsts: dict[tuple[str, str, int], Candidate] = {}
    for c in e.candidates:
        firsts.setdefault((c.library, c.scheme, c.parameters.ring_dimension), c)
    others = [c for c in firsts.values() if c is not best and c not in e.ties][:NEIGHBOURS]
    if not others:
        return []
    goal = e.wish.goal
    if goal.of_time and not all(c.estimate.timed for c in (best, *others)):
        return [f"Next: {_named(others[0])}; without profiles of both, their times cannot be compared."]
    cost = best.cost(goal)
    told = [f"{_named(c)} at {c.cost(goal) / cost:.2f} times the {goal.said()}" for c in others]
    return [f"Next, by library, scheme and ring: {'; '.join(told)}."]


def calibration(e: Exploration) -> list[str]:
    """Sentences on the times of libraries that were not calibrated on this machine."""
    timed = {c.library: c.estimate.origin for c in e.candidates if c.estimate.timed}
    shipped = [name for name in e.uncalibrated if name in timed]
    untimed = {c.library for c in e.candidates if not c.estimate.timed}
    unknown = [name for name in e.uncalibrated if name in untimed]
    said = []
    if shipped:
        band = max(c.estimate.error_band or 0.0 for c in e.candidates if c.library in shipped)
        said.append(
            f"Times of {_titles(shipped)} come from another machine ({timed[shipped[0]]}) and are within "
            f"about {band:.0%} of this one's. Remedy: fheasible calibrate"
        )
    if unknown:
        said.append(
            f"There is no profile of {_titles(unknown)} on this machine, so that times are unknown. "
            "Remedy: fheasible calibrate"
        )
    return said


def _titles(names: Sequence[str]) -> str:
    return ", ".join(BY_NAME[name].title for name in names)


def _named(c: Candidate) -> str:
    technique = f" {c.parameters.technique}" if c.parameters.technique else ""
    ring = power_of_two(c.parameters.ring_dimension)
    return f"{BY_NAME[c.library].title} {c.scheme.upper()}{technique} (N = {ring})"
