"""Runs the sets of a sweep on the hosts of a Dask cluster, each host with its own profile.

A host is sent the circuit with its data and the settings of one cell. It makes the set again, with its own
profile, runs it as a sweep on that machine would, and stores the result at once. What comes back is the
number of the stored result. A set counts as run once any machine has run it, so that a campaign continues
whichever hosts are left.
"""

import hashlib
import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from fheasible.calibration.profiles import at_hand
from fheasible.circuit.flat import FlatCircuit, flat, restored
from fheasible.errors import ClusterError, StoreError
from fheasible.exploration.judging.candidate import Candidate, parameters_json
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Wish
from fheasible.exploration.sweeps.axes import Combinations
from fheasible.exploration.sweeps.cells import Cell, CellGrid, Told, cells, said
from fheasible.exploration.sweeps.measuring import (
    CellRun,
    MeasuringWish,
    Progress,
    measured,
    seconds,
    set_key,
    stored,
    taken,
    to_run,
)
from fheasible.libraries.catalogue import library
from fheasible.measurement.cluster import Campaign, Client, Piece
from fheasible.measurement.shared_store import elsewhere, store_file, unfit
from fheasible.program.digest import digest
from fheasible.store.store import Store


@dataclass(frozen=True, slots=True)
class SentCell:
    """What a host needs to run a cell. `key` is that of the set as the coordinator knows it."""

    circuit: FlatCircuit
    data: Mapping[str, Any]
    source: str
    trusted: bool
    library: str
    scheme: str
    told: Told
    numbers: frozenset[str]
    wish: Wish
    measuring: MeasuringWish
    place: str
    key: str


@dataclass(frozen=True, slots=True)
class OnCluster:
    """The sets of a grid that are run on the hosts of a cluster. `place` names the store for every host."""

    client: Client
    swept: CellGrid
    wish: Wish
    measuring: MeasuringWish
    store: Store
    place: str
    say: Callable[[str], None]

    def runs(self, cells: Sequence[Cell], progress: Progress) -> list[CellRun | None]:
        """The run of every cell that is to be run, in their order; None for the others. ClusterError where no
        host is left, StoreError where the hosts do not share this store."""
        found: list[CellRun | None] = [None] * len(cells)
        alike: dict[str, list[int]] = {}  # cells whose sets are the same are run once
        for i in to_run(cells, self.measuring):
            alike.setdefault(_key(cells[i], self.measuring), []).append(i)
        total = sum(seconds(cells[same[0]]) for same in alike.values())
        done = 0.0
        for key, run in self._all({key: cells[same[0]] for key, same in alike.items()}):
            for i in alike[key]:
                found[i] = run
            done += seconds(cells[alike[key][0]])
            progress(f"set {sum(map(bool, found))} of {sum(map(len, alike.values()))}", done, total)
        return found

    def _all(self, wanted: Mapping[str, Cell]) -> Iterator[tuple[str, CellRun]]:
        """(key, run) of each cell: first those that are stored already."""
        newest = next((row.id for row in self.store.measurements(limit=1)), 0)
        left = []
        for key, cell in wanted.items():
            before = None if self.measuring.again else self._stored(cell)
            if before:
                yield key, replace(before, stored_before=True)
            else:
                left.append((key, cell))
        pieces = [Piece(key, said(cell.told), partial(self._sent, cell, key)) for key, cell in left]

        def finished(i: int) -> CellRun | None:
            run = self._stored(left[i][1])
            return run if run and (run.number or 0) > newest else None

        check = partial(unfit, (self.swept.library.name,), store_file(self.place))
        campaign = Campaign(self.client, pieces, run_here, check, finished, self.say)
        for done in campaign.results() if pieces else ():
            key, cell = left[done.number]
            if done.lost:
                yield key, CellRun("died", None, done.lost)
            else:
                yield key, self._looked_up(cell, done.host, done.result)

    def _stored(self, cell: Cell) -> CellRun | None:
        assert cell.candidate is not None
        row = stored(cell.candidate, cell.problem.circuit.name, self.measuring, self.store)
        return None if row is None else _of_host(taken(row), row.environment, row.entry.estimate)

    def _looked_up(self, cell: Cell, host: str, run: CellRun) -> CellRun:
        """The run as this store has it. StoreError where the host stored it elsewhere."""
        if run.number is None:
            return run
        try:
            row = self.store.show(run.number)
        except StoreError:
            raise elsewhere(host, self.store) from None
        assert cell.candidate is not None
        if _of_entry(row.entry.circuit, row.entry.request, row.entry.parameters) != set_of(cell.candidate):
            raise elsewhere(host, self.store)
        told = replace(run, stored_before=run.stored_before and not self.measuring.again)
        return _of_host(told, row.environment, row.entry.estimate)

    def _sent(self, cell: Cell, key: str) -> bytes:
        import cloudpickle  # which Dask brings along

        problem = cell.problem
        sent = SentCell(
            flat(problem.circuit), problem.data, problem.source, problem.trusted, self.swept.library.name,
            self.swept.scheme, cell.told, self.swept.numbers, self.wish, self.measuring, self.place, key,
        )  # fmt: skip
        return bytes(cloudpickle.dumps(sent))


def run_here(sent: bytes) -> CellRun:
    """The run of a cell on this host. ClusterError where the cell makes another set here."""
    told: SentCell = pickle.loads(sent)
    problem = Problem(restored(told.circuit), told.data, told.source, told.trusted)
    grid = CellGrid(library(told.library), told.scheme, Combinations((), told.told), told.numbers)
    wish = replace(told.measuring, every=1)
    with Store.open(told.place) as store:
        profile = at_hand(store, [told.library], wish.threads).get(told.library)
        (cell,) = cells(grid, lambda _: problem, told.wish, profile)
        if cell.candidate is None or _key(cell, told.measuring) != told.key:
            raise ClusterError(
                f"{said(told.told)} makes another set here than at the coordinator",
                "install the same version of Fheasible on every host",
            )
        (run,) = measured([cell], wish, store, lambda *_: None)
    assert run is not None
    return run


def set_of(c: Candidate) -> str:
    """A text that tells one set of one program from all others."""
    return _of_entry(digest(c.program), c.settings, parameters_json(c.parameters))


def _of_entry(circuit: str, request: Any, parameters: Any) -> str:
    return f"{circuit} {set_key(request, parameters)}"


def _key(cell: Cell, wish: MeasuringWish) -> str:
    """A name of the piece of work, which is the same for the same set run in the same way."""
    assert cell.candidate is not None
    how = replace(wish, every=1, again=False)
    return hashlib.sha256(f"{cell.problem.circuit.name} {set_of(cell.candidate)} {how}".encode()).hexdigest()


def _of_host(run: CellRun, environment: Any, estimate: Any) -> CellRun:
    return replace(run, machine=environment["machine"], predicted=estimate)
