"""Rotations that share the digits of their operand give what others give, to the last bit."""

from collections.abc import Callable

import numpy as np
import pytest

from fheasible.measurement.conformance.scripts import Script, Value
from fheasible.measurement.conformance.vectors import CKKS_ERROR, check, data, error

from .conftest import Workers
from .test_conformance import run
from .toys import TOYS, Toy, chain_toy

pytestmark = pytest.mark.worker

SEALS = ("seal", "node-seal")
HOISTING = [t for t in TOYS if t.library not in SEALS]
each_hoisting_toy = pytest.mark.parametrize("toy", HOISTING, ids=lambda toy: toy.name)
STEPS = (1, 3, 6)
PARTS = ("first", "next", "last")
TWICE = {"repetitions": 2, "warmup": 1, "threads": 1, "min_seconds": 0}


def several(script: Script, x: Value, shared: bool) -> list[Value]:
    marks = PARTS if shared else ("",) * len(STEPS)
    return [script.rotate(x, steps, mark) for steps, mark in zip(STEPS, marks, strict=True)]


def beside_each_other(toy: Toy, slots: int) -> Script:
    """Rotations of a fresh value and of a product, sharing digits and alone, and their differences."""
    s = Script(toy, slots)
    x, y = s.encrypt("x", data(s, 1)), s.encrypt("y", data(s, 2))
    product = s.rescale(s.relinearize(s.mul(x, y)))
    for name, value in {"fresh": x, "product": product}.items():
        shared, alone = several(s, value, shared=True), several(s, value, shared=False)
        s.output(name, *shared)
        s.output(f"{name}, alone", *alone)
        s.output(f"{name}, difference", *(s.sub(a, b) for a, b in zip(shared, alone, strict=True)))
    return s


def decryption_noise(toy: Toy) -> float:
    """Of zero: OpenFHE's CKKS adds some, of deviation sqrt(n)/8 at least, to 2^45 times the slots."""
    return 10 * toy.n / 8 / 2**45 if (toy.library, toy.scheme) == ("openfhe", "ckks") else 0.0


@each_hoisting_toy
@pytest.mark.parametrize("slots", [8, 1024, 2048])
def test_rotations_that_share_digits_are_those_that_stand_alone(
    workers: Workers, toy: Toy, slots: int
) -> None:
    if slots == toy.n and toy.scheme == "ckks":
        pytest.skip("CKKS has half as many slots")
    script = beside_each_other(toy, slots)
    measured = run(workers, script, plan=TWICE, options={"check_inputs": True})
    check(script, measured)
    for name in ("fresh, difference", "product, difference"):
        assert np.abs(measured.outputs[name]).max() <= decryption_noise(toy)
    for name, sent in script.data().items():
        assert error(script, measured.inputs_after[name], sent) < CKKS_ERROR


@pytest.mark.parametrize("toy", [t for t in HOISTING if t.scheme != "ckks"], ids=lambda toy: toy.name)
def test_noise_is_the_same_coefficient_by_coefficient(workers: Workers, toy: Toy) -> None:
    script = beside_each_other(toy, 8)
    reply = run(workers, script, options={"noise": True}).reply
    for name in ("fresh", "product"):
        shared, alone = (np.load(reply["noise"][each]) for each in (name, f"{name}, alone"))
        assert np.abs(shared).max() > 0
        assert np.array_equal(shared, alone)


@each_hoisting_toy
def test_digits_of_several_values_are_kept_apart_and_survive_other_key_switches(
    workers: Workers, toy: Toy
) -> None:
    s = Script(toy, 8)
    x, y = s.encrypt("x", data(s, 1)), s.encrypt("y", data(s, 2))
    turned = [s.rotate(x, 1, "first"), s.rotate(y, 2, "first"), s.rotate(x, 3, "next")]
    s.output("product", s.relinearize(s.mul(x, y)))
    turned += [s.rotate(x, 5), s.rotate(y, 4, "last"), s.rotate(x, 6, "last")]
    s.output("turned", *turned)
    again = [s.rotate(x, 2, "first"), s.rotate(x, 7, "last")]  # made anew
    s.output("again", *again)
    check(s, run(workers, s, plan=TWICE))


@pytest.mark.parametrize("scheme", ["ckks", "bgv", "bfv"])
@pytest.mark.parametrize("library", SEALS)
def test_seal_refuses_to_share(workers: Workers, library: str, scheme: str) -> None:
    script = beside_each_other(chain_toy(library, scheme), 8)
    reply, _ = workers[library].try_run(script.toy.parameters, script.message(), script.data())
    assert (reply["type"], reply["kind"]) == ("refused", "UnsupportedOperation")
    assert "rotate_hoisted" in reply["message"]
    assert "rotate_hoisted" not in workers[library].hello["operations"]


def _never_made(s: Script, x: Value) -> list[Value]:
    return [s.rotate(x, 1, "next"), s.rotate(x, 2, "last")]


def _made_twice(s: Script, x: Value) -> list[Value]:
    return [s.rotate(x, 1, "first"), s.rotate(x, 2, "first"), s.rotate(x, 3, "last")]


def _never_let_go(s: Script, x: Value) -> list[Value]:
    return [s.rotate(x, 1, "first"), s.rotate(x, 2, "next")]


def _gone(s: Script, x: Value) -> list[Value]:
    return [s.rotate(x, 1, "first"), s.rotate(x, 2, "last"), s.rotate(x, 3, "last")]


def _unknown(s: Script, x: Value) -> list[Value]:
    return [s.rotate(x, 1, "second")]


def _of_no_rotation(s: Script, x: Value) -> list[Value]:
    value = s.neg(x)
    s.operations[-1]["hoist"] = "first"
    return [value]


@pytest.mark.parametrize("library", ["openfhe", "lattigo"])
@pytest.mark.parametrize(
    "wrong",
    [_never_made, _made_twice, _never_let_go, _gone, _unknown, _of_no_rotation],
    ids=lambda f: f.__name__,
)
def test_marks_that_do_not_pair_are_refused(
    workers: Workers, library: str, wrong: Callable[[Script, Value], list[Value]]
) -> None:
    toy = next(t for t in HOISTING if (t.library, t.scheme) == (library, "bfv"))
    script = Script(toy, 8)
    x = script.encrypt("x", data(script, 1))
    script.output("x", x, *wrong(script, x))
    reply, _ = workers[library].try_run(toy.parameters, script.message(), script.data())
    assert (reply["type"], reply["kind"]) == ("refused", "BadRequest")


@pytest.mark.parametrize("library", ["openfhe", "lattigo"])
def test_a_value_is_not_freed_before_its_digits(workers: Workers, library: str) -> None:
    toy = next(t for t in HOISTING if (t.library, t.scheme) == (library, "bfv"))
    script = Script(toy, 8)
    x = script.encrypt("x", data(script, 1))
    script.output("x", script.rotate(x, 1, "first"), script.rotate(x, 2, "last"))
    message = script.message()
    message["operations"][1]["frees"] = [x.id]
    reply, _ = workers[library].try_run(toy.parameters, message, script.data())
    assert (reply["type"], reply["kind"]) == ("refused", "BadRequest")
