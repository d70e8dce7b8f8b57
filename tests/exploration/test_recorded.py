"""What is kept of an exploration: all that a report needs, under a name for the circuit."""

from pathlib import Path

import pytest

import fheasible as fh
from estimation.profiles import invented
from fheasible.circuit.node import Circuit
from fheasible.exploration.judging.columns import NAMES
from fheasible.exploration.problem.wish import Wish
from fheasible.exploration.reasons.explain import explain
from fheasible.exploration.reasons.recorded import circuit_digest, record
from fheasible.exploration.search.search import Exploration, explore
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.measurement.machine import this_machine
from fheasible.program.digest import digest
from fheasible.store.kept_rows import unpacked
from fheasible.store.rows import StoredExploration
from fheasible.store.store import Store

from .apps import problem, real, whole

PROFILES = {"seal": invented("seal")}


@pytest.fixture(scope="module")
def found() -> Exploration:
    return explore(problem(real), Wish(), [CATALOGUE["seal"]], PROFILES)


@pytest.fixture
def kept(found: Exploration, tmp_path: Path) -> StoredExploration:
    with Store.open(tmp_path / "results.sqlite") as store:
        number = record(store, found, explain(found, PROFILES), PROFILES, ["fheasible run real.py"])
        (stored,) = store.explorations("real")
    assert stored.id == number
    return stored


def test_the_answer_is_kept_with_its_why_and_the_call_that_runs_it(
    found: Exploration, kept: StoredExploration
) -> None:
    content = kept.explored.content
    assert content["feasible"] == found.feasible
    assert [c["library"] for c in content["candidates"]] == ["seal"] * len(found.candidates)
    assert content["why"] == explain(found, PROFILES)
    assert content["command"] == ["fheasible run real.py"]
    assert content["least"] == {"measure": "bits", "value": 10.0}
    assert set(content["details"]) == {"time", "memory", "scales"}
    assert kept.explored.wish["security"] == 128
    assert kept.environment["machine"] == this_machine().fingerprint


def test_kept_sets_are_a_table_of_all_columns(found: Exploration, kept: StoredExploration) -> None:
    rows = unpacked(kept.explored.rows)
    assert {tuple(row) for row in rows} == {NAMES}
    assert rows == found.kept.arrow().to_pylist()
    assert len(rows) == len(found.kept) > 0


def test_a_later_run_is_recognised_by_its_program(found: Exploration, kept: StoredExploration) -> None:
    assert {digest(c.program) for c in found.candidates} == set(kept.explored.content["programs"])


def test_a_profile_is_named_and_its_prices_are_kept_without_its_points(kept: StoredExploration) -> None:
    told = kept.explored.content["profiles"]["seal"]
    assert told["created"] == PROFILES["seal"].created
    assert told["nanoseconds"]["forward"] == pytest.approx(1.0)
    assert "points" not in told


def constant(values: list[float]) -> Circuit:
    @fh.app(x=fh.reals(len(values), low=-1, high=1))
    def application(x: fh.Vector) -> fh.Vector:
        return x * values

    return application.trace()


def test_equal_circuits_have_one_name_and_others_another() -> None:
    long = [1.0] * 2000
    changed = [*long[:1000], 2.0, *long[1001:]]  # where a printed array would show dots
    assert circuit_digest(constant(long)) == circuit_digest(constant(list(long)))
    assert circuit_digest(constant(long)) != circuit_digest(constant(changed))
    assert circuit_digest(real.trace()) == circuit_digest(real.trace())
    assert len({circuit_digest(app.trace()) for app in (real, whole)}) == 2
    assert circuit_digest(real.trace({"x": 16, "y": 16})) != circuit_digest(real.trace())
