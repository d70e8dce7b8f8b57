"""Applications of bits and of small integers for ring schemes."""

import hypothesis.strategies as st

import fheasible as fh
from fheasible.circuit.node import Circuit
from fheasible.circuit.trace import App


@fh.app(c1=fh.integers(1, modulo=2), c2=fh.integers(1, modulo=2), c3=fh.integers(1, modulo=2))
def ten_products(c1: fh.Vector, c2: fh.Vector, c3: fh.Vector) -> fh.Vector:
    t = c1 * c2 + c3
    s = c1 * t + c1 + c2
    return c1 * c1 * c1 * c2 * c2 * c3 * c3 * s * t * (s + c3) * (s + c2 + c3)


def power(exponent: int, t: int = 2) -> Circuit:
    """x^exponent of one integer modulo t."""
    return app_of(lambda x: x**exponent, t, 1).trace()


def app_of(function: object, t: int, length: int) -> App:
    def run(x: fh.Vector) -> fh.Vector:
        return function(x)  # type: ignore[operator,no-any-return]

    return fh.app(x=fh.integers(length, modulo=t))(run)


@st.composite
def circuits(draw: st.DrawFn, t: int = 2) -> Circuit:
    """Sums, differences, products, constants, rotations of two vectors of up to four elements."""
    length = draw(st.integers(1, 4))
    words = draw(
        st.lists(
            st.tuples(st.sampled_from("+-*ckrs"), st.integers(0, 9), st.integers(0, 9)),
            min_size=1,
            max_size=7,
        )
    )

    def run(x: fh.Vector, y: fh.Vector) -> fh.Vector:
        values = [x, y, x * y]
        for word, i, j in words:
            a, b = values[i % len(values)], values[j % len(values)]
            values.append(_step(word, a, b, j))
        return values[-1] * x + y

    return fh.app(x=fh.integers(length, modulo=t), y=fh.integers(length, modulo=t))(run).trace()


def _step(word: str, a: fh.Vector, b: fh.Vector, k: int) -> fh.Vector:
    match word:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "c":
            return a * (k + 3)
        case "k":
            return a + (k + 1)
        case "r":
            return fh.rotate(a, k % 3)
        case _:
            return a * b - fh.sum(a)
