"""The cheapest sets of TFHE beside those that TFHE-rs ships and those that Concrete publishes."""

import re
from dataclasses import replace
from math import log2

import numpy as np
import pytest
from numpy.typing import ArrayLike

from docs.guide import blocks
from exploration.lookups.curves import as_tfhe_rs_asks, concrete, published, sets_for_processors
from fheasible.aliases import Floats
from fheasible.exploration.lookups.complexity import Complexity, lookup_cost
from fheasible.exploration.lookups.gadgets import bootstrap_gadgets, switch_gadgets
from fheasible.exploration.lookups.optimiser import Asked, _Search, _secure, optimised
from fheasible.noise.tfhe.noise import lookup_failure, noise_of
from fheasible.schemes.tfhe.parameters import Gadget, Gaussian, ModulusSwitch, Order, TfheParameters, TUniform
from fheasible.security.tfhe import security_of
from noise.tfhe.sets import NamedSet

CONCRETE_128 = concrete(128)
USUAL = Asked(plaintext_modulus=16, norm2=5, log2_failure=-128)
NAMED = sets_for_processors()
FEW = [s for s in NAMED if s.name.endswith("_2M128") and "MESSAGE_2_CARRY_2_KS_" in s.name]
Row = tuple[int, int, int, int, int, tuple[int, int], tuple[int, int]]
PUBLISHED: tuple[
    Row, ...
] = (  # rows of v0_last_128: precision, log2 of the 2-norm, k, log2 N, n, PBS and KS levels and bases
    (1, 0, 5, 8, 592, (15, 1), (3, 3)),
    (2, 9, 4, 9, 708, (23, 1), (4, 3)),
    (1, 14, 4, 9, 605, (16, 2), (3, 3)),
    (1, 30, 4, 9, 625, (2, 22), (1, 12)),
)


def check_against_tfhe_rs(named: NamedSet) -> None:
    asked, least = as_tfhe_rs_asks(named)
    best, theirs = optimised(asked, least=least)[0], lookup_cost(named.parameters, Complexity())
    assert named.cost is not None
    assert theirs / 1e6 == pytest.approx(named.cost, abs=0.51)
    assert best.cost <= 1.02 * theirs
    assert best.log2_failure <= -128


@pytest.mark.parametrize("named", FEW, ids=lambda s: s.name)
def test_default_sets_of_tfhe_rs_are_not_cheaper(named: NamedSet) -> None:
    check_against_tfhe_rs(named)


@pytest.mark.long
def test_no_set_of_tfhe_rs_is_cheaper() -> None:
    assert len(NAMED) == 33
    for named in NAMED:
        check_against_tfhe_rs(named)


@pytest.mark.parametrize("row", PUBLISHED, ids=lambda r: f"{r[0]} bits, norm 2^{r[1]}")
def test_sets_that_concrete_publishes_are_not_cheaper(row: Row) -> None:
    """At its own errors and with 4096 terms in each sum, as its table has it."""
    bits, log_norm, k, log_n, n, pbs, ks = row
    theirs = published(bits, k, 1 << log_n, n, Gadget(*pbs), Gadget(*ks), CONCRETE_128)
    allowed = log2(6.4e-5)
    assert lookup_failure(theirs, 2.0**log_norm) <= allowed
    asked = Asked(
        plaintext_modulus=1 << bits,
        norm2=2.0**log_norm,
        log2_failure=allowed,
        modulus_switch=ModulusSwitch.STANDARD,
        tuniform=False,
    )
    best = optimised(asked, Complexity(4096), CONCRETE_128)[0]
    assert best.cost <= 1.02 * lookup_cost(theirs, Complexity(4096))


@pytest.mark.long
@pytest.mark.parametrize(
    ("tuniform", "quantum", "order"), [(True, False, Order.KS_PBS), (False, True, Order.PBS_KS)]
)
def test_a_set_is_as_secure_and_as_seldom_wrong_as_it_was_asked_to_be(
    tuniform: bool, quantum: bool, order: Order
) -> None:
    asked = replace(
        USUAL, tuniform=tuniform, quantum=quantum, order=order, log2_failure=-64, groupings=(1, 3)
    )
    found = optimised(asked)
    assert [f.parameters.grouping for f in found] != []
    for each in found:
        assert 128 <= security_of(each.parameters, quantum).bits < 136
        assert each.log2_failure <= -64
        assert each.parameters.lwe_dimension % each.parameters.grouping == 0
        assert each.log2_failure == lookup_failure(each.parameters, 5)
    assert [f.cost for f in found] == sorted(f.cost for f in found)


