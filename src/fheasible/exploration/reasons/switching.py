"""What the comparisons of a circuit would take by scheme switching, beside the polynomials that it uses."""

from collections.abc import Mapping

from fheasible.circuit.node import Chebyshev, Circuit
from fheasible.estimation.profile import Profile
from fheasible.estimation.switching import SwitchingModel, named
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.search.search import Exploration
from fheasible.libraries.catalogue import BY_NAME
from fheasible.libraries.library import Library
from fheasible.units import seconds, size


def compared(circuit: Circuit) -> int:
    """How many numbers the circuit compares: the elements of everything that jumps or has a kink at 0."""
    return sum(
        n.length
        for n in circuit.nodes()
        if isinstance(n.attribute, Chebyshev) and n.attribute.jump is not None
    )


def by_switching(e: Exploration, best: Candidate, profiles: Mapping[str, Profile]) -> list[str]:
    """Sentences on the least time of the circuit's comparisons by scheme switching; empty where it has none,
    or where the recommendation is none of CKKS."""
    many = compared(e.problem.as_approximated)
    if not many or best.scheme != "ckks":
        return []
    return [
        said
        for lib in BY_NAME.values()
        if lib.switching_levels and not lib.build_of
        for said in _of(lib, e, best, many, profiles.get(lib.name))
    ]


def _of(lib: Library, e: Exploration, best: Candidate, many: int, profile: Profile | None) -> list[str]:
    head = (
        f"{lib.title} can also compare by scheme switching to FHEW, slot by slot and without polynomials: "
        f"{many:,} comparison{'s' * (many != 1)} here."
    )
    models = profile.switching if profile else {}
    model = models.get(named(e.wish.security)) or models.get(named(None))
    if model is None:
        return [f"{head} What it takes is not known on this machine. Remedy: fheasible calibrate --switching"]
    secure = named(e.wish.security) in models
    return [f"{head} {_times(model, best, many, secure)}"]


def _times(model: SwitchingModel, best: Candidate, many: int, secure: bool) -> str:
    """The signs alone are a lower bound; those of toy parameters are below those of secure ones."""
    signs = many * model.sign_seconds
    least = "" if secure else ", measured with FHEW's toy parameters, and secure ones are slower"
    said = f"The signs alone take at least {seconds(signs)} of CPU time{least}"
    keys = f"its keys take {size(model.key_bytes)} or more"
    own = best.estimate.cpu_seconds
    if not own:
        return f"{said}; {keys}."
    total = own["total"]
    if signs >= total:
        return f"{said}, where the whole recommended run takes {seconds(total)}; so it is not worth it here."
    return (
        f"{said}, and the whole recommended run takes {seconds(total)}; {keys}. It may be worth it where no "
        "margin can be promised: measure compare_by_switching at this security."
    )
