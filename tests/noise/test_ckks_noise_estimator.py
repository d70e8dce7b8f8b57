"""Single operations beside tuneinsight/ckks-noise-estimator [BCMNT24], which simulates them in Lattigo.

The figures are what its experiments print when they are run (commit 53dd236, Lattigo 6.1.1, one run each with
LogN = 16; `estimator/experiments/NAME`): under "AVG", the mean over 32,768 slots of -log2 of the error's real
part, "predicted" by its heuristic model and "actual" in Lattigo. One run is good to 0.01 bits where slots
are independent, a standard deviation of 1.85 over the root of 32,768.
"""

from dataclasses import dataclass

import numpy as np
import pytest

from fheasible.libraries.catalogue import library
from fheasible.libraries.parameters import Parameters, request_for
from fheasible.noise.ckks import mixture
from fheasible.noise.ckks.elements import errors
from fheasible.noise.reach.gains import gains
from fheasible.program.types import Action, Operation, Packed, Program, Scheme

LOG_N, SLOTS, SCALE_BITS = 16, 1 << 15, 45
AGREEMENT = 0.05
X, Y = Operation(Action.ENCRYPT, 0, source="x"), Operation(Action.ENCRYPT, 1, source="y")


@dataclass(frozen=True)
class Experiment:
    """`figure`: what it prints. `special`: bits of P, as in the experiment; primes of Q have 55 bits, and 45
    above it where there is a level."""

    figure: float
    operations: tuple[Operation, ...]
    level: int = 0
    special: int = 60
    real: bool = False  # values in [-1, 1]; else their real and imaginary parts are


def ahead(*operations: Operation) -> tuple[Operation, ...]:
    return (X, Y, *operations)


EXPERIMENTS = {
    "enc_pk": Experiment(32.92, (X,)),
    "add_ct": Experiment(32.41, ahead(Operation(Action.ADD, 2, (0, 1)))),
    "rotate": Experiment(32.19, (X, Operation(Action.ROTATE, 2, (0,), steps=1))),
    "mul_pt": Experiment(34.36, (X, Operation(Action.MUL_PLAIN, 2, (0,), plain=0)), 1, real=True),
    "mul_relin": Experiment(
        32.80, ahead(Operation(Action.MUL, 2, (0, 1)), Operation(Action.RELINEARIZE, 3, (2,))), 1
    ),
    "mul_relin_rescale": Experiment(
        32.33,
        ahead(
            Operation(Action.MUL, 2, (0, 1)),
            Operation(Action.RELINEARIZE, 3, (2,)),
            Operation(Action.RESCALE, 4, (3,)),
        ),
        1,
    ),
    # LogP = 50 instead of 60: digits times key errors prevail. This is "actual"; "predicted", as if they were
    # normal, is 25.52
    "rotate, P of 50 bits": Experiment(25.95, (X, Operation(Action.ROTATE, 2, (0,), steps=1)), special=50),
}


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_a_single_operation_s_noise_is_that_of_the_estimator(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr("fheasible.noise.reach.judged.STANDING", 8192)  # so many elements stand for all
    e = EXPERIMENTS[name]
    program, p, given = made(e)
    known = gains(program, given)
    found = errors(program, p, known, np.zeros(len(known.judged.elements)))
    bits = -mixture.mean_log2(np.zeros_like(found.sigma), found.sigma, found.rows)
    assert known.judged.mean(bits) == pytest.approx(e.figure, abs=AGREEMENT)


def made(e: Experiment) -> tuple[Program, Parameters, dict[str, np.ndarray]]:
    """The program, its parameters, and values: noise is turned by a complex factor and not made larger, so
    that real values of the same size stand for complex ones."""
    draw = np.random.default_rng(1)
    x, y, z = (draw.uniform(-1, 1, SLOTS) + 1j * draw.uniform(-1, 1, SLOTS) for _ in range(3))
    of = np.real if e.real else np.abs
    operations = tuple(at_level(o, e.level) for o in e.operations)
    encrypted = [o.source for o in operations if o.action is Action.ENCRYPT]
    inputs = tuple(Packed(source, SLOTS, (i,)) for i, source in enumerate(encrypted))
    outputs = (Packed("result", SLOTS, (operations[-1].out,)),)
    program = Program(Scheme.CKKS, SLOTS, e.level, operations, (of(z),), inputs, outputs)
    p = library("lattigo").parameters(
        request_for(
            "ckks", e.level, None, scale_bits=SCALE_BITS, first_bits=55, special_bits=(e.special,),
            ring_dimension=1 << LOG_N,
        )
    )  # fmt: skip
    return program, p, {source: of({"x": x, "y": y}[source]) for source in encrypted}


def at_level(o: Operation, level: int) -> Operation:
    below = o.action is Action.RESCALE
    return Operation(o.action, o.out, o.args, level - below, o.plain, o.steps, o.source)
