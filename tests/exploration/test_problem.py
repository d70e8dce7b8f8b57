"""The plaintext modulus, and what the circuit's data tell."""

from dataclasses import replace
from math import isqrt
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fheasible as fh
from fheasible.circuit.data import random_data
from fheasible.errors import InfeasibleParameters, PromiseBroken
from fheasible.exploration.judging.impossible import results
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.rings_and_moduli import plain_modulus_above
from fheasible.exploration.problem.wish import Wish, bits
from fheasible.exploration.search.search import explore
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.noise.reach.gains import gains

from .apps import problem, real, whole

RINGS = st.integers(1, 13).map(lambda k: 1 << k)


def prime(x: int) -> bool:
    return x > 1 and all(x % k for k in range(2, isqrt(x) + 1))


def of_range(low: int, high: int) -> Problem:
    @fh.app(x=fh.integers(4, low=low, high=high))
    def plus_one(x: fh.Vector) -> fh.Vector:
        return x + 1

    return problem(plus_one)


def wrapping(t: int) -> Problem:
    @fh.app(x=fh.integers(4, modulo=t))
    def squared(x: fh.Vector) -> fh.Vector:
        return x * x

    return problem(squared)


@given(largest=st.integers(1, 300_000), ring=RINGS)
def test_the_plaintext_modulus_is_the_least_that_batches_and_tells_all_values_apart(
    largest: int, ring: int
) -> None:
    least = 2 * largest + 1
    first = least + (1 - least) % (2 * ring)
    brute = next(t for t in range(first, 100 * (least + 2 * ring), 2 * ring) if prime(t))
    assert plain_modulus_above(least, ring) == brute


@given(low=st.integers(-5000, 0), high=st.integers(1, 5000), ring=st.sampled_from([1024, 4096]))
def test_it_covers_the_signed_range_of_every_intermediate_value(low: int, high: int, ring: int) -> None:
    found = of_range(low, high)
    largest = max(-low, high + 1)  # of x and of x + 1
    assert found.largest == largest
    t = found.plain_modulus(ring)
    assert t % (2 * ring) == 1
    assert prime(t)
    assert not any(prime(s) for s in range(2 * largest + 1, t) if s % (2 * ring) == 1)


def test_an_intermediate_value_counts_though_the_result_is_small() -> None:
    @fh.app(x=fh.integers(4, low=-1000, high=1000))
    def there_and_back(x: fh.Vector) -> fh.Vector:
        cube = x * x * x
        return cube - fh.rotate(cube, 1)

    # the difference reaches 2 * 10^9
    assert problem(there_and_back).plain_modulus(1024) > 4e9


def test_values_beyond_what_a_modulus_holds_are_infeasible() -> None:
    @fh.app(x=fh.integers(4, low=0, high=2**20))
    def cube(x: fh.Vector) -> fh.Vector:
        return x * x * x

    with pytest.raises(InfeasibleParameters, match=r"plaintext modulus of 6[12] bits") as caught:
        problem(cube).plain_modulus(4096)
    assert "modulo=t" in caught.value.remedy


def test_the_users_own_modulus_is_taken_where_it_batches() -> None:
    assert wrapping(65537).plain_modulus(4096) == 65537
    assert wrapping(65537).plain_modulus(32768) == 65537


@pytest.mark.parametrize(
    ("t", "ring"), [(65537, 65536), (1000, 1024), (2**16, 1024), (12289, 8192), (3, 1024)]
)
def test_the_users_own_modulus_is_refused_with_the_next_one_where_it_does_not_batch(
    t: int, ring: int
) -> None:
    with pytest.raises(InfeasibleParameters, match=f"t = {t} .* N = {ring}") as caught:
        wrapping(t).plain_modulus(ring)
    offered = int(caught.value.remedy.removeprefix("take t = ").split(";")[0].split(",")[0])
    assert offered >= t
    assert prime(offered)
    assert offered % (2 * ring) == 1
    assert wrapping(offered).plain_modulus(ring) == offered


def test_the_truth_is_the_cleartext_of_the_data() -> None:
    found = problem(whole)
    x, y = found.data["x"], found.data["y"]
    np.testing.assert_array_equal(
        found.truth["sum"], [sum(int(a) * int(b) for a, b in zip(x, y, strict=True))]
    )
    np.testing.assert_array_equal(found.truth["vector"], x * y + np.roll(x, -1))
    assert (found.real, found.elements) == (False, 16)
    assert problem(real).real


def test_data_that_break_a_promise_are_refused_at_once() -> None:
    @fh.app(x=fh.reals(4, low=0, high=9))
    def root(x: fh.Vector) -> fh.Vector:
        return fh.sqrt(x, low=0, high=1, degree=7)

    circuit = root.trace()
    with pytest.raises(PromiseBroken):
        Problem(circuit, {"x": np.array([0.0, 0.5, 1.0, 4.0])}, "by hand")
    assert Problem(circuit, {"x": np.linspace(0, 1, 4)}, "by hand").warnings
    assert random_data(circuit, 1)["x"].max() > 1


@fh.app(x=fh.reals(256, low=0, high=1))
def total(x: fh.Vector) -> fh.Vector:
    return fh.sum(x * x)


def _total(trusted: bool) -> Problem:
    circuit = total.trace()
    return Problem(circuit, random_data(circuit, 3), "random data", trusted)


