"""Every action of every scheme, in every variant and at every level: decrypted equals cleartext."""

import numpy as np
import pytest

from cases import case
from schemes.rns import bounds
from schemes.rns.actions import ACTIONS, swapped, turned
from schemes.rns.toy import LIMBS, SCHEMES, toy
from schemes.rns.variants import BGV_ALONE, KEY_SWITCHING, VARIANTS

LEVELLED = KEY_SWITCHING | BGV_ALONE | {"mask over the next prime": None, "high": None}
schemes = pytest.mark.parametrize("scheme", SCHEMES)


def check(scheme: str, variant: str, level: int) -> None:
    bench = toy(scheme, VARIANTS[scheme][variant])
    o = bench.operands(level)
    bound = bounds.slots(bench, level) if bench.is_real else 0
    for name, action in ACTIONS.items():
        if action.possible(scheme, level):
            with case(variant, level, name):
                error = bench.error(action.made(bench, o), action.expected(bench, o))
                assert error <= bound < 0.01


@schemes
def test_what_an_action_makes_decrypts_to_the_cleartext(scheme: str) -> None:
    for variant in VARIANTS[scheme]:
        check(scheme, variant, LIMBS - 1)


@pytest.mark.parametrize("scheme", ["ckks", "bgv"])
def test_at_every_lower_level_too(scheme: str) -> None:
    for variant in LEVELLED.keys() & VARIANTS[scheme].keys():
        for level in range(LIMBS - 1):
            check(scheme, variant, level)


@schemes
def test_fewer_slots_are_repeated(scheme: str) -> None:
    bench = toy(scheme, VARIANTS[scheme]["digits of one limb"])
    few = bench.values(1)[:8]
    everywhere = np.tile(few, bench.slots // 8)
    x = bench.scheme.encrypt(bench.keys, few)
    assert bench.error(x, everywhere) < 1e-6
    assert bench.error(bench.scheme.rotate(bench.keys, x, 3), turned(bench, everywhere, 3)) < 1e-6
    assert bench.error(bench.scheme.add_plain(x, few), 2 * everywhere) < 1e-6


@schemes
def test_rotations_add_up_to_none(scheme: str) -> None:
    bench = toy(scheme, VARIANTS[scheme]["three digits, the last shorter"])
    a, (s, k) = bench.values(1), (bench.scheme, bench.keys)
    x = s.encrypt(k, a)
    there_and_back = s.rotate(k, s.rotate(k, s.rotate(k, s.rotate(k, x, 3), -1), -1), -1)
    assert bench.error(there_and_back, a) < 1e-5
    assert bench.error(s.swap_rows(k, s.swap_rows(k, x)), a) < 1e-5


@schemes
def test_a_sum_of_two_and_three_parts_keeps_them_all(scheme: str) -> None:
    """x·y - z and z - x·y, at one scale: the third part has the right sign in both."""
    bench = toy(scheme, VARIANTS[scheme]["digits of one limb"])
    (x, y, a, b, _), s = bench.operands(LIMBS - 1), bench.scheme
    product, flat = s.mul(x, y), s.relinearize(bench.keys, s.square(x))
    assert bench.error(s.sub(product, flat), a * b - a * a) < 1e-5
    assert bench.error(s.sub(flat, product), a * a - a * b) < 1e-5
    assert bench.error(s.add(flat, product), a * a + a * b) < 1e-5


def test_ckks_switches_whole_limbs_at_the_scale_of_products() -> None:
    """The noise of BV's digits of 50 and 40 bits is far below S² = 2^80, though not below S."""
    bench = toy("ckks", VARIANTS["bgv"]["whole limbs"])
    o, s, k = bench.operands(LIMBS - 1), bench.scheme, bench.keys
    product = s.relinearize(k, s.mul(o.x, o.y))
    noise = bench.n * bounds.switching(bench, LIMBS - 1) / product.scale
    clear = o.a * o.b
    assert bench.error(s.rescale(product), clear) <= noise + 1e-5 < 0.001
    assert bench.error(s.rescale(s.rotate(k, product, 3)), turned(bench, clear, 3)) <= 2 * noise + 1e-5


@schemes
def test_rows_are_swapped_and_not_only_moved(scheme: str) -> None:
    bench = toy(scheme, VARIANTS[scheme]["digits of one limb"])
    a = bench.values(1) * (1j if bench.is_real else 1)
    x = bench.scheme.encrypt(bench.keys, a)
    swapped_slots = bench.scheme.decrypt(bench.keys, bench.scheme.swap_rows(bench.keys, x))
    assert np.allclose(swapped_slots, swapped(bench, a), atol=1e-5)
    assert not np.allclose(swapped_slots, a, atol=0.1)
