"""Makes the runs of an evaluation on the hosts of a Dask cluster.

A host is sent one job for one pass, runs it, and stores the record with its own fingerprint. The next pass of
a job goes to the same machine as long as it is in the cluster, because a machine is judged by the least times
of its passes and by its own profile. A run counts as done once any machine that has a profile has made it, so
that a campaign continues whichever hosts are left.
"""

import pickle
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from fheasible.accuracy.applications import ResultCheck
from fheasible.accuracy.campaign import PASSES, SEED, Campaign
from fheasible.calibration.profiles import of_machine
from fheasible.estimation.profile import Profile
from fheasible.measurement import cluster
from fheasible.measurement.cluster import Client, Done, Piece
from fheasible.measurement.machine import this_machine
from fheasible.measurement.sampled import Record, from_row
from fheasible.measurement.sampling import Check, Turn, attempt, kept, records, settled, taken
from fheasible.measurement.shared_store import StoreFile, elsewhere, store_file, unfit
from fheasible.store.store import Store

Report = Callable[[str, int, int], None]  # label, runs done, runs in all
Profiles = Mapping[str, Mapping[str, Profile]]  # by the fingerprint of a machine and the name of a library


@dataclass(frozen=True, slots=True, eq=False)
class SentTurn:
    """What a host needs to make a run: the name of its campaign, and the store's place."""

    campaign: str
    turn: Turn
    check: Check | None
    place: str


@dataclass(slots=True)
class AccuracyOnCluster:
    """Campaigns whose runs are made by the hosts of a cluster. `place` names the store for every host. `lost`
    says which runs were given up, and why."""

    client: Client
    libraries: tuple[str, ...]
    store: Store
    place: str
    say: Callable[[str], None]
    lost: list[str] = field(default_factory=list, init=False)
    _proven: set[str] = field(default_factory=set, init=False)  # hosts that are known to share the store
    _said: set[str] = field(default_factory=set, init=False)

    def records(self, campaign: Campaign, report: Report) -> list[Record]:
        """The records of all runs of the campaign, whichever machines made them. ClusterError where no host
        is left, StoreError where the hosts do not share this store."""
        for number in range(PASSES):
            turns = {t.job.key: t for t in campaign.turns if t.number == number}
            there = counted(self.store, campaign)
            done = {r.key for r in there if r.number == number and settled(r)}
            machines = {r.key: r.machine for r in there if r.number != number}
            left = [turn for key, turn in turns.items() if key not in done]
            before, total = number * len(turns) + len(turns) - len(left), PASSES * len(turns)
            for count, label in enumerate(self._labels(campaign, left, machines), 1):
                report(label, before + count, total)
        return counted(self.store, campaign)

    def _labels(
        self, campaign: Campaign, turns: Sequence[Turn], machines: Mapping[str, str]
    ) -> Iterable[str]:
        """The label of each of those turns, as soon as it is run: on the machine that `machines` has for the
        key of its job, where it has one."""
        pieces = [
            Piece(
                f"{campaign.name}; {turn.job.key}; {turn.number}", turn.job.label,
                partial(self._sent, campaign, turn), machines.get(turn.job.key, ""),
            )
            for turn in turns
        ]  # fmt: skip

        def finished(i: int) -> str | None:
            found = stored(self.store, campaign.name, turns[i])
            return found.outcome if found else None

        check = partial(fit, self.libraries, store_file(self.place), self.place)
        on = cluster.Campaign(self.client, pieces, run_here, check, finished, self._say_once)
        for done in on.results() if pieces else ():
            turn = turns[done.number]
            self._check_place(campaign, turn, done)
            if done.lost:
                self.lost.append(f"{turn.job.label}: {done.lost}")
            yield turn.job.label

    def _sent(self, campaign: Campaign, turn: Turn) -> bytes:
        check = campaign.check
        if isinstance(check, ResultCheck):
            check = check.only(turn.job)
        return pickle.dumps(SentTurn(campaign.name, turn, check, self.place))

    def _check_place(self, campaign: Campaign, turn: Turn, done: Done) -> None:
        """Raises StoreError where the host has stored the record elsewhere."""
        if done.lost or done.host in self._proven:
            return
        if not self.store.samples(campaign.name, key=turn.job.key, number=turn.number):
            raise elsewhere(done.host, self.store)
        self._proven.add(done.host)

    def _say_once(self, line: str) -> None:
        """Passes a line on, but not again in the next pass."""
        if line not in self._said:
            self._said.add(line)
            self.say(line)


def profiles_of(store: Store, found: Iterable[Record]) -> Profiles:
    """The profiles of the machines that have made those runs, of the libraries that they have run; those that
    were calibrated there."""
    wanted: dict[str, dict[str, None]] = {}
    for r in found:
        wanted.setdefault(r.machine, {})[r.library] = None
    return {machine: calibrated(store, machine, libraries) for machine, libraries in wanted.items()}


def calibrated(store: Store, machine: str, libraries: Iterable[str]) -> dict[str, Profile]:
    found = of_machine(store, machine, libraries)
    return {name: profile for name, profile in found.items() if not profile.origin}


def counted(store: Store, campaign: Campaign) -> list[Record]:
    """The records that count of the campaign's jobs, in order of measuring: from machines that have a
    profile, and with an outcome that another try would not change, where a run has such a one."""
    jobs = {job.key for job in campaign.jobs}
    return _counting(store, [r for r in records(store, campaign.name) if r.key in jobs])


def stored(store: Store, campaign: str, turn: Turn) -> Record | None:
    """The record of a turn that need not be run again; None where it must be run."""
    rows = store.samples(campaign, key=turn.job.key, number=turn.number)
    return next((r for r in _counting(store, list(map(from_row, rows))) if settled(r)), None)


def _counting(store: Store, found: Sequence[Record]) -> list[Record]:
    profiles = profiles_of(store, found)
    last = {(r.machine, r.key, r.number): r for r in found if r.library in profiles[r.machine]}
    done = {(r.key, r.number) for r in last.values() if settled(r)}
    return [r for r in last.values() if settled(r) or (r.key, r.number) not in done]


def fit(libraries: Sequence[str], file: StoreFile | None, place: str) -> str:
    """Why this host cannot run those libraries and be judged; empty where it can."""
    why = unfit(libraries, file)
    if why:
        return why
    with Store.open(place) as store:
        there = calibrated(store, this_machine().fingerprint, libraries)
    missing = [name for name in libraries if name not in there]
    if not missing:
        return ""
    flags = " ".join(f"--library {name}" for name in missing)
    return (
        f"the store has no profile of its {', '.join(missing)} to judge; remedy: fheasible calibrate {flags} "
        "there, with the same --store"
    )


def run_here(sent: bytes) -> str:
    """The outcome of a run on this host, made now or stored before. It is stored when it is returned."""
    told: SentTurn = pickle.loads(sent)
    with Store.open(told.place) as store:
        before = stored(store, told.campaign, told.turn)
        if before is not None:
            return before.outcome
        return kept(store, taken(told.turn, told.campaign, SEED, attempt, told.check)).outcome