@pytest.mark.parametrize("library", CATALOGUE)
def test_recommended_moduli_hold_what_the_declared_ranges_allow_unless_data_are_trusted(library: str) -> None:
    """A sum of 256 squares is some 85 on random data, and 256 at the most."""
    one = [replace(CATALOGUE[library], schemes=("ckks",))]
    every, given = (explore(_total(t), Wish(precision=bits(15)), one, {}) for t in (False, True))
    for c in every.candidates:
        ((end, most),) = results(every.problem, c.program, c.parameters).values()
        assert end == 256
        assert most >= end * (1 - 1e-3)
    assert every.candidates
    held = [results(given.problem, c.program, c.parameters)["result"][1] for c in given.candidates]
    assert min(held) < 256  # data that are given need no more than they need


def test_bounds_that_are_far_too_wide_are_not_gone_by() -> None:
    @fh.app(x=fh.reals(8, low=-1, high=1))
    def widened(x: fh.Vector) -> fh.Vector:
        y = x
        for _ in range(14):
            y = y + y - y * 1.5  # half of it; by intervals 3.5 times as wide
        return y

    circuit = widened.trace()
    made = Problem(circuit, random_data(circuit, 3), "random data")
    program = made.lowerings().program(CATALOGUE["seal"].style("ckks", None), 1 << 14)
    last = program.operations[-1].out
    (at,) = (i for i, o in enumerate(program.operations) if o.out == last)
    assert made.expected(program).largest[at] == pytest.approx(
        2.0**-14
    )  # at x = 1, of intervals up to 3.5^14


def test_what_other_inputs_need_leaves_what_is_known_known() -> None:
    """A second search, with the worst inputs beside, lowers nothing again and finds no gains again."""
    first = problem(real)
    program = first.lowerings().program(CATALOGUE["seal"].style("ckks", None), 8192)
    known = first.expected(program)
    data = random_data(first.circuit, 1)
    second = first.also_at(data, "others", bits(3.0))
    assert second.lowerings().program(CATALOGUE["seal"].style("ckks", None), 8192) is program
    assert second.expected(program) is known
    assert [(other.source, needed) for other, needed, _ in second.also] == [("others", bits(3.0))]
    assert first.also == ()


def test_the_largest_values_need_no_gains_and_gains_no_second_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Many a program is insecure in its ring: gains, which take ten times as long, are for the others."""
    calls: list[str] = []

    def counted(name: str, known: bool) -> None:
        calls.append(name if known else f"{name} anew")

    monkeypatch.setattr(
        "fheasible.exploration.problem.problem.gains",
        lambda program, data, known: (
            counted("gains", known is not None and known.values is not None),
            gains(program, data),
        )[1],
    )
    made = problem(real)
    program = made.lowerings().program(CATALOGUE["seal"].style("ckks", None), 8192)
    largest = made.expected(program).largest
    assert calls == []
    known = made.gains(program)
    assert calls == ["gains"]
    assert (known.largest <= largest).all()
    assert known.largest.max() < largest.max()  # which the data do not reach


@fh.app(x=fh.integers(32, low=0, high=1))
def unlocked(x: fh.Vector) -> fh.Vector:
    """1000 for one input of 2^32, and 0 for all others."""
    code = np.array([1, 0, 0, 1, 1, 0, 1, 0, 1, 1, 0, 0, 1, 0, 1, 1] * 2)
    right = x * code + (1 - x) * (1 - code)
    for k in (16, 8, 4, 2, 1):
        right = right[:k] * right[k:]
    return 1000 * right


def test_integers_that_were_never_seen_but_0_are_not_for_ckks() -> None:
    """Its modulus held up to 0.5, and the right code unlocked nothing. Data that are trusted tell all."""
    circuit = unlocked.trace()
    data = {"x": np.zeros(32, dtype=np.int64)}
    unknown = Problem(circuit, data, "by hand")
    assert "is not 0" in unknown.unsuited("ckks")
    assert unknown.unsuited("bfv") == unknown.unsuited("bgv") == ""
    assert Problem(circuit, data, "by hand", trusted=True).unsuited("ckks") == ""


def of_equality(t: int) -> Problem:
    return problem(fh.app(x=fh.integers(4, modulo=t))(lambda x: x == 3))


def test_residues_are_compared_modulo_primes_that_batch() -> None:
    """BFV and BGV take 16 squarings modulo 65,537; CKKS has no residues, and 257 packs no vectors."""
    asked = of_equality(65537)
    assert [asked.unsuited(scheme) for scheme in ("bfv", "bgv")] == ["", ""]
    assert "do not wrap around" in asked.unsuited("ckks")
    assert asked.plain_modulus(32768) == 65537
    assert "t = 257 cannot pack vectors" in of_equality(257).unsuited("bfv")


def test_what_ckks_cannot_express_ends_no_search_in_bfv(tmp_path: Path) -> None:
    """A table of 800 entries is a polynomial modulo a prime, and no composition on reals."""

    @fh.app(x=fh.integers(4, low=0, high=799))
    def looked_up(x: fh.Vector) -> fh.Vector:
        return fh.lookup(x, [v * v % 13 for v in range(800)])

    asked = problem(looked_up)
    assert "CKKS" in asked.unsuited("ckks")
    assert asked.unsuited("bfv") == ""
    assert not asked.approximates
    answer = fh.explore(looked_up, libraries="seal", store=tmp_path / "results.sqlite")
    assert answer.best is not None
    assert answer.best.scheme == "bfv"
