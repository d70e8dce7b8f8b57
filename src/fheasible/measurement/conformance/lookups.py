"""The questions to workers of libraries of table look-ups, each asked with a set of parameters."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from fheasible.libraries.lookup_library import LookupLibrary, LookupTask
from fheasible.measurement.conformance.client import Json, Measured, Misbehaved, Worker
from fheasible.measurement.conformance.question import (
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
from fheasible.program.lookup_serial import input_rows, to_message
from fheasible.program.lookup_values import computed
from fheasible.program.lookups import Digits, LookupProgram, LookupStep, Step, from_digits
from fheasible.schemes.fhew.parameters import FhewParameters
from fheasible.schemes.lookups import LookupParameters
from fheasible.schemes.tfhe.parameters import Gadget, Gaussian, ModulusSwitch, Order, TfheParameters

INSECURE: Final = TfheParameters(
    lwe_dimension=64, glwe_dimension=1, polynomial_size=512, lwe_errors=Gaussian(2.0**-30),
    glwe_errors=Gaussian(2.0**-45), pbs=Gadget(12, 3), ks=Gadget(8, 3), message_modulus=4, carry_modulus=2,
)  # fmt: skip
SETS: Final = {
    "key switch first": INSECURE,
    "bootstrap first": replace(INSECURE, order=Order.PBS_KS),
    "centered": replace(INSECURE, modulus_switch=ModulusSwitch.CENTERED),
    "groups of bits": replace(INSECURE, grouping=2),
    "two polynomials": replace(INSECURE, glwe_dimension=2, polynomial_size=256),
}
"""INSECURE sets, by what is special about each."""
_SIZE_FACTOR: Final = 1.5  # what is told and what is predicted of a file may differ so much, as in `verify`
_SIZE_500: Final = "the polynomial size 500"
TIMED: Final = ("encrypt", "add", "mul_scalar", "lookup", "decrypt")  # what calibration measures


@dataclass(frozen=True, slots=True)
class Asked:
    """Whom a question is asked: a worker, with a set that its library takes, and another process of the same
    where it must end."""

    worker: Worker
    library: LookupLibrary
    parameters: LookupParameters
    fresh: Callable[[], Worker]

    @property
    def told(self) -> Json:
        return self.library.worker_parameters(self.library.schemes[0], self.parameters)

    @property
    def program(self) -> LookupProgram:
        return everything(self.parameters.plaintext_modulus)

    def run(self, **more: Any) -> Measured:
        return self.worker.run(self.told, to_message(self.program), rows(self.program), **more)

    def try_run(self, program: Json, told: Json | None = None) -> Json:
        return self.worker.try_run(told or self.told, program, rows(self.program))[0]


def sets_of(library: LookupLibrary) -> dict[str, LookupParameters]:
    """The sets that a library is asked with: the toys that it takes; where it takes none but its own, the
    one of those that takes the least work."""
    scheme = library.schemes[0]
    toys = {name: p for name, p in SETS.items() if library.custom and not library.refusal(scheme, p)}
    if toys:
        return dict(toys)

    def work(name: str) -> float:
        named = library.named[name]
        return sum(library.work(LookupTask.LOOKUP, named.scheme, named.parameters).values())

    able = [key for key, s in library.named.items() if not library.refusal(s.scheme, s.parameters)]
    return {library.named[key].name: library.named[key].parameters for key in sorted(able, key=work)[:1]}


def everything(modulus: int) -> LookupProgram:
    """Each kind of step, on digits below the modulus: x + 8 to a small base, and what becomes of it."""
    base = 4 if modulus >= 8 else 2
    digits = 2 if base == 4 else 4
    steps = (
        *(LookupStep(Step.ENCRYPT, i, 5, source="x", digit=i) for i in range(digits)),
        LookupStep(Step.LINEAR, 10, 5, (0, 1), (1, -1), np.array([base - 1])),
        LookupStep(Step.LOOKUP, 11, 5, (10,), table=0, frees=(10,)),
        LookupStep(Step.FOLD, 12, 3, (1,), group=2),
        LookupStep(Step.PICK, 13, 4, (12,), plain=np.array([2, 0, 0, 1]), frees=(12,)),
        LookupStep(Step.TRIVIAL, 14, 1, plain=np.array([1])),
        LookupStep(Step.LINEAR, 15, 4, (13, 14), (1, 1)),
        LookupStep(Step.JOIN, 16, 9, (11, 15)),
        LookupStep(Step.LOOKUP, 17, 9, (16,), table=1),
    )
    tables = (
        tuple((3 * v + 1) % modulus for v in range(modulus)),
        tuple(modulus - 1 - v for v in range(modulus)),
    )
    inputs = (Digits("x", 5, tuple(range(digits)), base, -8),)
    outputs = (Digits("y", 9, (17,), modulus), Digits("z", 5, (11, 1), modulus))
    return LookupProgram(modulus, steps, tables, inputs, outputs)


X: Final = {"x": np.array([-8, 7, 0, 3, -3])}


def rows(program: LookupProgram) -> dict[str, Any]:
    return {each.name: input_rows(X[each.name], each) for each in program.inputs}


def check(program: LookupProgram, measured: Measured) -> None:
    """Raises Misbehaved unless every output is what clear digits give."""
    expected, names = computed(program, X), set(measured.outputs)
    expect(names == set(expected), f"the outputs are {names}, not {set(expected)}")
    for out in program.outputs:
        got, shape = measured.outputs[out.name], (len(out.values), out.length)
        expect(got.shape == shape, f"{out.name} has the shape {got.shape}, not {shape}")
        found = from_digits(list(got), out).tolist()
        wanted = expected[out.name].tolist()
        expect(found == wanted, f"the output {out.name} is {found}, but clear digits give {wanted}")


def _hello(a: Asked) -> None:
    check_greeting(a.worker, a.library.schemes)


def _described(a: Asked) -> None:
    _describes(a.worker, a)


def _describes(worker: Worker, a: Asked) -> None:
    described, _ = worker.ask("describe", parameters=a.told)
    expect(described["type"] == "described", f"describe was answered with {str(described)[:300]}")
    n = described.get("ring_dimension")
    wanted = a.parameters.polynomial_size
    expect(n == wanted, f"it describes polynomials of size {n}, but {wanted} was asked for")


def _everything(a: Asked) -> None:
    check(a.program, a.run())


def _wrong_key(a: Asked) -> None:
    found = a.run(options={"wrong_key": True}).outputs["y"].ravel().tolist()
    right = computed(a.program, X)["y"].tolist()
    expect(found != right, "an unrelated key decrypts the result")


def _inputs_after(a: Asked) -> None:
    after = a.run(options={"check_inputs": True}).inputs_after
    for name, sent in rows(a.program).items():
        seen = None if name not in after else after[name].tolist()
        expect(seen == sent.tolist(), f"after the evaluation the input {name} is {seen}, not {sent.tolist()}")


def _many_runs(a: Asked) -> None:
    for _ in range(2):
        check(a.program, a.run())


def _every_output(a: Asked) -> None:
    plan = {"repetitions": 2, "warmup": 1, "threads": 1, "min_seconds": 0}
    outputs = a.run(plan=plan, options={"every_output": True}).outputs
    for out in a.program.outputs:
        shape, wanted = outputs[out.name].shape, (2, len(out.values), out.length)
        expect(shape == wanted, f"with every_output, {out.name} has the shape {shape}, not {wanted}")


def _samples(a: Asked) -> None:
    plan = {"repetitions": 2, "warmup": 1, "threads": 1, "min_seconds": 0, "keygens": 1}
    found = a.run(plan=plan)
    encrypts = np.array([step.step is Step.ENCRYPT for step in a.program.steps])
    check_samples(found.samples, found.reply["phases"], encrypts, 2, 1)
    check_progress(found.progress, 3)


def _memory(a: Asked) -> None:
    found = a.fresh().run(a.told, to_message(a.program), rows(a.program))
    check_memory(found.reply.get("memory") or {})


def _sizes(a: Asked) -> None:
    told = a.run().reply.get("sizes") or {}
    predicted = a.library.sizes(a.library.schemes[0], a.parameters)
    keys = [told.get(name) for name in ("bootstrap_key", "key_switch_key")]
    known = [size for size in keys if size is not None]
    both = sum(known) if len(known) == len(keys) else None
    pairs = {
        "a ciphertext": (told.get("ciphertext"), predicted.ciphertext),
        "the secret keys": (told.get("secret_key"), predicted.secret_key),
        "the keys for evaluation": (both, predicted.evaluation_key),
    }
    for what, (size, expected) in pairs.items():
        if size is not None and not 1 / _SIZE_FACTOR < size / expected < _SIZE_FACTOR:
            told_apart = f"{what} takes {size:,} bytes, but {expected:,} in the library that it follows"
            raise Misbehaved(f"{told_apart}: say null where its files differ")


def _refused(a: Asked) -> None:
    fhew = isinstance(a.parameters, FhewParameters)
    wrong, said = ({"log_q": 40}, "a modulus of 40 bits") if fhew else ({"polynomial_size": 500}, _SIZE_500)
    reply = a.try_run(to_message(a.program), {**a.told, **wrong})
    expect_refused(reply, "InfeasibleParameters", said)
    check(a.program, a.run())


def _malformed(a: Asked) -> None:
    program = a.program
    lost = to_message(replace(program, steps=program.steps[1:]))
    expect_refused(a.try_run(lost), "BadRequest", "a program whose value 0 is never made")
    longer = to_message(replace(program, tables=(program.tables[0], (program.modulus,) * program.modulus)))
    expect_refused(a.try_run(longer), "BadRequest", "a table with an entry that is no digit")
    without = {key: value for key, value in to_message(program).items() if key != "steps"}
    expect_refused(a.try_run(without), "BadRequest", "a program without steps")
    check(program, a.run())


def _no_requests(a: Asked) -> None:
    check_manners(a.worker, lambda: _described(a))


def _measured(a: Asked) -> None:
    reply = _timed(a, TIMED)
    expect(reply["type"] == "timed", f"measure was answered with {str(reply)[:300]}")
    told = [item["operation"] for item in reply["items"]]
    expect(told == list(TIMED), f"the items are {told}, not {list(TIMED)}")
    modulus = a.parameters.plaintext_modulus
    numbers = {"encrypt": 1, "add": 2 % modulus, "mul_scalar": 2 % modulus, "lookup": 2 % modulus}
    for item in reply["items"]:
        name, seconds = item["operation"], np.array(item["seconds"])
        right = seconds.shape == (2, 2) and bool((seconds >= 0).all())
        expect(right, f"{name} has the seconds {item['seconds']}")
        if name in numbers and item.get("values"):
            left = np.load(item["values"]).ravel().tolist()
            expect(left == [numbers[name]], f"{name} leaves {left}, not {numbers[name]}")
    made = np.array(reply.get("keygen") or ())
    expect(made.shape == (2,), f"making the keys has the seconds {reply.get('keygen')}")


def _unknown_operation(a: Asked) -> None:
    expect_refused(_timed(a, ("fly",)), "BadRequest", "the operation 'fly'")


def _timed(a: Asked, names: tuple[str, ...]) -> Json:
    reply, _ = a.worker.ask(
        "measure",
        parameters=a.told,
        items=[{"operation": name} for name in names],
        folder=str(a.worker.room()),
        plan={"repetitions": 2, "warmup": 1, "threads": 1},
    )
    return reply


def _end(a: Asked) -> None:
    worker = a.fresh()
    _describes(worker, a)
    check_end(worker)


RUN, DESCRIBE, MEASURE = ("run",), ("describe",), ("measure",)
QUESTIONS: Final = (
    Question("the hello names the library and what it can do", (), _hello),
    Question("describe tells the size of polynomials", DESCRIBE, _described),
    Question("every kind of step gives what clear digits give", RUN, _everything),
    Question("an unrelated key decrypts nothing", RUN, _wrong_key),
    Question("evaluation leaves its inputs as they were", RUN, _inputs_after),
    Question("one process serves many runs", RUN, _many_runs),
    Question("the outputs of every repetition are there", RUN, _every_output),
    Question("every step of every repetition is sampled", RUN, _samples),
    Question("memory grows from the start to the peak", RUN, _memory),
    Question("files are as large as those of the library that is followed", RUN, _sizes),
    Question("what is impossible is refused, and the worker lives on", RUN, _refused),
    Question("a malformed program is a bad request", RUN, _malformed),
    Question("a line that is no request is refused, and the next is answered", DESCRIBE, _no_requests),
    Question("single operations are timed, and leave the right numbers", MEASURE, _measured),
    Question("an unknown operation is refused", MEASURE, _unknown_operation),
    Question("the end of stdin ends the worker", DESCRIBE, _end),
)
"""All that is asked of every such worker."""
