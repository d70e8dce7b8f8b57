"""A table is looked up in a bootstrap on the exact ring, which performs what is counted, as OpenFHE does."""

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from cases import case
from fheasible.errors import UsageError
from fheasible.rings.rns.counting import CountingRnsRing
from fheasible.rings.rns.element import Conversion
from fheasible.rings.rns.modulus import Rounding
from fheasible.schemes.rns.bootstrap import counting, monic, table
from fheasible.schemes.rns.bootstrap.counting import Bases
from fheasible.schemes.rns.bootstrap.keys import given_bootstrap_keys
from fheasible.schemes.rns.bootstrap.lookup import lookup
from fheasible.schemes.rns.bootstrap.method import LATE, Alignment
from fheasible.schemes.rns.bootstrap.procedure import Procedure, Reduction, Table
from fheasible.schemes.rns.bootstrap.scaling import prime
from fheasible.schemes.rns.bootstrap.tables import prepared
from fheasible.schemes.rns.ciphertext import RnsSpec
from fheasible.schemes.rns.ckks import CKKS
from fheasible.schemes.rns.variant import Automorphism, Variant
from schemes.rns.bootstrap.bench import INSECURE_N, RESIDUAL, Bench, bench

MANUAL = replace(LATE, alignment=Alignment.AT_ONCE)
TOY = Procedure(32, (3, 2), (2, 3), Reduction(12, 46, 2), 10)
TABLES = {
    "boolean": replace(TOY, table=Table(1)),
    "boolean, order 2": replace(TOY, table=Table(1, 2)),
    "four entries": replace(TOY, table=Table(2)),
    "sixteen entries": replace(TOY, table=Table(4)),
    "eight entries, order 3": replace(TOY, table=Table(3, 3)),
    "sparse": replace(TOY, slots=8, encode=(2, 1), decode=(1, 2), table=Table(3, 2)),
    "encapsulated": replace(TOY, ephemeral=4, reduction=Reduction(8, 40, 2), table=Table(3)),
}


