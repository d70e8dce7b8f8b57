"""Every interpreter does the same: results against Python's integers, shapes and refusals of all three."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fheasible.errors import RingMismatch
from fheasible.rings.rns.basis import Basis
from fheasible.rings.rns.element import Conversion, Domain, Poly

from .drawing import Rings, Triple, rings, seeds

NTT, COEFFICIENT = Domain.NTT, Domain.COEFFICIENT
Call = Callable[[Any, int], Poly]


def operand(drawn: Rings, pool: list[Triple]) -> Triple:
    return drawn.random.choice(pool)


def calls(drawn: Rings, pool: list[Triple]) -> dict[str, Call]:
    """One call of each operation, with operands and constants drawn without regard to whether they fit."""
    random = drawn.random
    x, y = operand(drawn, pool), operand(drawn, pool)
    xs, ys = ([operand(drawn, pool) for _ in range(random.randint(1, 3))] for _ in range(2))
    basis, how, bits = drawn.basis(), random.choice(list(Conversion)), random.randint(1, 62)
    low, exponent, level = random.randint(0, 61), random.randrange(-99, 99), random.randint(-1, 4)
    constant = random.choice([random.randrange(-(2**70), 2**70), [7] * random.randint(1, 4)])
    integers = [random.randrange(-(2**99), 2**99) for _ in range(random.randint(0, drawn.n + 1))]
    lazy = random.random() < 0.5
    return {
        "to_ntt": lambda R, i: R.to_ntt(x[i]),
        "to_coefficients": lambda R, i: R.to_coefficients(x[i]),
        "add": lambda R, i: R.add(x[i], y[i]),
        "subtract": lambda R, i: R.subtract(x[i], y[i]),
        "negate": lambda R, i: R.negate(x[i]),
        "multiply": lambda R, i: R.multiply(x[i], y[i]),
        "inner_product": lambda R, i: R.inner_product([x[i] for x in xs], [y[i] for y in ys], lazy),
        "scale": lambda R, i: R.scale(x[i], constant),
        "inverse": lambda R, i: R.scale(x[i], 3, inverse=True),
        "offset": lambda R, i: R.offset(x[i], constant),
        "automorphism": lambda R, i: R.automorphism(x[i], exponent),
        "copy": lambda R, i: R.copy(x[i]),
        "zero": lambda R, i: R.zero(basis, x[i].domain),
        "restrict": lambda R, i: R.restrict(x[i], basis),
        "nothing": lambda R, i: R.restrict(x[i], Basis()),
        "half": lambda R, i: R.restrict(x[i], x[i].basis[: (len(x[i].basis) + 1) // 2]),
        "join": lambda R, i: R.join(x[i], y[i]),
        "convert": lambda R, i: R.convert(x[i], basis, how),
        "digit": lambda R, i: R.digit(x[i], low, bits, basis),
        "scale_round": lambda R, i: (
            R.scale_round(x[i], 2 * R.product(basis), x[i].basis[:1], basis - x[i].basis)
            if i < 2
            else R.scale_round(x[i], None, x[i].basis[:1], basis - x[i].basis)
        ),
        "scale_down": lambda R, i: R.scale_round(x[i], 3, x[i].basis[:1], x[i].basis[1:]),
        "level": lambda R, i: R.zero(R.level(level), NTT),
        "integers": lambda R, i: R.integers(basis, integers[: drawn.n]),
    }


def run(drawn: Rings, call: Call) -> Triple | None:
    """The call in each ring; None where all refuse it, in the same words."""
    made, said = [], set()
    for i, ring in enumerate(drawn.each):
        try:
            made.append(call(ring, i))
        except RingMismatch as refused:
            said.add((refused.message, refused.remedy))
    assert len(made) == (0 if said else 3), said
    assert len(said) <= 1
    return tuple(made) if made else None


@settings(max_examples=150, deadline=None)
@given(drawn=rings, names=st.lists(st.integers(0, 22), min_size=1, max_size=12))
def test_random_calls_agree_in_result_shape_and_refusal(drawn: Rings, names: list[int]) -> None:
    basis = drawn.basis()
    pool = [drawn.poly(basis, NTT), drawn.poly(basis, COEFFICIENT), drawn.poly()]
    for name in names:
        call = list(calls(drawn, pool).values())[name]
        made = run(drawn, call)
        if made is not None:
            drawn.agree(made)
            pool.append(made)


@pytest.mark.parametrize("name", sorted({*calls(Rings(16), [Rings(16).poly()])} - {"nothing"}))
def test_each_operation_agrees_with_the_oracle(name: str) -> None:
    """Until it has been accepted ten times: no operation hides behind refusals."""
    accepted = 0
    for seed in range(2000):
        drawn = Rings(16, seed)
        basis = drawn.basis()
        pool = [drawn.poly(basis, d) for d in (NTT, COEFFICIENT, COEFFICIENT)] + [drawn.poly()]
        made = run(drawn, calls(drawn, pool)[name])
        if made is not None:
            drawn.agree(made)
            accepted += 1
        if accepted == 10:
            return
    raise AssertionError(f"{name} was accepted {accepted} times")


@settings(deadline=None)
@given(drawn=rings)
def test_lifting_gives_the_centred_integers_in_every_size(drawn: Rings) -> None:
    for basis in (drawn.q[:1], drawn.q[2:4], drawn.q, drawn.q + drawn.p, drawn.extra[2:3]):
        x = drawn.poly(basis, COEFFICIENT) if basis <= drawn.prime else drawn.integers(basis, [2**31, -5])
        wanted = drawn.oracle.lift(x[1])
        got = drawn.exact.lift(x[0])
        assert [int(c) for c in got] == wanted
        assert (got.dtype == np.int64) == (drawn.oracle.product(basis) < 2**63)
        assert drawn.counting.lift(x[2]) is None


@settings(deadline=None)
@given(drawn=rings, bits=st.integers(1, 700))
def test_integers_of_every_size_and_type_have_their_residues(drawn: Rings, bits: int) -> None:
    values = [drawn.random.randrange(-(2**bits), 2**bits) for _ in range(drawn.n)]
    basis = drawn.q + drawn.p + drawn.extra
    drawn.agree_in_coefficients(drawn.integers(basis, values))
    if bits < 63:
        array = np.array(values, np.int64)
        drawn.agree_in_coefficients(drawn.integers(basis, array))
        small = np.sign(array).astype(np.int8)
        drawn.agree_in_coefficients(drawn.integers(basis, small))
        drawn.agree_in_coefficients(drawn.integers(basis, np.abs(array).astype(np.uint64)))


@given(seed=seeds)
@settings(max_examples=10, deadline=None)
def test_a_sum_of_sixty_four_lazy_products_is_exact(seed: int) -> None:
    drawn = Rings(16, seed)
    basis = drawn.p + drawn.extra[:1]  # primes of 61 and 62 bits
    xs, ys = ([drawn.poly(basis, NTT) for _ in range(64)] for _ in range(2))
    for lazy in (False, True):
        made = [
            R.inner_product([x[i] for x in xs], [y[i] for y in ys], lazy) for i, R in enumerate(drawn.each)
        ]
        drawn.agree(tuple(made))
