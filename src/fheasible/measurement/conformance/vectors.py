"""The questions to workers of libraries of vectors (BFV, BGV, CKKS), each asked with toy parameters."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from fheasible.measurement.conformance.client import Json, Measured, Worker
from fheasible.measurement.conformance.question import (
    Array,
    Question,
    check_end,
    check_greeting,
    check_manners,
    check_memory,
    check_progress,
    check_samples,
    expect,
    expect_refused,
)
from fheasible.measurement.conformance.scripts import Script, Value
from fheasible.measurement.conformance.toys import PLAIN_MODULUS, Toy

CKKS_ERROR: Final = 1e-4  # toy scales of 40 and 45 bits leave 1e-6 or better


@dataclass(frozen=True, slots=True)
class Asked:
    """Whom a question is asked: a worker, and another process of the same where it must end."""

    worker: Worker
    toy: Toy
    fresh: Callable[[], Worker]

    def run(self, script: Script, **more: Any) -> Measured:
        return self.worker.run(self.toy.parameters, script.message(), script.data(), **more)

    def try_run(self, program: Json, data: dict[str, Array]) -> Json:
        return self.worker.try_run(self.toy.parameters, program, data)[0]


def data(script: Script, seed: int) -> Array:
    """Slots in [-1, 1], or integers whose products stay small in no way: they wrap around t."""
    rng = np.random.default_rng(seed)
    return rng.integers(-300, 300, script.slots) if script.exact else rng.uniform(-1, 1, script.slots)


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


def doubling(toy: Toy) -> Script:
    script = Script(toy, 8)
    x = script.encrypt("x", data(script, 1))
    script.output("double", script.add(x, x))
    return script


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


def error(script: Script, got: Array, expected: Array) -> float:
    """The largest one; integers are compared modulo nothing: the centred representatives must agree."""
    if script.exact:
        expect(got.dtype == np.int64, f"integers came as {got.dtype}, not int64")
    return float(np.abs(got - expected).max())


def check(script: Script, measured: Measured) -> None:
    """Raises Misbehaved unless every output is numpy's."""
    names = set(measured.outputs)
    expect(names == set(script.outputs), f"the outputs are {names}, not {set(script.outputs)}")
    for name, got in measured.outputs.items():
        expected = script.expected(name)
        expect(got.shape == expected.shape, f"{name} has the shape {got.shape}, not {expected.shape}")
        off = error(script, got, expected)
        expect(off < CKKS_ERROR, f"the output {name} is {off:.3g} off what numpy computes")


def _hello(a: Asked) -> None:
    check_greeting(a.worker, (a.toy.scheme,))
    needed = {"encrypt", "add", "mul", "relinearize", "rotate"}
    lacking = sorted(needed - set(a.worker.hello["operations"]))
    expect(not lacking, f"its hello has no operation {', '.join(lacking)}")


def _described(a: Asked) -> None:
    described, _ = a.worker.ask("describe", parameters=a.toy.parameters)
    expect(described["type"] == "described", f"describe was answered with {str(described)[:300]}")
    measured = a.run(doubling(a.toy)).reply
    for key in ("ring_dimension", "q", "p", "digits"):
        pair = described.get(key), measured.get(key)
        expect(pair[0] == pair[1], f"{key} was described as {pair[0]}, but the run had {pair[1]}")
    n = described["ring_dimension"]
    expect(n == a.toy.n, f"the ring dimension is {n}, but {a.toy.n} was asked for")
    chain = [int(x) for x in described["q"] + described["p"]]
    expect(len(set(chain)) == len(chain) and all(x % (2 * n) == 1 for x in chain), f"the primes are {chain}")


def _everything(a: Asked) -> None:
    script = everything(a.toy, a.toy.capacity)
    check(script, a.run(script))


def _short(a: Asked) -> None:
    script = everything(a.toy, 8)
    check(script, a.run(script))


def _two_rows(a: Asked) -> None:
    script = everything(a.toy, a.toy.n)
    check(script, a.run(script))


def _chunks(a: Asked) -> None:
    script = Script(a.toy, 8)
    script.output("same", *[script.encrypt("x", data(script, seed)) for seed in range(3)])
    check(script, a.run(script))


