"""The evaluation of predictions as a whole: its rows, their statistics, and the circumstances of the runs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from fheasible.accuracy.compare import (
    KEYGEN,
    ComparedApplication,
    ComparedFigure,
    ComparedOperation,
    applications,
    operations,
)
from fheasible.accuracy.errors import Errors, TargetVerdict, errors, grouped, verdicts
from fheasible.aliases import Json
from fheasible.estimation.profile import Profile
from fheasible.measurement.least import failures, summaries
from fheasible.measurement.sampled import Record


@dataclass(frozen=True, slots=True)
class Circumstances:
    """The circumstances of all the runs. Times are in UTC, in ISO 8601; `load`: the most processes that
    wanted to run."""

    cpu: str
    os: str
    machine: str
    versions: Mapping[str, str]
    begun: str
    ended: str
    load: float
    runs: int

    @staticmethod
    def of(records: Sequence[Record]) -> "Circumstances | None":
        """The circumstances of those records; None where there are none."""
        if not records:
            return None
        places = [r.environment for r in records]
        return Circumstances(
            str(places[-1]["cpu"]),
            str(places[-1].get("os") or ""),
            records[-1].machine,
            {r.library: str(r.environment["version"]) for r in records if r.environment["version"]},
            min(str(at["started"]) for at in places),
            max(str(at["finished_at"] or at["started"]) for at in places),
            max(max(float(at["load_before"]), float(at["load_after"] or 0)) for at in places),
            len(records),
        )


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What runs show about predictions. `operations` excludes key generation, which is in
    `key_generation`. `machines` are the evaluations of each machine, where there are several."""

    operations: tuple[ComparedOperation, ...]
    key_generation: tuple[ComparedOperation, ...]
    applications: tuple[ComparedApplication, ...]
    failures: tuple[Record, ...]
    circumstances: Circumstances | None  # None without runs, and of several machines
    profiles: Mapping[str, Profile]  # by the names of libraries; empty of several machines
    machines: tuple["Evaluation", ...] = ()

    @property
    def each(self) -> tuple["Evaluation", ...]:
        """The evaluations by machine."""
        return self.machines or (self,)

    @property
    def verdicts(self) -> list[TargetVerdict]:
        found = {
            "operations": errors(self.operations),
            "applications": errors(self.applications),
            "memory": errors(self.peaks),
            "sizes": errors(self.sizes),
        }
        return verdicts(found)

    @property
    def peaks(self) -> list[ComparedFigure]:
        return [a.peak for a in self.applications if a.peak]

    @property
    def sizes(self) -> list[ComparedFigure]:
        return [figure for a in self.applications for figure in a.sizes.values()]

    def by(self, *names: str) -> dict[tuple[Any, ...], Errors]:
        """The errors of operations, grouped by those attributes."""
        return {group: errors(rows) for group, rows in grouped(self.operations, *names).items()}

    def to_json(self) -> Json:
        return {
            "circumstances": None if self.circumstances is None else asdict(self.circumstances),
            "machines": [asdict(m.circumstances) | m.summary() for m in self.each if m.circumstances],
            "profiles": [_profile(p) for m in self.each for p in m.profiles.values()],
            "targets": [v.to_json() for v in self.verdicts],
            "errors": self._errors(),
            "applications": [a.to_json() for a in self.applications],
            "operations": [o.to_json() for o in (*self.operations, *self.key_generation)],
            "failures": [
                {"label": r.label, "outcome": r.outcome, "message": r.message, "machine": r.machine}
                for r in self.failures
            ],
        }

    def summary(self) -> Json:
        """The errors of operations, applications, memory and sizes, each as a whole."""
        kinds = ("operations", "applications", "peaks", "sizes")
        return {f"{name}_errors": errors(getattr(self, name)).to_json() for name in kinds}

    def _errors(self) -> Json:
        kinds = (("library", "scheme"), ("library", "scheme", "action"), ("action",), ("n",))
        return {
            "operations": errors(self.operations).to_json(),
            **{f"operations_by_{'_'.join(names)}": _listed(self.by(*names), names) for names in kinds},
            "key_generation": errors(self.key_generation).to_json(),
            "applications": errors(self.applications).to_json(),
            "memory": errors(self.peaks).to_json(),
            "sizes": errors(self.sizes).to_json(),
        }


def evaluate(
    of_operations: Sequence[Record], of_applications: Sequence[Record], profiles: Mapping[str, Profile]
) -> Evaluation:
    """The evaluation of the profiles' predictions by those runs, which one machine has made."""
    every = [*of_operations, *of_applications]
    machine = every[0].machine if every else ""
    rows = [replace(r, machine=machine) for r in operations(summaries(of_operations), profiles)]
    applied = applications(summaries(of_applications), profiles)
    return Evaluation(
        tuple(r for r in rows if r.action != KEYGEN),
        tuple(r for r in rows if r.action == KEYGEN),
        tuple(replace(a, machine=machine) for a in applied),
        tuple(failures(every)),
        Circumstances.of(every),
        profiles,
    )


def evaluate_each(
    of_operations: Sequence[Record],
    of_applications: Sequence[Record],
    profiles: Mapping[str, Mapping[str, Profile]],
) -> Evaluation:
    """The evaluation of the runs of several machines, each by its own profiles: `profiles` has them by the
    machine's fingerprint and the library's name."""
    machines = dict.fromkeys(r.machine for r in (*of_operations, *of_applications))
    parts = [
        evaluate(_of(machine, of_operations), _of(machine, of_applications), profiles.get(machine, {}))
        for machine in machines
    ]
    if len(parts) < 2:
        return parts[0] if parts else evaluate((), (), {})
    return Evaluation(
        tuple(o for part in parts for o in part.operations),
        tuple(o for part in parts for o in part.key_generation),
        tuple(a for part in parts for a in part.applications),
        tuple(f for part in parts for f in part.failures),
        None,
        {},
        tuple(parts),
    )


def _of(machine: str, records: Sequence[Record]) -> list[Record]:
    return [r for r in records if r.machine == machine]


def _listed(groups: Mapping[tuple[Any, ...], Errors], names: Iterable[str]) -> list[Json]:
    return [dict(zip(names, group, strict=True)) | found.to_json() for group, found in groups.items()]


def _profile(p: Profile) -> Json:
    own = {name: getattr(p, name) for name in ("library", "version", "machine", "created", "error_band")}
    return own | {"points": len(p.points)}
