"""A library that the user has added, as one that does what a library of Fheasible does."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Any

from fheasible.aliases import Json
from fheasible.errors import DataError
from fheasible.libraries.added import LANGUAGE, Added
from fheasible.libraries.library import Library, WorkerSource
from fheasible.libraries.lookup_library import (
    LookupLibrary,
    LookupMemory,
    LookupSizes,
    LookupTask,
    NamedSet,
    Transforms,
)
from fheasible.schemes.lookups import LookupParameters
from fheasible.schemes.tfhe.parameters import TfheParameters
from fheasible.units import listing

_SOURCE = WorkerSource(LANGUAGE)
_FIELDS = tuple(f.name for f in fields(TfheParameters) if f.name not in ("pbs", "ks"))
PARAMETERS = (*_FIELDS, "pbs_base_log", "pbs_level", "ks_base_log", "ks_level")
"""The names of a set's parameters in JSON."""
_USUAL = {"torus_bits": 64, "order": "ks_pbs", "modulus_switch": "standard", "grouping": 1}
_SAID = ("log2_failure", "security_bits")  # what a library promises of its set, where it does


def vectors(known: Library, added: Added) -> Library:
    """It as another build of a library of vectors: with that library's rules, counts, noise and files."""
    return replace(
        known,
        name=added.name,
        title=added.title,
        build_of=known.family,
        version=added.version,
        schemes=_schemes(known.schemes, added),
        worker=_SOURCE,
    )


def lookups(known: LookupLibrary, added: Added) -> LookupLibrary:
    """It as a library of table look-ups, with the work, noise and files of the known one."""
    given = added.manifest
    schemes = _schemes(known.schemes, added)
    if (given.sets or given.custom) and not known.custom:
        raise DataError(
            f"{added.title} follows {known.title}, which runs with its own sets alone",
            "leave [[sets]] and custom out of the manifest",
        )
    own = {each.name.lower(): each for each in own_sets(given.sets, schemes[0])}
    return Follower(
        known=known,
        takes=given.takes or {},
        name=added.name,
        title=added.title,
        version=added.version,
        worker_of=added.name,
        worker=_SOURCE,
        schemes=schemes,
        threading=known.threading,
        named=MappingProxyType(own or {k: s for k, s in known.named.items() if s.scheme in schemes}),
        custom=given.custom if given.custom is not None else known.custom and not own,
    )


def _schemes(known: tuple[str, ...], added: Added) -> tuple[str, ...]:
    wanted = added.schemes or known
    return tuple(scheme for scheme in known if scheme in wanted)


def own_sets(given: tuple[Json, ...], scheme: str) -> list[NamedSet]:
    """The sets of a manifest. DataError for a table that is no set."""
    return [_set(number, each, scheme) for number, each in enumerate(given, 1)]


def _set(number: int, given: Json, scheme: str) -> NamedSet:
    body = {**_USUAL, **given}
    name = body.pop("name", None)
    if not isinstance(name, str) or not name.strip():
        raise DataError(f"set {number} of the manifest has no name", 'add name = "SMALL" to its [[sets]]')
    failure, bits = (body.pop(key, None) for key in _SAID)
    wrong = [f"has no {key}" for key in PARAMETERS if key not in body]
    wrong += [f"has the unknown field {key}" for key in body if key not in PARAMETERS]
    if wrong:
        raise DataError(f"the set {name!r} of the manifest {wrong[0]}", f"a set has {', '.join(PARAMETERS)}")
    try:
        return NamedSet(name, TfheParameters.from_json(body), scheme, failure, bits)
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(
            f"the set {name!r} of the manifest cannot be read: {error}",
            'numbers are whole, and errors are written { kind = "gaussian", std = 2.8e-6 }',
        ) from error


@dataclass(frozen=True, eq=False, kw_only=True)
class Follower(LookupLibrary):
    """A library that answers as `known` does. `takes`: the values that parameters may have, by name, where
    they may not have all."""

    known: LookupLibrary
    takes: Mapping[str, tuple[Any, ...]]

    def refusal(self, scheme: str, p: LookupParameters) -> str:
        told = p.to_json()
        for name, values in self.takes.items():
            value = told[name]["kind"] if isinstance(told[name], dict) else told[name]
            if value not in values:
                return f"its {name} is {listing([str(v) for v in values], 'or')}, not {value}"
        return self.known.refusal(scheme, p)

    def most_values(self, p: LookupParameters) -> int:
        return self.known.most_values(p)

    def holds(self, p: LookupParameters, values: int) -> bool:
        return self.known.holds(p, values)

    def samples(self) -> Sequence[tuple[str, LookupParameters]]:
        return self.known.samples()

    def rotation(self, p: LookupParameters) -> str:
        return self.known.rotation(p)

    def transforms(self, p: LookupParameters) -> Transforms:
        return self.known.transforms(p)

    def work(self, task: LookupTask, scheme: str, p: LookupParameters) -> Mapping[str, float]:
        return self.known.work(task, scheme, p)

    def parts(self, scheme: str, p: LookupParameters) -> Mapping[str, Mapping[str, float]]:
        return self.known.parts(scheme, p)

    def sizes(self, scheme: str, p: LookupParameters) -> LookupSizes:
        return self.known.sizes(scheme, p)

    def memory(self, scheme: str, p: LookupParameters) -> LookupMemory:
        return self.known.memory(scheme, p)

    def worker_parameters(self, scheme: str, p: LookupParameters) -> Json:
        return self.known.worker_parameters(scheme, p)
