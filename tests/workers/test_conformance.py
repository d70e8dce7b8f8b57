"""Every worker computes what numpy computes, with every action that its scheme has."""

import os
from typing import Any

import pytest

from fheasible.libraries.catalogue import library
from fheasible.libraries.manifest import REQUESTS
from fheasible.measurement.conformance import toys
from fheasible.measurement.conformance.client import Measured
from fheasible.measurement.conformance.question import Question
from fheasible.measurement.conformance.scripts import Script
from fheasible.measurement.conformance.vectors import QUESTIONS, Asked, check, data, everything

from .conftest import Workers
from .toys import TOYS, Toy

pytestmark = pytest.mark.worker

each_toy = pytest.mark.parametrize("toy", TOYS, ids=lambda toy: toy.name)
each_integer_toy = pytest.mark.parametrize(
    "toy", [t for t in TOYS if t.scheme != "ckks"], ids=lambda toy: toy.name
)


def run(workers: Workers, script: Script, **more: Any) -> Measured:
    worker = workers[script.toy.library]
    return worker.run(script.toy.parameters, script.message(), script.data(), **more)


ASKED = [(q, toy) for q in QUESTIONS for toy in TOYS if q.holds(REQUESTS, toy.scheme)]


@pytest.mark.parametrize(("question", "toy"), ASKED, ids=lambda each: getattr(each, "says", "") or each.name)
def test_what_every_worker_is_asked(workers: Workers, toy: Toy, question: Question) -> None:
    """The list that `fheasible libraries check` asks workers of others, too."""
    question.ask(Asked(workers[toy.library], toy, lambda: workers.fresh(toy.library)))


@pytest.mark.parametrize("name", ["seal", "lattigo", "openfhe"])
def test_toys_of_a_library_are_made_for_every_scheme_and_technique(name: str) -> None:
    """Those that `libraries check` asks with are of the same shape as those that are written down here."""
    own = [t for t in TOYS if t.library == name and "-" not in t.technique and t.technique != "hybrid"]
    made = {toy.name: toy for toy in toys.toys(library(name))}
    assert set(made) == {toy.name for toy in own}
    for toy in own:
        found = made[toy.name]
        assert (found.levels, found.fresh, found.automatic) == (toy.levels, toy.fresh, toy.automatic)


@pytest.mark.parametrize("toy", [t for t in TOYS if t.automatic], ids=lambda toy: toy.name)
def test_a_library_that_rescales_by_itself_may_be_left_to_it(workers: Workers, toy: Toy) -> None:
    script = everything(toy, toy.capacity, by_hand=False)
    assert "rescale" not in {o["action"] for o in script.operations}
    check(script, run(workers, script))


@each_toy
def test_a_product_mixes_with_anything_before_it_is_relinearized(workers: Workers, toy: Toy) -> None:
    """Or else the worker says that it cannot: OpenFHE's BFV would be wrong without a word."""
    script = Script(toy, 8)
    x = script.encrypt("x", data(script, 1))
    total = script.add_plain(script.neg(script.square(x)), data(script, 2))
    script.output("total", script.relinearize(total))
    if toy.library == "openfhe" and toy.scheme == "bfv":
        reply, _ = workers["openfhe"].try_run(toy.parameters, script.message(), script.data())
        assert (reply["type"], reply["kind"]) == ("refused", "UnsupportedOperation")
    else:
        check(script, run(workers, script))


@each_toy
@pytest.mark.parametrize("threads", [2, 5, None])
def test_the_outputs_are_the_same_whatever_the_threads(
    workers: Workers, toy: Toy, threads: int | None
) -> None:
    """Branches that need nothing of each other, and every action; None leaves threads to the library."""
    script = everything(toy, 8)
    values = [script.encrypt("x", data(script, seed)) for seed in (11, 12, 13)]
    for number, x in enumerate(values):
        script.output(
            f"branch{number}", script.rescale(script.relinearize(script.mul(x, values[number - 1])))
        )
    plan = {"repetitions": 2, "warmup": 0, "threads": threads, "min_seconds": 0}
    with workers.in_threads(toy.library, threads) as worker:
        found = worker.run(toy.parameters, script.message(), script.data(), plan=plan)
    check(script, found)
    used = {
        "seal": 1,
        "node-seal": 1,
        "lattigo": threads or 1,
        "openfhe": threads or len(os.sched_getaffinity(0)),
    }
    assert found.reply["threads"] == used[toy.library]
    assert found.samples.shape == (2, len(script.operations), 2)
    assert (found.samples[:, :, 1] > 0).any()
