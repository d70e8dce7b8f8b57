"""The PAnTHErS view: each operation by hand, memory by the life of variables, many sets as one by one."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fheasible.rings.counting import CountingRing, output_lines
from fheasible.rings.element import Element, Scalar
from fheasible.rings.tally import Tally
from fheasible.rings.weights import PANTHERS
from fheasible.schemes.fv import FV
from fheasible.schemes.parameters import RingParameters
from fheasible.schemes.scheme import RingScheme

# -- every operation, by hand: n = 8, q = 2^10 - 1, x of 2 x 3 residues, a of 2 x 3 integers.
#
# A product of polynomials takes ceil(8^1.59) = ceil(2^4.77) = ceil(27.3) = 28 multiplications of integers,
# then 8 - 1 = 7 subtractions modulo X^8 + 1. Base 16 = 2^4 has ceil(10/4) = 3 digits, base 3 has 7, as
# 3^6 = 729 <= 1023 < 2187 = 3^7. What is done to 6 polynomials is done to 6·8 = 48 integers.

N, Q_BITS, Q = 8, 10, 1023
W, THREE = Scalar.of(16), Scalar.of(3)
Table = dict[tuple[str, str], int]
Case = tuple[Callable[[CountingRing, Element, Element], Any], Table, dict[str, int]]
M, P, I = "integer and polynomial", "polynomial", "integer"

CASES: dict[str, Case] = {
    "random polynomials": (lambda R, x, a: R.uniform(2, 3), {("random", P): 6}, {"random": 48}),
    "ternary ones": (lambda R, x, a: R.ternary(), {("random", P): 1}, {"random": 8}),
    "gaussian ones": (lambda R, x, a: R.gaussian(3.2, 2), {("random", P): 2}, {"random": 16}),
    "a message": (lambda R, x, a: R.message(THREE), {}, {}),
    "a sum of residues": (  # each coefficient is added, then reduced modulo q
        lambda R, x, a: R.add(x, x),
        {("addition", P): 6, ("modulo", M): 6},
        {"addition": 48, "modulo": 48},
    ),
    "a sum of integers": (lambda R, x, a: R.add(a, a), {("addition", P): 6}, {"addition": 48}),
    "a difference": (
        lambda R, x, a: R.subtract(x, x),
        {("subtraction", P): 6, ("modulo", M): 6},
        {"subtraction": 48, "modulo": 48},
    ),
    "a negation": (lambda R, x, a: R.negate(a), {("subtraction", P): 6}, {"subtraction": 48}),
    "a matrix product": (  # (2 x 3)·(3 x 2): 4 entries of 3 products each, of which 2 sums; 4 modulo q
        lambda R, x, a: R.multiply(x, R.transpose(a)),
        {("multiplication", P): 12, ("modulo", P): 12, ("addition", P): 8, ("modulo", M): 4},
        {"multiplication": 12 * 28, "subtraction": 12 * 7, "addition": 64, "modulo": 32},
    ),
    "a product by one polynomial": (  # 6 products, nothing is summed
        lambda R, x, a: R.multiply(R.entry(a, 0, 0), a),
        {("multiplication", P): 6, ("modulo", P): 6},
        {"multiplication": 6 * 28, "subtraction": 6 * 7},
    ),
    "a convolution": (  # 3·3 products, summed to 5: 4 sums; integers stay as they are
        lambda R, x, a: R.convolve(R.row(a, 0), R.row(a, 1)),
        {("multiplication", P): 9, ("modulo", P): 9, ("addition", P): 4},
        {"multiplication": 9 * 28, "subtraction": 9 * 7, "addition": 32},
    ),
    "a multiple": (
        lambda R, x, a: R.scale(x, THREE),
        {("multiplication", M): 6, ("modulo", M): 6},
        {"multiplication": 48, "modulo": 48},
    ),
    "a multiple by 16": (lambda R, x, a: R.scale(a, W), {("shift", M): 6}, {"shift": 48}),
    "rounding 3·a/q": (
        lambda R, x, a: R.scale_round(a, THREE),
        {("multiplication", M): 6, ("division", M): 6, ("round", P): 6},
        {"multiplication": 48, "division": 48, "round": 48},
    ),
    # Degrees 8, 4, 2, two products each: ceil(4^1.59) = ceil(9.06) = 10, ceil(2^1.59) = ceil(3.01) = 4;
    # 7 + 3 + 1 subtractions; 8 + 4 + 2 coefficients modulo q; the integer left is inverted.
    "an inverse": (
        lambda R, x, a: R.inverse(R.entry(x, 0, 0)),
        {("multiplication", P): 6, ("modulo", P): 6, ("modulo", M): 6, ("division", I): 1},
        {"multiplication": 2 * (28 + 10 + 4), "subtraction": 2 * 11, "modulo": 2 * 14, "division": 1},
    ),
    "lifting": (lambda R, x, a: R.lift(x), {("subtraction", M): 6}, {"subtraction": 48}),
    "reducing": (lambda R, x, a: R.reduce(a), {("modulo", M): 6}, {"modulo": 48}),
    "remainders": (lambda R, x, a: R.remainder(a, THREE), {("modulo", M): 6}, {"modulo": 48}),
    "digits in base 16": (  # 2·3·3 digits
        lambda R, x, a: R.decompose(x, W),
        {("shift", M): 18, ("modulo", M): 18},
        {"shift": 144, "modulo": 144},
    ),
    "digits in base 3": (  # 2·3·7 digits
        lambda R, x, a: R.decompose(x, THREE),
        {("division", M): 42, ("modulo", M): 42},
        {"division": 336, "modulo": 336},
    ),
    "composing": (  # 2 x 3 digits make 2 x 1 residues: each is shifted, 2 sums for each residue
        lambda R, x, a: R.compose(a, W),
        {("shift", M): 6, ("addition", P): 4, ("modulo", M): 2},
        {"shift": 48, "addition": 32, "modulo": 16},
    ),
    "powers": (  # 3 powers of w, each times 6 polynomials
        lambda R, x, a: R.powers(x, W),
        {("shift", I): 3, ("shift", M): 18, ("modulo", M): 18},
        {"shift": 3 + 144, "modulo": 144},
    ),
    "powers of 3": (
        lambda R, x, a: R.powers(R.entry(x, 0, 0), THREE),
        {("power", I): 7, ("multiplication", M): 7, ("modulo", M): 7},
        {"power": 7, "multiplication": 56, "modulo": 56},
    ),
    "a gadget matrix": (lambda R, x, a: R.gadget(2, W), {("shift", I): 6}, {"shift": 6}),
    "parts": (lambda R, x, a: R.beside(R.transpose(R.row(x, 1)), R.transpose(R.row(x, 0))), {}, {}),
}


def positive(table: dict[Any, int]) -> dict[Any, int]:
    """Without what did not occur."""
    return {name: count for name, count in table.items() if count}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_every_operation_is_counted_as_derived_by_hand(case: Case) -> None:
    call, operations, on_integers = case
    R = CountingRing(N, Q_BITS, Q)
    x, a = R.uniform(2, 3), R.lift(R.uniform(2, 3))
    R.restart()
    call(R, x, a)
    assert positive(R.tally.operations) == operations
    assert positive(R.tally.integers) == on_integers


def test_the_sum_of_two_ciphertexts_of_fv_is_worth_what_a_hand_derives() -> None:
    """2 polynomials of 4096 coefficients: 8192 additions and 8192 reductions modulo q, which are worth
    ceil(8192/1.309) = ceil(6258.2) and ceil(8192/0.909) = ceil(9012.1) multiplications."""
    ring = RingParameters(4096, 300).counting_ring()
    scheme = FV(ring, RingParameters(4096, 300).spec)
    keys, c = scheme.keygen(), ring.uniform(1, 2)
    ring.restart()
    scheme.add(keys, c, c)
    assert ring.weights.total(ring.tally.integers) == 6259 + 9013


def test_every_kind_of_operation_is_rounded_up_by_itself() -> None:
    """672 + 100 + ceil(168/1.065 = 157.7) + ceil(128/1.309 = 97.8) + ceil(64/0.909 = 70.4)
    + ceil(1/0.115 = 8.7) + ceil(3/0.48 = 6.25) + ceil(9/0.53 = 16.98) + ceil(7/0.314 = 22.3) [FerLL18]."""
    integers = {
        "multiplication": 672, "shift": 100, "subtraction": 168, "addition": 128, "modulo": 64,
        "division": 1, "power": 3, "random": 9, "round": 7,
    }  # fmt: skip
    assert PANTHERS.total(integers) == 672 + 100 + 158 + 98 + 71 + 9 + 7 + 17 + 23


def test_products_of_polynomials_are_weighed_by_karatsubas_exponent() -> None:
    """4096^1.59 = 2^19.08 = 554 172 (by logarithms: 2^19·2^0.08 = 524 288·1.0570...), rounded up."""
    made = PANTHERS.polynomial_product(4096)
    assert made == -(-(2**19) * 2**0.08 // 1)
    assert np.array_equal(PANTHERS.polynomial_product(np.array([2, 4, 8])), [4, 10, 28])


# -- memory: residues of 40 bits are 2 integers of 32 bits, and one stored word of 64, for each coefficient


def held(ring: CountingRing) -> tuple[int, int, int]:
    memory = ring.tally.memory
    return memory.words, memory.max_words, memory.total_words


def test_memory_is_in_use_for_as_long_as_its_variable_lives() -> None:
    R = CountingRing(8, 40)
    x = R.uniform()
    assert held(R) == (16, 16, 16)
    y = R.uniform(2, 3)
    assert held(R) == (16 + 96, 112, 112)
    del x
    assert held(R) == (96, 112, 112)
    z = R.ternary()  # 8 integers of one word
    assert held(R) == (104, 112, 120)
    del y, z
    assert held(R) == (0, 112, 120)


def test_a_result_within_an_expression_is_given_back_after_it() -> None:
    R = CountingRing(8, 40)
    x = R.uniform()
    y = R.add(R.add(x, x), x)  # the inner sum lives until the outer one is there
    assert held(R) == (32, 48, 48)
    assert y.rows == 1


def test_a_part_keeps_its_whole_alive_and_takes_nothing() -> None:
    R = CountingRing(8, 40)
    x = R.uniform(2, 2)
    part = R.row(R.transpose(x), 0)
    del x
    assert held(R) == (64, 64, 64)
    del part
    assert held(R)[0] == 0


def test_bytes_are_those_of_whole_64_bit_words() -> None:
    """130 bits: 5 words of 32 in the memory table, 3 of 64 in the exact ring, for each of 8 coefficients."""
    R = CountingRing(8, 130)
    x = R.uniform()
    assert (R.tally.memory.words, R.tally.memory.bytes) == (8 * 5, 8 * 3 * 8)
    lifted = R.lift(x)  # 129 bits and a sign fit 3 words too
    assert R.tally.memory.bytes == 2 * 8 * 3 * 8
    assert lifted.bits == 129


def test_restarting_forgets_the_work_and_what_is_still_in_use() -> None:
    R = CountingRing(8, 40)
    x = R.uniform()
    R.restart()
    y = R.add(x, x)
    assert held(R) == (16, 16, 16)
    del x
    assert held(R) == (16, 16, 16)
    assert set(R.tally.integers) == {"addition", "modulo"}
    assert y.modular


def test_the_memory_table_has_a_line_for_each_matrix_that_came_to_be() -> None:
    R = CountingRing(8, 40, record=True)
    x = R.uniform(2, 3)
    y = R.multiply(R.row(x, 0), R.transpose(R.ternary(1, 3)))
    lines = [(s.made_by, s.type, s.rows, s.cols, s.degree, s.words) for s in R.tally.stored]
    assert lines == [
        ("uniform", "matrix of polynomials", 2, 3, 7, 96),
        ("ternary", "matrix of polynomials", 1, 3, 7, 24),
        ("multiply", "polynomial", 1, 1, 7, 16),
    ]
    assert output_lines([y]) == {2}
    assert output_lines([R.entry(x, 0, 1)]) == {0}


def test_the_trace_follows_work_and_memory_after_every_operation() -> None:
    """8 values drawn: ceil(8/0.53) = 16. Then ceil(8/1.309) = 7 for the sum, ceil(8/0.909) = 9 modulo q."""
    R = CountingRing(8, 40, record=True)
    x = R.uniform()
    x = R.add(x, x)
    trace = [(m.operation, m.work, m.words, m.bytes) for m in R.tally.trace]
    assert trace == [("uniform", 16, 16, 64), ("add", 32, 32, 128)]
    assert R.tally.memory.words == 16


# -- many parameter sets at once

COUNT = 4
exponents = st.lists(st.integers(1, 15), min_size=COUNT, max_size=COUNT)
lengths = st.lists(st.integers(2, 1180), min_size=COUNT, max_size=COUNT)
plain_moduli = st.one_of(
    st.sampled_from([2, 3, 4, 257]), st.lists(st.integers(2, 2**40), min_size=4, max_size=4)
)


@st.composite
def sets(draw: st.DrawFn) -> RingParameters:
    """Four sets of parameters: each field one value for all, or one for each.

    Where t is one for all, q is that much larger that floor(q/t) is no power of two by chance.
    """
    n = np.array([1 << k for k in draw(exponents)])
    t = draw(plain_moduli)
    log_q = np.array(draw(lengths)) + (0 if isinstance(t, list) else t.bit_length() + 1)
    log_w = np.array([draw(st.integers(1, int(k))) for k in log_q])
    sigma = draw(st.one_of(st.floats(0.5, 400), st.just(2 * np.sqrt(n))))
    return RingParameters(
        draw(st.sampled_from([n, 4096])), log_q, np.array(t) if isinstance(t, list) else t, log_w, sigma
    )


def one_by_one(p: RingParameters) -> Iterator[RingParameters]:
    for i in range(COUNT):
        n, log_q, t, log_w = (int(np.broadcast_to(v, COUNT)[i]) for v in (p.n, p.log_q, p.t, p.log_w))
        yield RingParameters(n, log_q, t, log_w, float(np.broadcast_to(p.sigma, COUNT)[i]))


def tallies(p: RingParameters) -> dict[str, Tally]:
    """The tally of every function of FV."""
    found = {}
    for name in FV.functions:
        scheme = FV(p.counting_ring(), p.spec)
        call(scheme, name)
        found[name] = scheme.ring.tally  # type: ignore[attr-defined]
    return found


def call(scheme: RingScheme, name: str) -> None:
    """Runs one function; what it needs was made, and forgotten by the tally, before."""
    keys, c = scheme.keygen(), scheme.encrypt(scheme.keygen(), scheme.message())
    inputs: dict[str, tuple[Any, ...]] = {
        "keygen": (),
        "encrypt": (keys, scheme.message()),
        "decrypt": (keys, c),
        "add": (keys, c, c),
        "multiply": (keys, c, c),
        "tensor": (c, c),
        "relinearize": (keys, scheme.tensor(c, c)),  # type: ignore[attr-defined]
    }
    scheme.ring.restart()  # type: ignore[attr-defined]
    getattr(scheme, name)(*inputs[name])


def at(table: dict[Any, Any], i: int) -> dict[Any, int]:
    """The i-th set's entries, without what does not occur there."""
    return positive({name: int(np.broadcast_to(count, COUNT)[i]) for name, count in table.items()})


