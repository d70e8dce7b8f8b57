"""A bootstrap gives the same slots at a higher level, and performs what is counted."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cases import case
from fheasible.errors import InfeasibleParameters, RingMismatch
from fheasible.rings.rns.element import Conversion
from fheasible.rings.rns.modulus import Rounding
from fheasible.schemes.rns.bootstrap.method import EVEN, LATE, Method
from fheasible.schemes.rns.bootstrap.procedure import Procedure
from fheasible.schemes.rns.bootstrap.tables import levels
from fheasible.schemes.rns.variant import Automorphism, Variant
from schemes.rns.bootstrap.bench import DIGIT, INSECURE_N, RESIDUAL, Bench, bench, counted
from schemes.rns.bootstrap.procedures import ARCSINE, CASES, FULL, SPARSE

BITS = 12  # of precision, at the least; of one iteration with a scale of 45 bits or more
VARIANTS = (
    Variant(limbs_per_digit=DIGIT, lazy=False, automorphism=Automorphism.EXTENDED, square_products=4),
    Variant(limbs_per_digit=DIGIT, mod_up=Conversion.EXACT, mod_down=Rounding(Conversion.FLOOR, half=True)),
    Variant(limbs_per_digit=DIGIT, reuse_ntt=False, montgomery=True, truncated_numbers=True),
    Variant(limbs_per_digit=DIGIT, automorphism=Automorphism.FIRST),
)


def agrees(made: Bench, p: Procedure, method: Method) -> None:
    """The bootstrap decrypts right, and a counting ring counts what it performed."""
    slots = made.slots(1)
    y = made.bootstrapped(slots)
    performed = Counter(made.ring.performed)
    assert y.level == RESIDUAL
    assert y.scale == pytest.approx(made.scheme.scale_of(y.level), rel=1e-6)
    assert made.error(y, slots) < 2.0**-BITS
    bases = len(made.ring.q), len(made.ring.p), 0
    ring, z = counted(p, method, made.scheme.variant, INSECURE_N, bases, 1)
    assert z.level == y.level
    assert ring._seen == performed


@pytest.mark.long
def test_every_case_decrypts_and_performs_what_is_counted() -> None:
    for name, (p, method) in CASES.items():
        with case(name):
            agrees(bench(p, method), p, method)


@pytest.mark.long
@pytest.mark.parametrize("method", [EVEN, LATE])
def test_every_variant_decrypts_and_performs_what_is_counted(method: Method) -> None:
    for variant in VARIANTS[:3]:
        with case(variant):
            agrees(bench(SPARSE, method, variant), SPARSE, method)


@pytest.mark.long
@settings(max_examples=20)
@given(st.integers(0, 1 << 30), st.sampled_from(["even: full", "even: sparse", "late: full", "late: sparse"]))
def test_random_messages_come_back(seed: int, name: str) -> None:
    made = bench(*CASES[name])
    slots = made.slots(seed)
    assert made.error(made.bootstrapped(slots), slots) < 2.0**-BITS


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_a_thousand_messages_come_back(name: str) -> None:
    made = bench(*CASES[name])
    for seed in range(1000 // len(CASES) + 1):
        slots = made.slots(seed)
        assert made.error(made.bootstrapped(slots), slots) < 2.0**-BITS


def test_iterations_make_the_error_smaller() -> None:
    once = bench(SPARSE, LATE)
    again = bench(replace(SPARSE, iterations=2, iteration_bits=8), LATE)
    slots = once.slots(3)
    assert again.error(again.bootstrapped(slots), slots) < once.error(once.bootstrapped(slots), slots) / 8


def test_an_arcsine_takes_the_cubic_error_of_the_sine_away() -> None:
    sine = bench(replace(FULL, message_bits=2), EVEN)  # of a quarter, sin(2πy)/2π is not yet y
    straight = bench(replace(ARCSINE, message_bits=2), EVEN)
    slots = sine.slots(4)
    cubic = sine.error(sine.bootstrapped(slots), slots)
    assert straight.error(straight.bootstrapped(slots), slots) < cubic / 16


def test_what_exceeds_the_bound_is_not_reduced() -> None:
    made = bench(replace(FULL, reduction=replace(FULL.reduction, bound=1, degree=7)), EVEN)
    slots = made.slots(5)
    assert made.error(made.bootstrapped(slots), slots) > 0.1


def test_an_operand_at_a_higher_level_gives_the_same() -> None:
    for method in (EVEN, LATE):
        made = bench(SPARSE, method)
        slots = made.slots(6)
        assert made.error(made.bootstrapped(slots, 2), slots) < 2.0**-BITS


def test_the_result_lies_as_many_levels_lower_as_the_procedure_says() -> None:
    assert levels(FULL, EVEN, 20) == levels(FULL, replace(EVEN, spread=False), 20)
    assert levels(FULL, EVEN, 20).result == 20 - 2 - 6 - 2 - 2
    assert levels(FULL, LATE, 20).result == 20 - 1 - 2 - 7 - 2 - 2
    assert levels(replace(FULL, decode_shared=(2,)), EVEN, 20).result == 20 - 2 - 6 - 2 - 1


def test_an_operand_without_a_level_to_spend_is_refused_by_the_method_that_spends_one() -> None:
    made = bench(SPARSE, LATE)
    with pytest.raises(RingMismatch, match="takes a level"):
        made.bootstrapped(made.slots(7), 0)
    even = bench(SPARSE, EVEN)
    slots = even.slots(7)
    assert even.error(even.bootstrapped(slots, 0), slots) < 2.0**-BITS


def test_too_short_a_chain_is_refused() -> None:
    with pytest.raises(InfeasibleParameters, match="takes 12 levels"):
        levels(FULL, EVEN, 11)
