"""What bootstraps cost, and what one large ring in their place would."""

from collections.abc import Mapping
from math import floor, log2

from fheasible import units
from fheasible.estimation.profile import Profile
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.judging.secure import keys, most
from fheasible.exploration.reasons.choices import seconds_by_action
from fheasible.exploration.reasons.overtaking import depth_of, overtaken_at
from fheasible.exploration.search.search import Exploration
from fheasible.exploration.space.requests import SCALES
from fheasible.libraries.catalogue import BY_NAME
from fheasible.noise.ckks.modular_raising import bootstrap_failure_bits
from fheasible.program.types import Action, Program
from fheasible.security.keys import EPHEMERAL


def bootstrapping(e: Exploration, best: Candidate, profiles: Mapping[str, Profile]) -> list[str]:
    """Sentences on the bootstraps of the best candidate, or on those of the best that has any; none where no
    set with bootstraps was tried."""
    if best.scheme != "ckks":
        return []
    alike = [c for c in e.candidates if c.scheme == "ckks"]
    profile = profiles.get(best.library)
    if best.program.bootstraps:
        rival = next((c for c in alike if not c.program.bootstraps), None)
        return [_how(best), *_share(best, profile), _secrets(best), *_one_ring(e, best, rival, profile)]
    rival = next((c for c in alike if c.program.bootstraps), None)
    if rival is None:
        return []
    at = _overtaken(e, rival, best, profiles.get(rival.library))
    beyond = (
        f" Bootstraps would overtake one ring at a depth of about {at}; this circuit has depth "
        f"{depth_of(e, best)}."
    )
    return [
        f"Bootstraps are not needed: the best set with bootstraps ({_many(rival.program)} in "
        f"{BY_NAME[rival.library].title} at N = {units.power_of_two(rival.parameters.ring_dimension)}) "
        f"would take {_ratio(e, rival, best)}.{beyond if at else ''}"
    ]


def _many(program: Program) -> str:
    count = program.bootstrap_count
    return f"{count} bootstrap{'s' * (count != 1)}"


def _how(c: Candidate) -> str:
    """A sentence on how many bootstraps there are, and what each brings back and uses up."""
    own = c.ckks.bootstrap
    assert own is not None
    left, top, fresh = c.ckks.levels, len(own.q) - 1, c.program.fresh_levels
    said = f" Fresh inputs begin at level {fresh}, so that fewer bootstraps are needed."
    begins = said if fresh > left else ""
    iterates = (
        f" That takes {own.procedure.iterations} iterations, because one is not precise enough: each "
        f"bootstraps the error of the one before, 2^{own.procedure.iteration_bits} times as large."
    )
    twice = iterates if own.procedure.iterations > 1 else ""
    return (
        f"The program has {_many(c.program)}. {'Each' if c.program.bootstrap_count > 1 else 'It'} raises a "
        f"value to level {top}, uses up {top - left} of these levels itself and leaves {left}.{begins}{twice}"
    )


def _share(c: Candidate, profile: Profile | None) -> list[str]:
    """A sentence on the time of one bootstrap, where it is known."""
    each = _each_seconds(c, profile)
    if profile is None or each is None:
        return []
    share = each * c.program.bootstrap_count / seconds_by_action(c, profile).total()
    together = f"; together they are {share:.0%} of evaluation" if c.program.bootstrap_count > 1 else ""
    alone = f", {share:.0%} of evaluation" if c.program.bootstrap_count == 1 else ""
    return [f"A bootstrap takes {units.seconds(each)}{alone}{together}."]


def _each_seconds(c: Candidate, profile: Profile | None) -> float | None:
    """The time of one bootstrap; None where it is not known."""
    if profile is None or not c.estimate.cpu_seconds:
        return None
    return seconds_by_action(c, profile)[Action.BOOTSTRAP.value] / c.program.bootstrap_count


def _overtaken(e: Exploration, refreshed: Candidate, alone: Candidate, profile: Profile | None) -> int | None:
    """The depth at which the one overtakes the other; None where it is not known, or not time is wished
    for."""
    each = _each_seconds(refreshed, profile)
    return overtaken_at(e, refreshed, alone, each) if each is not None and e.wish.goal.of_time else None


def _secrets(c: Candidate) -> str:
    """A sentence on the secrets, and on how often raising the modulus fails."""
    p = c.ckks
    assert p.bootstrap is not None
    weight = p.bootstrap.weight
    main = "is uniform ternary" if weight is None else f"has weight {weight}"
    narrow = next((use for use in keys(p, c.program.switches_keys) if use.role == EPHEMERAL), None)
    other = ""
    if narrow is not None:
        other = (
            f" The modulus is raised under a second secret of weight {p.bootstrap.procedure.ephemeral}, "
            f"whose key has a modulus of {narrow.log_q:.0f} bits."
        )
    left = bootstrap_failure_bits(p.ring_dimension, p.bootstrap) - log2(c.program.bootstrap_count)
    return (
        f"The secret {main}.{other} In one of 2^{floor(left)} runs, a bootstrap fails, because a coefficient "
        "lies outside the interval of its modular reduction."
    )


def _one_ring(e: Exploration, best: Candidate, rival: Candidate | None, profile: Profile | None) -> list[str]:
    """A sentence on one large ring in place of bootstraps; none where they are placed by hand."""
    if e.problem.bootstraps:
        return []
    if rival is not None:
        ring = units.power_of_two(rival.parameters.ring_dimension)
        at = _overtaken(e, best, rival, profile)
        since = (
            f" Bootstraps overtake it at a depth of about {at}; this circuit has depth {depth_of(e, best)}."
        )
        return [
            f"One ring without bootstraps, {BY_NAME[rival.library].title} at N = {ring}, would take "
            f"{_ratio(e, rival, best)}.{since if at else ''}"
        ]
    n = BY_NAME[best.library].largest_ring
    bits = best.ckks.request.scale_bits if best.ckks.request else None
    size = bits or SCALES[0]
    deep = int(most(n, e.wish.security, e.wish.quantum) // size) - 2  # the first prime, and a special one
    title, ring = BY_NAME[best.library].title, units.power_of_two(n)
    return [
        f"One ring without bootstraps is not enough: with primes of {size} bits, {title}'s largest ring "
        f"here, N = {ring}, has about {deep} levels at {e.wish.security}-bit security. This circuit takes "
        f"{depth_of(e, best)} levels. Circuits deeper than the ring need bootstraps."
    ]


def _ratio(e: Exploration, other: Candidate, best: Candidate) -> str:
    goal = e.wish.goal
    if goal.of_time and not (other.estimate.timed and best.estimate.timed):
        return f"{other.work / best.work:.2f} times the work"
    return f"{other.cost(goal) / best.cost(goal):.2f} times the {goal.said()}"