def slots_of(numbers: Any, n: int) -> Any:
    """The slots of the polynomial with 2s coefficients, n/(2s) apart."""
    polynomial = np.zeros(n)
    polynomial[:: n // len(numbers)] = numbers
    turns = np.array([pow(5, j, 2 * n) for j in range(len(numbers) // 2)])
    powers = np.exp(1j * np.pi * np.outer(turns, np.arange(n)) / n)
    return powers @ polynomial


def coefficients_of(slots: Any, many: int, n: int) -> Any:
    """The coefficients of a polynomial with these n/2 slots, n/(2s) apart."""
    turns = np.array([pow(5, j, 2 * n) for j in range(n // 2)])
    powers = np.exp(-1j * np.pi * np.outer(np.arange(n), turns) / n)
    return (2 * (powers @ slots).real / n)[:: n // many]


def looked_up(made: Bench, entries: Any, numbers: Any) -> tuple[Any, Any]:
    """What the bootstrap makes of these numbers, and what it performed."""
    scheme, p, n = made.scheme, made.tables.procedure, made.tables.n
    assert p.table is not None
    unit = prime(scheme, 0) / scheme.scale_of(0) / p.table.entries
    x = scheme.encrypt(made.keys.keys, slots_of(numbers * unit, n), 0)
    made.ring.performed.clear()
    y = lookup(scheme, made.keys, x, made.tables, entries)
    performed = Counter(made.ring.performed)
    assert y.level == RESIDUAL
    return coefficients_of(scheme.decrypt(made.keys.keys, y), 2 * p.slots, n), performed


@pytest.mark.long
def test_every_table_is_looked_up_as_it_is_counted() -> None:
    random = np.random.default_rng(1)
    for name, p in TABLES.items():
        with case(name):
            assert p.table is not None
            made = bench(p, MANUAL)
            entries = table.typical(p.table)
            numbers = random.integers(0, p.table.entries, 2 * p.slots)
            found, performed = looked_up(made, entries, numbers)
            assert np.max(np.abs(found - entries[numbers])) < 0.05
            ring = CountingRnsRing(len(made.ring.q), len(made.ring.p), 0)
            scheme = CKKS(ring, RnsSpec(), made.scheme.variant)
            keys = given_bootstrap_keys(scheme, p, INSECURE_N, MANUAL)
            tables, x = prepared(scheme, p, INSECURE_N, MANUAL), scheme.operand(0)
            ring.restart()
            lookup(scheme, keys, x, tables)
            assert ring._seen == performed


def test_a_table_is_a_trigonometric_polynomial_whose_derivatives_vanish_at_the_entries() -> None:
    for own in (Table(1, 2), Table(2), Table(2, 2), Table(3, 3), Table(4), Table(5, 2)):
        with case(own):
            entries = table.typical(own)
            c = table.coefficients(own, entries)
            at = np.exp(2j * np.pi * np.outer(np.arange(own.entries), np.arange(len(c))) / own.entries)
            assert 2 * (at @ c).real == pytest.approx(entries)
            for order in range(1, own.order + 1):
                derivative = (at @ (c * (1j * np.arange(len(c)) / len(c)) ** order)).real
                assert np.max(np.abs(derivative)) < 1e-9


def test_degrees_and_levels_are_those_of_openfhe() -> None:
    """From `GetHermiteTrigCoefficients` and `GetFBTDepth` of the wheel 1.6.1, without transforms, exponential
    and double angles."""
    live = {(1, 1): 0, (1, 2): 3, (2, 1): 3, (2, 2): 4, (3, 1): 4, (3, 2): 4, (3, 3): 5, (4, 1): 5, (4, 2): 5,
            (4, 3): 6, (8, 1): 9, (8, 2): 9, (8, 3): 10, (10, 2): 11}  # fmt: skip
    assert {key: table.depth(Table(*key)) for key in live} == live
    assert table.degree(Table(8, 2)) == 384
    assert monic.depth(46) + 2 + 1 == 9


def test_an_order_that_does_not_exist_is_refused() -> None:
    with pytest.raises(UsageError, match="order 4"):
        table.depth(Table(3, 4))


COSINE, TURNING, WIDE = Reduction(16, 50, 2), Reduction(16, 46, 2), Reduction(28, 68, 2)
LIVE = (
    (Procedure(8, (1, 1, 1), (1, 1, 1), COSINE, 0, 32, table=Table(1)), 4096, Bases(16, 4, 2), 1923, 671),
    (Procedure(512, (5, 4), (3, 3, 3), TURNING, 0, 32, table=Table(4)), 1024, Bases(20, 5, 2), 6043, 1457),
    (Procedure(64, (2, 2, 2), (2, 2, 2), TURNING, 0, 32, table=Table(2)), 1024, Bases(19, 5, 2), 2928, 801),
    (Procedure(512, (3, 3, 3), (3, 3, 3), WIDE, 0, table=Table(1)), 1024, Bases(17, 4), 2812, 940),
    (Procedure(8, (3,), (2, 1), TURNING, 0, 32, table=Table(8)), 1024, Bases(22, 7, 2), 6902, 1612),
    (Procedure(16, (2, 2), (2, 2), TURNING, 0, 32, table=Table(3, 2)), 1024, Bases(18, 5, 2), 3103, 852),
)  # fmt: skip


@pytest.mark.long
def test_transforms_are_those_of_openfhe() -> None:
    """The live figures were counted by breakpoints on transforms of 64-bit residues during EvalFBT of a table
    of random entries, by the wheel 1.6.1 with 3 large digits. How many last coefficients are zero depends on
    the table."""
    for p, n, bases, forward, inverse in LIVE:
        variant = Variant(
            limbs_per_digit=-(-bases.chain // 3),
            lazy=False,
            copy_own=True,
            mod_down=Rounding(Conversion.FAST),
            automorphism=Automorphism.EXTENDED,
        )
        found = counting.counted(p, n, MANUAL, variant, bases, 0)
        with case(p):
            assert found["inverse"] == inverse
            assert found["forward"] == pytest.approx(forward, rel=1e-3)
