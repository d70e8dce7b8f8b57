"""What the slots beyond a vector's end hold."""

from collections.abc import Callable

import numpy as np
import pytest

import fheasible as fh
from fheasible.circuit.cleartext import evaluate
from fheasible.lowering.lower import lower
from fheasible.program.simulate import run, simulate
from fheasible.program.style import Style
from fheasible.program.types import Action, Program, Scheme

LENGTH, SLOTS = 5, 8
WEIGHTS = np.linspace(0.2, 0.9, LENGTH)
DATA = {"x": np.linspace(0.1, 0.9, LENGTH), "y": np.linspace(0.8, 0.3, LENGTH)}
Function = Callable[[fh.Vector, fh.Vector], fh.Vector]


def logistic(x: fh.Vector, cube: float = 0.01) -> fh.Vector:
    """Six steps, steep at 0 in every one, and not elsewhere. Without the cube each step is lowered as a
    square."""
    for _ in range(6):
        x = fh.polynomial(x, [0, 3.2, -3.2, cube])
    return x


TILED: dict[str, Function] = {
    "a polynomial": lambda x, y: fh.polynomial(x, [1, 2, 3]),
    "steps of the logistic map": lambda x, y: logistic(x),
    "of two inputs": lambda x, y: fh.polynomial(x * y - 0.3 * x + 0.25, [0, 3, -1, 0.1]),
    "of weights": lambda x, y: fh.polynomial(x * WEIGHTS + WEIGHTS, [0, 3, -1, 0.1]) * 0.3,
    "with a sum of another kind": lambda x, y: fh.polynomial(x, [1, 1, 2]) + fh.mean(y),
}
ZEROS: dict[str, Function] = {
    "a sum": lambda x, y: fh.sum(x * y),
    "no polynomial": lambda x, y: x * y + 1,
    "a polynomial through 0 before a sum": lambda x, y: fh.mean(fh.polynomial(x, [0, 3.2, -3.2])),
}
OTHERS: dict[str, Function] = {
    "a sum after a steep polynomial": lambda x, y: fh.mean(logistic(x)),
    "a sum after a factor": lambda x, y: fh.sum((0.3 * fh.polynomial(x, [1, 2, 1])) ** 2),
    "a rotation": lambda x, y: fh.polynomial(fh.rotate(x, 2), [1, 2, 1]) + x * WEIGHTS,
    "a weighted sum": lambda x, y: fh.sum(fh.polynomial(x, [0, 1, 1]) * WEIGHTS),
}


def lowered(f: Function) -> tuple[Program, dict[str, np.ndarray]]:
    spec = fh.reals(LENGTH, low=0, high=1)
    circuit = fh.app(x=spec, y=spec)(lambda x, y: f(x, y)).trace()
    given = {i.name: DATA[i.name] for i in circuit.inputs}
    return lower(circuit, Style(Scheme.CKKS), SLOTS), {"wanted": evaluate(circuit, given)["result"], **given}


@pytest.mark.parametrize("name", [*TILED, *ZEROS, *OTHERS])
def test_results_are_right_whatever_is_beyond_the_end(name: str) -> None:
    program, given = lowered({**TILED, **ZEROS, **OTHERS}[name])
    np.testing.assert_allclose(simulate(program, given)["result"], given["wanted"], rtol=1e-12)


@pytest.mark.parametrize("name", TILED)
def test_inputs_of_polynomials_go_on_with_their_first_elements_and_so_do_results(name: str) -> None:
    program, given = lowered(TILED[name])
    assert program.inputs[0].tiled
    slots = run(program, given)
    for packed in program.outputs:
        found = slots[packed.values[0]]
        np.testing.assert_allclose(found[LENGTH:], found[: SLOTS - LENGTH], rtol=1e-12)


@pytest.mark.parametrize("name", ZEROS)
def test_where_zeros_are_as_good_there_are_zeros(name: str) -> None:
    program, _ = lowered(ZEROS[name])
    assert not any(packed.tiled for packed in program.inputs)
    products = [o for o in program.operations if o.action is Action.MUL_PLAIN]
    assert not products  # and no mask


def test_noise_beyond_the_end_grows_as_that_of_elements() -> None:
    """Of zeros it would be multiplied by 3.2 in each of six steps, a thousandfold."""
    program, given = lowered(TILED["steps of the logistic map"])
    clean = run(program, given)
    noisy = run(program, given, disturb=lambda o, _, slots: slots + 1e-9)
    last = program.outputs[0].values[0]
    apart = np.abs(noisy[last] - clean[last])
    assert apart[LENGTH:].max() <= apart[:LENGTH].max()


def test_noise_beyond_the_end_is_lost_in_squares() -> None:
    """Zeros stay zeros there, and a square of what is next to nothing is nothing."""
    program, given = lowered(lambda x, y: logistic(x, cube=0))
    assert not program.inputs[0].tiled
    slots = run(program, given, disturb=lambda o, _, slots: slots + 1e-9)
    assert np.abs(slots[program.outputs[0].values[0]][LENGTH:]).max() < 1e-8


def test_integers_are_padded_with_zeros() -> None:
    circuit = fh.app(x=fh.integers(5, low=0, high=3))(lambda x: fh.polynomial(x, [0, 9, 1])).trace()
    program = lower(circuit, Style(Scheme.BFV), SLOTS)
    assert not program.inputs[0].tiled
