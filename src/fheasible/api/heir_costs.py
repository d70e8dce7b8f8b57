"""The latency table that HEIR's ILP bootstrap placement reads, in Orbit's form, from a calibration.

The form is that of HEIR's own description (lib/Transforms/ILPBootstrapPlacement/README.md): microseconds,
and for each operation an array whose entry i is its latency at level i + 1. HEIR relinearises after every
product, so that its mulCtCt is charged with both. It reads the latencies alone (loadOrbitCostModel in
ILPBootstrapPlacement.cpp there): the average of the bootstraps, the greatest of the rescalings, and a line
through the others. Levels and scale are options of its pass.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Final

from fheasible import units
from fheasible.aliases import Json
from fheasible.api import asking
from fheasible.api.layout import paragraph
from fheasible.api.naming import setting
from fheasible.api.platform import Talk
from fheasible.errors import UnsupportedOperation, UsageError
from fheasible.estimation.profile import Profile
from fheasible.exploration.sweeps.operations import (
    BOOTSTRAP,
    job_of,
    lacking,
    parameters_for,
    predicted,
)
from fheasible.libraries.library import Library
from fheasible.libraries.parameters import PREFIX, CkksParameters
from fheasible.measurement.operations import Item, OperationJob
from fheasible.units import listing

TARGETS: Final = ("heir",)
_LEVELS: Final = "10"  # after a bootstrap, where none are given
LATENCIES: Final[Mapping[str, tuple[str, ...]]] = {
    "addCtCt": ("add",),
    "addCtPt": ("add_plain",),
    "mulCtCt": ("mul", "relinearize"),
    "mulCtPt": ("mul_plain",),
    "negate": ("negate",),
    "rotate": ("rotate",),
    "rescale": ("rescale",),
    "bootstrap": (BOOTSTRAP,),
}
"""HEIR's operations, each with the operations of ours that it takes."""
_MICROSECONDS: Final = 1e6


@dataclass(frozen=True, slots=True)
class HeirCosts:
    """The table, and what it holds for."""

    library: Library
    parameters: CkksParameters
    profile: Profile
    document: Json

    def lines(self, width: int) -> Iterator[str]:
        p, machine = self.parameters, self.profile.origin or "this machine"
        told = (
            f"{setting(p.library, p.scheme)} at N = {units.power_of_two(p.ring_dimension)}, {p.levels} "
            f"levels after a bootstrap, log QP {p.log_qp:.0f}; CPU times of {machine}, within about "
            f"{self.profile.error_band:.0%}"
        )
        yield paragraph("", told, width).strip()
        yield f"HEIR reads the latencies alone from the file. The rest are options: {self.options('FILE')}"

    def options(self, file: str) -> str:
        """The words for heir-opt that belong to the table in that file."""
        scale = self.document["rescalingFactor"]
        placement = {
            "bootstrap-waterline": self.document["bootstrapLevelUpperBound"],
            "bootstrap-level-lower-bound": self.document["bootstrapLevelLowerBound"],
            "scale-waterline": scale,
            "scale-factor-bits": scale,
            "orbit-cost-model": file,
        }
        told = " ".join(f"{name}={value}" for name, value in placement.items() if value is not None)
        module = f"backend={self.library.name} scheme=ckks"
        return f'--annotate-module="{module}" --ilp-bootstrap-placement="{told}"'


def costs(
    to: str, library: str | None, params: Mapping[str, str], security: int | None, talk: Talk
) -> HeirCosts:
    """The table for one library's CKKS with a bootstrap.

    UsageError for another target, and without a profile; InfeasibleParameters where the library makes no such
    parameters, UnsupportedOperation where it does not bootstrap.
    """
    if to not in TARGETS:
        raise UsageError(f"--to {to} is not known", f"choose {listing(TARGETS, 'or')}")
    lib = _bootstrapping(library)
    profiles = asking.profiles_of(talk.place, [lib], 1, lambda line: talk.say(f"warning: {line}"))
    profile = profiles.get(lib.name)
    if profile is None:
        raise UsageError(
            f"there is no profile of {lib.title}, so that times are unknown",
            f"fheasible calibrate --library {lib.name} --bootstrapping",
        )
    settings = _usual(lib) | {name.replace("-", "_"): text for name, text in params.items()}
    p = parameters_for(lib, "ckks", settings, 0, security)
    assert isinstance(p, CkksParameters)
    return HeirCosts(lib, p, profile, _document(lib, p, profile))


def _bootstrapping(name: str | None) -> Library:
    """The library of that name, or the first one that bootstraps."""
    found = asking.libraries_of(name, "ckks")
    able = [lib for lib in found if lib.bootstrap_method is not None]
    if not able:
        others = [lib.name for lib in asking.libraries_of(None, "ckks") if lib.bootstrap_method is not None]
        raise UnsupportedOperation(
            f"{found[0].title} has no bootstrapping, and HEIR places bootstraps",
            f"choose --library {listing(others, 'or')}",
        )
    return able[0]


def _usual(library: Library) -> dict[str, str]:
    """The settings of the first set with a bootstrap that a search would try, as typed."""
    setting = next(library.bootstrap_settings())
    own = setting._asdict()
    asked = {f"{PREFIX}{name}": value for name, value in asdict(own.pop("asked")).items()}
    del own["special"]  # which follows from the bootstrap's
    found = {"levels": _LEVELS} | own | asked
    return {name: asking.typed_value(value) for name, value in found.items() if value is not None}


def _document(library: Library, p: CkksParameters, profile: Profile) -> Json:
    assert p.bootstrap is not None
    least = library.least_bootstrap_level(p.bootstrap.procedure.iterations)
    job = job_of(library, p, (), p.bootstrap.procedure.slots, False, 1)
    levels = range(1, p.levels + 1)
    return {
        "bootstrapLevelLowerBound": least,
        "bootstrapLevelUpperBound": p.levels,
        "rescalingFactor": p.request.scale_bits if p.request else None,
        "latencyTable": {
            name: [_latency(job, operations, level, library, profile) for level in levels]
            for name, operations in LATENCIES.items()
        },
        "fheasible": {
            "library": library.name,
            "version": library.version,
            "build": profile.build,
            "machine": profile.origin or "this machine",
            "ring_dimension": p.ring_dimension,
            "log_qp": p.log_qp,
            "unit": "microseconds of CPU time of one thread",
        },
    }


def _latency(
    job: OperationJob, operations: Sequence[str], level: int, library: Library, profile: Profile
) -> float:
    """The microseconds that the operations take at that level; 0 where the library does not do them there."""
    total = 0.0
    for name in operations:
        item = Item(name, level)
        if lacking(item, library, job.parameters):
            return 0.0
        seconds, why = predicted(job, item, profile)
        if seconds is None:
            raise UnsupportedOperation(
                f"{name} of {library.title} has no predicted time: {why}",
                f"fheasible calibrate --library {library.name} --bootstrapping",
            )
        total += seconds
    return round(_MICROSECONDS * total, 1)
