"""The noise of programs of look-ups: which factors each element has of independent noises."""

from math import log2, sqrt

import numpy as np
import pytest

from fheasible.noise.tfhe.noise import NEVER, failure_of, lookup_failure, noise_of
from fheasible.noise.tfhe.program import failures, norms_of
from fheasible.noise.tfhe.summary import NormSummary
from fheasible.program.lookups import Digits, LookupProgram, LookupStep, Step
from noise.tfhe.sets import named_set

SET = named_set("V1_7_PARAM_MESSAGE_2_CARRY_2_KS_PBS_TUNIFORM_2M128").parameters
TABLE = tuple(range(16))


def program(*steps: LookupStep, length: int = 1, output: int | None = None) -> LookupProgram:
    """A program on one input `x` of so many elements, value 0, whose last value is the output."""
    start = LookupStep(Step.ENCRYPT, 0, length, source="x")
    last = steps[-1] if output is None else next(s for s in steps if s.out == output)
    x = Digits("x", length, (0,), 16)
    out = Digits("out", last.length, (last.out,), 16)
    return LookupProgram(16, (start, *steps), (TABLE,), (x,), (out,))


def lookup(out: int, arg: int, length: int = 1) -> LookupStep:
    return LookupStep(Step.LOOKUP, out, length, (arg,))


def linear(out: int, args: tuple[int, ...], weights: tuple[int, ...], length: int = 1) -> LookupStep:
    return LookupStep(Step.LINEAR, out, length, args, weights)


def test_a_fresh_value_has_the_noise_of_encryption() -> None:
    norms = norms_of(program(lookup(1, 0, 3), length=3)).lookups[1]
    assert norms.fresh.tolist() == [1, 1, 1]
    assert norms.looked_up.tolist() == [0, 0, 0]


def test_the_same_noise_twice_counts_four_times() -> None:
    """(2y + z) + (y - z) = 3y: the noise of z cancels."""
    steps = (
        lookup(1, 0),
        lookup(2, 0),
        linear(3, (1, 2), (2, 1)),
        linear(4, (1, 2), (1, -1)),
        linear(5, (3, 4), (1, 1)),
        lookup(6, 5),
    )
    assert norms_of(program(*steps)).lookups[6].looked_up.tolist() == [9]


def test_fresh_noise_and_that_of_look_ups_are_told_apart() -> None:
    norms = norms_of(program(lookup(1, 0), linear(2, (0, 1), (3, 2)), lookup(3, 2))).lookups[3]
    assert (norms.fresh.tolist(), norms.looked_up.tolist()) == ([9], [4])
    assert norms.largest == pytest.approx(sqrt(13))


def test_elements_that_are_picked_twice_are_the_same_noise() -> None:
    picked = LookupStep(Step.PICK, 1, 4, (0,), plain=np.array([0, 0, 1, 2]))
    folded = LookupStep(Step.FOLD, 2, 2, (1,), group=3)
    norms = norms_of(program(picked, folded, lookup(3, 2, 2), length=3)).lookups[3]
    assert norms.fresh.tolist() == [5, 1]


def test_one_element_stands_for_each_of_many() -> None:
    one = LookupStep(Step.PICK, 1, 1, (0,), plain=np.array([2]))
    norms = norms_of(program(one, linear(2, (0, 1), (1, 1), 3), lookup(3, 2, 3), length=3)).lookups[3]
    assert norms.fresh.tolist() == [2, 2, 4]


def test_joined_elements_keep_their_noise() -> None:
    """[y, y, x] summed: 2y + x."""
    joined = LookupStep(Step.JOIN, 2, 3, (1, 1, 0))
    folded = LookupStep(Step.FOLD, 3, 1, (2,), group=3)
    norms = norms_of(program(lookup(1, 0), joined, folded, lookup(4, 3))).lookups[4]
    assert (norms.looked_up.tolist(), norms.fresh.tolist()) == ([4], [1])


def test_plain_numbers_have_no_noise() -> None:
    plain = LookupStep(Step.TRIVIAL, 1, 1, plain=np.array([3]))
    found = norms_of(program(plain, linear(2, (0, 1), (2, 5)), lookup(3, 2)))
    assert found.lookups[3].fresh.tolist() == [4]
    assert norms_of(program(plain)).outputs["out", 0].largest == 0
    assert failures(program(plain), SET).program == NEVER


def test_a_value_that_is_freed_is_needed_no_more() -> None:
    freed = LookupStep(Step.LOOKUP, 1, 1, (0,), frees=(0,))
    assert norms_of(program(freed, lookup(2, 1))).lookups[2].looked_up.tolist() == [1]


def test_a_look_up_fails_as_often_as_its_norm_says() -> None:
    found = failures(program(lookup(1, 0), linear(2, (1,), (5,)), lookup(3, 2)), SET)
    assert found.lookups[3] == pytest.approx(lookup_failure(SET, 5))
    assert found.lookups[3] == found.worst
    assert found.lookups[1] == pytest.approx(failure_of(noise_of(SET).before_table(0, 1), 16))


def test_a_program_fails_as_often_as_its_elements_together() -> None:
    many = program(lookup(1, 0, 64), linear(2, (1,), (5,), 64), lookup(3, 2, 64), length=64)
    found = failures(many, SET)
    both = log2(2 ** found.lookups[3] + 2 ** found.lookups[1])
    assert found.program == pytest.approx(6 + both, abs=1e-6)


def test_a_program_fails_at_most_always_however_many_failures_are_expected() -> None:
    bad = program(lookup(1, 0, 64), linear(2, (1,), (5000,), 64), lookup(3, 2, 64), length=64)
    found = failures(bad, SET)
    assert found.expected == pytest.approx(6 + found.worst, abs=0.1)
    assert found.expected > 3
    assert found.program == 0


def test_a_sum_that_is_never_looked_up_can_fail_when_it_is_decrypted() -> None:
    steps = (lookup(1, 0), linear(2, (1,), (30_000,)))
    found = failures(program(*steps), SET)
    variance = noise_of(SET).bootstrap * 30_000**2
    assert found.outputs["out", 0] == pytest.approx(failure_of(variance, 16))
    assert found.program == pytest.approx(max(found.outputs["out", 0], found.worst), abs=0.01)


def test_sums_of_fresh_ciphertexts_that_never_fail_are_as_unlikely_as_one() -> None:
    """However many results there are, nothing that is added to never makes it another figure."""
    sums = program(linear(1, (0, 0), (1, 1), 4096), length=4096)
    assert failures(sums, SET).program == NEVER
    assert NormSummary.of(norms_of(sums)).failures(SET) == (NEVER, NEVER)


def test_norms_of_a_program_are_the_same_for_all_parameters() -> None:
    tried = program(lookup(1, 0, 5), linear(2, (1,), (3,), 5), lookup(3, 2, 5), length=5)
    assert failures(tried, SET, norms=norms_of(tried)) == failures(tried, SET)
    assert norms_of(tried).largest == 3


def test_sums_of_plain_numbers_have_no_noise() -> None:
    plain = LookupStep(Step.TRIVIAL, 1, 5, plain=np.array([3, 0, 1, 2, 1]))
    folded = LookupStep(Step.FOLD, 2, 3, (1,), group=2)
    norms = norms_of(program(plain, folded, linear(3, (0, 2), (1, 1), 3), lookup(4, 3, 3), length=3))
    assert norms.lookups[4].fresh.tolist() == [1, 1, 1]
