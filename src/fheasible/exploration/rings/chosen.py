"""The candidate of a ring scheme whose parameters the user gave, instead of the search."""

from collections.abc import Mapping

import numpy as np

from fheasible.errors import InfeasibleParameters, UsageError
from fheasible.estimation.ring_profile import RingProfile
from fheasible.exploration.rings.choice import RingCandidate, judged
from fheasible.exploration.rings.figures import figures, workload
from fheasible.exploration.rings.pool import RingPool, not_bits
from fheasible.exploration.rings.space import RingSets, bears, plain_modulus, with_depths
from fheasible.exploration.rings.wish import RingWish
from fheasible.schemes.noise import WORST_CASE
from fheasible.schemes.parameters import RingParameters
from fheasible.schemes.plan import Plan
from fheasible.schemes.scheme import RingScheme

REQUIRED = ("n", "log_q", "log_w")
KNOWN = (*REQUIRED, "t")


def parameters_from(settings: Mapping[str, str], kind: type[RingScheme], steps: Plan) -> RingParameters:
    """The parameters of `key=value` settings; t is the least that the application allows unless given.

    UsageError for settings that are unknown, missing or no whole numbers, InfeasibleParameters for what the
    ring or the scheme does not compute with, PromiseBroken for a t that does not distinguish the
    application's outputs.
    """
    given = {_known(key): _whole(key, text) for key, text in settings.items()}
    missing = [name for name in REQUIRED if name not in given]
    if missing:
        asked = ["--param log_q=300" if name == "log_q" else f"--param {name}=..." for name in missing]
        raise UsageError(f"a ring scheme also needs {', '.join(missing)}", f"add {' '.join(asked)}")
    least = plain_modulus(steps)
    if kind.bits and "t" not in given and least != 2:
        raise InfeasibleParameters(not_bits(kind, steps, least), "take another scheme, such as --scheme fv")
    p = RingParameters(**({"t": least} | given)).checked(kind.bits)
    steps.check_modulus(p.t)
    return p


def _known(key: str) -> str:
    name = key.lower().replace("-", "_")
    if name not in KNOWN:
        raise UsageError(f"ring schemes have no parameter {key!r}", f"choose among {', '.join(KNOWN)}")
    return name


def _whole(key: str, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise UsageError(f"{key}={text!r} is not a whole number", f"write {key}=4096") from None


def chosen(
    kind: type[RingScheme], p: RingParameters, steps: Plan, profile: RingProfile | None = None
) -> RingCandidate:
    """The candidate of that set, with what is predicted of it for the application; it is compared with no
    other."""
    wish = RingWish()
    alone = with_depths(kind, _alone(p), p.t, wish, steps)
    counted = figures(kind, alone.parameters(p.t), workload(steps))
    verdict, warnings = judged(kind, p, wish)
    return RingPool.of(kind, p.t, alone, counted, profile).candidate(0, 1.0, True, verdict, warnings)


def promised(candidate: RingCandidate, steps: Plan, noise: str = WORST_CASE) -> bool:
    """Whether the formulas of that noise say that the application decrypts to the right result."""
    p = candidate.parameters
    return bool(bears(candidate.kind, _alone(p), p.t, RingWish(noise=noise), steps)[0])


def _alone(p: RingParameters) -> RingSets:
    n, log_q, log_w = (np.array([int(value)]) for value in (p.n, p.log_q, p.log_w))
    return RingSets(n, log_q, log_w, np.zeros_like(n))
