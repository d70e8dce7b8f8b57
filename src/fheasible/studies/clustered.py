"""A study's cells on the hosts of a Dask cluster: one at a time on each, with the host's own profile.

A cell is not run again where any machine has a result of it. Each machine's results stay apart: the report
shows those of one machine, and names the others.
"""

import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from fheasible.errors import ClusterError
from fheasible.measurement.cluster import Campaign, Client, Done, Piece, Say
from fheasible.measurement.environment import observe
from fheasible.measurement.machine import this_machine
from fheasible.measurement.shared_store import elsewhere, store_file, unfit
from fheasible.store.store import Store
from fheasible.studies import catalogue
from fheasible.studies.experiment import Experiment, ResultRow, StudyCell, StudyPlan
from fheasible.studies.results import Results, load, of_any_machine, prices
from fheasible.studies.running import Outcome, Progress, StudyStep, missing, satisfied


@dataclass(frozen=True, slots=True)
class SentCell:
    """What a host needs to execute a cell. `cell` is its key, and `place` the store."""

    study: str
    experiment: str
    cell: str
    plan: StudyPlan
    place: str


@dataclass(frozen=True, slots=True)
class StudyOnCluster:
    """A study whose cells are executed by the hosts of a cluster. `place` names the store for every host."""

    client: Client
    study: str
    store: Store
    place: str
    say: Say
    max_memory_bytes: int | None = None

    def outcome(self, todo: Sequence[StudyStep], progress: Progress) -> Outcome:
        """The outcome of running what no machine has run. Each result is stored by its host."""
        there = Results(self.study, "", of_any_machine(self.store, self.study, _experiments(todo)))
        left = missing(todo, there)
        outcome = Outcome(kept=len(todo) - len(left))
        total, done = sum(step.effort for step in left), 0.0
        for step, row in self._executed(left):
            outcome.rows.append(row)
            done += step.effort
            progress(f"{step.experiment.name}, {step.cell}", done, total)
        return outcome

    def _executed(self, left: Sequence[StudyStep]) -> Iterator[tuple[StudyStep, ResultRow]]:
        pieces = [Piece(_key(step), f"{step.experiment.name}, {step.cell}", partial(self._sent, step))
                  for step in left]  # fmt: skip
        newest = {e.name: self._newest(e) for e in _experiments(left)}

        def finished(i: int) -> ResultRow | None:
            return self._stored(left[i], newest[left[i].experiment.name])

        check = partial(unfit, (), store_file(self.place))  # what executes a cell is looked for at the cell
        campaign = Campaign(self.client, pieces, execute_here, check, finished, self.say)
        proven: set[str] = set()  # hosts that are known to share the store
        for done in campaign.results() if pieces else ():
            yield left[done.number], self._looked_up(left[done.number], done, proven)

    def _sent(self, step: StudyStep) -> bytes:
        plan = StudyPlan(step.repetitions, self.max_memory_bytes)
        return pickle.dumps(SentCell(self.study, step.experiment.name, step.cell.key, plan, self.place))

    def _looked_up(self, step: StudyStep, done: Done, proven: set[str]) -> ResultRow:
        """The row of the cell. StoreError where its host stored it elsewhere."""
        if done.lost:
            return _lost(step, done.lost)
        row: ResultRow = done.result
        if row.number and done.host not in proven:
            if row.number not in {known.number for known in self._rows(step)}:
                raise elsewhere(done.host, self.store)
            proven.add(done.host)
        return row

    def _stored(self, step: StudyStep, after: int) -> ResultRow | None:
        """The result of the step that was stored after that row; None where there is none."""
        found = (row for row in self._rows(step) if row.number > after and satisfied(step, row))
        return next(found, None)

    def _newest(self, experiment: Experiment) -> int:
        """The number of the last row of the experiment; each kind of experiment has numbers of its own."""
        return max((row.number for row in experiment.stored(self.study, self.store)), default=0)

    def _rows(self, step: StudyStep) -> Iterator[ResultRow]:
        """Every stored attempt at the step's cell."""
        rows = step.experiment.stored(self.study, self.store)
        return (row for row in rows if row.cell.key == step.cell.key)


def _experiments(todo: Sequence[StudyStep]) -> list[Experiment]:
    return list({step.experiment.name: step.experiment for step in todo}.values())


def _key(step: StudyStep) -> str:
    return f"{step.experiment.name}; {step.cell.key}; {step.repetitions}"


def _lost(step: StudyStep, why: str) -> ResultRow:
    """The row of a cell that was given up: it has lost too many hosts."""
    at = observe("study", 1, 0).to_json()
    return ResultRow(step.experiment.name, 0, str(at["started"]), step.cell, 0, "", "died", why, at, None)


def execute_here(sent: bytes) -> ResultRow:
    """The row of a cell, once it is stored. LibraryMissing or ClusterError where this host cannot do it."""
    told: SentCell = pickle.loads(sent)
    experiment = catalogue.study(told.study).experiment(told.experiment)
    cell = _known(experiment, told)
    experiment.check()
    with Store.open(told.place) as store:
        here = this_machine().fingerprint
        there = load(store, told.study, [experiment], here, prices(store), here)
        there.predictions(experiment)  # with the prices of this machine
        row = there.row(experiment, cell)
        step = StudyStep(experiment, cell, told.plan.repetitions, 0.0)
        if row is not None and satisfied(step, row):  # for a coordinator that is gone
            return row
        return experiment.execute(told.study, cell, told.plan, store)


def _known(experiment: Experiment, told: SentCell) -> StudyCell:
    for cell in experiment.cells:
        if cell.key == told.cell:
            return cell
    raise ClusterError(
        f"this host's experiment {told.experiment} has no set {told.cell}",
        "install the same commit of Fheasible on every host",
    )