def _below_the_top(a: Asked) -> None:
    script = Script(a.toy, 8)
    x, y = (script.encrypt("x", data(script, seed), level=1) for seed in (1, 2))
    script.output("product", script.rescale(script.relinearize(script.mul(x, y))))
    check(script, a.run(script))


def _sums_of_products(a: Asked) -> None:
    script = Script(a.toy, 8)
    values = [script.encrypt("x", data(script, seed)) for seed in range(4)]
    total = script.add(script.mul(values[0], values[1]), script.mul(values[2], values[3]))
    script.output("total", script.rescale(script.relinearize(total)))
    check(script, a.run(script))


def _deep_and_fresh(a: Asked) -> None:
    """The levels are brought together by hand (with a factor of one in CKKS), or by the library."""
    script = Script(a.toy, 8)
    x = script.encrypt("x", data(script, 1))
    deep = x
    for _ in range(2):
        deep = script.rescale(script.relinearize(script.square(deep)))
    script.output("sum", script.sub(deep, _brought_down(script, x, deep.level)))
    check(script, a.run(script))


def _brought_down(script: Script, x: Value, level: int) -> Value:
    if script.toy.scheme != "ckks" or script.toy.automatic:
        return script.drop(x, level)
    return script.rescale(script.mul_scalar(script.drop(x, level + 1), 1.0))


def _wrong_key(a: Asked) -> None:
    script = everything(a.toy, 8)
    measured = a.run(script, options={"wrong_key": True})
    for name, got in measured.outputs.items():
        wrong = ~(np.abs(got - script.expected(name)) < 0.5)  # what is not a number is wrong too
        expect(wrong.mean() > 0.5, f"an unrelated key decrypts {1 - wrong.mean():.0%} of the output {name}")


def _inputs_after(a: Asked) -> None:
    script = singly(a.toy)
    measured = a.run(script, options={"check_inputs": True})
    after = set(measured.inputs_after)
    expect(after == {"x", "y"}, f"inputs_after has {after}")
    for name, sent in script.data().items():
        off = error(script, measured.inputs_after[name], sent)
        expect(off < CKKS_ERROR, f"the input {name} is {off:.3g} off after the evaluation")
    check(script, measured)


def _many_runs(a: Asked) -> None:
    for seed in (1, 2):
        script = Script(a.toy, 8)
        x = script.encrypt("x", data(script, seed))
        script.output("turned", script.rotate(x, seed))
        check(script, a.run(script))


def _samples(a: Asked) -> None:
    script = everything(a.toy, 8)
    plan = {"repetitions": 3, "warmup": 2, "threads": 1, "min_seconds": 0, "keygens": 2}
    found = a.run(script, plan=plan)
    encrypts = np.array([o["action"] == "encrypt" for o in script.operations])
    check_samples(found.samples, found.reply["phases"], encrypts, 3, 2)
    check_progress(found.progress, 5)


def _min_seconds(a: Asked) -> None:
    plan = {"repetitions": 1, "warmup": 0, "threads": 1, "min_seconds": 0.3}
    found = a.run(doubling(a.toy), plan=plan)
    expect(len(found.samples) > 1, "it ran once, in less than the 0.3 seconds that were asked for")


def _memory(a: Asked) -> None:
    """In a process of its own: what an earlier run has freed may never go back to the system."""
    script = everything(a.toy, 8)
    found = a.fresh().run(a.toy.parameters, script.message(), script.data())
    check_memory(found.reply.get("memory") or {})


def _unknown_action(a: Asked) -> None:
    script = doubling(a.toy)
    program = script.message()
    program["operations"][-1]["action"] = "divide"
    reply, progress = a.worker.try_run(a.toy.parameters, program, script.data())
    expect_refused(reply, "UnsupportedOperation", "the action 'divide'")
    expect(not progress, "it ran something before it refused the program")
    check(script, a.run(script))


def _malformed(a: Asked) -> None:
    script = doubling(a.toy)
    for words, spoil in _SPOILT.items():
        program = script.message()
        spoil(program)
        expect_refused(a.try_run(program, script.data()), "BadRequest", f"a program {words}")
    wrong = {"x": np.zeros((2, 4))}
    expect_refused(a.try_run(script.message(), wrong), "BadRequest", "an input of the wrong shape")
    check(script, a.run(script))


def _lost_value(program: Json) -> None:
    program["operations"][-1]["args"] = [7, 7]


def _no_operations(program: Json) -> None:
    del program["operations"]


