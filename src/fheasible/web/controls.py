"""The controls of the page: what may be asked for, stop by stop, and the options that a choice of stops
means."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import Any, Final

from fheasible import units
from fheasible.aliases import Json
from fheasible.api.options import Options
from fheasible.errors import UsageError
from fheasible.exploration.problem.wish import FAILURE_BITS, LEAST_BITS, SECURITY_LEVELS
from fheasible.units import MIB

Settings = tuple[int, ...]  # the stop of each control, in their order


@dataclass(frozen=True, slots=True)
class Control:
    """A slider, or a list to choose from where its stops have no order (`listed`). `stops`: the values of an
    option, from the left to the right; `usual`: the one that stands for the option not being given. `short`:
    the stops that static files have."""

    name: str
    title: str
    help: str
    option: str
    field: str
    stops: tuple[Any, ...]
    labels: tuple[str, ...]
    usual: int
    short: tuple[Any, ...]
    listed: bool = False

    def shortened(self) -> "Control":
        """The control with few stops, of which all answers can be computed beforehand."""
        kept = [self.stops.index(stop) for stop in self.short]
        labels = tuple(self.labels[i] for i in kept)
        return replace(self, stops=self.short, labels=labels, usual=kept.index(self.usual))

    @property
    def document(self) -> Json:
        """The control as the page needs it."""
        return {
            "name": self.name, "title": self.title, "help": self.help, "labels": list(self.labels),
            "usual": self.usual, "listed": self.listed,
        }  # fmt: skip

    def typed(self, stop: int) -> Iterator[str]:
        """The words of the command line for a stop; none for the usual one."""
        if stop != self.usual:
            value = self.stops[stop]
            yield self.option
            if self.field == "max_bytes":
                yield f"{value // MIB}MiB"
            else:
                yield value if isinstance(value, str) else f"{value:g}"


def _control(
    name: str,
    title: str,
    help: str,
    option: str,
    field: str,
    stops: Sequence[Any],
    said: str,
    usual: Any,
    short: Sequence[Any],
) -> Control:
    labels = tuple(said.format(stop) for stop in stops)
    return Control(name, title, help, option, field, tuple(stops), labels, stops.index(usual), tuple(short))


SECURITY: Final = _control(
    "security",
    "Security",
    "With n bits, the cheapest known attack takes at least 2^n operations.",
    "--security",
    "security",
    SECURITY_LEVELS,
    "{} bits",
    SECURITY_LEVELS[0],
    SECURITY_LEVELS,
)
PRECISION: Final = _control(
    "precision",
    "Precision",
    "With n bits, no error is larger than 2^-n times the largest result.",
    "--precision",
    "precision",
    (5, 8, int(LEAST_BITS), 12, 15, 18, 20, 22, 25, 28, 30, 35, 40),
    "{} bits",
    int(LEAST_BITS),
    (int(LEAST_BITS), 15, 20, 30),
)
FAILURE: Final = _control(
    "failure",
    "Failures",
    "How often an exact result may be wrong.",
    "--failure",
    "failure",
    (20, 30, int(FAILURE_BITS), 64, 80, 100, 128),
    "once in 2^{} runs",
    int(FAILURE_BITS),
    (int(FAILURE_BITS), 128),
)
_SIZES: Final = tuple(2**power * MIB for power in range(6, 17))
MEMORY: Final = Control(
    "memory",
    "Memory",
    "The most memory that a run may take.",
    "--max-memory",
    "max_bytes",
    (*_SIZES, None),
    (*(units.size(size).replace(".00", "").replace(".0", "") for size in _SIZES), "no limit"),
    len(_SIZES),
    (256 * MIB, None),
)
_GOALS: Final[Mapping[str, str]] = {
    "time": "CPU time",
    "wall": "wall time",
    "memory": "memory",
    "communication": "bytes that are sent",
    "amortised": "CPU time for each of many requests",
}
OBJECTIVE: Final = Control(
    "objective",
    "Objective",
    "The recommended set has the least of this.",
    "--objective",
    "objective",
    tuple(_GOALS),
    tuple(f"least {said}" for said in _GOALS.values()),
    0,
    ("time", "memory", "communication"),
    listed=True,
)


def threads(cores: int) -> Control:
    """The slider of how many threads execute a program, up to one for each core."""
    powers = (2**power for power in range(cores.bit_length()))
    stops = tuple(dict.fromkeys((*powers, cores)))
    return Control(
        "threads",
        "Threads",
        "How many threads execute a run. They may lessen its wall time, but not its CPU time.",
        "--threads",
        "threads",
        stops,
        tuple(map(str, stops)),
        0,
        stops[:1],
    )


def controls(real: bool, cores: int = 1) -> tuple[Control, ...]:
    """The controls of an application: of real numbers, or of integers, whose results are exact. `cores`:
    those of the machine; one alone leaves no choice of threads."""
    least = PRECISION if real else FAILURE
    shared = (threads(cores),) if cores > 1 else ()
    return OBJECTIVE, SECURITY, least, *shared, MEMORY


def few(sliders: Sequence[Control]) -> tuple[Control, ...]:
    """The controls of static files, with few stops; those with one alone are left out."""
    return tuple(short for slider in sliders if len((short := slider.shortened()).stops) > 1)


def usual(sliders: Sequence[Control]) -> Settings:
    """The stops that stand for no options."""
    return tuple(slider.usual for slider in sliders)


def settings(sliders: Sequence[Control], asked: Mapping[str, Any]) -> Settings:
    """The stops that the page asks for, by the names of sliders; the usual ones for those not named.
    UsageError for a stop that there is not."""
    return tuple(_stop(slider, asked.get(slider.name, slider.usual)) for slider in sliders)


def _stop(slider: Control, stop: Any) -> int:
    last = len(slider.stops) - 1
    if isinstance(stop, bool) or not isinstance(stop, int) or not 0 <= stop <= last:
        raise UsageError(f"{slider.name} has no stop {stop!r}"[:200], f"give a whole number from 0 to {last}")
    return stop


def options(sliders: Sequence[Control], chosen: Settings) -> Options:
    """What is asked by these stops."""
    given = {
        slider.field: slider.stops[stop]
        for slider, stop in zip(sliders, chosen, strict=True)
        if stop != slider.usual
    }
    return Options(**given)


def proof(called: str, sliders: Sequence[Control], chosen: Settings, data: str | None = None) -> str:
    """The command that proves what is recommended for these stops, on the data of that file."""
    pairs = zip(sliders, chosen, strict=True)
    words = [word for slider, stop in pairs for word in slider.typed(stop)]
    given = [] if data is None else ["--data", data]
    return shlex.join(["fheasible", "verify", called, *words, *given])


def count(sliders: Sequence[Control]) -> int:
    """How many answers there are."""
    return prod(len(slider.stops) for slider in sliders)


def everything(sliders: Sequence[Control]) -> Iterator[Settings]:
    """All choices of stops."""
    return product(*(range(len(slider.stops)) for slider in sliders))


def by_precision(sliders: Sequence[Control]) -> Iterator[Settings]:
    """All choices of stops, those of one precision after the other: programs depend on it alone."""
    at = [i for i, slider in enumerate(sliders) if slider.name == PRECISION.name]
    return iter(sorted(everything(sliders), key=lambda stops: [stops[i] for i in at]))


def beside(sliders: Sequence[Control], before: Settings, chosen: Settings) -> list[Settings]:
    """The stops for which a single slider moves from the chosen ones: first on in the direction from
    `before`, then the nearest of all."""

    def order(other: Settings) -> tuple[bool, int]:
        (ahead,) = ((b - a) * (c - b) for a, b, c in zip(before, chosen, other, strict=True) if c != b)
        return ahead <= 0, distance(chosen, other)[1]

    alone = (other for other in everything(sliders) if distance(chosen, other)[0] == 1)
    return sorted(alone, key=order)


def distance(one: Settings, other: Settings) -> tuple[int, int]:
    """How far two choices are apart: the number of sliders that differ, and by how many stops."""
    apart = [abs(a - b) for a, b in zip(one, other, strict=True)]
    return sum(a > 0 for a in apart), sum(apart)