def memory(tally: Tally) -> dict[str, Any]:
    fields = ("words", "max_words", "total_words", "bytes", "max_bytes")
    return {name: getattr(tally.memory, name) for name in fields}


@given(sets())
@settings(deadline=None, max_examples=15)
def test_many_sets_at_once_are_counted_as_one_by_one(p: RingParameters) -> None:
    """But for one thing: among many t, a multiplication by a power of two is not told from another."""
    together = tallies(p)
    for i, alone in enumerate(map(tallies, one_by_one(p))):
        for name, tally in alone.items():
            many = together[name]
            assert at(memory(many), i) == positive(memory(tally))
            assert at(many.kernels, i) == positive(tally.kernels)
            total = PANTHERS.total(many.integers)
            assert np.broadcast_to(total, COUNT)[i] == PANTHERS.total(tally.integers)
            if np.ndim(p.t) == 0:
                assert at(many.operations, i) == positive(tally.operations)
                assert at(many.integers, i) == positive(tally.integers)


def test_a_set_that_recurs_is_counted_alike_wherever_it_stands() -> None:
    p = RingParameters(np.array([1024, 4096, 1024]), np.array([60, 300, 60]), 2, np.array([2, 28, 2]))
    tally = tallies(p)["multiply"]
    assert all(np.broadcast_to(v, 3)[0] == np.broadcast_to(v, 3)[2] for v in tally.kernels.values())
    assert tally.memory.max_words[0] == tally.memory.max_words[2] < tally.memory.max_words[1]


def test_a_phase_touches_what_it_needs_of_the_heap_beyond_what_was_in_use_by_hand() -> None:
    """n = 64, one word: a polynomial has 512 bytes. Of the first phase two polynomials are kept."""
    ring = CountingRing(64, 60, 2**60 - 1)
    memory = ring.tally.memory
    memory.begin()
    kept = ring.uniform(), ring.uniform()
    most = memory.most_heap
    assert memory.fresh == most > memory.heap == 2 * 512
    memory.begin()
    assert (memory.fresh, memory.room) == (most, 0)
    total = ring.add(*kept)
    assert memory.fresh == most + 512
    del total
    assert (memory.room, memory.heap) == (512, 2 * 512)


def test_a_scattered_operand_is_copied_first() -> None:
    """A column of a matrix of 2 x 2 polynomials of 64 words lies apart: 128 words are copied."""
    ring = CountingRing(64, 60, 2**60 - 1)
    x = ring.uniform(2, 2)
    before = ring.tally.kernels.get("moved_words", 0)
    ring.negate(ring.row(x, 0))
    assert ring.tally.kernels.get("moved_words", 0) == before
    ring.negate(ring.column(x, 0))
    assert ring.tally.kernels["moved_words"] == before + 128
