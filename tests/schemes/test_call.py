"""A function alone: its operands are not counted, its results are marked, its figures are derived."""

from math import ceil

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fheasible.errors import UnknownName
from fheasible.rings.weights import PANTHERS
from fheasible.schemes.call import ALL, count, plainly, prepared
from fheasible.schemes.catalogue import SCHEMES
from fheasible.schemes.fv import FV
from fheasible.schemes.parameters import RingParameters
from rings.oracle import OracleRing

KINDS = sorted(SCHEMES)
FUNCTIONS = [(name, function) for name in KINDS for function in (*SCHEMES[name].functions, ALL)]

N, WORDS = 4096, 10  # 300 bits are ten integers of 32 bits
DIGITS = 150  # of 300 bits, two at a time
PRODUCT = 554_182  # ceil(4096^1.59) = ceil(2^19.08)
REAL = RingParameters(n=N, log_q=300, t=2, log_w=2)


def test_the_operations_of_fv_s_multiplication_are_those_derived_by_hand() -> None:
    """Tensor: c0·d0, c0·d1, c1·d0, c1·d1 are four products and one sum (of the middle two), after two lifts
    of two polynomials; three results are multiplied by t = 2 (a shift), divided by q, rounded, and reduced.
    Relinearisation: the third one's 150 digits, each by shift and modulo; digits (1 x 150) times key
    (150 x 2): 300 products, 2·149 sums, 2 reductions; two sums with the first two parts, and reductions."""
    tally = count(FV, "multiply", REAL)
    polynomial, mixed = "polynomial", "integer and polynomial"
    assert tally.operations == {
        ("subtraction", mixed): 4,
        ("multiplication", polynomial): 4 + 2 * DIGITS,
        ("modulo", polynomial): 4 + 2 * DIGITS,
        ("addition", polynomial): 1 + 2 * (DIGITS - 1) + 2,
        ("shift", mixed): 3 + DIGITS,
        ("division", mixed): 3,
        ("round", polynomial): 3,
        ("modulo", mixed): 3 + DIGITS + 2 + 2,
    }


def test_the_multiplications_of_fv_s_multiplication_are_those_derived_by_hand() -> None:
    """Each operation above on its n integers; a product of polynomials is ceil(n^1.59) multiplications, and
    its reduction modulo X^n + 1 takes n - 1 subtractions."""
    products, subtractions = 304 * PRODUCT, 304 * (N - 1) + 4 * N
    others = (
        ceil(subtractions / 1.065)
        + ceil(301 * N / 1.309)
        + 153 * N
        + ceil(3 * N / 0.115)
        + ceil(3 * N / 0.314)
        + ceil(157 * N / 0.909)
    )
    assert products + others == 172_077_600
    assert PANTHERS.total(count(FV, "multiply", REAL).integers) == products + others


def test_the_memory_table_of_fv_s_multiplication_is_that_derived_by_hand() -> None:
    """A residue of 300 bits is 10 integers of 32 bits, as is a centred one of 299 bits. A coefficient of the
    tensor is below 2·n·2^299·2^299, of 611 bits: 20 integers. Rounded, t/q times it is below 2^314: 10."""
    tally = count(FV, "multiply", REAL, record=True)
    assert [(s.made_by, s.rows, s.cols, s.words, s.output) for s in tally.stored] == [
        ("lift", 1, 2, 2 * N * WORDS, False),
        ("lift", 1, 2, 2 * N * WORDS, False),
        ("convolve", 1, 3, 3 * N * 20, False),
        ("scale_round", 1, 3, 3 * N * WORDS, False),
        ("reduce", 1, 3, 3 * N * WORDS, False),
        ("decompose", 1, DIGITS, DIGITS * N, False),  # digits of two bits: an integer each
        ("beside", 1, 2, 2 * N * WORDS, False),
        ("multiply", 1, 2, 2 * N * WORDS, False),
        ("add", 1, 2, 2 * N * WORDS, True),
    ]
    assert {s.degree for s in tally.stored} == {N - 1}
    # all lines together; at most: the reduced tensor and the digits (still held by their names), the pair,
    # the product and the sum; in the end: the sum
    assert tally.memory.total_words == (4 * 10 + 60 + 30 + 30 + 150 + 20 + 20 + 20) * N
    assert tally.memory.max_words == (30 + 150 + 20 + 20 + 20) * N
    assert tally.memory.words == 20 * N


