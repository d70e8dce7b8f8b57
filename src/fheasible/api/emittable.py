"""What may be asked of a target, and which other one has what it lacks."""

from dataclasses import replace

from fheasible.api.options import Options
from fheasible.emission.targets.catalogue import TARGETS
from fheasible.emission.targets.target import Target
from fheasible.errors import InfeasibleParameters, UnknownName, UsageError
from fheasible.estimation.ring_profile import LIBRARY
from fheasible.libraries.catalogue import BY_NAME
from fheasible.libraries.lookup_catalogue import LOOKUP_LIBRARIES
from fheasible.schemes import catalogue as ring_schemes
from fheasible.units import listing


def of_the_target(asked: Options, target: Target) -> Options:
    """What is asked, of the target's library alone. UsageError for another library, a scheme that the
    target's library lacks, or threads that the code cannot have."""
    others = [name for name in asked.libraries if name != target.library]
    if others:
        raise UsageError(
            f"--to {target.name} writes code for {target.library}, but --library {others[0]} was given",
            _or_other("leave --library out", others[0], [t for t in TARGETS if _of(t) == others[0]]),
        )
    scheme, own = (asked.scheme or "").strip().lower(), schemes(target.library)
    if scheme and scheme not in own:
        raise UsageError(
            f"--to {target.name} writes {listing(own, 'or')}, but --scheme {asked.scheme} was given",
            _or_other("leave --scheme out", scheme, [t for t in TARGETS if scheme in schemes(_of(t))]),
        )
    if asked.threads != 1 and not target.threads:
        raise UsageError(f"--to {target.name} writes code for one thread", "leave --threads out")
    return replace(asked, libraries=(target.library,))


def schemes(library: str) -> tuple[str, ...]:
    """The schemes of a library of either kind."""
    return BY_NAME[library].schemes if library in BY_NAME else LOOKUP_LIBRARIES[library].schemes


def elsewhere(error: InfeasibleParameters, target: Target) -> InfeasibleParameters:
    """The error that nothing fits, whose remedy also names the way to a target for which something may."""
    ask = f"see what other libraries can do, and take another target than {target.name}: fheasible explore"
    return InfeasibleParameters(error.message, f"{error.remedy}; or: {ask}")


def _of(target: str) -> str:
    return TARGETS[target].library


def _or_other(remedy: str, asked: str, targets: list[str]) -> str:
    """The remedy, and the targets that have what was asked for."""
    if targets:
        return f"{remedy}, or write --to {' or --to '.join(targets)}"
    if asked == LIBRARY or _is_ring_scheme(asked):
        return f"{remedy}: the ring schemes have no code, but fheasible run --library {LIBRARY} executes them"
    return f"{remedy}: no target has {asked}"


def _is_ring_scheme(name: str) -> bool:
    try:
        ring_schemes.scheme(name)
    except UnknownName:
        return False
    return True
