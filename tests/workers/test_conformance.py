"""Every worker computes what numpy computes, with every action that its scheme has."""

import os
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from .client import Measured
from .conftest import Workers
from .scripts import Script, Value
from .toys import TOYS, Toy

pytestmark = pytest.mark.worker

CKKS_ERROR = 1e-4  # toy scales of 40 and 45 bits leave 1e-6 or better
each_toy = pytest.mark.parametrize("toy", TOYS, ids=lambda toy: toy.name)
each_integer_toy = pytest.mark.parametrize(
    "toy", [t for t in TOYS if t.scheme != "ckks"], ids=lambda toy: toy.name
)


def data(script: Script, seed: int) -> NDArray[Any]:
    """Slots in [-1, 1], or integers whose products stay small in no way: they wrap around t."""
    rng = np.random.default_rng(seed)
    if script.exact:
        return rng.integers(-300, 300, script.slots)
    return rng.uniform(-1, 1, script.slots)


def number(script: Script, value: float) -> float:
    return int(value * 100) if script.exact else value


def everything(toy: Toy, slots: int, by_hand: bool = True) -> Script:
    """A program of every action that the toy has, each one's result being part of an output."""
    s = Script(toy, slots, by_hand)
    x, y = s.encrypt("x", data(s, 1)), s.encrypt("y", data(s, 2))
    product = s.rescale(s.add_plain(s.relinearize(s.mul(x, y)), data(s, 3)))
    square = s.relinearize(s.square(product))
    masked = s.mul_plain(product, data(s, 4))
    scaled = s.mul_scalar(s.drop(x, product.level), number(s, -0.75))
    s.output("products", s.rescale(s.add(s.sub(square, masked), scaled)))
    s.output("sums", s.add_scalar(s.neg(s.add_plain(s.rotate(product, 3), data(s, 5))), number(s, 0.5)))
    if s.two_rows:
        s.output("rows", s.rotate(s.swap_rows(x), 1))
    return s


def check(script: Script, measured: Measured) -> None:
    """Asserts that every output is numpy's."""
    assert set(measured.outputs) == set(script.outputs)
    for name, got in measured.outputs.items():
        expected = script.expected(name)
        assert got.shape == expected.shape
        assert error(script, got, expected) < CKKS_ERROR, name


def error(script: Script, got: NDArray[Any], expected: NDArray[Any]) -> float:
    """The largest one; integers are compared modulo nothing: the centred representatives must agree."""
    if script.exact:
        assert got.dtype == np.int64
    return float(np.abs(got - expected).max())


def run(workers: Workers, script: Script, **more: Any) -> Measured:
    worker = workers[script.toy.library]
    return worker.run(script.toy.parameters, script.message(), script.data(), **more)


@each_toy
def test_every_action_gives_what_numpy_gives(workers: Workers, toy: Toy) -> None:
    script = everything(toy, toy.capacity)
    check(script, run(workers, script))


@pytest.mark.parametrize("toy", [t for t in TOYS if t.automatic], ids=lambda toy: toy.name)
def test_a_library_that_rescales_by_itself_may_be_left_to_it(workers: Workers, toy: Toy) -> None:
    script = everything(toy, toy.capacity, by_hand=False)
    assert "rescale" not in {o["action"] for o in script.operations}
    check(script, run(workers, script))


@each_toy
def test_short_vectors_are_repeated_and_rotate_within_their_own_length(workers: Workers, toy: Toy) -> None:
    script = everything(toy, 8)
    check(script, run(workers, script))


@each_integer_toy
def test_two_rows_rotate_apart_and_can_be_swapped(workers: Workers, toy: Toy) -> None:
    script = everything(toy, toy.n)
    assert "swap_rows" in {o["action"] for o in script.operations}
    check(script, run(workers, script))


@each_toy
def test_chunks_of_an_input_are_encrypted_and_returned_in_order(workers: Workers, toy: Toy) -> None:
    script = Script(toy, 8)
    values = [script.encrypt("x", data(script, seed)) for seed in range(3)]
    script.output("same", *values)
    check(script, run(workers, script))


@each_toy
def test_inputs_may_be_encrypted_below_the_top(workers: Workers, toy: Toy) -> None:
    if toy.scheme == "bfv":
        pytest.skip("BFV has one level")
    script = Script(toy, 8)
    x, y = (script.encrypt("x", data(script, seed), level=1) for seed in (1, 2))
    script.output("product", script.rescale(script.relinearize(script.mul(x, y))))
    check(script, run(workers, script))


@each_toy
def test_sums_of_products_are_relinearized_once(workers: Workers, toy: Toy) -> None:
    script = Script(toy, 8)
    values = [script.encrypt("x", data(script, seed)) for seed in range(4)]
    total = script.add(script.mul(values[0], values[1]), script.mul(values[2], values[3]))
    script.output("total", script.rescale(script.relinearize(total)))
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
def test_a_deep_product_meets_a_fresh_value(workers: Workers, toy: Toy) -> None:
    """The levels are brought together by hand (with a factor of one in CKKS), or by the library."""
    script = Script(toy, 8)
    x = script.encrypt("x", data(script, 1))
    deep = x
    for _ in range(2):
        deep = script.rescale(script.relinearize(script.square(deep)))
    script.output("sum", script.sub(deep, _brought_down(script, x, deep.level)))
    check(script, run(workers, script))


def _brought_down(script: Script, x: Value, level: int) -> Value:
    if script.toy.scheme != "ckks" or script.toy.automatic:
        return script.drop(x, level)
    return script.rescale(script.mul_scalar(script.drop(x, level + 1), 1.0))


@each_toy
def test_a_wrong_key_decrypts_to_garbage(workers: Workers, toy: Toy) -> None:
    script = everything(toy, 8)
    measured = run(workers, script, options={"wrong_key": True})
    for name, got in measured.outputs.items():
        wrong = ~(np.abs(got - script.expected(name)) < 0.5)  # what is not a number is wrong too
        assert wrong.mean() > 0.5


def singly(toy: Toy) -> Script:
    """Every action that takes an input as it is, each for an output of its own."""
    s = Script(toy, 8 if toy.scheme == "ckks" else toy.n)
    x, y = s.encrypt("x", data(s, 1)), s.encrypt("y", data(s, 2))
    for binary in (s.add, s.sub, s.mul):
        s.output(binary.__name__, binary(x, y))
    for unary in (s.neg, s.square, *((s.swap_rows,) if s.two_rows else ())):
        s.output(unary.__name__, unary(x))
    for with_vector in (s.add_plain, s.mul_plain):
        s.output(with_vector.__name__, with_vector(x, data(s, 3)))
    for with_scalar in (s.add_scalar, s.mul_scalar):
        s.output(with_scalar.__name__, with_scalar(y, number(s, -0.25)))
    s.output("rotate", s.rotate(x, 1))
    s.output("drop", s.drop(x, toy.levels - 1))
    return s


@each_toy
def test_evaluation_leaves_its_inputs_as_they_were(workers: Workers, toy: Toy) -> None:
    script = singly(toy)
    measured = run(workers, script, options={"check_inputs": True})
    assert set(measured.inputs_after) == {"x", "y"}
    for name, sent in script.data().items():
        assert error(script, measured.inputs_after[name], sent) < CKKS_ERROR
    check(script, measured)


@each_toy
def test_one_process_serves_many_runs(workers: Workers, toy: Toy) -> None:
    for seed in (1, 2):
        script = Script(toy, 8)
        x = script.encrypt("x", data(script, seed))
        script.output("turned", script.rotate(x, seed))
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
