"""What the comparisons of a circuit would take by scheme switching, beside the polynomials that it uses."""

from collections.abc import Mapping

from fheasible.circuit.discrete import Discrete, Function
from fheasible.circuit.node import Chebyshev, Circuit, Node
from fheasible.estimation.profile import Profile
from fheasible.estimation.switching import SwitchingModel, named
from fheasible.exploration.search.search import Exploration
from fheasible.libraries.catalogue import BY_NAME
from fheasible.libraries.library import Library
from fheasible.units import seconds, size

_COMPARISONS = (Function.GREATER, Function.EQUAL, Function.MAXIMUM, Function.MINIMUM)


def compared(circuit: Circuit) -> int:
    """How many numbers the circuit compares: the elements of everything that jumps or has a kink at 0, and
    of comparisons of integers."""
    return sum(n.length for n in circuit.nodes() if _compares(n))


def _compares(n: Node) -> bool:
    found = n.attribute
    if isinstance(found, Discrete):
        return found.function in _COMPARISONS
    return isinstance(found, Chebyshev) and found.jump is not None


def by_switching(e: Exploration, run_seconds: float | None, profiles: Mapping[str, Profile]) -> list[str]:
    """Sentences on the least time of the circuit's comparisons by scheme switching; empty where it has none.
    `run_seconds`: the CPU time of the recommended run, whatever its scheme."""
    many = compared(e.problem.circuit)
    if not many:
        return []
    return [
        said
        for lib in BY_NAME.values()
        if lib.switching_levels and not lib.build_of
        for said in _of(lib, e, run_seconds, many, profiles.get(lib.name))
    ]


def _of(
    lib: Library, e: Exploration, run_seconds: float | None, many: int, profile: Profile | None
) -> list[str]:
    head = (
        f"{lib.title} can also compare by scheme switching to FHEW, slot by slot and without polynomials: "
        f"{many:,} comparison{'s' * (many != 1)} here."
    )
    models = profile.switching if profile else {}
    model = models.get(named(e.wish.security)) or models.get(named(None))
    if model is None:
        return [f"{head} What it takes is not known on this machine. Remedy: fheasible calibrate --switching"]
    secure = named(e.wish.security) in models
    return [f"{head} {_times(model, run_seconds, many, secure)}"]


def _times(model: SwitchingModel, total: float | None, many: int, secure: bool) -> str:
    """The signs alone are a lower bound; those of toy parameters are below those of secure ones."""
    signs = many * model.sign_seconds
    least = "" if secure else ", measured with FHEW's toy parameters, and secure ones are slower"
    said = f"The signs alone take at least {seconds(signs)} of CPU time{least}"
    keys = f"its keys take {size(model.key_bytes)} or more"
    if total is None:
        return f"{said}; {keys}."
    if signs >= total:
        return f"{said}, where the whole recommended run takes {seconds(total)}; so it is not worth it here."
    return (
        f"{said}, and the whole recommended run takes {seconds(total)}; {keys}. It may be worth it where no "
        "margin can be promised: measure compare_by_switching at this security."
    )