def test_the_trace_ends_with_the_whole_work_and_what_is_left() -> None:
    tally = count(FV, "multiply", REAL, record=True)
    work = [moment.work for moment in tally.trace]
    assert work == sorted(work)
    assert work[-1] == PANTHERS.total(tally.integers)
    assert max(moment.words for moment in tally.trace) == tally.memory.max_words
    assert len(tally.trace) == len(tally.stored)


@pytest.mark.parametrize(("name", "function"), FUNCTIONS)
def test_a_function_s_results_are_all_that_is_left_in_the_end(name: str, function: str) -> None:
    tally = count(SCHEMES[name], function, RingParameters(n=64, log_q=40, log_w=4), record=True)
    outputs = sum(s.words for s in tally.stored if s.output)
    assert 0 < outputs == tally.memory.words <= tally.memory.max_words <= tally.memory.total_words


@pytest.mark.parametrize("name", KINDS)
def test_all_is_the_sum_of_the_five_functions(name: str) -> None:
    kind, p = SCHEMES[name], RingParameters(n=64, log_q=40, log_w=4)
    whole = count(kind, ALL, p)
    parts = [count(kind, f, p) for f in ("keygen", "encrypt", "decrypt", "add", "multiply")]
    for counted in ("operations", "integers"):
        keys = getattr(whole, counted)
        summed = {key: sum(getattr(part, counted).get(key, 0) for part in parts) for key in keys}
        assert summed == keys
    assert whole.memory.max_words >= max(part.memory.max_words for part in parts)


@pytest.mark.parametrize(("name", "function"), FUNCTIONS)
def test_arrays_count_what_each_set_counts(name: str, function: str) -> None:
    """n, log q and log w together, t a power of two in all."""
    sets = [(64, 40, 4, 2), (128, 61, 1, 2), (32, 130, 20, 2), (64, 65, 64, 2)]
    n, log_q, log_w, t = (np.array(column) for column in zip(*sets, strict=True))
    many = count(SCHEMES[name], function, RingParameters(n, log_q, t, log_w))
    for i, (n_, log_q_, log_w_, t_) in enumerate(sets):
        one = count(SCHEMES[name], function, RingParameters(n_, log_q_, t_, log_w_))
        for counted in ("operations", "integers", "kernels"):
            there = {key: np.broadcast_to(v, len(sets))[i] for key, v in getattr(many, counted).items()}
            assert {k: v for k, v in there.items() if v} == {
                k: v for k, v in getattr(one, counted).items() if v
            }
        for figure in ("total_words", "max_words", "words", "max_bytes"):
            assert np.broadcast_to(getattr(many.memory, figure), len(sets))[i] == getattr(one.memory, figure)


@given(st.data())
def test_what_is_prepared_really_runs(data: st.DataObject) -> None:
    """On a ring of Python's integers: sums and products of plaintexts, by every way that leads there."""
    kind = SCHEMES[data.draw(st.sampled_from(KINDS))]
    n, t = 4, 2
    bit = st.integers(0, 1)
    messages = bit.map(lambda b: [b, 0, 0, 0]) if kind.bits else st.lists(bit, min_size=n, max_size=n)
    a, b = data.draw(messages), data.draw(messages)
    ring = OracleRing(n, 2**40 - 87, seed=data.draw(st.integers(0, 99)))
    p = RingParameters(n, 40, t, 8)
    scheme = kind(ring, p.spec)
    product = [0] * (2 * n)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            product[i + j] += x * y
    wanted = {
        "encrypt": a,
        "add": [(x + y) % t for x, y in zip(a, b, strict=True)],
        "multiply": [(product[i] - product[n + i]) % t for i in range(n)],
    }
    wanted |= dict.fromkeys(kind.after, wanted["multiply"])
    for function, plaintext in wanted.items():
        call = prepared(scheme, function, a, b)
        found = scheme.decrypt(call.keys, call.run(plainly))
        assert list(ring.coefficients(found)[0, 0]) == plaintext, function


def test_a_function_that_is_not_there_is_an_error_with_those_that_are() -> None:
    with pytest.raises(UnknownName) as found:
        count(FV, "bootstrap", REAL)
    assert "relinearize" in found.value.remedy