@pytest.mark.long
@pytest.mark.parametrize(
    "asked",
    [
        replace(USUAL, plaintext_modulus=4, norm2=3, log2_failure=-40),
        replace(USUAL, order=Order.PBS_KS, groupings=(3,)),
        replace(USUAL, plaintext_modulus=64, tuniform=False, modulus_switch=ModulusSwitch.STANDARD),
    ],
    ids=["small", "switch last", "large"],
)
def test_what_is_cut_is_never_better(asked: Asked) -> None:
    small = replace(asked, small=(700, 1000), glwe=(1, 2, 3))
    found = [
        _Search(small, Complexity(), _secure(128, False), small.groupings[0], cuts=cuts).best()
        for cuts in (True, False)
    ]
    assert found[0] is not None
    assert found[0] == found[1]


@pytest.mark.long
def test_no_neighbour_of_the_best_set_does_what_is_asked_for_less() -> None:
    """Another dimension, base or level, with the least secure errors for it."""
    best = optimised(USUAL)[0]
    p = best.parameters
    changes = [
        replace(p, lwe_dimension=p.lwe_dimension - d, lwe_errors=errors(p.lwe_dimension - d))
        for d in range(1, 60)
    ]
    changes += [replace(p, ks=Gadget(b, p.ks.level - 1)) for b in range(1, 20)]
    changes += [replace(p, pbs=Gadget(b, p.pbs.level)) for b in range(1, 40)]
    for change in changes:
        cheaper = lookup_cost(change, Complexity()) < best.cost
        assert not (cheaper and lookup_failure(change, 5) <= -128)


def errors(dimension: int) -> TUniform:
    asked = replace(USUAL, small=(dimension, dimension))
    found = optimised(replace(asked, log2_failure=-1, plaintext_modulus=2, norm2=1))[0].parameters.lwe_errors
    assert isinstance(found, TUniform)
    return found


@pytest.mark.long
def test_more_is_never_cheaper() -> None:
    base = optimised(USUAL)[0].cost
    harder = (
        replace(USUAL, norm2=50),
        replace(USUAL, plaintext_modulus=32),
        replace(USUAL, log2_failure=-200),
        replace(USUAL, security=192),
        replace(USUAL, quantum=True),
    )
    assert all(optimised(each)[0].cost >= base for each in harder)


def test_what_no_set_can_do_has_no_answer() -> None:
    assert optimised(replace(USUAL, plaintext_modulus=1 << 16)) == []


def test_sets_are_for_the_ring_and_the_keys_that_are_allowed() -> None:
    p = optimised(replace(USUAL, rings=(4096,), glwe=(2,), small=(900, 920)))[0].parameters
    assert (p.polynomial_size, p.glwe_dimension) == (4096, 2)
    assert 900 <= p.lwe_dimension <= 920


class Switching:
    """A cost in which bootstraps are nearly free."""

    def external_product(self, k: int, n: int, level: ArrayLike, grouping: int) -> Floats:
        return 1e-6 * Complexity().external_product(k, n, level, grouping)

    def key_switch(self, large: int, small: ArrayLike, level: ArrayLike) -> Floats:
        return Complexity().key_switch(large, small, level)


def test_another_cost_has_another_optimum() -> None:
    other = optimised(USUAL, Switching())[0].parameters
    usual = optimised(USUAL)[0].parameters
    assert other.ks.level < usual.ks.level
    assert lookup_cost(other, Complexity()) > lookup_cost(usual, Complexity())


def test_bases_are_those_with_the_least_noise() -> None:
    gadgets = bootstrap_gadgets(1, 2048, 1e-29, 1, 53)
    for index, level in enumerate(gadgets.levels[:3].tolist()):
        variances = [noise_of(some(base, level)).bootstrap for base in range(1, 64 // level + 1)]
        assert gadgets.bases[index] == 1 + int(np.argmin(variances))
        assert gadgets.variances[index] * 800 == pytest.approx(min(variances))


def some(base: int, level: int) -> TfheParameters:
    return TfheParameters(
        lwe_dimension=800,
        glwe_dimension=1,
        polynomial_size=2048,
        lwe_errors=Gaussian(1e-6),
        glwe_errors=Gaussian(1e-29**0.5),
        pbs=Gadget(base, level),
        ks=Gadget(3, 5),
        message_modulus=4,
        carry_modulus=4,
    )


def test_more_levels_never_add_noise() -> None:
    for gadgets in (bootstrap_gadgets(2, 1024, 1e-20, 1, 53), switch_gadgets(np.array([1e-9, 1e-12]), 32)):
        assert (np.diff(gadgets.variances) <= 0).all()


def test_the_guide_prints_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    for block in blocks("tfhe_parameters.md", "python"):
        exec(block, {})
        said = re.findall(r"print\(.*\)  # (.*)", block)
        assert capsys.readouterr().out.splitlines() == said
        assert said
