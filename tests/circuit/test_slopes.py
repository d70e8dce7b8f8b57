"""Slopes against differences of the cleartext results."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fheasible as fh
from fheasible.circuit.cleartext import values
from fheasible.circuit.slopes import slopes

WEIGHTS = np.array([[1.0, -2.0, 0.5, 0.0, 3.0], [0.0, 4.0, -1.0, 2.0, 0.25]])
FORMS: dict[str, Callable[[fh.Vector, fh.Vector], fh.Vector]] = {
    "sums and differences": lambda x, y: (x + y) - (3 - y) - x * 0.5,
    "products": lambda x, y: x * y * x,
    "the same twice": lambda x, y: (x * x) + y,
    "powers": lambda x, y: x**5 - (-y) ** 3,
    "one number for all": lambda x, y: x * fh.mean(y) + fh.sum(x * y),
    "rotations": lambda x, y: fh.rotate(x, 2) * y + fh.rotate(y, 3),
    "polynomial": lambda x, y: fh.polynomial(x * y, [1, -2, 0, 3.5]),
    "approximated": lambda x, y: fh.tanh(x - y, -4, 4, degree=63),
    "matrix": lambda x, y: WEIGHTS @ (x * y),
    "slices": lambda x, y: x[1:3] * y[::2][:2],
}


@pytest.mark.parametrize("name", FORMS)
@given(seed=st.integers(0, 2**32 - 1))
def test_slopes_are_the_limits_of_differences(name: str, seed: int) -> None:
    app = fh.app(x=fh.reals(5, low=-2, high=2), y=fh.reals(5, low=-2, high=2))(lambda x, y: FORMS[name](x, y))
    circuit = app.trace()
    draw = np.random.default_rng(seed)
    at, towards = ({k: draw.uniform(-1, 1, 5) for k in "xy"} for _ in range(2))
    ((_, output),) = circuit.outputs
    direction = draw.uniform(-1, 1, output.length)

    def along(step: float) -> float:
        moved = {k: at[k] + step * towards[k] for k in "xy"}
        return float(direction @ values(circuit, moved, exact=False)[output])

    found = slopes(circuit, values(circuit, at, exact=False), output, direction)
    told = sum(float(found[k] @ towards[k]) for k in "xy")
    assert told == pytest.approx((along(1e-5) - along(-1e-5)) / 2e-5, rel=1e-4, abs=1e-4)


def test_an_input_that_an_output_does_not_depend_on_has_no_slope() -> None:
    app = fh.app(x=fh.reals(2, low=0, high=1), y=fh.reals(3, low=0, high=1))(
        lambda x, y: {"a": x * 2, "b": y}
    )
    circuit = app.trace()
    given_values = values(circuit, {"x": np.ones(2), "y": np.ones(3)})
    found = slopes(circuit, given_values, circuit.outputs[0][1], np.array([1.0, 0.0]))
    assert found["x"].tolist() == [2.0, 0.0]
    assert found["y"].tolist() == [0.0, 0.0, 0.0]
