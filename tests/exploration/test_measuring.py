"""Sweeps of a library that are really run: stored set by set, and taken from the store again."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fheasible.api.asking import problem_of
from fheasible.errors import WorkerDied
from fheasible.exploration.problem.wish import Wish
from fheasible.exploration.sweeps import measuring
from fheasible.exploration.sweeps.cells import Cell, cell_grid, cells
from fheasible.exploration.sweeps.measuring import CellRun, MeasuringWish, measured
from fheasible.libraries.catalogue import library
from fheasible.measurement import registry
from fheasible.store.store import Store

FILE = """import fheasible as fh

@fh.app(x=fh.reals(8, low=0, high=1))
def squares(x):
    return x * x
"""


@pytest.fixture
def found(tmp_path: Path) -> list[Cell]:
    """Four cells; SEAL makes no set of the first."""
    path = tmp_path / "squares.py"
    path.write_text(FILE)
    wanted = cell_grid(
        library("seal"), "ckks", ["ring_dimension=1024,8192,16384,32768"], ["scale_bits=25"], (), ()
    )
    return list(cells(wanted, lambda _: problem_of(path, None, 0), Wish(), None))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "results.sqlite") as opened:
        yield opened


def quiet(*_: Any) -> None:
    """No progress is shown."""


def run(found: list[Cell], store: Store, **wish: Any) -> list[CellRun | None]:
    return list(measured(found, MeasuringWish(repetitions=1, **wish), store, quiet))


@pytest.mark.worker
@pytest.mark.long
def test_sets_are_run_stored_and_not_run_again(found: list[Cell], store: Store) -> None:
    if not registry.command("seal").installed:
        pytest.skip("seal is not installed")
    first = run(found, store)
    assert first[0] is None  # no set
    assert found[0].candidate is None
    made = [r for r in first if r]
    assert [(r.outcome, r.stored_before) for r in made] == [("measured", False)] * 3
    rings = [r.measurement["context"]["ring_dimension"] for r in made if r.measurement]
    assert rings == [8192, 16384, 32768]
    assert store.count() == 3
    again = [r for r in run(found, store) if r]
    assert [(r.number, r.stored_before) for r in again] == [(r.number, True) for r in made]
    assert store.count() == 3
    assert all(r.measurement["cpu_seconds"] == m.measurement["cpu_seconds"]
               for r, m in zip(again, made, strict=True) if r.measurement and m.measurement)  # fmt: skip
    assert all(r and not r.stored_before for r in run(found[1:2], store, again=True))
    assert all(r and not r.stored_before for r in run(found[1:2], store, seed=5))  # other data


@pytest.mark.usefixtures("store")
def test_every_second_set_is_run_where_so_many_are_asked_for(
    found: list[Cell], store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = []

    def prove(problem: Any, candidate: Any, *_: Any, **__: Any) -> Any:
        begun.append(candidate.parameters.ring_dimension)
        raise WorkerDied("killed", "try again")

    monkeypatch.setattr(measuring, "prove", prove)
    came = run(found, store, every=2)
    assert begun == [16384]  # the third of four; the first makes no set
    assert [r.outcome if r else None for r in came] == [None, None, "died", None]
    assert [r.outcome for r in run(found, store) if r] == ["died"] * 3  # nothing of it is kept


def test_a_set_larger_than_allowed_is_refused_and_not_begun(
    found: list[Cell], store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measuring, "prove", lambda *_, **__: pytest.fail("it was begun"))
    peaks = [cell.candidate.estimate.peak_bytes for cell in found if cell.candidate]
    came = run(found, store, max_bytes=min(peaks) - 1)
    assert [r.outcome if r else None for r in came] == [None, "refused", "refused", "refused"]
    assert all("more than the" in r.message for r in came if r)
