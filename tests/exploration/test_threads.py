"""Threads as an axis of the search: each set takes the number that serves the wish best."""

from dataclasses import replace

import numpy as np
import pytest

import fheasible as fh
from estimation.profiles import invented
from fheasible.api.asking import threads_of
from fheasible.errors import UsageError
from fheasible.estimation.threads import Serial, ThreadModel
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.judging.threads import asked_of, best
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Wish
from fheasible.exploration.reasons.explain import explain
from fheasible.exploration.search.search import Exploration, explore
from fheasible.libraries.catalogue import CATALOGUE


@fh.app(x=fh.integers(6000, low=0, high=9), y=fh.integers(6000, low=0, high=9))
def products(x: fh.Vector, y: fh.Vector) -> fh.Vector:
    return x * y


def parallel(library: str) -> ThreadModel:
    actions = ("encrypt", "mul", "relinearize", "rescale", "drop", "decrypt", "keygen", "add")
    serial = {f"{s}/{a}": Serial(0.0, 0.1) for s in ("ckks", "bgv", "bfv") for a in actions}
    return ThreadModel(library, "1", "m", (1, 2), serial)


def found(**wish: object) -> Exploration:
    circuit = products.trace()
    rng = np.random.default_rng(1)
    problem = Problem(circuit, {name: rng.integers(0, 9, 6000) for name in ("x", "y")}, "some data")
    profiles = {name: replace(invented(name), parallel=parallel(name)) for name in CATALOGUE}
    return explore(problem, Wish(cores=2, **wish), list(CATALOGUE.values()), profiles)  # type: ignore[arg-type]


def firsts(e: Exploration) -> dict[str, Candidate]:
    """The best exact candidate of each library."""
    exact = [c for c in e.candidates if not c.rounded]
    return {c.library: c for c in reversed(exact)}


def test_each_library_takes_the_threads_that_it_can_use() -> None:
    e = found(threads=(1, 2), objective="wall")
    for name, c in firsts(e).items():
        assert c.estimate.threads == (1 if name == "seal" else 2), name
        assert set(c.walls) == {"1", "2"}
        assert c.estimate.wall_seconds is not None
        assert c.walls[str(c.threads)] == pytest.approx(c.estimate.wall_seconds["total"])
        assert c.cost("wall") == pytest.approx(c.estimate.wall_seconds["total"])
    rows = e.kept
    assert set(rows["threads"][rows["library"] == "seal"]) == {1}
    for i, c in enumerate(e.candidates):  # rows and candidates are judged alike
        assert (rows["threads"][i], rows["peak_bytes"][i]) == (c.estimate.threads, c.estimate.peak_bytes)
        assert rows["wall_seconds"][i] == pytest.approx(c.figures["wall"])


def test_the_answer_says_what_threads_gain_and_why_seal_uses_one() -> None:
    e = found(threads=(1, 2), objective="wall")
    profiles = {name: replace(invented(name), parallel=parallel(name)) for name in CATALOGUE}
    said = " ".join(explain(e, profiles))
    assert "of wall time with one thread" in said
    assert "SEAL uses one thread here" in said
    assert "With any number of threads" in said or "No number of threads" in said
    assert "threads" not in " ".join(explain(found(), profiles))


def test_nothing_is_said_of_threads_where_nothing_is_asked_of_them() -> None:
    e = found()
    assert all(c.walls == {} and "threads" not in c.to_json(False) for c in e.candidates)
    assert {c.threads for c in e.candidates} == {1}


def test_the_default_is_named_as_such() -> None:
    for name, c in firsts(found(threads=(None,))).items():
        told = c.to_json(False)
        assert told["threads_by_default"] is True
        assert told["threads"] == (2 if name == "openfhe" else 1), name


def test_a_limit_on_memory_keeps_threads_out() -> None:
    e = found(threads=(1, 2), objective="wall")
    two = firsts(e)["lattigo"]
    assert two.threads == 2
    most = two.estimate.peak_bytes - 1
    limited = found(threads=(1, 2), objective="wall", max_bytes=most)
    assert all(c.estimate.peak_bytes <= most for c in limited.candidates)
    same = [c for c in limited.candidates if c.library == "lattigo" and c.request == two.request]
    assert {c.threads for c in same} <= {1}


WALLS = np.array([[2.0, 2.0, 2.0], [1.0, 1.99, 3.0]])
BYTES = np.array([[10, 10, 10], [20, 20, 20]])


@pytest.mark.parametrize(
    ("wish", "places"),
    [
        (Wish(threads=(1, 2), objective="wall"), [1, 0, 0]),  # half a per cent is not worth a thread
        (Wish(threads=(1, 2)), [1, 0, 0]),  # by CPU time they are equal
        (Wish(threads=(1, 2), objective="memory"), [0, 0, 0]),
        (Wish(threads=(1, 2), objective="wall:0.5,memory:0.5"), [0, 0, 0]),
        (Wish(threads=(1, 2), objective="wall", max_bytes=15), [0, 0, 0]),
        (Wish(threads=(1, 2), objective="cost", price_core_hour=1.0), [0, 0, 0]),
    ],
)
def test_the_objective_chooses_the_number_of_threads(wish: Wish, places: list[int]) -> None:
    assert best(WALLS, BYTES, wish).tolist() == places


def test_a_number_that_comes_to_the_same_is_tried_once() -> None:
    wish = Wish(threads=(2, None, 1), cores=2)
    assert asked_of("openfhe", wish) == (1, 2)
    assert asked_of("lattigo", wish) == (None, 2)
    assert asked_of("seal", wish) == (2,)


@pytest.mark.parametrize(
    ("given", "numbers"),
    [(2, (2,)), ("2", (2,)), ("1,2", (1, 2)), ("default", (None,)), (" 2 , default ", (2, None)),
     ([1, "default"], (1, None)), ("2,2", (2,))],
)  # fmt: skip
def test_numbers_of_threads_are_read(
    given: int | str | list[int | str], numbers: tuple[int | None, ...]
) -> None:
    assert threads_of(given) == numbers


@pytest.mark.parametrize("given", ["", "0", "-1", "two", "1025", "1,", 0, True, 1.5, "1.5", str(10**22), "²"])
def test_what_is_no_number_of_threads_is_refused_with_what_is_possible(given: object) -> None:
    with pytest.raises(UsageError, match="is not a number of threads") as error:
        threads_of(given)  # type: ignore[arg-type]
    assert "default" in error.value.remedy
