"""Applications with ring schemes: right results on a ring of integers, and one count for all sets."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import fheasible as fh
from fheasible.circuit import cleartext
from fheasible.circuit.data import random_data
from fheasible.errors import CircuitError, DataError, WrongResult
from fheasible.rings.tally import Tally
from fheasible.rings.weights import PANTHERS
from fheasible.schemes.catalogue import SCHEMES
from fheasible.schemes.evaluate import count_application, count_plan, noise_of, read, run
from fheasible.schemes.fv import FV
from fheasible.schemes.noise import worst_case
from fheasible.schemes.parameters import RingParameters
from fheasible.schemes.plan import plan
from rings.oracle import OracleRing

from .applications import circuit, equation_3, instructions, weighted

LARGE = RingParameters(n=4, log_q=400, t=17, log_w=20)  # INSECURE: room for any noise that occurs here


def computed(
    circuit_: Any, kind: Any, p: RingParameters, seed: int, order: bool | None = None
) -> dict[str, Any]:
    """What comes out on a ring of Python's integers."""
    assert p.modulus is not None
    steps, ring = plan(circuit_, order), OracleRing(p.n, p.modulus, seed)
    plaintexts = run(steps, kind(ring, p.spec), random_data(circuit_, seed))
    return read(steps, ring, plaintexts, p.t)


@settings(deadline=None, max_examples=40)
@given(instructions(), st.booleans(), st.integers(0, 1000))
def test_random_applications_give_the_cleartext_result(
    program: list[tuple[str, int, int]], minimise: bool, seed: int
) -> None:
    made = circuit(program, 17, minimise)
    bound, limit = _noise(made, LARGE)
    truth = cleartext.evaluate(made, random_data(made, seed))
    if bound < limit:
        found = computed(made, FV, LARGE, seed)
        assert {name: v.tolist() for name, v in found.items()} == {
            name: v.tolist() for name, v in truth.items()
        }


def _noise(made: Any, p: RingParameters, kind: Any = FV) -> tuple[Any, Any]:
    try:
        steps = plan(made)
    except CircuitError as error:  # maps in succession may cancel each other
        assume("does not depend" not in error.message)
        raise
    bounds = replace(worst_case(p.n, p.sigma), message=steps.largest)
    noise = kind(p.counting_ring(), p.spec).noise(bounds)
    return noise_of(steps, noise), noise.limit()


@pytest.mark.parametrize("name", sorted(SCHEMES))
@pytest.mark.parametrize("minimise", [True, False])
def test_equation_3_is_right_with_every_scheme_in_both_orders(name: str, minimise: bool) -> None:
    p = RingParameters(n=4, log_q=180, t=2, log_w=10)
    made = equation_3.trace()
    truth = cleartext.evaluate(made, random_data(made, 5))
    found = computed(made, SCHEMES[name], p, 5, minimise)
    assert found["result"].tolist() == truth["result"].tolist()


@pytest.mark.parametrize("seed", range(4))
def test_ordinary_integers_come_back_as_they_are(seed: int) -> None:
    made = weighted.trace()
    truth = cleartext.evaluate(made, random_data(made, seed))
    found = computed(made, FV, RingParameters(n=4, log_q=120, t=25, log_w=10), seed)
    assert {name: v.tolist() for name, v in found.items()} == {name: v.tolist() for name, v in truth.items()}


def test_a_matrix_is_sums_of_products_with_its_entries() -> None:
    @fh.app(x=fh.integers(3, low=0, high=3))
    def layered(x: fh.Vector) -> fh.Vector:
        return fh.matmul([[1, 2, 0], [0, 0, 0], [-1, 1, 3]], x) + x[[2, 0, 0]]

    made = layered.trace()
    assert plan(made).operations() == {
        "encrypt": 3, "multiply_plain": 3, "add": 1 + 2 + 3, "decrypt": 3,
    }  # fmt: skip
    found = computed(made, FV, RingParameters(n=4, log_q=120, t=37, log_w=10), 2)
    x = random_data(made, 2)["x"]
    assert found["result"].tolist() == [x[0] + 2 * x[1] + x[2], x[0], x[0] - x[0] + x[1] + 3 * x[2]]


