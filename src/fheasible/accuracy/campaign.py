"""The runs behind an evaluation. They are kept in the store under one name, so that a later call continues
them."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import accumulate

from fheasible.accuracy import applications, grid
from fheasible.estimation.estimate import cpu_seconds
from fheasible.estimation.profile import Profile
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.libraries.library import Library
from fheasible.measurement.job import Job
from fheasible.measurement.sampled import Record
from fheasible.measurement.sampling import Check, Run, Turn, attempt, recorded, sample, schedule
from fheasible.store.store import Store

Report = Callable[[str, float, float], None]  # label, seconds of work done, seconds of work in all

PASSES, SEED = 2, 0
_STARTUP_SECONDS = 0.6  # approximate, of a worker's process and its context


@dataclass(frozen=True, slots=True, eq=False)
class Campaign:
    """Runs under a name. Jobs that an earlier call has run are not run again."""

    name: str
    jobs: tuple[Job, ...]
    check: Check | None = None

    @property
    def turns(self) -> list[Turn]:
        return schedule(self.jobs, PASSES, SEED)


def of_operations(libraries: Iterable[Library], quick: bool = False) -> Campaign:
    return Campaign(name("operations"), tuple(grid.jobs(libraries, quick)))


def of_applications(chosen: Iterable[applications.ChosenRun]) -> Campaign:
    listed = tuple(chosen)
    return Campaign(name("applications"), tuple(c.job for c in listed), applications.checking(listed))


def name(kind: str) -> str:
    """The name of a campaign. It holds the versions of the libraries, because what another version took says
    nothing about this one."""
    versions = ", ".join(f"{library.name} {library.version}" for library in CATALOGUE.values())
    return f"accuracy of {kind}: {versions}"


@dataclass(frozen=True, slots=True)
class Outlook:
    """What a campaign still needs before it runs: of `runs` in all, `stored` are in the store already."""

    runs: int
    stored: int
    seconds: float  # predicted, of the runs that are not stored

    def __add__(self, other: "Outlook") -> "Outlook":
        return Outlook(self.runs + other.runs, self.stored + other.stored, self.seconds + other.seconds)


def outlook(campaign: Campaign, store: Store, profiles: Mapping[str, Profile]) -> Outlook:
    turns, needed = campaign.turns, _needed(campaign, store, profiles)
    return Outlook(len(turns), sum(seconds == 0 for seconds in needed), sum(needed))


def run(
    campaign: Campaign,
    store: Store,
    profiles: Mapping[str, Profile],
    report: Report | None = None,
    attempted: Run = attempt,
) -> list[Record]:
    """The records of all runs of the campaign, made now or stored before; each is stored as soon as it is
    made."""
    before = [0.0, *accumulate(_needed(campaign, store, profiles))]

    def told(label: str, done: int, total: int) -> None:
        if report is not None:
            report(label, before[done], before[-1])

    return sample(campaign.jobs, store, campaign.name, PASSES, SEED, told, campaign.check, attempted)


def stored(kind: str, store: Store, libraries: Iterable[Library]) -> list[Record]:
    """All runs of "operations" or "applications" that this machine has made in the schemes of those
    libraries. Schemes are read one after the other, and nothing else is read."""
    wanted = dict.fromkeys((library.name, scheme) for library in libraries for scheme in library.schemes)
    return [r for of in wanted for r in recorded(store, name(kind), *of).values()]


def expected_seconds(job: Job, profile: Profile) -> float:
    """The approximate wall seconds of one run of a job."""
    cpu, plan = cpu_seconds(job.program, job.parameters, profile), job.plan
    working = cpu["keygen"] * plan.keygens + cpu["total"] * (plan.warmup + plan.repetitions)
    return _STARTUP_SECONDS + working * profile.wall_factor


def _needed(campaign: Campaign, store: Store, profiles: Mapping[str, Profile]) -> list[float]:
    """The expected seconds of each turn; 0 for a turn that is stored."""
    known = recorded(store, campaign.name)
    each = {job.key: expected_seconds(job, profiles[job.library]) for job in campaign.jobs}
    return [0.0 if (t.job.key, t.number) in known else each[t.job.key] for t in campaign.turns]
