"""A trial on the hosts of a Dask cluster. Each tries one application at a time, and stores its outcome."""

import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from fheasible.errors import ClusterError
from fheasible.measurement.cluster import Campaign, Client, Done, Piece
from fheasible.measurement.environment import observe
from fheasible.measurement.shared_store import elsewhere, store_file, unfit
from fheasible.store.store import Store
from fheasible.trial.campaign import Report, key, outcome
from fheasible.trial.found import TrialOutcome
from fheasible.trial.generator import application
from fheasible.trial.runner import Scope
from fheasible.trial.workers import Workers


@dataclass(frozen=True, slots=True)
class SentTrial:
    """What a host needs to try an application. `trial` is the trial's name as the coordinator knows it, and
    `place` the store. `anew`: also where the outcome is stored."""

    trial: str
    seed: int
    number: int
    scope: Scope
    place: str
    shrink_seconds: float
    anew: bool


@dataclass(frozen=True, slots=True)
class TrialOnCluster:
    """A trial whose applications are tried by the hosts of a cluster. `place` names the store for every
    host."""

    client: Client
    seed: int
    scope: Scope
    store: Store
    place: str
    say: Callable[[str], None]
    shrink_seconds: float = 0.0
    anew: bool = False

    @property
    def name(self) -> str:
        return key(self.seed, self.scope)

    def outcomes(self, numbers: Sequence[int], report: Report) -> Iterator[TrialOutcome]:
        """The outcome of each application, as soon as it is known: first those that are stored."""
        rows = self.store.trials(self.name)
        newest = max((row.id for row in rows), default=0)
        known = {} if self.anew else {row.number: row.content for row in rows}
        yield from (TrialOutcome.from_json(known[number]) for number in numbers if number in known)
        left = [number for number in numbers if number not in known]
        pieces = [
            Piece(f"{self.name}; {number}", f"application {number}", partial(self._sent, number))
            for number in left
        ]

        def finished(i: int) -> TrialOutcome | None:
            return self._stored(left[i], newest)

        check = partial(unfit, self.scope.workers, store_file(self.place))
        campaign = Campaign(self.client, pieces, try_here, check, finished, self.say)
        proven: set[str] = set()  # hosts that are known to share the store
        for count, done in enumerate(campaign.results() if pieces else (), 1):
            number = left[done.number]
            yield self._looked_up(number, done, proven)
            report(f"application {number}", len(numbers) - len(left) + count, len(numbers))

    def _sent(self, number: int) -> bytes:
        scope = replace(self.scope, store=self.place)
        return pickle.dumps(
            SentTrial(self.name, self.seed, number, scope, self.place, self.shrink_seconds, self.anew)
        )

    def _stored(self, number: int, after: int = 0) -> TrialOutcome | None:
        rows = [r for r in self.store.trials(self.name) if r.number == number and r.id > after]
        return TrialOutcome.from_json(rows[-1].content) if rows else None

    def _looked_up(self, number: int, done: Done, proven: set[str]) -> TrialOutcome:
        """The outcome of the application. StoreError where its host stored it elsewhere."""
        if done.lost:
            return TrialOutcome(number, application(self.seed, number).to_json(), "crashed", done.lost)
        if done.host not in proven and self._stored(number) is None:
            raise elsewhere(done.host, self.store)
        proven.add(done.host)
        found: TrialOutcome = done.result
        return found


def try_here(sent: bytes) -> TrialOutcome:
    """The outcome of an application on this host. ClusterError where this host would do another trial."""
    told: SentTrial = pickle.loads(sent)
    if key(told.seed, told.scope) != told.trial:
        raise ClusterError(
            f"this host would do the trial '{key(told.seed, told.scope)}', not '{told.trial}'",
            "install the same commit of Fheasible on every host",
        )
    with Store.open(told.place) as store:
        known = {} if told.anew else {row.number: row.content for row in store.trials(told.trial)}
        if told.number in known:
            return TrialOutcome.from_json(known[told.number])
        with Workers() as workers:
            app = application(told.seed, told.number)
            found = outcome(app, told.number, told.scope, workers, told.shrink_seconds)
        store.add_trial(told.trial, told.number, found.to_json(), observe("trial", 1, told.seed).to_json())
    return found
