"""Products of two encrypted matrices: each form computes them, and the slots decide between the forms."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fheasible as fh
from fheasible.circuit.cleartext import evaluate
from fheasible.circuit.data import random_data
from fheasible.circuit.node import Circuit
from fheasible.lowering.lower import lower
from fheasible.lowering.matrix_products import forms, product_of, short_slots
from fheasible.lowering.plan import Lowerings
from fheasible.program.simulate import simulate
from fheasible.program.style import Style
from fheasible.program.types import Action, Program, Scheme

from .checker import check

CKKS, BFV, T = Style(Scheme.CKKS), Style(Scheme.BFV), 65537
sides = st.integers(1, 5)


def app(m: int, k: int, n: int, exact: bool = False) -> fh.App:
    made: Any = fh.integers if exact else fh.reals
    return fh.app(A=made((m, k), low=-9, high=9), B=made((k, n), low=-9, high=9))(lambda A, B: A @ B)


def product(m: int, k: int, n: int, exact: bool = False) -> Circuit:
    return app(m, k, n, exact).trace()


def count(program: Program) -> Counter[Action]:
    return Counter(o.action for o in program.operations)


@given(m=sides, k=sides, n=sides, exact=st.booleans(), capacity=st.sampled_from((4, 32, 512)))
@settings(max_examples=40)
def test_every_form_computes_the_product(m: int, k: int, n: int, exact: bool, capacity: int) -> None:
    made = app(m, k, n, exact)
    data = random_data(made, m + k)
    expected = (data["A"].reshape(m, k) @ data["B"].reshape(k, n)).reshape(-1)
    style = BFV if exact else CKKS
    found = forms(made.trace())
    assert len(found) == (3 if k > 1 else 1)
    for form in found:
        np.testing.assert_allclose(evaluate(form, data)["result"], expected, atol=1e-9)
        program = lower(form, style, capacity)
        check(program, style)
        result = simulate(program, data, T if exact else None)["result"]
        np.testing.assert_allclose(result.astype(float), expected, atol=1e-7)


def test_a_product_is_known_by_its_matrices() -> None:
    (found,) = [p for n in product(3, 4, 5).nodes() if (p := product_of(n))]
    assert (found.m, found.k, found.n) == (3, 4, 5)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: fh.matmul(np.ones((2, 12)), x[[0, 1] * 6] * x[[2, 3] * 6]),  # sums, but not of blocks
        lambda x: fh.matmul(np.tile(np.eye(3), 4), x[[1] * 12] * x[[2] * 12]),  # blocks of other elements
        lambda x: fh.matmul(np.tile(2 * np.eye(3), 4), x[:12] * x[12:24]),
        lambda x: fh.sum(x * x),
    ],
)
def test_nothing_else_is_taken_for_one(f: Any) -> None:
    circuit = fh.app(x=fh.reals(24, low=0, high=1))(lambda x: f(x)).trace()
    assert forms(circuit) == (circuit,)
    assert Lowerings(circuit).packings == (None,)


def test_a_long_ciphertext_has_all_products_and_a_short_one_fewer_levels() -> None:
    lowerings = Lowerings(product(16, 16, 16))
    assert lowerings.packings == (None, 256)
    long, short = (lowerings.program(CKKS, 1 << 13, slots) for slots in lowerings.packings)
    assert (long.slots, long.levels, count(long)[Action.MUL]) == (4096, 3, 1)
    assert (short.slots, short.levels, count(short)[Action.MUL]) == (256, 2, 16)
    assert count(short)[Action.ROTATE] > 2 * count(long)[Action.ROTATE]
    assert count(long)[Action.ROTATE] <= 32  # 480 for inner products of each row with each column


def test_with_slots_for_some_of_the_products_the_form_is_the_cheapest() -> None:
    made = app(32, 32, 32)
    data = random_data(made, 1)
    expected = (data["A"].reshape(32, 32) @ data["B"].reshape(32, 32)).reshape(-1)
    lowerings = Lowerings(made.trace())
    for slots in (2048, 8192):
        program = lowerings.program(CKKS, 1 << 14, slots)
        np.testing.assert_allclose(simulate(program, data)["result"], expected, atol=1e-6)
        assert count(program)[Action.ROTATE] <= 130


def test_products_in_succession_and_in_sums() -> None:
    made = fh.app(A=fh.reals((4, 4), low=-1, high=1), B=fh.reals((4, 4), low=-1, high=1))(
        lambda A, B: (A @ B @ A.T + B).sum(axis=0)
    )
    data = random_data(made, 3)
    a, b = data["A"].reshape(4, 4), data["B"].reshape(4, 4)
    lowerings = Lowerings(made.trace())
    for slots in (None, *lowerings.packings):
        program = lowerings.program(CKKS, 1 << 13, slots)
        np.testing.assert_allclose(
            simulate(program, data)["result"], (a @ b @ a.T + b).sum(axis=0), atol=1e-9
        )


def test_short_forms_that_are_not_shorter_are_no_packing() -> None:
    assert short_slots(forms(product(5, 1, 5))) is None
    assert short_slots(forms(product(4, 4, 4))) == 16
    assert short_slots(forms(product(2, 32, 2))) == 64
    assert short_slots(forms(product(2, 33, 2))) is None  # so many products of ciphertexts gain nothing