@pytest.mark.parametrize("name", sorted(SCHEMES))
def test_a_result_that_two_maps_make_zero_modulo_t_is_zero(name: str) -> None:
    @fh.app(x=fh.integers(2, modulo=2), y=fh.integers(2, modulo=2))
    def cancelled(x: fh.Vector, y: fh.Vector) -> dict[str, fh.Vector]:
        return {"none": fh.sum(fh.matmul([[1, 1], [1, 1]], x)), "some": x + y}

    made = cancelled.trace()
    found = computed(made, SCHEMES[name], RingParameters(n=4, log_q=180, t=2, log_w=10), 1)
    assert found["none"].tolist() == [0]


def test_noise_beyond_the_modulus_is_found_out() -> None:
    """At 20 bits ten multiplications leave nothing of the message, and n - 1 of n coefficients betray it."""
    with pytest.raises(WrongResult):
        computed(equation_3.trace(), FV, RingParameters(n=16, log_q=20, t=2, log_w=4), 1, False)


@settings(deadline=None, max_examples=25)
@given(instructions(), st.booleans())
def test_arrays_count_what_each_set_counts(program: list[tuple[str, int, int]], minimise: bool) -> None:
    steps = plan(circuit(program, 2, minimise))
    sets = [(64, 40, 4), (128, 61, 1), (32, 130, 20)]
    n, log_q, log_w = (np.array(column) for column in zip(*sets, strict=True))
    many = count_plan(steps, FV, RingParameters(n, log_q, 2, log_w))
    for i, (n_, log_q_, log_w_) in enumerate(sets):
        one = count_plan(steps, FV, RingParameters(n_, log_q_, 2, log_w_))
        assert np.broadcast_to(PANTHERS.total(many.integers), 3)[i] == PANTHERS.total(one.integers)
        assert np.broadcast_to(many.memory.max_words, 3)[i] == one.memory.max_words
        assert np.broadcast_to(many.memory.max_bytes, 3)[i] == one.memory.max_bytes


def test_an_application_s_operations_are_those_of_its_functions() -> None:
    """Keys, three encryptions, eleven or twelve products with six sums, one decryption."""
    from fheasible.schemes.call import count

    p = RingParameters(n=64, log_q=60, t=2, log_w=5)
    for order in (True, False):
        operations = plan(equation_3.trace(), order).operations()
        parts = {"keygen": 1, **operations}
        whole = count_application(equation_3.trace(), FV, p, order)
        summed = sum(
            times * count(FV, function, p).operations.get(("multiplication", "polynomial"), 0)
            for function, times in parts.items()
        )
        assert whole.operations["multiplication", "polynomial"] == summed


def test_values_are_freed_after_their_last_use() -> None:
    """Forty squarings in succession need no more memory than four; in the end the plaintext alone is left."""

    def squared(times: int) -> Tally:
        @fh.app(x=fh.integers(1, modulo=2))
        def chain(x: fh.Vector) -> fh.Vector:
            for _ in range(times):
                x = x * x + 1
            return x

        return count_application(chain.trace(), FV, RingParameters(n=64, log_q=64, log_w=32), record=True)

    few, many = squared(4), squared(40)
    assert many.memory.max_words == few.memory.max_words
    assert many.memory.total_words > 5 * few.memory.total_words
    assert many.memory.words == 64  # one polynomial of bits
    assert [s.made_by for s in many.stored if s.output] == ["remainder"]


def test_inputs_must_have_the_declared_lengths() -> None:
    p = RingParameters(n=4, log_q=120, t=25, log_w=10)
    assert p.modulus is not None
    steps, ring = plan(weighted.trace()), OracleRing(p.n, p.modulus, 1)
    with pytest.raises(DataError):
        run(steps, FV(ring, p.spec), {"a": [1, 2], "b": [1]})


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.long) if SCHEMES[n].bits else n for n in sorted(SCHEMES)]
)
@settings(max_examples=30)
@given(instructions(3), st.integers(0, 99), st.sampled_from([3, 5, 16, 65537]))
def test_the_noise_bound_promises_nothing_false(
    name: str, program: list[tuple[str, int, int]], seed: int, many: int
) -> None:
    """At every modulus where the bound says so, the result is right."""
    kind = SCHEMES[name]
    t = 2 if kind.bits else many
    made = circuit(program, t, True)
    for log_q in (20, 40, 80, 160):
        p = RingParameters(n=4, log_q=log_q, t=t, log_w=4)
        bound, limit = _noise(made, p, kind)
        if bound < limit:
            truth = cleartext.evaluate(made, random_data(made, seed))
            found = computed(made, kind, p, seed)
            assert all(found[name].tolist() == truth[name].tolist() for name in truth)
