"""Programs of look-ups compute what their circuits compute, whatever the digits."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fheasible as fh
from fheasible.circuit.cleartext import evaluate
from fheasible.circuit.domain import tried
from fheasible.circuit.drawn import random_data
from fheasible.circuit.load import load
from fheasible.circuit.node import Circuit
from fheasible.errors import UnsupportedOperation
from fheasible.lowering.lookups.builder import TooManyLookups, TooManySteps
from fheasible.lowering.lookups.lower import lower_lookups
from fheasible.program.lookup_values import computed
from fheasible.program.lookups import LookupProgram, Step

from .random_integers import Instruction, circuit, instructions

MODULI = ((2, 2), (2, 4), (4, 2), (4, 4), (8, 8), (16, 16))


def same(found: Circuit, program: LookupProgram, data: dict[str, np.ndarray]) -> None:
    expected = evaluate(found, data)
    for name, values in computed(program, data).items():
        assert [int(v) for v in values] == [int(v) for v in expected[name]], (name, data)


def traced(function: Callable[..., Any], **inputs: fh.VectorSpec) -> Circuit:
    return fh.app(**inputs)(function).trace()


@pytest.mark.long
@settings(max_examples=40)
@given(instructions(), st.sampled_from(MODULI))
def test_random_circuits(program: list[Instruction], digits: tuple[int, int]) -> None:
    found = circuit(program, bitwise=digits[1] >= digits[0])
    lowered = lower_lookups(found, *digits)
    for data in [random_data(found, 0), *(data for _, data in tried(found))]:
        same(found, lowered, dict(data))


@pytest.mark.long
@settings(max_examples=40)
@given(instructions(), st.sampled_from(MODULI), st.integers(1, 400))
def test_a_program_of_too_many_lookups_is_given_up_as_soon_as_it_has_them(
    program: list[Instruction], digits: tuple[int, int], most: int
) -> None:
    """What is made comes before what is not needed after all is dropped, so that it may be more."""
    found = circuit(program, bitwise=digits[1] >= digits[0])
    whole, limited = lower_lookups(found, *digits), limited_to(most, found, digits)
    if isinstance(limited, int):
        assert most <= limited < most + max(n.length for n in found.nodes())
    else:
        assert whole.lookups < most
        assert limited.tables == whole.tables
        assert [(s.step, s.args, s.weights) for s in limited.steps] == [
            (s.step, s.args, s.weights) for s in whole.steps
        ]


@settings(max_examples=40)
@given(instructions(), st.sampled_from(MODULI), st.integers(1, 400))
def test_a_program_of_too_many_steps_is_refused(
    program: list[Instruction], digits: tuple[int, int], longest: int
) -> None:
    found = circuit(program, bitwise=digits[1] >= digits[0])
    steps = len(lower_lookups(found, *digits).steps)
    if steps > longest:
        with pytest.raises(TooManySteps, match=f"more than {longest} steps with message {digits[0]}"):
            lower_lookups(found, *digits, longest=longest)
    elif 2 * steps < longest:  # else steps that are dropped in the end may be too many
        assert len(lower_lookups(found, *digits, longest=longest).steps) == steps


def limited_to(most: int, found: Circuit, digits: tuple[int, int]) -> LookupProgram | int:
    """The program, or the number of look-ups with which it was given up."""
    try:
        return lower_lookups(found, *digits, most=most)
    except TooManyLookups as error:
        return error.lookups


def test_a_plain_number_is_compared_with_its_sign() -> None:
    found = circuit([("at_least", 0, 1)], 7)  # z >= -10, which is -3 modulo 7: always
    for digits in MODULI:
        same(found, lower_lookups(found, *digits), random_data(found, 1))


@pytest.mark.long
@settings(max_examples=40)
@given(instructions(4), st.sampled_from(MODULI), st.sampled_from((2, 7, 64, 97, 1 << 12, 65537, 1 << 64)))
def test_random_circuits_that_wrap_around(
    program: list[Instruction], digits: tuple[int, int], modulus: int
) -> None:
    found = circuit([p for p in program if p[0] != "lookup"], modulus, bitwise=digits[1] >= digits[0])
    same(found, lower_lookups(found, *digits), random_data(found, 1))


def two(n: int, high: int) -> dict[str, fh.VectorSpec]:
    return {name: fh.integers(n, low=0, high=high) for name in "xy"}


@pytest.mark.parametrize(
    ("function", "inputs", "digits", "most"),
    [  # worked out by hand
        (lambda x, y: x + y, two(1, 255), (4, 4), 0),
        (lambda x, y: fh.sum(x) + y, two(6, 2), (4, 4), 0),  # 7 digits up to 2 fit below 16
        (lambda x, y: (x > 100, y), two(1, 255), (4, 4), 3),  # of 4 digits, two at once
        (lambda x, y: x > y, two(1, 255), (4, 4), 4),
        (lambda x, y: x > y, two(1, 255), (8, 8), 2),  # two of three digits, then the third
        (lambda x, y: fh.maximum(x, y), two(1, 255), (4, 4), 8),
        (lambda x, y: fh.concatenate([fh.minimum(x, y), fh.maximum(x, y)]), two(1, 255), (4, 4), 8),
        (lambda x, y: x * y, two(1, 3), (4, 4), 1),
        (lambda x, y: fh.lookup(x, [v % 7 for v in range(16)]) + y, two(1, 15), (4, 4), 1),
        (lambda x, y: fh.where(x > 7, y, 0), two(1, 255), (4, 4), 2 + 4),
        (lambda x, y: x % 16 + y // 4, two(1, 255), (4, 4), 0),  # digits are there already
        (lambda x, y: (x & y) + 1, two(1, 255), (4, 4), 4),
    ],
)
def test_no_more_look_ups_than_it_takes(
    function: Callable[..., Any], inputs: dict[str, fh.VectorSpec], digits: tuple[int, int], most: int
) -> None:
    found = traced(function, **inputs)
    program = lower_lookups(found, *digits)
    assert program.lookups == most
    same(found, program, random_data(found, 2))


@pytest.mark.parametrize(("digits", "count"), [((2, 2), 4), ((4, 2), 2), ((4, 4), 2), ((8, 8), 2)])
def test_a_remainder_has_the_digits_of_the_remainder(digits: tuple[int, int], count: int) -> None:
    """Of numbers of any size: the quotient, times the divisor, leaves no digits above those of 0 to 9."""
    found = traced(lambda x: x % 10, x=fh.integers(3, low=-(2**20), high=2**31))
    program = lower_lookups(found, *digits)
    (out,) = program.outputs
    assert (out.low, len(out.values)) == (0, count)
    same(found, program, {"x": np.array([-(2**20), -1, 2**31])})


@pytest.mark.parametrize("digits", [(2, 2), (2, 4), (4, 2), (4, 4), (8, 2), (16, 16)])
def test_a_table_of_remainders_of_large_numbers(digits: tuple[int, int]) -> None:
    """It has five entries, and none for the 2^31 numbers that are not remainders."""
    found = traced(
        lambda x: fh.lookup(x % 5, [177, -17, 6, 116, 179]), x=fh.integers(5, low=-(2**20), high=2**31)
    )
    same(found, lower_lookups(found, *digits), {"x": np.array([-(2**20), -1, 0, 2**31 - 1, 2**31])})


def test_products_of_digits_by_squares_where_no_ciphertext_holds_both() -> None:
    found = traced(lambda x, y: x * y, **two(1, 7))
    program = lower_lookups(found, 8, 4)
    assert all(s.weights != (8, 1) for s in program.steps if s.step is Step.LINEAR)
    for x in range(8):
        same(found, program, {"x": np.array([x]), "y": np.array([7 - x])})


def test_a_long_sum_folds_as_many_elements_as_fit() -> None:
    found = traced(lambda x: fh.sum(x), x=fh.integers(1000, low=0, high=3))
    program = lower_lookups(found, 4, 4)
    assert program.lookups < 700  # 200 sums of five, two look-ups each, then ever fewer
    same(found, program, {"x": np.full(1000, 3)})


def test_values_are_freed_after_their_last_use() -> None:
    program = lower_lookups(traced(lambda x, y: fh.maximum(x, y), **two(3, 255)), 4, 4)
    freed = [v for s in program.steps for v in s.frees]
    kept = {v for digits in program.outputs for v in digits.values}
    assert sorted([*freed, *kept]) == list(range(len(program.steps)))
    alive: set[int] = set()
    for s in program.steps:
        assert set(s.args) <= alive
        alive = (alive | {s.out}) - set(s.frees)


@pytest.mark.parametrize(
    ("function", "spec", "digits", "said"),
    [
        (lambda x: x + 1, fh.integers(2, low=0, high=9), (3, 4), "powers of two"),
        (lambda x: x + x[::-1], fh.integers(2, low=0, high=9), (4, 1), "powers of two from 2 on"),
        (lambda x: x & x[::-1], fh.integers(2, low=0, high=9), (4, 2), "do not fit a ciphertext"),
        (lambda x: x * x, fh.reals(2, low=0, high=1), (4, 4), "how many bits"),
    ],
)
def test_what_is_not_possible_says_what_is(
    function: Callable[..., Any], spec: fh.VectorSpec, digits: tuple[int, int], said: str
) -> None:
    with pytest.raises(UnsupportedOperation) as caught:
        lower_lookups(traced(function, x=spec), *digits)
    assert said in f"{caught.value} {caught.value.remedy}"


@pytest.mark.parametrize(
    ("function", "high", "said"),
    [
        (lambda x: x * 2.5, 1e30, r"^x: numbers of up to 1e\+30 have more than 62 bits.* with 20 bits"),
        (lambda x: x + (1e13 + 0.5), 1, r"test_lower.*numbers of up to 1e\+13"),
        (lambda x: fh.matmul(np.full((2, 2), 1e15 + 0.5), x), 1, r"test_lower.*numbers of up to 1e\+15"),
    ],
)
def test_reals_beyond_62_bits_in_fixed_point_are_refused(
    function: Callable[..., Any], high: float, said: str
) -> None:
    found = traced(function, x=fh.reals(2, low=-high, high=high))
    with pytest.raises(UnsupportedOperation, match=said):
        lower_lookups(found, 4, 4, 20)


def of_reals(x: Any, y: Any) -> dict[str, Any]:
    return {
        "product": x * y - 0.375 * x + fh.mean(y),
        "largest": fh.maximum(x, y),
        "polynomial": fh.polynomial(x, [0.5, -1, 0, 2]),
        "matrix": fh.matmul(np.array([[0.3, -1.2, 2.0], [0, 0, 1.0]]), x),
        "above": fh.greater(x, y, margin=0.01) * x,
        "root": fh.sqrt(y + 2, low=0.5, high=3.5),
        "distance": fh.absolute(x - y),
    }


@pytest.mark.parametrize("digits", [(4, 4), (2, 2), (8, 8)])
def test_reals_in_fixed_point_are_as_precise_as_their_fraction(digits: tuple[int, int]) -> None:
    found = traced(of_reals, x=fh.reals(3, low=-1, high=1), y=fh.reals(3, low=-1, high=1))
    for fraction in (6, 10):
        program = lower_lookups(found, *digits, fraction)
        for seed in range(3):
            data = random_data(found, seed)
            expected = evaluate(found, data)
            for name, values in computed(program, data).items():
                assert np.abs(values - expected[name]).max() < 6 * 2.0**-fraction, name


@pytest.mark.parametrize(
    ("example", "fraction"),
    [("4_inner_product", None), pytest.param("8_long_product", 10, marks=pytest.mark.long)],
)
def test_examples_for_other_schemes_are_lowered_too(example: str, fraction: int | None) -> None:
    found = load(f"examples/{example}.py").trace()
    program, data = lower_lookups(found, 8, 8, fraction), random_data(found, 0)
    for name, values in evaluate(found, data).items():
        assert computed(program, data)[name].astype(float) == pytest.approx(values, abs=100 * 2.0**-10)


def test_values_that_outgrow_all_bounds_are_refused_at_once() -> None:
    """The widest values of x - x^2 in interval arithmetic have twice as many bits at each step."""

    def steps(x: fh.Vector) -> fh.Vector:
        for _ in range(80):
            x = x - x * x
        return x

    circuit = fh.app(x=fh.reals(4, low=0.1, high=0.5), minimise_depth=False)(steps).trace()
    with pytest.raises(UnsupportedOperation, match=r"test_lower.py:\d+: the result of this .* 256 bits"):
        lower_lookups(circuit, 4, 4, 12)
