"""How the circumstances of two sides differ, and whether their times can still be compared."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Any

from fheasible import units
from fheasible.aliases import Json
from fheasible.measurement.busyness import stored

GROUPS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "the machine": ("machine", "cpu", "cores", "memory_bytes", "caches"),
        "the system": ("os", "kernel"),
        "the library's version": ("version", "binding"),
        "the library's build": ("build", "runtime"),
        "the number of threads": ("threads",),
    }
)
"""Facts of an environment that times depend on. Those of one group change together."""

OTHERS = "other settings"  # all other facts, such as the governor
_OF_LIBRARIES = ("version", "binding", "build", "runtime")  # facts that each library has of its own
_CONDITIONS = "conditions"  # the fact that holds facts of its own
_PASSING = frozenset(
    ("library", "flags", "python", "commit", "seed", "started", "finished_at", "load_before", "load_after",
     _CONDITIONS, "swap_used_bytes")
)  # fmt: skip
_FEW = 0.1  # the share of runs on a busy machine that is passed over
_LETTERS = 60  # of a value that is shown


@dataclass(frozen=True, slots=True)
class Difference:
    """A fact that differs, with the values that each side has."""

    group: str
    fact: str
    a: tuple[str, ...]
    b: tuple[str, ...]

    def to_json(self) -> Json:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What differs between the sides, and warnings, as sentences, of what makes them incomparable."""

    differences: tuple[Difference, ...]
    warnings: tuple[str, ...]

    @property
    def comparable(self) -> bool:
        return not self.warnings


def circumstances(a: Sequence[Json], b: Sequence[Json], shared: int = 0) -> Circumstances:
    """The circumstances of two sides, given as the environments of their runs; `shared` runs are on both."""
    found = tuple(_differences(a, b))
    twice = [f"{shared} runs are both in A and in B, so that what differs looks less"] * bool(shared)
    warnings = (*twice, *_mixed("A", a), *_mixed("B", b), *_several(found), *_busy("A", a), *_busy("B", b))
    return Circumstances(found, warnings)


def _differences(a: Sequence[Json], b: Sequence[Json]) -> Iterator[Difference]:
    here, there = _values(a), _values(b)
    libraries = {str(e.get("library")) for e in a} & {str(e.get("library")) for e in b}
    for fact in sorted({*here, *there}, key=_order):
        x, y = here.get(fact, ()), there.get(fact, ())
        if x and y and x != y and libraries.issuperset(fact[1:]):
            yield Difference(_group(fact[0]), " ".join(fact), x, y)


Fact = tuple[str, ...]  # the name of a fact; behind it the library, where each has its own


def _values(environments: Iterable[Json]) -> dict[Fact, tuple[str, ...]]:
    """The values that each fact takes, sorted."""
    found: dict[Fact, set[str]] = {}
    for environment in environments:
        conditions = environment.get(_CONDITIONS)
        for name, value in (environment | (conditions if isinstance(conditions, dict) else {})).items():
            if name in _PASSING or value is None or isinstance(value, float):
                continue
            fact = (name, str(environment.get("library"))) if name in _OF_LIBRARIES else (name,)
            found.setdefault(fact, set()).add(_text(value))
    return {fact: tuple(sorted(values)) for fact, values in found.items()}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)


def _group(fact: str) -> str:
    return next((group for group, facts in GROUPS.items() if fact in facts), OTHERS)


def _order(fact: Fact) -> tuple[int, Fact]:
    return [*GROUPS, OTHERS].index(_group(fact[0])), fact


def _mixed(side: str, environments: Sequence[Json]) -> Iterator[str]:
    machines = {str(e.get("machine")) for e in environments}
    if len(machines) > 1:
        yield (
            f"{side} mixes runs from {len(machines)} machines ({units.listing(sorted(machines))}): its least "
            "times are those of the fastest; choose one with machine:"
        )
    versions: dict[str, set[str]] = {}
    for e in environments:
        versions.setdefault(str(e.get("library")), set()).add(str(e.get("version")))
    for library, found in versions.items():
        if len(found) > 1:
            yield f"{side} mixes versions {units.listing(sorted(found))} of {library}; choose one with @"


def _several(differences: Sequence[Difference]) -> Iterator[str]:
    groups = list(dict.fromkeys(d.group for d in differences))
    if len(groups) > 1:
        yield (
            f"A and B differ in {units.listing(groups)}: a ratio shows what all of these do together, and "
            "not what one of them does"
        )


def _busy(side: str, environments: Sequence[Json]) -> Iterator[str]:
    beside = list(map(stored, environments))
    busy = [b for b in beside if b.busy]
    if len(busy) > _FEW * len(beside):
        most = max(b.load for b in beside)
        yield (
            f"{len(busy)} of {len(beside)} runs of {side} were made while other processes ran (load up to "
            f"{most:.1f}): caches and memory were shared; measure again on an idle machine"
        )


def short(values: Sequence[str]) -> str:
    """The values in one cell of a table."""
    text = " | ".join(values) or units.ABSENT
    return text if len(text) <= _LETTERS else text[: _LETTERS - 3] + "..."