def _lost_output(program: Json) -> None:
    program["outputs"][0]["values"] = [5]


_SPOILT: Final[dict[str, Callable[[Json], None]]] = {
    "with a value that does not exist": _lost_value,
    "without operations": _no_operations,
    "with an output that does not exist": _lost_output,
}


def _no_requests(a: Asked) -> None:
    check_manners(a.worker, lambda: _describable(a.worker, a.toy))


def _describable(worker: Worker, toy: Toy) -> None:
    reply, _ = worker.ask("describe", parameters=toy.parameters)
    expect(reply["type"] == "described", f"describe was answered with {str(reply)[:300]}")


def _measured(a: Asked) -> None:
    names, slots = ("encode_encrypt", "add", "mul_plain", "relinearize", "rotate", "keygen_rotate"), 8
    script, room = Script(a.toy, slots), a.worker.room()
    x, y = data(script, 1), data(script, 2)
    for name, values in (("x", x), ("y", y)):
        np.save(room / f"{name}.npy", values)
    reply, _ = a.worker.ask(
        "measure",
        parameters=a.toy.parameters, slots=slots, two_rows=False, automatic=a.toy.automatic, sparse=False,
        items=[{"operation": name, "level": a.toy.levels} for name in names],
        inputs={name: str(room / f"{name}.npy") for name in "xy"}, scalar="3", folder=str(room),
        plan={"repetitions": 2, "warmup": 1, "threads": 1},
    )  # fmt: skip
    expect(reply["type"] == "timed", f"measure was answered with {str(reply)[:300]}")
    expected = {"encode_encrypt": x, "add": x + y, "mul_plain": x * y, "relinearize": x * y}
    expected["rotate"] = np.roll(x, -1)
    told = [item["operation"] for item in reply["items"]]
    expect(told == list(names), f"the items are {told}, not {list(names)}")
    for item in reply["items"]:
        _check_item(a.toy, item, expected.get(item["operation"]))


def _check_item(toy: Toy, item: Json, expected: Array | None) -> None:
    if item.get("refused"):
        return
    seconds = np.array(item["seconds"])
    seen = f"{item['operation']} has the seconds {item['seconds']}"
    expect(seconds.shape == (2, 2) and bool((seconds >= 0).all()), seen)
    if expected is not None:
        off = np.load(item["values"]) - expected
        wrong = np.abs(off).max() > CKKS_ERROR if toy.scheme == "ckks" else (off % PLAIN_MODULUS).any()
        expect(not wrong, f"{item['operation']} leaves other numbers than numpy does")


def _end(a: Asked) -> None:
    worker = a.fresh()
    _describable(worker, a.toy)
    check_end(worker)


RUN, DESCRIBE, MEASURE = ("run",), ("describe",), ("measure",)
QUESTIONS: Final = (
    Question("the hello names the library and what it can do", (), _hello),
    Question("describe tells the chain that a run then has", ("describe", "run"), _described),
    Question("every action gives what numpy gives", RUN, _everything),
    Question("short vectors are repeated and rotate within their own length", RUN, _short),
    Question("two rows rotate apart and can be swapped", RUN, _two_rows, ("bgv", "bfv")),
    Question("chunks of an input are encrypted and returned in order", RUN, _chunks),
    Question("inputs may be encrypted below the top", RUN, _below_the_top, ("ckks", "bgv")),
    Question("sums of products are relinearized once", RUN, _sums_of_products),
    Question("a deep product meets a fresh value", RUN, _deep_and_fresh),
    Question("an unrelated key decrypts nothing", RUN, _wrong_key),
    Question("evaluation leaves its inputs as they were", RUN, _inputs_after),
    Question("one process serves many runs", RUN, _many_runs),
    Question("every operation of every repetition is sampled", RUN, _samples),
    Question("a minimum of time adds repetitions", RUN, _min_seconds),
    Question("memory grows from the start to the peak", RUN, _memory),
    Question("an unknown action is refused, and the worker lives on", RUN, _unknown_action),
    Question("a malformed program is a bad request", RUN, _malformed),
    Question("a line that is no request is refused, and the next is answered", DESCRIBE, _no_requests),
    Question("single operations are timed, and leave what numpy gives", MEASURE, _measured),
    Question("the end of stdin ends the worker", DESCRIBE, _end),
)
"""All that is asked of every such worker."""
